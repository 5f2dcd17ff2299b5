"""Number words, currencies and units in marks, each in one form."""

from stepcache_proxy.reuse.constraints.lexer import BOUNDARIES
from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.constraints.tables import (
    CURRENCIES,
    MULTIPLES,
    ORDINALS,
    SMALL_NUMBERS,
    TENS,
    UNITS,
)

_QUANTITY_WORDS = frozenset(
    {"=%", *CURRENCIES, *SMALL_NUMBERS, *TENS, *UNITS, *ORDINALS}
)
_SUM_WORDS = words("of percent plus minus times divided by squared cubed")
_SUM_STARTS = (("what", "is"), ("how", "much", "is"), ("calculate",))


def read_quantities(marks: list[str]) -> list[str]:
    """Numbers as digits, a currency behind its number, units under one name."""
    if _QUANTITY_WORDS.isdisjoint(marks):
        return marks
    out: list[str] = []
    at = 0
    while at < len(marks):
        mark = marks[at]
        if mark not in _QUANTITY_WORDS:
            out.append(mark)
            at += 1
            continue
        if mark in CURRENCIES and at + 1 < len(marks) and marks[at + 1][0] == "#":
            out += [marks[at + 1], CURRENCIES[mark]]
            at += 2
            continue
        taken, number = _number(marks, at)
        out.append(number if taken else _unit(mark))
        at += taken or 1
    return out


def _unit(mark: str) -> str:
    if mark == "=%":
        return "percent"
    return UNITS.get(mark) or ORDINALS.get(mark, mark)


def _number(marks: list[str], at: int) -> tuple[int, str]:
    """How many marks make a number in words at ``at``, and the number."""
    mark = marks[at]
    after = marks[at + 1] if at + 1 < len(marks) else ""
    if mark in TENS:
        small = SMALL_NUMBERS.get(after, 0)
        taken, value = (2, TENS[mark] + small) if 0 < small < 10 else (1, TENS[mark])
    elif mark in SMALL_NUMBERS:
        taken, value = 1, SMALL_NUMBERS[mark]
    else:
        return 0, ""
    multiple = MULTIPLES.get(marks[at + taken]) if at + taken < len(marks) else None
    if multiple:
        return taken + 1, f"#{value * multiple}"
    return taken, f"#{value}"


def computed(marks: list[str]) -> list[str]:
    """Read "what is 15% of 200" -> "calculate 15% of 200"."""
    for start in _SUM_STARTS:
        if tuple(marks[: len(start)]) == start:
            rest = [mark for mark in marks[len(start) :] if mark not in BOUNDARIES]
            if _is_sum(rest):
                return ["calculate", *rest]
    return marks


def _is_sum(marks: list[str]) -> bool:
    has_number = any(mark[0] == "#" for mark in marks)
    return has_number and all(mark[0] in "#=" or mark in _SUM_WORDS for mark in marks)
