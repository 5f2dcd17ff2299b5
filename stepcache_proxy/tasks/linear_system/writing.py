"""Forms and equations of two unknowns -> expressions and text in a notation."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
)
from stepcache_proxy.tasks.linear_equation.printing import (
    PLAIN,
    Style,
    number_node,
    show_node,
    show_number,
)
from stepcache_proxy.tasks.linear_system.algebra import Affine, Equality
from stepcache_proxy.tasks.linear_system.problem import System

IN_ORDER = (0, 1, None)
"""The terms of a form: first unknown, second unknown, number."""


def style_of(system: System) -> Style:
    """Decimals only for a system that has some, and only where they are exact."""
    return replace(PLAIN, has_decimals=system.has_decimal)


def term(coefficient: Fraction, name: str, style: Style) -> Node:
    """An unknown times a number, without a needless 1."""
    if coefficient < 0:
        return Negated(term(-coefficient, name, style))
    if coefficient == 1:
        return Unknown(name)
    return Binary("*", number_node(coefficient, style), Unknown(name))


def total(terms: Sequence[Node]) -> Node:
    """The sum of signed terms; 0 for none."""
    if not terms:
        return Number(Fraction(0))
    whole, *rest = terms
    for one in rest:
        if isinstance(one, Negated):
            whole = Binary("-", whole, one.inner)
        else:
            whole = Binary("+", whole, one)
    return whole


def form_node(
    form: Affine,
    system: System,
    style: Style,
    order: Sequence[int | None] = IN_ORDER,
) -> Node:
    """A collected side, its terms in the given order, those that are 0 left out."""
    terms: list[Node] = []
    for index in order:
        amount = form.c if index is None else form.coefficient(index)
        if amount == 0:
            continue
        if index is None:
            terms.append(number_node(amount, style))
        else:
            terms.append(term(amount, system.names[index], style))
    return total(terms)


def show_equality(equality: Equality, system: System, style: Style) -> str:
    """A collected equation as text."""
    sides = (equality.left, equality.right)
    return " = ".join(
        show_node(form_node(side, system, style), "", style) for side in sides
    )


def show_sides(sides: Sequence[Node], style: Style) -> str:
    """A chain as text."""
    return " = ".join(show_node(side, "", style) for side in sides)


def show_values(system: System, wanted: Sequence[str], style: Style) -> str:
    """``x = 2, y = 3``."""
    return ", ".join(
        f"{name} = {show_number(system.value(name), style)}" for name in wanted
    )
