"""Exact values with how they were written, and the arithmetic of them, bounded."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

MAX_BITS = 4_000
MAX_EXPONENT = 200
MAX_FACTORIAL = 60


class UnreadableError(Exception):
    """The tokens are no expression we can read."""


@dataclass(frozen=True, slots=True)
class Value:
    """An exact value and how it was written.

    ``places`` is the most decimals printed in it, ``operators`` how many were used,
    ``first`` its leftmost operand. ``is_unsure``: another reading is possible.
    """

    exact: Fraction
    places: int = 0
    operators: int = 0
    units: frozenset[str] = frozenset()
    first: Fraction = Fraction(0)
    has_percent: bool = False
    is_unsure: bool = False


def joined(a: Value, b: Value, exact: Fraction, *, is_product: bool = False) -> Value:
    """Two operands of one operator, whose result is ``exact``."""
    size = max(exact.numerator.bit_length(), exact.denominator.bit_length())
    if size > MAX_BITS:
        raise UnreadableError
    mixes = not is_product and a.units and b.units and a.units != b.units
    return Value(
        exact=exact,
        places=max(a.places, b.places),
        operators=a.operators + b.operators + 1,
        units=a.units | b.units,
        first=a.first,
        has_percent=a.has_percent or b.has_percent,
        is_unsure=a.is_unsure or b.is_unsure or bool(mixes),
    )


def raised(value: Value, exponent: int) -> Value:
    """A whole power."""
    size = max(value.exact.numerator.bit_length(), value.exact.denominator.bit_length())
    if abs(exponent) > MAX_EXPONENT or size * abs(exponent) > MAX_BITS:
        raise UnreadableError
    return replace(value, exact=value.exact**exponent, operators=value.operators + 1)


def factorial(value: Value) -> Value:
    """The factorial of a small whole number."""
    whole = value.exact
    if whole.denominator != 1 or not 0 <= whole <= MAX_FACTORIAL:
        raise UnreadableError
    exact = Fraction(math.factorial(int(whole)))
    return replace(value, exact=exact, operators=value.operators + 1)


def root(value: Value) -> Value:
    """The square root where it is rational."""
    over, under = value.exact.numerator, value.exact.denominator
    if over < 0:
        raise UnreadableError
    exact = Fraction(math.isqrt(over), math.isqrt(under))
    if exact * exact != value.exact:
        raise UnreadableError
    return replace(value, exact=exact, operators=value.operators + 1)
