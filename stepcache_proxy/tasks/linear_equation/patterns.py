r"""Texts that differ in their numbers and the name of their unknown, read once.

Theory. A reader asks of a number token that it is one, where it stands and what it
touches; what number it is matters to the value of an expression and to nothing before
that. So a text is read as its pattern is, every number in its place: of a pattern each
number is another (:data:`FIRST` and on) and the unknown is :data:`LETTER`. That holds
for digits that are one token whatever they are (:func:`pattern_of` refuses points,
commas and backslashes before them) and where no letter changes its part: no other x,
no capital (``\begin{X}``), none that may be an article, none in a word. Where a
pattern is not read wholly, or a value decides, the text itself is read.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    whole,
)

FIRST = 1_001
LETTER = "x"

_DIGITS = re.compile("[0-9]+")
_ODD = re.compile(r"[.,\\][0-9]|[0-9]{10}")


class Pattern(NamedTuple):
    """What texts have in common, each number a zero, and the numbers of one of them."""

    key: str
    numbers: list[str]

    def fill(self, node: Node) -> Node:
        """An expression of the pattern with the numbers of the text."""
        if isinstance(node, Binary):
            return Binary(node.symbol, self.fill(node.left), self.fill(node.right))
        if isinstance(node, Number):
            return Number(whole(int(self.numbers[node.value.numerator - FIRST])))
        return Negated(self.fill(node.inner)) if isinstance(node, Negated) else node

    def fill_all(self, sides: Sequence[Node]) -> tuple[Node, ...]:
        """Several expressions, filled."""
        return tuple([self.fill(side) for side in sides])


def pattern_of(text: str, unknown: str) -> Pattern | None:
    """The pattern of ``text``; None where it may be read in another way."""
    if unknown == "a" or not unknown.islower() or _ODD.search(text):
        return None
    key = _DIGITS.sub("0", text)
    if unknown != LETTER:
        if _lone(LETTER).search(text):
            return None
        key = _name(unknown).sub(LETTER, key)
    return Pattern(key, _DIGITS.findall(text))


def text_of(key: str) -> str:
    """The text of a pattern, a number of its own in each place."""
    numbers = count(FIRST)
    return _DIGITS.sub(lambda _: str(next(numbers)), key)


@lru_cache(64)
def _lone(letter: str) -> re.Pattern[str]:
    """At least wherever the letter is a token."""
    return re.compile(rf"(?<![A-Za-z]){letter}(?![A-Za-z])")


@lru_cache(64)
def _name(letter: str) -> re.Pattern[str]:
    """Only where the letter is a token."""
    return re.compile(rf"(?<![^\W\d_])(?<![\\'’]){letter}(?![^\W\d_])(?!['’])")
