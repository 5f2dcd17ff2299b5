"""Numbers as people write them in conversions: exact where short, else rounded."""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_PLACES = 8
LEAST_DIGITS = 4
_FALLBACK_DIGITS = 6
_LARGEST = 10**18

NUMBER = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,15})(?:\.[0-9]{1,12})?"
    r"(?![0-9,.]*[0-9])"
)


@dataclass(frozen=True, slots=True)
class Written:
    """A number with how many decimals of it are printed."""

    value: Fraction
    places: int

    @property
    def digits(self) -> int:
        """How many significant digits are printed."""
        shown = abs(self.value.numerator * 10**self.places // self.value.denominator)
        return len(str(shown)) if shown else 1


def read_number(text: str) -> Written | None:
    """The number that all of ``text`` is, with its sign; else None."""
    found = re.fullmatch(rf"([-−]?)({NUMBER})", text)
    if found is None:
        return None
    plain = found[2].replace(",", "")
    value = Fraction(plain)
    places = len(plain.partition(".")[2])
    return Written(-value if found[1] else value, places)


def is_short(value: Fraction) -> bool:
    """Whether the value is one that people write out in full."""
    return abs(value) < _LARGEST and (value * 10**MAX_PLACES).denominator == 1


def show(value: Fraction) -> str:
    """A short value in full."""
    return show_to(value, MAX_PLACES).rstrip("0").rstrip(".")


def show_to(value: Fraction, places: int) -> str:
    """The value to so many decimals, half away from zero; no minus before zero."""
    scaled = int(abs(value) * 10**places + Fraction(1, 2))
    whole, part = divmod(scaled, 10**places)
    sign = "-" if value < 0 and scaled else ""
    return f"{sign}{whole}.{part:0{places}d}" if places else f"{sign}{whole}"


def places_for(value: Fraction, digits: int = _FALLBACK_DIGITS) -> int:
    """How many decimals show so many significant digits of a value."""
    places = 0
    while abs(value) * 10**places < 10 ** (digits - 1) and places < MAX_PLACES:
        places += 1
    return places


def is_right(exact: Fraction, written: Written) -> bool:
    """Whether a number is the exact one, or it rounded to at least four digits."""
    if written.value == exact:
        return True
    if written.digits < LEAST_DIGITS:
        return False
    return is_rounded(exact, written)


def is_rounded(exact: Fraction, written: Written) -> bool:
    """Whether a number is the exact one rounded to what is printed of it."""
    return abs(written.value - exact) * 2 <= Fraction(1, 10**written.places)


def is_cut(exact: Fraction, written: Written) -> bool:
    """Whether it is the exact one with its further decimals left away."""
    gap = abs(exact) - abs(written.value)
    return 0 <= gap < Fraction(1, 10**written.places)
