"""A quadratic equation as somebody wrote it, with what follows from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from stepcache_proxy.tasks.quadratic_equation.expressions import (
    ZERO,
    Node,
    Number,
    Poly,
    poly,
    square_root,
    walk,
)

_MOST_DIGITS = 15


# Not slotted: what follows from it is worked out once, when first asked for.
@dataclass(frozen=True)
class Problem:
    """One equation of degree two with rational roots; the sides are as written."""

    unknown: str
    left: Node
    right: Node
    sides: tuple[Poly, Poly]

    @property
    def whole(self) -> Poly:
        """Left less right: the polynomial that is zero at the roots."""
        return self.sides[0].minus(self.sides[1])

    @cached_property
    def roots(self) -> tuple[Fraction, ...]:
        """The one or two roots, smallest first."""
        whole = self.whole
        root = square_root(discriminant(whole))
        half = Fraction(1, 2) / whole.a
        found = {(-whole.b - s * root) * half for s in (1, -1) if root is not None}
        return tuple(sorted(found))

    @property
    def is_double(self) -> bool:
        """Whether both roots are the same."""
        return len(self.roots) == 1

    @cached_property
    def scales(self) -> tuple[Fraction, ...]:
        """Factors a person would multiply the equation with, in a fixed order.

        As it is, without fractions, without a shared factor too, so that the square
        stands alone; and each with the other sign.
        """
        cleared = lcm(*(part.denominator for part in self.whole.parts))
        shared = gcd(*(int(part * cleared) for part in self.whole.parts))
        plain = (
            Fraction(1),
            Fraction(cleared),
            Fraction(cleared, shared),
            1 / abs(self.whole.a),
        )
        return tuple(s for scale in plain for s in (scale, -scale))

    @cached_property
    def known(self) -> frozenset[Fraction]:
        """Sizes of the numbers that a worked solution would name."""
        return frozenset(map(abs, quantities(self)))

    @property
    def reduced(self) -> Poly:
        """Whole coefficients that share no factor, the first of them positive."""
        scale = self.scales[4]
        return self.whole.scaled(scale if self.whole.a > 0 else -scale)

    @cached_property
    def lines(self) -> frozenset[Fraction]:
        """The coefficients of the unknown in the factors that are written."""
        forms = [poly(node) for node in (*walk(self.left), *walk(self.right))]
        return frozenset(abs(f.b) for f in forms if f is not None and f.degree == 1)

    @property
    def has_decimal(self) -> bool:
        """Whether a number is written with a point."""
        nodes = (*walk(self.left), *walk(self.right))
        return any(isinstance(node, Number) and node.is_decimal for node in nodes)

    @property
    def is_standard(self) -> bool:
        """Whether the right side is zero as given."""
        return self.sides[1] == ZERO


def discriminant(of: Poly) -> Fraction:
    """``b`` squared less four ``a c``."""
    return of.b * of.b - 4 * of.a * of.c


def make_problem(unknown: str, left: Node, right: Node) -> Problem | None:
    """The problem; None unless it is of degree two with rational roots."""
    if not all(map(_is_short, (*walk(left), *walk(right)))):
        return None
    first, second = poly(left), poly(right)
    if first is None or second is None:
        return None
    problem = Problem(unknown, left, right, (first, second))
    if not problem.whole.a or square_root(discriminant(problem.whole)) is None:
        return None
    return problem


def _is_short(node: Node) -> bool:
    if not isinstance(node, Number):
        return True
    return all(part < 10**_MOST_DIGITS for part in node.value.as_integer_ratio())


def quantities(problem: Problem) -> Iterator[Fraction]:
    """Numbers that a worked solution would name, in the same order for any problem.

    Every one is a quantity of the problem with a name of its own; constants of the
    formula come last. Source: the quadratic formula, factoring by splitting the
    middle term, and completing the square.
    """
    low, high = problem.roots[0], problem.roots[-1]
    yield from (low, high, -low, -high)
    for scale in problem.scales:
        yield from _scaled_quantities(problem.whole.scaled(scale), low, high)
    for side in problem.sides:
        yield from side.parts
        yield from (-part for part in side.parts)
        for root in (low, high):
            yield from (side.a * root * root, side.b * root, side.at(root))
    for root in (low, high):
        yield from (Fraction(root.numerator), Fraction(root.denominator))
        yield from (Fraction(-root.numerator), root * root)
    yield from map(Fraction, (0, 1, 2, 4, -1))


def _scaled_quantities(
    whole: Poly, low: Fraction, high: Fraction
) -> Iterator[Fraction]:
    yield from whole.parts
    yield -whole.b
    yield -whole.c
    yield discriminant(whole)
    spread = abs(whole.a) * (high - low)
    yield from (spread, whole.b**2, 2 * whole.a)
    yield from (4 * whole.a * whole.c, -4 * whole.a * whole.c, whole.a * whole.c)
    yield from (-whole.a * low, -whole.a * high)
    yield from (-whole.b - spread, -whole.b + spread)
    half = whole.b / (2 * whole.a)
    yield from (half, -half, half * half, half * half - whole.c / whole.a)
    yield from (spread / (2 * whole.a), -spread / (2 * whole.a))
    yield from (-whole.c / whole.a, whole.b / whole.a)
    for root in (low, high):
        yield from (whole.a * root * root, whole.b * root)


def splits(whole: Poly, roots: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
    """The two numbers whose product is ``a c`` and whose sum is ``b``."""
    return -whole.a * roots[0], -whole.a * roots[-1]
