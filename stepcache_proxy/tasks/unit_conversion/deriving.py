"""A proved answer to one conversion -> the answer to another, in the same words."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from stepcache_proxy.tasks.unit_conversion.asking import Asked
from stepcache_proxy.tasks.unit_conversion.figures import (
    LEAST_DIGITS,
    Written,
    is_right,
    is_short,
    places_for,
    read_number,
    show,
    show_to,
)
from stepcache_proxy.tasks.unit_conversion.reading import Mark, Token, tokens
from stepcache_proxy.tasks.unit_conversion.units import Unit, unit_of


def derive(asked: Asked, given: Asked, answer: str) -> str | None:
    """``answer``, proved for ``given``, with the numbers and units of ``asked``.

    None where a number is not explained, or the words would not fit: one mile for
    many, about for exactly. What comes out is still to be checked.
    """
    pairs = ((asked.value, given.value), (asked.result, given.result))
    if any((new == 1) != (old == 1) or new < 0 or old < 0 for new, old in pairs):
        return None
    pieces = list(_pieces(asked, given, list(tokens(answer))))
    if any(new is None for _, new in pieces):
        return None
    for token, new in reversed(pieces):
        answer = answer[: token.start] + (new or "") + answer[token.end :]
    return answer


def _pieces(
    asked: Asked, given: Asked, found: Sequence[Token]
) -> Iterator[tuple[Token, str | None]]:
    for token in found:
        if token.mark is Mark.NUMBER:
            yield token, _number(asked, given, token.text)
        elif token.mark is Mark.UNIT:
            yield token, _unit(asked, given, token.text)


def _number(asked: Asked, given: Asked, text: str) -> str | None:
    written = read_number(text)
    if written is None:
        return None
    is_value, is_result = written.value == given.value, is_right(given.result, written)
    if given.places is not None:
        is_result = written.value == Fraction(show_to(given.result, given.places))
    if is_value and is_result:
        return None
    if is_value:
        return show(asked.value)
    if is_result:
        return _shown(asked, given, written)
    is_same = (asked.source, asked.target) == (given.source, given.target)
    return text if is_same else None


def _shown(asked: Asked, given: Asked, written: Written) -> str | None:
    """The result, exact where the donor's is, else to as many decimals."""
    if asked.places is not None:
        return show_to(asked.result, asked.places)
    if written.value == given.result:
        return show(asked.result) if is_short(asked.result) else None
    places = max(written.places, places_for(asked.result, LEAST_DIGITS))
    is_exact = (asked.result * 10**places).denominator == 1
    return None if is_exact else show_to(asked.result, places)


def _unit(asked: Asked, given: Asked, text: str) -> str | None:
    """The unit that takes the place of another, spelled in the same way."""
    unit = unit_of(text)
    for old, new in ((given.source, asked.source), (given.target, asked.target)):
        if unit == old:
            return text if old == new else _spelled(text, old, new)
    is_same = (asked.source, asked.target) == (given.source, given.target)
    return text if is_same else None


def _spelled(text: str, old: Unit, new: Unit) -> str | None:
    forms = ((old.one, new.one), (old.many, new.many), (old.symbol, new.symbol))
    return next((after for before, after in forms if before == text), None)
