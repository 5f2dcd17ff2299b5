"""Numbers as they stand in expressions."""

from collections.abc import Container
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.algebra import Exact, ratio, tidy
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
)


def is_grounded(node: Node, known: Container[Exact]) -> bool:
    """Whether every number written, a fraction being one, is among the known sizes."""
    match node:
        case Number(value):
            return tidy(value) in known
        case Unknown():
            return True
        case Negated(inner):
            return is_grounded(inner, known)
        case Binary("/", Number(above), Number(below)) if ratio(above, below) in known:
            return True
        case Binary(_, left, right):
            return is_grounded(left, known) and is_grounded(right, known)


def is_reduced(node: Node) -> bool:
    """Whether it is a number as one would state it: 5, -5, 1/3, 0.25."""
    match node:
        case Negated(inner):
            return not isinstance(inner, Negated) and is_reduced(inner)
        case Number():
            return True
        case Binary("/", above, Number(below)):
            above = above.inner if isinstance(above, Negated) else above
            if not isinstance(above, Number) or below == 1:
                return False
            return Fraction(above.value, below).denominator == below
        case _:
            return False
