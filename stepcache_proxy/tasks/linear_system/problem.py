"""Two linear equations as somebody wrote them, with the point where both hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
    walk,
)
from stepcache_proxy.tasks.linear_equation.printing import PLAIN, number_node
from stepcache_proxy.tasks.linear_system.algebra import (
    Equality,
    Names,
    Point,
    affine,
)


@dataclass(frozen=True, slots=True)
class Given:
    """One equation as written, and what it says."""

    left: Node
    right: Node
    equality: Equality

    @property
    def sides(self) -> tuple[Node, Node]:
        """Both sides as written."""
        return self.left, self.right


# Not slotted: what follows from it is worked out once, when first asked for.
@dataclass(frozen=True)
class System:
    """Two equations that hold together at exactly one point.

    ``names`` are the unknowns in the order in which they are first written.
    """

    names: Names
    given: tuple[Given, Given]
    point: Point

    def value(self, name: str) -> Fraction:
        """The value of an unknown."""
        return self.point[self.names.index(name)]

    @property
    def equalities(self) -> tuple[Equality, Equality]:
        """What the two equations say."""
        return self.given[0].equality, self.given[1].equality

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Everything written."""
        sides = (side for given in self.given for side in given.sides)
        return tuple(node for side in sides for node in walk(side))

    @property
    def has_decimal(self) -> bool:
        """Whether a number is written with a point."""
        return any(isinstance(n, Number) and n.is_decimal for n in self.nodes)

    @cached_property
    def sizes(self) -> frozenset[Fraction]:
        """Sizes of the numbers that are written or stand before a collected unknown."""
        written = {n.value for n in self.nodes if isinstance(n, Number)}
        forms = [side for e in self.equalities for side in (e.left, e.right)]
        forms += [equality.collected.left for equality in self.equalities]
        forms += [equality.collected.right for equality in self.equalities]
        found = {abs(part) for form in forms for part in (form.x, form.y, form.c)}
        return frozenset(written | found | {Fraction(0), Fraction(1)})

    @cached_property
    def checks(self) -> frozenset[Node]:
        """The sides as written, with the values in the places of the unknowns."""
        return frozenset(_checks(self))


def _checks(system: System) -> Iterator[Node]:
    """Sides with an unknown, the values put in, as fractions and as decimals."""
    for style in (PLAIN, replace(PLAIN, has_decimals=True)):
        for side in (side for given in system.given for side in given.sides):
            checked = side
            for name in system.names:
                value = number_node(system.value(name), style)
                checked = put(checked, name, value)
            if checked != side:
                yield checked


def put(node: Node, name: str, value: Node) -> Node:
    """The expression with another in the place of an unknown."""
    match node:
        case Unknown(found) if found == name:
            return value
        case Negated(inner):
            return Negated(put(inner, name, value))
        case Binary(symbol, left, right):
            return Binary(symbol, put(left, name, value), put(right, name, value))
        case _:
            return node


def sizes_of(node: Node, names: Names) -> set[Fraction]:
    """Sizes of the numbers of an expression and of its parts that are numbers."""
    forms = [affine(part, names) for part in walk(node)]
    return {abs(form.c) for form in forms if form is not None and form.is_number}
