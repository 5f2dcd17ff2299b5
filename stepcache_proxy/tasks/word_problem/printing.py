"""Exact values, written the way the number before was written."""

from fractions import Fraction

from stepcache_proxy.tasks.word_problem.number_words import word_for
from stepcache_proxy.tasks.word_problem.tokens import Token

MAX_PLACES = 2
_MOST = 10**12


def printed(
    number: Fraction, like: Token, fraction: tuple[int, int] | None = None
) -> str | None:
    """The number in the notation of ``like``; None if it has no short exact form.

    ``fraction`` is how the number was stated, where it was stated as one.
    """
    is_fraction = "/" in like.text
    if number == like.value and is_fraction == (fraction is not None and is_fraction):
        return like.text
    if is_fraction and fraction is not None:
        return f"{fraction[0]}/{fraction[1]}"
    if like.is_said:
        return _said(number, like)
    shown = decimal(number, 0 if is_fraction else _places(number, like))
    if shown is None or "," not in like.text:
        return shown
    whole, point, rest = shown.partition(".")
    return f"{int(whole):,}{point}{rest}"


def decimal(number: Fraction, places: int = 0) -> str | None:
    """The number with all its decimals, at least ``places`` of them.

    None if it has more than both ``places`` and MAX_PLACES, or is out of bounds.
    """
    if not 0 <= number < _MOST:
        return None
    for count in range(max(places, MAX_PLACES) + 1):
        if (number * 10**count).denominator == 1:
            return _with_places(number, max(count, places))
    return None


def _with_places(number: Fraction, places: int) -> str:
    whole, rest = divmod(int(number * 10**places), 10**places)
    return f"{whole}.{rest:0{places}d}" if places else str(whole)


def _places(number: Fraction, like: Token) -> int:
    """Decimals as printed before; a whole number keeps those of a whole number."""
    is_plain = number.denominator == 1 and like.value.denominator != 1
    return 0 if is_plain else len(like.text.partition(".")[2])


def _said(number: Fraction, like: Token) -> str | None:
    if number.denominator != 1:
        return None
    word = word_for(int(number)) or str(int(number))
    return word.capitalize() if like.text[0].isupper() else word
