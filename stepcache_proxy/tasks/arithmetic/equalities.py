"""Every equality that a text states between numbers, judged one by one.

Nothing is known of the problem the text is about: what is judged is only whether what
it writes on both sides of an equals sign is the same number. A text of which nothing
can be read is Unknown; one that states a falsehood beyond rounding is rejected.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.arithmetic.reading import read
from stepcache_proxy.tasks.arithmetic.tokens import MAX_CHARS, Mark, Token, tokens
from stepcache_proxy.tasks.arithmetic.values import Value

MAX_SIDE_TOKENS = 60
_NOTHING = Unknown("no equality between numbers")
_RELATIONS = (Mark.EQUAL, Mark.ABOUT, Mark.RELATION)
_ANNOTATION = re.compile(r"<<([^<>\n]{1,200})>>")
# A text that talks of a falsehood may state one.
_DOUBT = re.compile(
    r"contradict|impossible|incorrect|not\s(?:equal|true|possible|correct|satisf)|false"
    r"|mistake|wrong|no\ssolution|cannot|can't|doesn't|does\snot|isn't|is\snot|pmod|mod\b"
    r"|\bbase\b|_\{?\d|\bif\b|suppose|assume|\btry\b|guess|remainder",
    re.IGNORECASE,
)
_ROUNDED = re.compile(r"round|approx|about|nearest|estimat|roughly", re.IGNORECASE)
# Words before an expression that make it a part of a larger one.
_CARRYING = words("""
    of twice half double triple plus minus times and by from than squared sum
    product difference quotient mod per each between divided multiplied over root
