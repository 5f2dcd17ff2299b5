"""Tokens -> expressions and chains of them; recursive descent, bounded in depth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from stepcache_proxy.tasks.linear_equation.algebra import (
    UNKNOWN,
    Balance,
    Linear,
    constant,
    product,
    quotient,
)
from stepcache_proxy.tasks.linear_equation.tokens import Kind, Token

MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, never negative."""

    value: Fraction
    is_decimal: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """The unknown; ``name`` tells several apart, empty where there is one."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Negated:
    """A minus sign before something."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions joined; a fraction is a quotient, side by side a product."""

    symbol: Literal["+", "-", "*", "/"]
    left: "Node"
    right: "Node"


Node = Number | Unknown | Negated | Binary


def walk(node: Node) -> Iterator[Node]:
    """The expression and everything in it."""
    yield node
    match node:
        case Negated(inner):
            yield from walk(inner)
        case Binary(_, left, right):
            yield from walk(left)
            yield from walk(right)
        case _:
            pass


def shape(node: Node) -> str:
    """How an expression is put together, whatever its numbers and its letter are."""
    match node:
        case Number(_, is_decimal):
            return "." if is_decimal else "#"
        case Unknown():
            return "x"
        case Negated(inner):
            return f"-{shape(inner)}"
        case Binary(symbol, left, right):
            return f"({shape(left)}{symbol}{shape(right)})"


def linear(node: Node) -> Linear | None:
    """The linear form of an expression; None where it is none, or its numbers grow."""
    match node:
        case Number(value):
            return constant(value)
        case Unknown():
            return UNKNOWN
        case Negated(inner):
            form = linear(inner)
            return None if form is None else form.scaled(Fraction(-1))
        case Binary(symbol, left, right):
            return _joined(symbol, linear(left), linear(right))


def _joined(symbol: str, left: Linear | None, right: Linear | None) -> Linear | None:
    if left is None or right is None:
        return None
    form: Linear | None
    match symbol:
        case "+":
            form = left.plus(right)
        case "-":
            form = left.plus(right.scaled(Fraction(-1)))
        case "*":
            form = product(left, right)
        case _:
            form = quotient(left, right)
    return form if form is not None and form.is_small else None


@dataclass(frozen=True, slots=True)
class Chain:
    """Expressions joined by equals signs; one alone where there is no sign."""

    sides: tuple[Node, ...]
    forms: tuple[Linear, ...]

    @property
    def is_equation(self) -> bool:
        """Whether there is an equals sign."""
        return len(self.sides) > 1

    @property
    def has_unknown(self) -> bool:
        """Whether the unknown is written anywhere."""
        return any(
            isinstance(node, Unknown) for side in self.sides for node in walk(side)
        )

    @property
    def balances(self) -> tuple[Balance, ...]:
        """The equations between neighbours."""
        return tuple(map(Balance, self.forms, self.forms[1:]))


def read_chain(tokens: Sequence[Token]) -> Chain | None:
    """The chain that ``tokens`` spell, every letter being the unknown; else None."""
    sides = read_sides(tokens)
    if sides is None:
        return None
    forms = tuple(form for form in map(linear, sides) if form is not None)
    return Chain(sides, forms) if len(forms) == len(sides) else None


def read_sides(
    tokens: Sequence[Token], *, are_named: bool = False
) -> tuple[Node, ...] | None:
    """The sides that ``tokens`` spell, every letter being an unknown; else None."""
    parser = _Parser(tokens, are_named=are_named)
    sides: list[Node] = []
    while True:
        side = parser.total(0)
        if side is None:
            return None
        sides.append(side)
        if not parser.take("="):
            return tuple(sides) if parser.is_done else None


class _Parser:
    """Reads one run of tokens; every method gives None where it cannot read on."""

    def __init__(self, tokens: Sequence[Token], *, are_named: bool) -> None:
        self._tokens = tokens
        self._are_named = are_named
        self._at = 0

    @property
    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    @property
    def _next(self) -> Token | None:
        return None if self.is_done else self._tokens[self._at]

    def take(self, text: str) -> bool:
        token = self._next
        if token is None or token.kind is not Kind.OPERATOR or token.text != text:
            return False
        self._at += 1
        return True

    def total(self, depth: int) -> Node | None:
        left = self._product(depth)
        while left is not None:
            symbol: Literal["+", "-"]
            if self.take("+"):
                symbol = "+"
            elif self.take("-"):
                symbol = "-"
            else:
                break
            right = self._product(depth)
            left = None if right is None else Binary(symbol, left, right)
        return left

    def _product(self, depth: int) -> Node | None:
        """A term; a sign before it holds for the whole of it."""
        if depth > MAX_DEPTH:
            return None
        if self.take("-"):
            inner = self._product(depth + 1)
            return None if inner is None else Negated(inner)
        left = self._signed(depth)
        is_under = False
        while left is not None:
            if self.take("*"):
                right, symbol = self._signed(depth), "*"
            elif self.take("/"):
                right, symbol = self._signed(depth), "/"
            elif self._is_side_by_side(is_under=is_under):
                right, symbol = self._factor(depth), "*"
            else:
                break
            is_under = symbol == "/"
            if right is None:
                return None
            left = Binary("/" if is_under else "*", left, right)
        return left

    def _is_side_by_side(self, *, is_under: bool) -> bool:
        """Whether a product is written without a sign.

        After a slash it is not read: ``1/2x`` can mean two things, ``1/2 x`` one.
        """
        token = self._next
        if token is None:
            return False
        if is_under:
            gap = token.start > self._tokens[self._at - 1].end
            return token.kind is Kind.LETTER and gap
        return token.kind in {Kind.LETTER, Kind.FRACTION} or (
            token.kind is Kind.OPERATOR and token.text in {"(", "{"}
        )

    def _signed(self, depth: int) -> Node | None:
        if depth > MAX_DEPTH:
            return None
        if self.take("-"):
            inner = self._signed(depth + 1)
            return None if inner is None else Negated(inner)
        if self.take("+"):
            return self._signed(depth + 1)
        return self._factor(depth)

    def _factor(self, depth: int) -> Node | None:
        token = self._next
        if token is None or depth > MAX_DEPTH:
            return None
        for opening, closing in (("(", ")"), ("{", "}")):
            if self.take(opening):
                return self._closed(depth, closing)
        self._at += 1
        match token.kind:
            case Kind.NUMBER:
                return Number(Fraction(token.text), is_decimal="." in token.text)
            case Kind.LETTER:
                return Unknown(token.text if self._are_named else "")
            case Kind.FRACTION:
                return self._fraction(depth)
            case _:
                return None

    def _closed(self, depth: int, closing: str) -> Node | None:
        inner = self.total(depth + 1)
        return inner if inner is not None and self.take(closing) else None

    def _fraction(self, depth: int) -> Node | None:
        if not self.take("{"):
            return None
        above = self._closed(depth, "}")
        if above is None or not self.take("{"):
            return None
        below = self._closed(depth, "}")
        return None if below is None else Binary("/", above, below)
