"""Exact algebra of two unknowns: affine forms, equations between them, their lines."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
)

# Thirty digits a number and two hundred tokens could multiply to thousands of digits.
_LARGEST = 10**60

Names = tuple[str, str]
Point = tuple[Fraction, Fraction]
Line = tuple[Fraction, Fraction, Fraction]

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Affine:
    """``x`` times the first unknown plus ``y`` times the second plus ``c``."""

    x: Fraction
    y: Fraction
    c: Fraction

    def at(self, point: Point) -> Fraction:
        """The value at a point."""
        return self.x * point[0] + self.y * point[1] + self.c

    def scaled(self, factor: Fraction) -> "Affine":
        """The form times a number."""
        if factor == 1:
            return self
        return Affine(self.x * factor, self.y * factor, self.c * factor)

    def plus(self, other: "Affine") -> "Affine":
        """The sum of two forms."""
        return Affine(self.x + other.x, self.y + other.y, self.c + other.c)

    def minus(self, other: "Affine") -> "Affine":
        """The difference of two forms."""
        return Affine(self.x - other.x, self.y - other.y, self.c - other.c)

    def put(self, index: int, form: "Affine") -> "Affine":
        """The form with another in the place of an unknown, 0 or 1."""
        rest = replace_coefficient(self, index, _ZERO)
        return rest.plus(form.scaled(self.coefficient(index)))

    def coefficient(self, index: int) -> Fraction:
        """The number before an unknown, 0 or 1."""
        return self.x if index == 0 else self.y

    @property
    def is_number(self) -> bool:
        """Whether no unknown is left."""
        return self.x == 0 and self.y == 0

    @property
    def is_small(self) -> bool:
        """Whether its numbers are short enough to go on with."""
        parts = (part.as_integer_ratio() for part in (self.x, self.y, self.c))
        return all(abs(number) < _LARGEST for ratio in parts for number in ratio)


def replace_coefficient(form: Affine, index: int, value: Fraction) -> Affine:
    """The form with another number before an unknown."""
    if index == 0:
        return Affine(value, form.y, form.c)
    return Affine(form.x, value, form.c)


def number(value: Fraction) -> Affine:
    """A form without unknowns."""
    return Affine(_ZERO, _ZERO, value)


UNKNOWNS = (Affine(_ONE, _ZERO, _ZERO), Affine(_ZERO, _ONE, _ZERO))


def affine(node: Node, names: Names) -> Affine | None:
    """The form of an expression; None where it is none, or its numbers grow."""
    match node:
        case Number(value):
            return number(value)
        case Unknown(name):
            return UNKNOWNS[names.index(name)] if name in names else None
        case Negated(inner):
            form = affine(inner, names)
            return None if form is None else form.scaled(-_ONE)
        case Binary(symbol, left, right):
            return _joined(symbol, affine(left, names), affine(right, names))


def _joined(symbol: str, left: Affine | None, right: Affine | None) -> Affine | None:
    if left is None or right is None:
        return None
    form: Affine | None
    match symbol:
        case "+":
            form = left.plus(right)
        case "-":
            form = left.minus(right)
        case "*":
            form = _product(left, right)
        case _:
            is_divisor = right.is_number and right.c != 0
            form = left.scaled(1 / right.c) if is_divisor else None
    return form if form is not None and form.is_small else None


def _product(left: Affine, right: Affine) -> Affine | None:
    if left.is_number:
        return right.scaled(left.c)
    return left.scaled(right.c) if right.is_number else None


# Not slotted: what follows from it is worked out once; it is asked for very often.
@dataclass(frozen=True)
class Equality:
    """``left`` = ``right``."""

    left: Affine
    right: Affine

    @cached_property
    def difference(self) -> Affine:
        """Left less right."""
        return self.left.minus(self.right)

    @property
    def has_unknown(self) -> bool:
        """Whether an unknown is left on either side."""
        return not (self.left.is_number and self.right.is_number)

    @property
    def is_identity(self) -> bool:
        """Whether it holds everywhere."""
        return self.left == self.right

    @cached_property
    def line(self) -> Line:
        """The same for two equations if and only if each is a multiple of the other.

        Terms may stand on any side. Zeros for an identity.
        """
        gap = self.difference
        first = gap.x or gap.y or gap.c or _ONE
        return gap.x / first, gap.y / first, gap.c / first

    @property
    def swapped(self) -> "Equality":
        """The sides exchanged."""
        return Equality(self.right, self.left)

    @property
    def collected(self) -> "Equality":
        """The unknowns on the left, the number on the right."""
        gap = self.difference
        return Equality(Affine(gap.x, gap.y, _ZERO), number(-gap.c))

    @property
    def is_settled(self) -> bool:
        """Whether unknowns stand on one side only, and the number on the other."""
        for one, other in ((self.left, self.right), (self.right, self.left)):
            if other.is_number and one.c == 0:
                return True
        return False

    def holds_at(self, point: Point) -> bool:
        """Whether both sides have one value at a point."""
        return self.left.at(point) == self.right.at(point)

    def scaled(self, factor: Fraction) -> "Equality":
        """Both sides times a number."""
        return Equality(self.left.scaled(factor), self.right.scaled(factor))

    def shifted(self, form: Affine) -> "Equality":
        """The form added to both sides."""
        return Equality(self.left.plus(form), self.right.plus(form))

    def plus(self, other: "Equality", sign: int) -> "Equality":
        """The other added (1) or subtracted (-1), side by side."""
        other = other.scaled(Fraction(sign))
        return Equality(self.left.plus(other.left), self.right.plus(other.right))

    def put(self, index: int, form: Affine) -> "Equality":
        """A form in the place of an unknown on both sides."""
        return Equality(self.left.put(index, form), self.right.put(index, form))

    def says(self, other: "Equality") -> bool:
        """Whether it is the other one with terms moved: no sign or factor changed."""
        return self.turned.difference == other.turned.difference

    @property
    def turned(self) -> "Equality":
        """The sides exchanged if unknowns stand on the right only."""
        is_backwards = self.left.is_number and not self.right.is_number
        return self.swapped if is_backwards else self

    @cached_property
    def solved_for(self) -> tuple[int, Affine] | None:
        """The unknown that stands alone on one side and is not on the other."""
        for one, other in ((self.left, self.right), (self.right, self.left)):
            for index in (0, 1):
                if one == UNKNOWNS[index] and other.coefficient(index) == 0:
                    return index, other
        return None


def intersection(first: Equality, second: Equality) -> Point | None:
    """The one point where both hold (Cramer's rule); None where there is not one."""
    p, q = first.difference, second.difference
    determinant = p.x * q.y - p.y * q.x
    if determinant == 0:
        return None
    return (
        (p.y * q.c - p.c * q.y) / determinant,
        (p.c * q.x - p.x * q.c) / determinant,
    )


def common_denominator(equality: Equality) -> int:
    """The smallest number that clears every fraction of both sides."""
    sides = (equality.left, equality.right)
    return lcm(*(n.denominator for side in sides for n in (side.x, side.y, side.c)))


def measure_of(first: Fraction, second: Fraction) -> Fraction:
    """The largest number of which both are whole multiples; 0 for two zeros."""
    below = lcm(first.denominator, second.denominator)
    return Fraction(gcd(int(first * below), int(second * below)), below)