""")


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a relation as tokens, and the relation that follows it."""

    tokens: list[Token]
    relation: Mark | None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two readings of each side: a percent sign as a hundredth, and as a mark."""

    left: tuple[Value, ...]
    right: tuple[Value, ...]
    relation: Mark


def check_equalities(text: str) -> Verdict:
    """Reject a false equality, Accept if all that are readable hold, else Unknown.

    Never raises. Linear time up to ``MAX_CHARS``; a longer text is Unknown.
    """
    if len(text) > MAX_CHARS:
        return Unknown("too long to be read")
    doubtful = _DOUBT.search(text) is not None
    is_rounded = _ROUNDED.search(text) is not None
    verdicts = [
        _judged(pair, is_rounded=is_rounded)
        for part in _parts(text)
        for pair in _pairs(part)
    ]
    refused = next((v for v in verdicts if isinstance(v, Reject)), None)
    if refused is not None:
        return Unknown("a falsehood that may be meant") if doubtful else refused
    return next((v for v in verdicts if isinstance(v, Accept)), _NOTHING)


def _parts(text: str) -> Iterator[list[Token]]:
    """The text and the calculations noted in it, each between two breaks."""
    noted = _ANNOTATION.findall(text)
    for part in (_ANNOTATION.sub("", text), *noted):
        yield from breaks_apart(part)


def breaks_apart(text: str) -> Iterator[list[Token]]:
    """The tokens of each part of ``text`` between two breaks; some are empty."""
    return _between_breaks(tokens(text))


def _between_breaks(found: Sequence[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for at, token in enumerate(found):
        if token.mark is not Mark.BREAK:
            part.append(token)
        elif not _is_carried_on(found, at):
            yield part
            part = []
    yield part


def _is_carried_on(found: Sequence[Token], at: int) -> bool:
    """Whether a line goes on after a break: ``a`` newline ``= b``."""
    after = found[at + 1] if at + 1 < len(found) else None
    is_line = found[at].text in {"\n", "\\\\"}
    return is_line and after is not None and after.mark in (Mark.EQUAL, Mark.ABOUT)


def _pairs(part: Sequence[Token]) -> Iterator[_Pair]:
    sides = list(_sides(part))
    for before, after in pairwise(sides):
        if before.relation not in (Mark.EQUAL, Mark.ABOUT):
            continue
        left, right = _last_of(before.tokens), _first_of(after.tokens)
        if left and right and before.relation is not None:
            yield _Pair(left, right, before.relation)


def _sides(part: Sequence[Token]) -> Iterator[_Side]:
    side: list[Token] = []
    for token in part:
        if token.mark in _RELATIONS:
            yield _Side(side, token.mark)
            side = []
        else:
            side.append(token)
    yield _Side(side, None)


def _last_of(side: list[Token]) -> tuple[Value, ...]:
    """The expression that a side ends with, if nothing before it belongs to it."""
    first = max(0, len(side) - MAX_SIDE_TOKENS)
    for start in range(first, len(side)):
        if not _may_begin(side[start]):
            continue
        values = _readings(side, start, len(side))
        if values:
            before = side[start - 1] if start else None
            if not _ends_before(before, side[start], values[0]):
                return ()
            return values + _without_list_mark(side, start)
    return ()


def _without_list_mark(side: list[Token], start: int) -> tuple[Value, ...]:
    """What is read where a minus at the start of a line is the mark of a list."""
    is_mark = start == 0 and len(side) > 1 and not side[1].is_glued
    if not is_mark or side[0].mark is not Mark.OPERATOR:
        return ()
    return _readings(side, 1, len(side))


def _first_of(side: list[Token]) -> tuple[Value, ...]:
    """The expression that a side begins with, if nothing after it belongs to it."""
    found = read(side[:MAX_SIDE_TOKENS])
    if found is None:
        return ()
    after = side[found.end] if found.end < len(side) else None
    beyond = side[found.end + 1] if found.end + 1 < len(side) else None
    return _readings(side, 0, found.end) if _begins_after(after, beyond) else ()


def _readings(side: list[Token], start: int, end: int) -> tuple[Value, ...]:
    values: list[Value] = []
    for percent in (Fraction(1, 100), Fraction(1)):
        found = read(
            side[:MAX_SIDE_TOKENS] if start == 0 else side, start, percent=percent
        )
        if found is None or not _is_whole(side, found.end, end):
            return ()
        values.append(found.value)
        if not found.value.has_percent:
            break
    return tuple(values)


def _is_whole(side: list[Token], found: int, end: int) -> bool:
    """Whether what was read reaches to the end, but for the words of a unit."""
    return all(token.mark is Mark.WORD for token in side[found:end])


def _may_begin(token: Token) -> bool:
    if token.mark is Mark.OPERATOR:
        return token.text == "-"
    return token.mark in (Mark.NUMBER, Mark.OPEN, Mark.FRACTION, Mark.ROOT)


def _ends_before(before: Token | None, first: Token, value: Value) -> bool:
    """Whether an expression starts here and is none of a larger one."""
    if before is None:
        return True
    if before.mark is not Mark.WORD or first.is_glued or len(before.text) < 2:
        return False
    if first.mark is Mark.OPERATOR:
        return False
    return before.text.casefold() not in _CARRYING and value.operators > 0


def _begins_after(after: Token | None, beyond: Token | None) -> bool:
    """Whether an expression ends here and is none of a larger one."""
    if after is None:
        return True
    if after.mark is Mark.WORD:
        return len(after.text) > 1 and not after.is_glued
    if after.mark is Mark.OPEN and not after.is_glued and beyond is not None:
        return beyond.mark is Mark.WORD and len(beyond.text) > 1
    return after.mark in (Mark.CLOSE, Mark.FACTORIAL) and beyond is None


def _judged(pair: _Pair, *, is_rounded: bool) -> Verdict:
    for left in pair.left:
        for right in pair.right:
            if _is_within_rounding(left, right):
                return Accept()
    left, right = pair.left[0], pair.right[0]
    if _is_open(pair, left, right, is_rounded=is_rounded):
        return _NOTHING
    return Reject(f"{_shown(left)} is not {_shown(right)}")


def _is_within_rounding(left: Value, right: Value) -> bool:
    """Equal, or off by less than one of the last decimal printed of a result."""
    gap = abs(left.exact - right.exact)
    places = [value.places for value in (left, right) if not value.operators]
    return not gap or any(p > 0 and gap < Fraction(1, 10**p) for p in places)


def _is_open(pair: _Pair, left: Value, right: Value, *, is_rounded: bool) -> bool:
    """Whether the two may be meant as equal although they are not."""
    if left.is_unsure or right.is_unsure or not (left.operators or right.operators):
        return True
    if left.units and right.units and left.units.isdisjoint(right.units):
        return True
    if right.first == left.exact:
        return True
    gap = abs(left.exact - right.exact)
    near = max(abs(left.exact), abs(right.exact))
    if (is_rounded or pair.relation is Mark.ABOUT) and gap * 20 < near:
        return True
    if left.places or right.places:
        return gap * 100 < near
    is_fraction = left.exact.denominator > 1 or right.exact.denominator > 1
    return is_fraction and gap < 1


def _shown(value: Value) -> str:
    exact = str(value.exact)
    return exact if len(exact) <= 40 else "a long number"
