"""Expressions -> text in a notation: signs, products, fractions, gaps."""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from stepcache_proxy.tasks.linear_equation.algebra import Balance, Exact, Linear, size
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
    whole,
)

_SUM, _PRODUCT, _ATOM = range(3)
_MOST_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Style:
    r"""How an author writes mathematics.

    ``times`` stands between a coefficient and the unknown, ``by`` between numbers
    (empty: the second in brackets); ``fraction`` is ``/`` or a LaTeX command such as
    ``\frac``; ``has_decimals`` prefers 0.5 to 1/2 where that is exact.
    """

    minus: str = "-"
    gap: str = " "
    times: str = ""
    by: str = " * "
    fraction: str = "/"
    has_decimals: bool = False


PLAIN = Style()


def number_node(value: Exact, style: Style) -> Node:
    """The expression of a number: whole, decimal or fraction, with its sign."""
    if value < 0:
        return Negated(number_node(-value, style))
    if value.denominator == 1:
        return Number(whole(value.numerator))
    if style.has_decimals and _decimals(value) is not None:
        return Number(Fraction(value), is_decimal=True)
    above, below = whole(value.numerator), whole(value.denominator)
    return Binary("/", Number(above), Number(below))


def term_node(coefficient: Exact, style: Style) -> Node:
    """The unknown times a number, without a needless 1."""
    if coefficient < 0:
        return Negated(term_node(-coefficient, style))
    if coefficient == 1:
        return Unknown()
    return Binary("*", number_node(coefficient, style), Unknown())


def form_node(form: Linear, style: Style) -> Node:
    """A collected side: the unknown first, then the number."""
    slope, rest = form
    if slope == 0:
        return number_node(rest, style)
    term = term_node(slope, style)
    if rest == 0:
        return term
    return Binary("+" if rest > 0 else "-", term, number_node(size(rest), style))


def show_number(value: Exact, style: Style) -> str:
    """A number as text."""
    return show_node(number_node(value, style), "", style)


def show_form(form: Linear, unknown: str, style: Style) -> str:
    """A collected side as text."""
    return show_node(form_node(form, style), unknown, style)


def show_equation(balance: Balance, unknown: str, style: Style) -> str:
    """A collected equation as text."""
    left = show_form(balance.left, unknown, style)
    right = show_form(balance.right, unknown, style)
    return f"{left} = {right}"


def show_node(node: Node, unknown: str, style: Style) -> str:
    """An expression as text that reads back as the same expression."""
    return _Printer(unknown, style).show(node)


def as_read(node: Node, style: Style) -> Node:
    """The expression that the text of this one is read as: of ``-4/2`` the negative."""
    if style.fraction != "/":
        return node
    if isinstance(node, Negated):
        return Negated(as_read(node.inner, style))
    if not isinstance(node, Binary):
        return node
    left, right = as_read(node.left, style), as_read(node.right, style)
    if node.symbol == "/" and isinstance(left, Negated):
        return Negated(Binary("/", left.inner, right))
    return Binary(node.symbol, left, right)


class _Printer(NamedTuple):
    unknown: str
    style: Style

    def show(self, node: Node) -> str:
        if isinstance(node, Number):
            return _decimals(node.value) or str(node.value)
        if isinstance(node, Unknown):
            return node.name or self.unknown
        if isinstance(node, Negated):
            return self.style.minus + self._at_least(_PRODUCT, node.inner)
        symbol, left, right = node
        if symbol == "*":
            return self._product(left, right)
        if symbol == "/":
            return self._quotient(left, right)
        return self._sum(symbol, left, right)

    def _sum(self, symbol: str, left: Node, right: Node) -> str:
        sign = self.style.minus if symbol == "-" else symbol
        gap = self.style.gap
        shown = self._at_least(_PRODUCT, right)
        if isinstance(right, Negated):
            shown = f"({shown})"
        return f"{self.show(left)}{gap}{sign}{gap}{shown}"

    def _product(self, left: Node, right: Node) -> str:
        first, second = self._factor(left), self._factor(right)
        is_plain = not isinstance(left, Unknown)
        if isinstance(right, Unknown) and is_plain:
            return f"{first}{self.style.times}{second}"
        if _level(right) == _SUM and is_plain:
            return f"{first}{self.style.times}{second}"
        if self.style.by:
            return f"{first}{self.style.by}{second}"
        return f"{first}({self.show(right)})"

    def _factor(self, node: Node) -> str:
        """A factor; a quotient or a sign needs brackets, a LaTeX fraction none."""
        if (
            isinstance(node, Binary)
            and node.symbol == "/"
            and self.style.fraction != "/"
        ):
            return self.show(node)
        is_product = isinstance(node, Binary) and node.symbol == "*"
        return self._at_least(_PRODUCT if is_product else _ATOM, node)

    def _quotient(self, left: Node, right: Node) -> str:
        if self.style.fraction != "/":
            return f"{self.style.fraction}{{{self.show(left)}}}{{{self.show(right)}}}"
        above = self.show(left)
        if _level(left) == _SUM or (isinstance(left, Binary) and left.symbol == "/"):
            above = f"({above})"
        return f"{above}/{self._at_least(_ATOM, right)}"

    def _at_least(self, level: int, node: Node) -> str:
        shown = self.show(node)
        return shown if _level(node) >= level else f"({shown})"


def _level(node: Node) -> int:
    """How tightly an expression holds together."""
    if isinstance(node, Number | Unknown):
        return _ATOM
    is_sum = isinstance(node, Binary) and node.symbol in {"+", "-"}
    return _SUM if is_sum else _PRODUCT


def _decimals(value: Exact) -> str | None:
    """The exact decimal of a number that is not whole, None where it has none."""
    if value.denominator == 1:
        return None
    for digits in range(1, _MOST_DECIMALS + 1):
        scaled, left_over = divmod(value.numerator * 10**digits, value.denominator)
        if left_over == 0:
            whole, rest = divmod(scaled, 10**digits)
            return f"{whole}.{rest:0{digits}d}"
    return None
