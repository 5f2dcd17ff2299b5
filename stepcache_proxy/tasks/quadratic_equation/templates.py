"""Expressions of the quadratic formula with the numbers of one equation put in."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import product

from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Root,
    Square,
    Symbol,
    square_root,
)
from stepcache_proxy.tasks.quadratic_equation.numeric import FORMULA
from stepcache_proxy.tasks.quadratic_equation.printing import Style, number_node
from stepcache_proxy.tasks.quadratic_equation.problem import Problem, discriminant

_TWO = Number(Fraction(2))
_SPREADS: tuple[Node, ...] = (Root(FORMULA), Root(Symbol("D")), Symbol("root"))
_FIRSTS: tuple[Node, ...] = (Negated(Symbol("b")), Symbol("minus b"))
_BELOWS: tuple[Node, ...] = (Binary("*", _TWO, Symbol("a")), Symbol("two a"))


def _templates() -> Iterator[Node]:
    yield from (FORMULA, Root(FORMULA))
    for first, spread, below in product(_FIRSTS, _SPREADS, _BELOWS):
        yield Binary("/", Binary("±", first, spread), below)
        yield Binary("/", Binary("+", first, spread), below)
        yield Binary("/", Binary("-", first, spread), below)


_TEMPLATES = tuple(_templates())


class SameFormulas:
    """Expressions of the formula for one equation, with what they are for another."""

    def __init__(self, given: Problem, asked: Problem, style: Style) -> None:
        self._given = given
        self._asked = asked
        self._style = style

    def of(self, node: Node) -> Node | None:
        """The expression for the other equation; None if ``node`` is none."""
        return self._pairs.get(node)

    @cached_property
    def _pairs(self) -> dict[Node, Node]:
        """Many, and most answers have none: worked out when first asked for."""
        given, asked = self._given, self._asked
        found: dict[Node, Node] = {}
        scales = dict.fromkeys(zip(given.scales, asked.scales, strict=True))
        for was, now in scales:
            old = _letters(given, was, self._style)
            new = _letters(asked, now, self._style)
            for template in _TEMPLATES:
                found.setdefault(_filled(template, old), _filled(template, new))
        return found


def _letters(problem: Problem, scale: Fraction, style: Style) -> Mapping[str, Node]:
    whole = problem.whole.scaled(scale)
    under = discriminant(whole)
    values = {
        "a": whole.a,
        "b": whole.b,
        "c": whole.c,
        "D": under,
        "root": square_root(under) or Fraction(0),
        "minus b": -whole.b,
        "two a": 2 * whole.a,
    }
    return {name: number_node(value, style) for name, value in values.items()}


def _filled(node: Node, letters: Mapping[str, Node]) -> Node:
    match node:
        case Symbol(name):
            return letters[name]
        case Binary(symbol, left, right):
            return Binary(symbol, _filled(left, letters), _filled(right, letters))
        case Negated(inner):
            return Negated(_filled(inner, letters))
        case Square(inner):
            return Square(_filled(inner, letters))
        case Root(inner):
            return Root(_filled(inner, letters))
        case _:
            return node
