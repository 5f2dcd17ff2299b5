"""A request -> the one expression it asks to evaluate, if it asks nothing else."""

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from stepcache_proxy.tasks.arithmetic.percents import (
    Kind,
    Percentage,
    read_value,
    read_whole,
)
from stepcache_proxy.tasks.arithmetic.printing import is_printable, show
from stepcache_proxy.tasks.arithmetic.reading import read
from stepcache_proxy.tasks.arithmetic.tokens import Mark, Token, tokens
from stepcache_proxy.tasks.arithmetic.values import Value

MAX_REQUEST_CHARS = 400

_ASKED = re.compile(
    r"\s*(?:(?:please|kindly|can\syou|could\syou)[,\s]\s{0,3})?"
    r"(?P<verb>what\sis|what's|whats|how\smuch\sis|calculate|compute|evaluate|work\sout)"
    r"\s(?:the\s(?:value|result)\sof\s)?(?:the\sexpression\s)?"
    r"(?P<said>[^\n]{1,200}?)(?:,?\splease)?\s{0,3}[.?]?\s{0,3}"
    r"(?P<only>(?:reply|answer|respond)\swith\s(?:only|just)\sthe\snumber"
    r"(?:,\snothing\selse)?\.?)?\s*",
    re.IGNORECASE,
)
# A score, a date or a telephone number looks like a quotient or a difference.
_IDIOM = re.compile(r"\s*\d+\s?[-/–]\s?\d+(?:\s?[-/–]\s?\d+)*\s*")
_FOREIGN = re.compile(r"[$€£=<>:;!_`]|\d\s+\d")


@dataclass(frozen=True, slots=True)
class Asked:
    """The expression as written, its exact value, and whether only that is wanted.

    ``percentage`` where the words ask for one.
    """

    expression: str
    value: Fraction
    is_number_only: bool
    percentage: Percentage | None = None

    @property
    def is_share(self) -> bool:
        """Whether the answer has to be so many percent."""
        return self.percentage is not None and self.percentage.kind is Kind.SHARE


def read_request(text: str) -> Asked | None:
    """What is asked; None unless every word was understood and the value is safe."""
    if len(text) > MAX_REQUEST_CHARS:
        return None
    whole = read_whole(text)
    return _of_percentage(*whole) if whole is not None else _of_expression(text)


def _of_expression(text: str) -> Asked | None:
    found = _ASKED.fullmatch(text)
    if found is None or _FOREIGN.search(found["said"]):
        return None
    said = found["said"].strip()
    is_question = not found["verb"].lower().startswith(("calc", "comp", "eval", "work"))
    if is_question and _IDIOM.fullmatch(said):
        return None
    is_number_only = found["only"] is not None
    percentage = read_value(said)
    if percentage is not None:
        return _of_percentage(percentage, is_number_only)
    value = _value(tokens(said))
    if value is None or not _is_answerable(value.exact, is_number_only):
        return None
    return Asked(said, value.exact, is_number_only)


def _is_answerable(value: Fraction, is_number_only: bool) -> bool:  # noqa: FBT001
    return is_printable(value) and not (is_number_only and "/" in show(value))


def _of_percentage(percentage: Percentage, is_number_only: bool) -> Asked | None:  # noqa: FBT001
    """``Increase 80 by 15%`` as ``80 + 15% of 80``; a share is no bare number."""
    value = percentage.result
    is_share = percentage.kind is Kind.SHARE
    if not _is_answerable(value, is_number_only) or (is_share and is_number_only):
        return None
    return Asked(percentage.expression, value, is_number_only, percentage)


def _value(found: list[Token]) -> Value | None:
    """The value of tokens that are one expression whole, read in one way only."""
    if any(token.mark is Mark.WORD and token.text != "of" for token in found):
        return None
    done = read(found)
    if done is None or done.end != len(found) or not done.value.operators:
        return None
    if done.value.is_unsure or done.value.units or _is_ambiguous(found):
        return None
    return done.value


def _is_ambiguous(found: list[Token]) -> bool:
    """Whether people read it in two ways: ``6/2(3)``, ``200 + 10%``, ``-2^2``."""
    texts = [token.text for token in found]
    is_implied = any(
        token.mark is Mark.OPEN and token.is_glued and before.mark is not Mark.OPERATOR
        for before, token in pairwise(found)
        if before.mark is not Mark.OPEN
    )
    has_sum = "+" in texts or "-" in texts
    is_signed_power = "^" in texts and texts[0] == "-"
    return (
        (is_implied and "/" in texts)
        or ("%" in texts and has_sum)
        or is_signed_power
        or texts.count("^") > 1
    )
