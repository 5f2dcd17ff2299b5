"""Expressions of a quadratic equation and what they are worth, exactly and bounded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Literal

# Thirty digits a number and eighty tokens could multiply to thousands of digits.
_LARGEST = 10**60

Sign = Literal[1, -1]
Symbols = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, never negative."""

    value: Fraction
    is_decimal: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """The unknown."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A letter of the formula: ``a``, ``b``, ``c`` or ``D`` for the discriminant."""

    name: str


@dataclass(frozen=True, slots=True)
class Negated:
    """A minus sign before something."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Either:
    """A plus-minus sign before something."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Square:
    """Something to the power of two."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Root:
    """The square root of something."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions joined; a fraction is a quotient, side by side a product."""

    symbol: Literal["+", "-", "±", "*", "/"]
    left: "Node"
    right: "Node"


Node = Number | Unknown | Symbol | Negated | Either | Square | Root | Binary


@dataclass(frozen=True, slots=True)
class Poly:
    """``a`` times the square of the unknown plus ``b`` times the unknown plus ``c``."""

    a: Fraction
    b: Fraction
    c: Fraction

    @property
    def parts(self) -> tuple[Fraction, Fraction, Fraction]:
        """The three coefficients."""
        return self.a, self.b, self.c

    @property
    def degree(self) -> int:
        """2, 1 or 0; 0 for zero as well."""
        if self.a:
            return 2
        return 1 if self.b else 0

    def scaled(self, factor: Fraction) -> "Poly":
        """The polynomial times a number."""
        return Poly(self.a * factor, self.b * factor, self.c * factor)

    def plus(self, other: "Poly") -> "Poly":
        """The sum of two."""
        return Poly(self.a + other.a, self.b + other.b, self.c + other.c)

    def minus(self, other: "Poly") -> "Poly":
        """The difference of two."""
        return self.plus(other.scaled(Fraction(-1)))

    def at(self, value: Fraction) -> Fraction:
        """The value for a value of the unknown."""
        return (self.a * value + self.b) * value + self.c

    @property
    def is_small(self) -> bool:
        """Whether its numbers are short enough to go on with."""
        ratios = (part.as_integer_ratio() for part in self.parts)
        return all(abs(number) < _LARGEST for ratio in ratios for number in ratio)


def constant(value: Fraction | int) -> Poly:
    """A number as a polynomial."""
    return Poly(Fraction(0), Fraction(0), Fraction(value))


ZERO = constant(0)


def square_root(value: Fraction) -> Fraction | None:
    """The square root where it is rational."""
    if value < 0:
        return None
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None


def poly(node: Node, sign: Sign = 1, symbols: Symbols | None = None) -> Poly | None:
    """What an expression is worth; None where it is none of degree two, or too large.

    ``sign`` is what a plus-minus sign stands for.
    """
    found = _poly(node, sign, symbols or {})
    return found if found is not None and found.is_small else None


def _poly(node: Node, sign: Sign, symbols: Symbols) -> Poly | None:
    match node:
        case Number(value):
            return constant(value)
        case Unknown():
            return Poly(Fraction(0), Fraction(1), Fraction(0))
        case Symbol(name):
            return constant(symbols[name]) if name in symbols else None
        case Binary(symbol, left, right):
            first, second = poly(left, sign, symbols), poly(right, sign, symbols)
            return first and second and _joined(symbol, first, second, sign)
        case _:
            inner = poly(node.inner, sign, symbols)
            return inner and _changed(node, inner, sign)


def _changed(node: Node, inner: Poly, sign: Sign) -> Poly | None:
    match node:
        case Negated():
            return inner.scaled(Fraction(-1))
        case Either():
            return inner.scaled(Fraction(sign))
        case Square():
            return _product(inner, inner)
        case _:
            root = square_root(inner.c) if inner.degree == 0 else None
            return None if root is None else constant(root)


def _joined(symbol: str, left: Poly, right: Poly, sign: Sign) -> Poly | None:
    match symbol:
        case "+":
            return left.plus(right)
        case "-":
            return left.minus(right)
        case "±":
            return left.plus(right.scaled(Fraction(sign)))
        case "*":
            return _product(left, right)
        case _:
            if right.degree or not right.c:
                return None
            return left.scaled(1 / right.c)


def _product(left: Poly, right: Poly) -> Poly | None:
    if left.degree + right.degree > 2:
        return None
    return Poly(
        left.a * right.c + left.b * right.b + left.c * right.a,
        left.b * right.c + left.c * right.b,
        left.c * right.c,
    )


def number(node: Node, symbols: Symbols | None = None) -> Fraction | None:
    """The value of an expression without the unknown and without plus-minus."""
    if has(node, Unknown) or has_either(node):
        return None
    found = poly(node, 1, symbols)
    return None if found is None else found.c


def literal(node: Node) -> Fraction | None:
    """The value of a number written with its sign; a fraction in lowest terms is one.

    None for anything that has to be worked out: ``6/2``, ``--3``, ``2 + 1``.
    """
    match node:
        case Number(value):
            return value
        case Negated(inner) if not isinstance(inner, Negated):
            found = literal(inner)
            return None if found is None else -found
        case Binary("/", above, Number(below)) if below > 1:
            top = literal(above)
            if top is None or top.denominator != 1 or below.denominator != 1:
                return None
            value = top / below
            return value if value.denominator == below else None
        case _:
            return None


def walk(node: Node) -> Iterator[Node]:
    """The expression and everything in it."""
    yield node
    match node:
        case Binary(_, left, right):
            yield from walk(left)
            yield from walk(right)
        case Number() | Unknown() | Symbol():
            pass
        case _:
            yield from walk(node.inner)


def has(node: Node, kind: type[Node]) -> bool:
    """Whether something of a kind is written in an expression."""
    return any(isinstance(part, kind) for part in walk(node))


def has_either(node: Node) -> bool:
    """Whether a plus-minus sign is written in an expression."""
    return any(
        isinstance(part, Either) or (isinstance(part, Binary) and part.symbol == "±")
        for part in walk(node)
    )


def terms(node: Node, *, is_less: bool = False) -> Iterator[tuple[bool, Node]]:
    """The terms of a sum in order, each with whether it is taken away."""
    match node:
        case Binary("+" | "-" as symbol, left, right):
            yield from terms(left, is_less=is_less)
            yield from terms(right, is_less=is_less != (symbol == "-"))
        case Negated(inner) if literal(node) is None and not isinstance(inner, Binary):
            yield not is_less, inner
        case Negated(Binary("*" | "/") as inner) if literal(node) is None:
            yield not is_less, inner
        case _:
            yield is_less, node


def factors(node: Node) -> Iterator[Node]:
    """The factors of a product in order."""
    match node:
        case Binary("*", left, right):
            yield from factors(left)
            yield from factors(right)
        case _:
            yield node
