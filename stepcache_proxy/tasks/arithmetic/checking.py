"""Answers and steps, proved, refused or left open for one asked expression.

Every word of an accepted text is understood: it is plain connecting prose, a true
equality, or it states the asked value.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.arithmetic.asking import Asked
from stepcache_proxy.tasks.arithmetic.equalities import breaks_apart
from stepcache_proxy.tasks.arithmetic.percents import restated
from stepcache_proxy.tasks.arithmetic.reading import read
from stepcache_proxy.tasks.arithmetic.tokens import Mark, Token, tokens
from stepcache_proxy.tasks.arithmetic.values import Value

MAX_ANSWER_CHARS = 4_000
_MARKER = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?=\S)", re.MULTILINE)
_LABEL = re.compile(r"^[ \t*]*step \d{1,2}[:.)*]*", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"\\boxed\{([^{}\n]{1,60})\}")
_COPULA = frozenset({"is", "equals", "gives"})
_PROSE = words("""
    the answer result value sum total product difference quotient final expression
    of to is so therefore thus hence we get have it that gives then first next
    finally now calculate calculating compute computing evaluate evaluating simplify
    simplifying add adding subtract subtracting multiply multiplying divide dividing
    together parentheses brackets inside within using order operations sure here let
    us let's solve perform multiplication addition subtraction division which equals
    percent percentage increase decrease increased decreased
    and approximately about exactly both numbers this in you your for as follows a
""")


@dataclass(frozen=True, slots=True)
class _Said:
    """One part of a text: its verdict, and the value it ends with, if any."""

    verdict: Verdict
    value: Fraction | None = None
    has_percent: bool = False


def check_step(asked: Asked, text: str) -> Verdict:
    """Accept only a step that is right on its own."""
    said = _all_said(asked, text)
    return _joint(said) if said is not None else Unknown("too long to be read")


def check_answer(asked: Asked, text: str) -> Verdict:
    """Accept only an answer that is right throughout and ends with the asked value.

    Reject where everything was read and something is wrong; else Unknown.
    """
    said = _all_said(asked, text)
    if said is None:
        return Unknown("too long to be read")
    joint = _joint(said)
    if not isinstance(joint, Accept):
        # "12/80 × 100 = 15%" is how people work a share out, and is no equality.
        is_scaled = asked.is_share and "100" in text
        return Unknown("times a hundred") if is_scaled else joint
    stated = [part for part in said if part.value is not None]
    verdict = _ending(asked, stated[-1]) if stated else Unknown("no value is stated")
    if isinstance(verdict, Accept) and asked.is_number_only and not _is_bare(text):
        return Unknown("more than the number")
    return verdict


def _ending(asked: Asked, last: _Said) -> Verdict:
    """Whether what a text ends with is the asked value."""
    value = last.value if last.value is not None else Fraction(0)
    if asked.is_share and not last.has_percent:
        return Unknown("not a percentage")
    if value == asked.value:
        return Accept()
    if asked.is_share and abs(value - asked.value) * 100 < 1:
        return Unknown("rounded otherwise")
    return Reject("wrong value")


def _is_bare(text: str) -> bool:
    found = [token for token in tokens(text) if token.mark is not Mark.BREAK]
    done = read(found)
    return done is not None and done.end == len(found) and not done.value.operators


def _joint(said: list[_Said]) -> Verdict:
    """Wrong only where all was read: prose that is not read may explain it."""
    verdicts = [part.verdict for part in said]
    unread = next((v for v in verdicts if isinstance(v, Unknown)), None)
    refused = next((v for v in verdicts if isinstance(v, Reject)), None)
    return unread or refused or Accept()


def _all_said(asked: Asked, text: str) -> list[_Said] | None:
    if len(text) > MAX_ANSWER_CHARS:
        return None
    plain = restated(_BOXED.sub(r" \1 ", text), is_share=asked.is_share)
    plain = _MARKER.sub("", _LABEL.sub("", plain))
    return [_said(asked, part) for part in breaks_apart(plain) if part]


def _said(asked: Asked, part: list[Token]) -> _Said:
    start = 0
    while start < len(part) and part[start].mark is Mark.WORD:
        if part[start].text.casefold() not in _PROSE:
            return _Said(Unknown("prose that is not read"))
        start += 1
    if start == len(part):
        return _Said(Accept())
    sides = _sides(part[start:])
    return _Said(Unknown("not readable")) if sides is None else _chain(asked, sides)


def _sides(part: list[Token]) -> list[tuple[Value, bool]] | None:
    """Every side of a chain with whether it is only about equal to the one before."""
    sides: list[tuple[Value, bool]] = []
    at, is_about = 0, False
    while True:
        found = read(part, at)
        if found is None or found.value.is_unsure:
            return None
        sides.append((found.value, is_about))
        if found.end == len(part):
            return sides
        token = part[found.end]
        is_copula = token.mark is Mark.WORD and token.text.casefold() in _COPULA
        if token.mark not in (Mark.EQUAL, Mark.ABOUT) and not is_copula:
            return None
        at, is_about = found.end + 1, token.mark is Mark.ABOUT


def _chain(asked: Asked, sides: list[tuple[Value, bool]]) -> _Said:
    first = sides[0][0]
    if any(value.units for value, _ in sides):
        return _Said(Unknown("a unit"))
    for value, is_about in sides[1:]:
        if not _agrees(first, value, is_about=is_about):
            return _Said(Reject("a false equality"))
    has_percent = any(value.has_percent and not value.operators for value, _ in sides)
    if len(sides) > 1:
        return _Said(Accept(), first.exact, has_percent)
    if first.exact == asked.value or _is_rounded(asked.value, first):
        return _Said(Accept(), asked.value, has_percent)
    if first.operators:
        return _Said(Unknown("an expression of another value"))
    return _Said(Accept(), first.exact, has_percent)


def _agrees(first: Value, value: Value, *, is_about: bool) -> bool:
    """Equal; or a result that was rounded, to two decimals at least."""
    if first.exact == value.exact:
        return True
    if value.places == 1 and is_about and not value.has_percent:
        return abs(first.exact - value.exact) * 20 <= 1
    return _is_rounded(first.exact, value)


def _is_rounded(exact: Fraction, value: Value) -> bool:
    if value.places < 2 or value.operators:
        return False
    # Of 17.14% four decimals are printed.
    places = value.places + (2 if value.has_percent else 0)
    is_ending = (exact * 10**places).denominator == 1
    return not is_ending and abs(exact - value.exact) * 2 * 10**places <= 1
