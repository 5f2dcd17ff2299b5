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
    and approximately about exactly both numbers this in you your for as follows a
""")


@dataclass(frozen=True, slots=True)
class _Said:
    """One part of a text: its verdict, and the value it ends with, if any."""

    verdict: Verdict
    value: Fraction | None = None


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
        return joint
    values = [part.value for part in said if part.value is not None]
    if not values:
        return Unknown("no value is stated")
    if values[-1] != asked.value:
        return Reject("wrong value")
    if asked.is_number_only and not _is_bare(text):
        return Unknown("more than the number")
    return Accept()


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
    plain = _BOXED.sub(r" \1 ", text)
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
    if len(sides) > 1:
        return _Said(Accept(), first.exact)
    if first.exact == asked.value or _is_rounded(asked.value, first):
        return _Said(Accept(), asked.value)
    if first.operators:
        return _Said(Unknown("an expression of another value"))
    return _Said(Accept(), first.exact)


def _agrees(first: Value, value: Value, *, is_about: bool) -> bool:
    """Equal; or a result that was rounded, to two decimals at least."""
    if first.exact == value.exact:
        return True
    if value.places == 1 and is_about:
        return abs(first.exact - value.exact) * 20 <= 1
    return _is_rounded(first.exact, value)


def _is_rounded(exact: Fraction, value: Value) -> bool:
    if value.places < 2 or value.operators:
        return False
    is_ending = (exact * 10**value.places).denominator == 1
    return not is_ending and abs(exact - value.exact) * 2 * 10**value.places <= 1
