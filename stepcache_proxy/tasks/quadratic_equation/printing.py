"""Expressions -> text in a notation: signs, powers, products, fractions, roots."""

import re
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.printing import Style as _Linear
from stepcache_proxy.tasks.linear_equation.printing import show_number
from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Either,
    Negated,
    Node,
    Number,
    Poly,
    Root,
    Square,
    Symbol,
    Unknown,
    literal,
)

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


@dataclass(frozen=True, slots=True)
class Style:
    r"""How an author writes mathematics.

    ``by`` stands between numbers that are multiplied (empty: the second in brackets),
    ``fraction`` is ``/`` or a LaTeX command, ``root`` is ``√``, ``\sqrt`` or ``sqrt``.
    """

    minus: str = "-"
    gap: str = " "
    power: str = "^2"
    by: str = ""
    fraction: str = "/"
    root: str = "√"
    either: str = "±"
    has_decimals: bool = False


PLAIN = Style()


def notation_of(text: str, default: Style = PLAIN) -> Style:
    """How a normalised text writes mathematics; what it does not show is as before."""
    by = re.search(r"[\d)] ?(\*|×|·|⋅|\\cdot|\\times) ?(?=[\d(])", text)
    spaced = re.search(r"[\w)}]( ?)[-+−](?= ?[\w({\\])", text)
    return Style(
        minus="−" if "−" in text else default.minus,
        gap=spaced[1] if spaced else default.gap,
        power=_first(text, ("^{2}", "**2", "^2"), default.power),
        by=_by(by[0][1:]) if by else default.by,
        fraction=_first(text, ("\\dfrac", "\\tfrac", "\\frac"), default.fraction),
        root=_first(text, ("\\sqrt", "sqrt", "√"), default.root),
        either=_first(text, ("\\pm", "±"), default.either),
        has_decimals=default.has_decimals,
    )


def _by(sign: str) -> str:
    return f" {sign.strip()} " if sign.strip().startswith("\\") else sign


def _first(text: str, signs: tuple[str, ...], default: str) -> str:
    return next((sign for sign in signs if sign in text), default)


def number_node(value: Fraction, style: Style) -> Node:
    """The expression of a number: whole, decimal or fraction, with its sign."""
    if value < 0:
        return Negated(number_node(-value, style))
    if value.denominator == 1 or (style.has_decimals and _is_decimal(value)):
        return Number(value, is_decimal=value.denominator != 1)
    above, below = Fraction(value.numerator), Fraction(value.denominator)
    return Binary("/", Number(above), Number(below))


def _is_decimal(value: Fraction) -> bool:
    return (value * 10**6).denominator == 1


def term_node(coefficient: Fraction, base: Node, style: Style) -> Node:
    """``base`` times a number, without a needless 1."""
    if coefficient < 0:
        return Negated(term_node(-coefficient, base, style))
    if coefficient == 1:
        return base
    return Binary("*", number_node(coefficient, style), base)


def form_node(form: Poly, style: Style) -> Node:
    """A polynomial, highest power first."""
    x = Unknown()
    parts = [
        term_node(part, base, style)
        for part, base in ((form.a, Square(x)), (form.b, x))
        if part
    ]
    if form.c or not parts:
        parts.append(number_node(form.c, style))
    return total(parts)


def total(parts: list[Node]) -> Node:
    """The sum of signed terms; a negative one is taken away."""
    whole = parts[0]
    for part in parts[1:]:
        if isinstance(part, Negated):
            whole = Binary("-", whole, part.inner)
        else:
            whole = Binary("+", whole, part)
    return whole


def show(node: Node, unknown: str, style: Style = PLAIN) -> str:
    """An expression as text that reads back as the same expression."""
    return _Printer(unknown, style).show(node)


@dataclass(frozen=True, slots=True)
class _Printer:
    unknown: str
    style: Style

    def show(self, node: Node) -> str:
        match node:
            case Number(value):
                shown = show_number(value, _Linear(has_decimals=True))
            case Unknown():
                shown = self.unknown
            case Symbol(name):
                shown = name
            case Binary():
                shown = self._binary(node)
            case _:
                shown = self._marked(node)
        return shown

    def _marked(self, node: Negated | Either | Square | Root) -> str:
        match node:
            case Negated(inner):
                shown = self._at_least(_PRODUCT, inner)
                is_twice = isinstance(inner, Negated)
                return self.style.minus + (f"({shown})" if is_twice else shown)
            case Either(inner):
                return self.style.either + self._after_command(
                    self._at_least(_PRODUCT, inner), self.style.either
                )
            case Square(inner):
                return self._at_least(_ATOM, inner) + self.style.power
            case Root(inner):
                return self._root(inner)

    def _binary(self, node: Binary) -> str:
        if node.symbol == "*":
            return self._product(node.left, node.right)
        if node.symbol == "/":
            return self._quotient(node.left, node.right)
        sign = {"-": self.style.minus, "±": self.style.either}.get(node.symbol, "+")
        gap = self.style.gap
        shown = self._at_least(_PRODUCT, node.right)
        if isinstance(node.right, Negated | Either):
            shown = f"({shown})"
        after = gap + self._after_command(shown, sign + gap)
        return f"{self.show(node.left)}{gap}{sign}{after}"

    @staticmethod
    def _after_command(shown: str, sign: str) -> str:
        """A space where a letter or digit would run into a LaTeX command."""
        return f" {shown}" if sign[-1].isalpha() and shown[:1].isalnum() else shown

    def _root(self, inner: Node) -> str:
        if self.style.root == "\\sqrt":
            return f"\\sqrt{{{self.show(inner)}}}"
        if self.style.root == "√" and isinstance(inner, Number):
            return f"√{self.show(inner)}"
        return f"{self.style.root}({self.show(inner)})"

    def _product(self, left: Node, right: Node) -> str:
        first = self._factor(left)
        if literal(right) is not None:
            shown = self.show(right)
            is_plain = isinstance(right, Number)
            if self.style.by:
                return f"{first}{self.style.by}{shown if is_plain else f'({shown})'}"
            return f"{first}({shown})"
        shown = self._factor(right)
        is_run_on = first[-1].isalnum() and shown[0].isdigit()
        is_letters = first[-1].isalpha() and shown[0].isalpha()
        return f"{first}({shown})" if is_run_on or is_letters else f"{first}{shown}"

    def _factor(self, node: Node) -> str:
        """A factor; a quotient or a sign needs brackets, a LaTeX fraction none."""
        if isinstance(node, Binary) and node.symbol == "/":
            shown = self.show(node)
            return shown if self.style.fraction != "/" else f"({shown})"
        is_product = isinstance(node, Binary) and node.symbol == "*"
        return self._at_least(_PRODUCT if is_product else _POWER, node)

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
    match node:
        case Binary("+" | "-" | "±", _, _):
            return _SUM
        case Binary() | Negated() | Either():
            return _PRODUCT
        case Square() | Root():
            return _POWER
        case _:
            return _ATOM
