"""Exact algebra of one unknown: linear forms, equations, what can be reached."""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Literal

# Thirty digits a number and two hundred tokens could multiply to thousands of digits.
_LARGEST = 10**60

Solved = Fraction | Literal["none", "all"]


@dataclass(frozen=True, slots=True)
class Linear:
    """``a`` times the unknown plus ``b``."""

    a: Fraction
    b: Fraction

    def at(self, value: Fraction) -> Fraction:
        """The value of the form for a value of the unknown."""
        return self.a * value + self.b

    def scaled(self, factor: Fraction) -> "Linear":
        """The form times a number."""
        if factor == 1:
            return self
        if factor == -1:
            return Linear(-self.a, -self.b)
        return Linear(self.a * factor, self.b * factor)

    def plus(self, other: "Linear") -> "Linear":
        """The sum of two forms."""
        return Linear(self.a + other.a, self.b + other.b)

    @property
    def is_small(self) -> bool:
        """Whether its numbers are short enough to go on with."""
        parts = (self.a.as_integer_ratio(), self.b.as_integer_ratio())
        return all(abs(part) < _LARGEST for ratio in parts for part in ratio)


def constant(value: Fraction | int) -> Linear:
    """A form without the unknown."""
    return Linear(Fraction(0), Fraction(value))


UNKNOWN = Linear(Fraction(1), Fraction(0))


def product(left: Linear, right: Linear) -> Linear | None:
    """The product; None where it is not linear."""
    if left.a == 0:
        return right.scaled(left.b)
    return left.scaled(right.b) if right.a == 0 else None


def quotient(left: Linear, right: Linear) -> Linear | None:
    """The quotient; None for a division by the unknown or by zero."""
    if right.a != 0 or right.b == 0:
        return None
    return left.scaled(1 / right.b)


@dataclass(frozen=True, slots=True)
class Balance:
    """An equation with both sides collected: ``left`` = ``right``."""

    left: Linear
    right: Linear

    @property
    def difference(self) -> Linear:
        """Left less right."""
        return Linear(self.left.a - self.right.a, self.left.b - self.right.b)

    @property
    def solved(self) -> Solved:
        """The value of the unknown, or that there is none, or that all are."""
        gap = self.difference
        if gap.a != 0:
            return -gap.b / gap.a
        return "all" if gap.b == 0 else "none"

    @property
    def swapped(self) -> "Balance":
        """The sides exchanged."""
        return Balance(self.right, self.left)

    @property
    def has_unknown(self) -> bool:
        """Whether the unknown is left on either side."""
        return self.left.a != 0 or self.right.a != 0

    def scaled(self, factor: Fraction) -> "Balance":
        """Both sides times a number."""
        return Balance(self.left.scaled(factor), self.right.scaled(factor))

    def plus(self, form: Linear) -> "Balance":
        """The form added to both sides."""
        return Balance(self.left.plus(form), self.right.plus(form))

    @property
    def normal(self) -> "Balance":
        """The multiple whose first coefficient that is not zero is 1.

        Two equations are multiples of one another if and only if theirs are equal.
        """
        first = next((number for number in self.numbers if number), None)
        return self if first is None or first == 1 else self.scaled(1 / first)

    @property
    def numbers(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The four coefficients."""
        return self.left.a, self.left.b, self.right.a, self.right.b

    @property
    def common_denominator(self) -> int:
        """The smallest number that clears every fraction."""
        return lcm(*(number.denominator for number in self.numbers))

    @property
    def common_factor(self) -> int:
        """The largest number that divides every whole coefficient, at least 1."""
        factor = self.common_denominator
        return gcd(*(int(number * factor) for number in self.numbers)) or 1


def collected(balance: Balance) -> Balance:
    """The unknown on the left, numbers on the right."""
    gap = balance.difference
    return Balance(Linear(gap.a, Fraction(0)), constant(-gap.b))


def reachable(balance: Balance) -> tuple[Balance, ...]:
    """Every equation got by moving whole terms of collected sides, sides either way."""
    found: list[Balance] = []
    for terms in _placements(balance.left.a, balance.right.a):
        for numbers in _placements(balance.left.b, balance.right.b):
            moved = Balance(Linear(terms[0], numbers[0]), Linear(terms[1], numbers[1]))
            found += [moved, moved.swapped]
    return tuple(dict.fromkeys(found))


def _placements(
    left: Fraction, right: Fraction
) -> tuple[tuple[Fraction, Fraction], ...]:
    zero = Fraction(0)
    return (left, right), (left - right, zero), (zero, right - left)


def natural_scales(balance: Balance) -> tuple[Fraction, ...]:
    """Factors a person would multiply an equation with: signs, denominators, gcd."""
    cleared, common = balance.common_denominator, balance.common_factor
    powers = [Fraction(10) ** k for k in range(1, 5) if 10**k % cleared == 0]
    scales = [Fraction(1), Fraction(cleared), Fraction(cleared, common), *powers]
    return tuple(dict.fromkeys(s for scale in scales for s in (scale, -scale)))
