"""Text -> words, numbers and signs, each with its place; what is odd is opaque."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from stepcache_proxy.tasks.word_problem.number_words import NUMBER_WORDS, said_number

MAX_DIGITS = 12


class Kind(StrEnum):
    """What a token is."""

    NUMBER = "number"
    WORD = "word"
    SIGN = "sign"
    BREAK = "break"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text, from ``start`` to ``end``.

    ``lower`` is the text without its case, apostrophes straight. ``value`` is of
    numbers only. ``is_said``: a number in words.
    """

    kind: Kind
    text: str
    lower: str
    start: int
    end: int
    value: Fraction = Fraction(0)
    is_said: bool = False


_TOKEN = re.compile(
    r"""
      (?P<opaque>[0-9]++:[0-9]++ | [0-9]++(?:\.[0-9]++){2,}+
        | [0-9]++(?:[.,][0-9]++){0,4}+[^\W\d]\w*+ | [^\W\d]{1,40}+[0-9]\w*+)
    | (?P<number>(?<![\w.])
        (?:(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+))
    | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    | (?P<space>[ \t\r\u00a0\u202f]+)
    | (?P<break>[.,;:?!\n"“”…]|\*\*+)
    | (?P<sign>[-+*/=$%^()×·÷−–—<>])
    | (?P<odd>.)
    """,
    re.VERBOSE,
)
_KINDS = {
    "opaque": Kind.OPAQUE,
    "word": Kind.WORD,
    "break": Kind.BREAK,
    "sign": Kind.SIGN,
    "odd": Kind.OPAQUE,
}
_SIGNS = {"×": "*", "·": "*", "÷": "/", "−": "-"}


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``; numbers in words are one token. Linear time."""
    return list(_spoken(list(_written(text))))


def _written(text: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        kind, said = found.lastgroup or "odd", found[0]
        if kind == "space":
            continue
        start, end = found.span()
        if kind == "number":
            yield _number(said, start, end)
            continue
        said = _SIGNS.get(said, said)
        lower = said.lower().replace("’", "'")
        yield Token(_KINDS[kind], said, lower, start, end)


def _number(said: str, start: int, end: int) -> Token:
    digits = said.replace(",", "")
    if len(digits) > MAX_DIGITS:
        return Token(Kind.OPAQUE, said, said, start, end)
    return Token(Kind.NUMBER, said, said, start, end, Fraction(digits))


def _spoken(found: Sequence[Token]) -> Iterator[Token]:
    """The tokens with runs of number words read as one number each."""
    at = 0
    while at < len(found):
        if found[at].lower not in NUMBER_WORDS:
            yield found[at]
            at += 1
            continue
        run = _run_of_words(found, at)
        taken, value = said_number([token.lower for token in run])
        if not taken:
            yield found[at]
            at += 1
            continue
        start, end = found[at].start, run[taken - 1].end
        text = " ".join(token.text for token in run[:taken])
        yield Token(Kind.NUMBER, text, text.lower(), start, end, value, is_said=True)
        while at < len(found) and found[at].start < end:
            at += 1


_LONGEST_RUN = 8


def _run_of_words(found: Sequence[Token], at: int) -> list[Token]:
    """Words from ``at`` that only spaces or single hyphens part."""
    run: list[Token] = []
    while at < len(found) and found[at].kind is Kind.WORD and len(run) < _LONGEST_RUN:
        run.append(found[at])
        at += 2 if _is_hyphen(found, at + 1) else 1
    return run


def _is_hyphen(found: Sequence[Token], at: int) -> bool:
    """Whether there is a hyphen, glued on both sides."""
    return (
        at + 1 < len(found)
        and found[at].text == "-"
        and found[at].start == found[at - 1].end
        and found[at + 1].start == found[at].end
    )
