"""Exact values as people write them."""

from fractions import Fraction

MAX_PLACES = 8
MAX_SIZE = 10**30


def is_printable(value: Fraction) -> bool:
    """Whether the value is of a size that people write out."""
    return abs(value.numerator) < MAX_SIZE and value.denominator < MAX_SIZE


def show(value: Fraction) -> str:
    """A whole number, a decimal that ends soon, or a fraction in lowest terms."""
    scaled = value * 10**MAX_PLACES
    if scaled.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = f"{abs(int(scaled)):0{MAX_PLACES + 1}d}"
    whole, part = digits[:-MAX_PLACES], digits[-MAX_PLACES:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


def show_rounded(value: Fraction) -> str:
    """The value to four decimals, half away from zero."""
    scaled = abs(value) * 10**4
    whole = int(scaled + Fraction(1, 2))
    sign = "-" if value < 0 and whole else ""
    return f"{sign}{whole // 10**4}.{whole % 10**4:04d}"
