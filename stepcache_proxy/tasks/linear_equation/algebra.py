"""Exact algebra of one unknown: linear forms, equations, what can be reached.

Numbers are exact, and whole ones are plain integers: a ``Fraction`` costs ten times as
much, and most numbers of most equations are whole. Two integers are never divided with
``/`` (that would be a float): see :func:`ratio`.
"""

from fractions import Fraction
from math import gcd, lcm
from typing import Literal, NamedTuple

# Thirty digits a number and two hundred tokens could multiply to thousands of digits.
_LARGEST = 10**60

Exact = int | Fraction
Solved = Exact | Literal["none", "all"]


def tidy(value: Exact) -> Exact:
    """The same number, an integer where it is whole."""
    if isinstance(value, int):
        return value
    return value.numerator if value.denominator == 1 else value


def size(value: Exact) -> Exact:
    """The number without its sign."""
    return -value if value < 0 else value


def ratio(above: Exact, below: Exact) -> Exact:
    """The exact quotient; ``below`` is not zero."""
    if isinstance(above, int) and isinstance(below, int):
        whole, rest = divmod(above, below)
        return Fraction(above, below) if rest else whole
    return tidy(Fraction(above) / below)


class Linear(NamedTuple):
    """``slope`` times the unknown plus ``rest``."""

    slope: Exact
    rest: Exact

    @property
    def a(self) -> Fraction:
        """The slope as a fraction, which may be divided by another."""
        return Fraction(self.slope)

    @property
    def b(self) -> Fraction:
        """The rest as a fraction, which may be divided by another."""
        return Fraction(self.rest)

    def at(self, value: Exact) -> Exact:
        """The value of the form for a value of the unknown."""
        return tidy(self.slope * value + self.rest)

    def scaled(self, factor: Exact) -> "Linear":
        """The form times a number."""
        return _tidied(self.slope * factor, self.rest * factor)

    @property
    def negative(self) -> "Linear":
        """The form times -1."""
        return Linear(-self.slope, -self.rest)

    def plus(self, other: "Linear") -> "Linear":
        """The sum of two forms."""
        return _tidied(self.slope + other.slope, self.rest + other.rest)

    def minus(self, other: "Linear") -> "Linear":
        """The difference of two forms."""
        return _tidied(self.slope - other.slope, self.rest - other.rest)

    @property
    def is_small(self) -> bool:
        """Whether its numbers are short enough to go on with."""
        slope, rest = self
        if isinstance(slope, int) and isinstance(rest, int):
            return -_LARGEST < slope < _LARGEST and -_LARGEST < rest < _LARGEST
        return _is_small(slope) and _is_small(rest)


def _tidied(slope: Exact, rest: Exact) -> Linear:
    if isinstance(slope, int) and isinstance(rest, int):
        return Linear(slope, rest)
    return Linear(tidy(slope), tidy(rest))


def _is_small(value: Exact) -> bool:
    return -_LARGEST < value.numerator < _LARGEST and value.denominator < _LARGEST


def constant(value: Exact) -> Linear:
    """A form without the unknown."""
    return Linear(0, tidy(value))


UNKNOWN = Linear(1, 0)


def product(left: Linear, right: Linear) -> Linear | None:
    """The product; None where it is not linear."""
    if left.slope == 0:
        return right.scaled(left.rest)
    return left.scaled(right.rest) if right.slope == 0 else None


def quotient(left: Linear, right: Linear) -> Linear | None:
    """The quotient; None for a division by the unknown or by zero."""
    if right.slope != 0 or right.rest == 0:
        return None
    return Linear(ratio(left.slope, right.rest), ratio(left.rest, right.rest))


