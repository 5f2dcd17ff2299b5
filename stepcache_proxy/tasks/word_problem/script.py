"""A worked answer as text -> its tokens in lines, noted calculations apart."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stepcache_proxy.tasks.word_problem.tokens import Kind, Token, tokens

MAX_CHARS = 6_000
MAX_NUMBERS = 120
NOTED = "\ue000"
"""Stands in the text where a calculation was noted (``<<2*3=6>>``)."""

_NOTE = re.compile(r"<<([^<>\n]{1,200})>>")
_HARMLESS = frozenset("#'’‘`")
# Spellings of LaTeX with what they are in plain text, as long as what they replace.
_LATEX = tuple(
    (written, plain.ljust(len(written)))
    for written, plain in (
        (r"\times", "*"),
        (r"\cdot", "*"),
        (r"\div", "/"),
        (r"\$", "$"),
        (r"\%", "%"),
        (r"\(", "\n"),
        (r"\)", "\n"),
        (r"\[", "\n"),
        (r"\]", "\n"),
    )
)
_CARRIED = frozenset({Kind.NUMBER, Kind.WORD})


@dataclass(frozen=True, slots=True)
class Script:
    """The tokens of an answer, and those of the note at each place that has one."""

    lines: tuple[tuple[Token, ...], ...]
    notes: dict[int, tuple[Token, ...]]

    @property
    def words(self) -> frozenset[str]:
        """Every word once, in lower case."""
        return frozenset(t.lower for line in self.lines for t in line)


def read_script(text: str, fractions: frozenset[tuple[int, int]]) -> Script | None:
    """The tokens, None if there is anything odd among them.

    ``fractions`` are read as one number where they stand in the answer.
    """
    if len(text) > MAX_CHARS or NOTED in text:
        return None
    notes: dict[int, tuple[Token, ...]] = {}
    for found in _NOTE.finditer(text):
        inner = [_moved(t, found.start(1)) for t in tokens(found[1])]
        notes[found.start()] = tuple(_with_fractions(inner, fractions))
    shown = _NOTE.sub(lambda found: NOTED.ljust(len(found[0])), text)
    for written, plain in _LATEX:
        shown = shown.replace(written, plain)
    outer = list(_with_fractions(list(_signed(tokens(shown))), fractions))
    everything = [*outer, *(token for note in notes.values() for token in note)]
    count = sum(token.kind is Kind.NUMBER for token in everything)
    if count > MAX_NUMBERS or any(map(_is_odd, everything)):
        return None
    return Script(tuple(_lines(outer)), notes)


def _moved(token: Token, by: int) -> Token:
    return replace(token, start=token.start + by, end=token.end + by)


def _is_odd(token: Token) -> bool:
    return token.kind is Kind.OPAQUE and token.text not in _HARMLESS | {NOTED}


def _signed(found: Sequence[Token]) -> Iterator[Token]:
    """The tokens with every ``x`` that multiplies, and every dash, as its sign."""
    for at, token in enumerate(found):
        before = found[at - 1] if at else None
        after = found[at + 1] if at + 1 < len(found) else None
        if token.lower == "x" and _multiplies(before, after):
            yield replace(token, kind=Kind.SIGN, text="*", lower="*")
        elif token.text in {"–", "—"}:
            yield replace(token, text="-")
        else:
            yield token


def _multiplies(before: Token | None, after: Token | None) -> bool:
    if before is None or after is None:
        return False
    is_left = before.kind in _CARRIED or before.text in {")", "%"}
    return is_left and (after.kind is Kind.NUMBER or after.text in {"$", "("})


def _with_fractions(
    found: Sequence[Token], fractions: frozenset[tuple[int, int]]
) -> Iterator[Token]:
    """The tokens with each of these fractions as one number."""
    at = 0
    while at < len(found):
        merged = _fraction(found, at, fractions)
        yield merged or found[at]
        at += 3 if merged else 1


def _fraction(
    found: Sequence[Token], at: int, fractions: frozenset[tuple[int, int]]
) -> Token | None:
    if at + 2 >= len(found) or (at and found[at - 1].text in {"/", "^"}):
        return None
    over, sign, under = found[at : at + 3]
    if sign.text != "/" or {over.kind, under.kind} != {Kind.NUMBER}:
        return None
    if over.end != sign.start or sign.end != under.start or not under.value:
        return None
    if not any(a == over.value and b == under.value for a, b in fractions):
        return None
    value = Fraction(over.value, under.value)
    text = f"{over.text}/{under.text}"
    return replace(over, text=text, lower=text, end=under.end, value=value)


def _lines(found: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    line: list[Token] = []
    for token in found:
        if token.text == "\n":
            yield tuple(line)
            line = []
        else:
            line.append(token)
    yield tuple(line)