class Balance(NamedTuple):
    """An equation with both sides collected: ``left`` = ``right``."""

    left: Linear
    right: Linear

    @property
    def difference(self) -> Linear:
        """Left less right."""
        return self.left.minus(self.right)

    @property
    def solved(self) -> Solved:
        """The value of the unknown, or that there is none, or that all are."""
        gap = self.difference
        if gap.slope != 0:
            return ratio(-gap.rest, gap.slope)
        return "all" if gap.rest == 0 else "none"

    @property
    def swapped(self) -> "Balance":
        """The sides exchanged."""
        return Balance(self.right, self.left)

    @property
    def has_unknown(self) -> bool:
        """Whether the unknown is left on either side."""
        return self.left.slope != 0 or self.right.slope != 0

    def scaled(self, factor: Exact) -> "Balance":
        """Both sides times a number."""
        return Balance(self.left.scaled(factor), self.right.scaled(factor))

    def over(self, divisor: Exact) -> "Balance | None":
        """Both sides divided by a number; None for zero."""
        by = Linear(0, divisor)
        left, right = quotient(self.left, by), quotient(self.right, by)
        return None if left is None or right is None else Balance(left, right)

    def plus(self, form: Linear) -> "Balance":
        """The form added to both sides."""
        return Balance(self.left.plus(form), self.right.plus(form))

    @property
    def normal(self) -> tuple[int, int, int, int]:
        """Its numbers as whole ones without a common factor, the first not negative.

        Two equations are multiples of one another if and only if theirs are equal.
        """
        a, b, c, d = self._whole
        factor = gcd(a, b, c, d) or 1
        if (a or b or c or d) < 0:
            factor = -factor
        return a // factor, b // factor, c // factor, d // factor

    @property
    def numbers(self) -> tuple[Exact, Exact, Exact, Exact]:
        """The four coefficients."""
        (a, b), (c, d) = self
        return a, b, c, d

    @property
    def _whole(self) -> tuple[int, int, int, int]:
        """The four coefficients times their common denominator."""
        a, b, c, d = self.numbers
        factor = self.common_denominator
        return int(a * factor), int(b * factor), int(c * factor), int(d * factor)

    @property
    def common_denominator(self) -> int:
        """The smallest number that clears every fraction."""
        a, b, c, d = self.numbers
        # A sum is an integer only where all of them are.
        if isinstance(a + b + c + d, int):
            return 1
        return lcm(a.denominator, b.denominator, c.denominator, d.denominator)

    @property
    def common_factor(self) -> int:
        """The largest number that divides every whole coefficient, at least 1."""
        return gcd(*self._whole) or 1


def reachable(balance: Balance) -> tuple[Balance, ...]:
    """Every equation got by moving whole terms of collected sides, sides either way."""
    found: list[Balance] = []
    (left_slope, left_rest), (right_slope, right_rest) = balance
    numbers = _placements(left_rest, right_rest)
    for slopes in _placements(left_slope, right_slope):
        for rests in numbers:
            left, right = Linear(slopes[0], rests[0]), Linear(slopes[1], rests[1])
            found += [Balance(left, right), Balance(right, left)]
    return tuple(dict.fromkeys(found))


def moved_sides(balance: Balance) -> set[Linear]:
    """Every side of the equations that are ``reachable``."""
    (left_slope, left_rest), (right_slope, right_rest) = balance
    slope, rest = left_slope - right_slope, left_rest - right_rest
    return {
        *[Linear(s, r) for s in (left_slope, slope, 0) for r in (left_rest, rest, 0)],
        *[
            Linear(s, r)
            for s in (right_slope, -slope, 0)
            for r in (right_rest, -rest, 0)
        ],
    }


def is_reached(balance: Balance, start: Balance) -> bool:
    """Whether ``balance`` is a multiple of an equation ``reachable`` from ``start``.

    That must have one solution: then the factor is the ratio of the slopes of the
    differences, and what is left to tell is where a slope and a number stand. Sides
    exchanged are sides with the other sign.
    """
    (slope, rest), _ = balance
    gap, start_gap = balance.difference, start.difference
    over, factor = start_gap.slope, gap.slope
    if factor == 0 or start_gap.rest * factor != gap.rest * over:
        return False
    slope, rest = slope * over, rest * over
    is_slope_alone = slope in (0, factor * over)
    is_rest_alone = rest in (0, factor * start_gap.rest)
    return any(
        (is_slope_alone or slope == factor * side.slope)
        and (is_rest_alone or rest == factor * side.rest)
        for side in (start.left, start.right.negative)
    )


def _placements(left: Exact, right: Exact) -> tuple[tuple[Exact, Exact], ...]:
    gap = tidy(left - right)
    return (left, right), (gap, 0), (0, -gap)


def natural_scales(balance: Balance) -> tuple[Exact, ...]:
    """Factors a person would multiply an equation with: signs, denominators, gcd."""
    cleared, common = balance.common_denominator, balance.common_factor
    powers = [10**k for k in range(1, 5) if 10**k % cleared == 0]
    scales = [1, cleared, ratio(cleared, common), *powers]
    return tuple(dict.fromkeys(s for scale in scales for s in (scale, -scale)))
