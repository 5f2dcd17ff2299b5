"""Tokens -> expressions and chains of them; recursive descent, bounded in depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from stepcache_proxy.tasks.linear_equation.algebra import (
    UNKNOWN,
    Balance,
    Exact,
    Linear,
    Solved,
    constant,
    product,
    quotient,
    size,
    tidy,
)
from stepcache_proxy.tasks.linear_equation.once import once
from stepcache_proxy.tasks.linear_equation.tokens import Kind, Token

MAX_DEPTH = 20

_OPENING = {"(": ")", "{": "}"}
_PRODUCTS = ("*", "/")
_SUMS = ("+", "-")
_OPERATOR, _NUMBER, _LETTER = Kind.OPERATOR, Kind.NUMBER, Kind.LETTER
_FACTORS = (_LETTER, Kind.FRACTION)


# Tuples, because so many are made and compared; no two of these kinds can be equal.
class Number(NamedTuple):
    """A number as written, never negative."""

    value: Fraction
    is_decimal: bool = False


class Unknown(NamedTuple):
    """The unknown; ``name`` tells several apart, empty where there is one."""

    name: str = ""


class Negated(NamedTuple):
    """A minus sign before something."""

    inner: "Node"


class Binary(NamedTuple):
    """Two expressions joined; a fraction is a quotient, side by side a product."""

    symbol: Literal["+", "-", "*", "/"]
    left: "Node"
    right: "Node"


Node = Number | Unknown | Negated | Binary


_WHOLE = tuple(map(Fraction, range(1_000)))


def whole(value: int) -> Fraction:
    """The fraction of a whole number; a small one is one object, soon compared."""
    return _WHOLE[value] if 0 <= value < len(_WHOLE) else Fraction(value)


def walk(node: Node) -> list[Node]:
    """The expression and everything in it, in order."""
    found: list[Node] = []
    _walk(node, found)
    return found


def _walk(node: Node, found: list[Node]) -> None:
    found.append(node)
    if isinstance(node, Binary):
        _walk(node.left, found)
        _walk(node.right, found)
    elif isinstance(node, Negated):
        _walk(node.inner, found)


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
    if isinstance(node, Binary):
        symbol, left, right = node
        return _joined(symbol, linear(left), linear(right))
    if isinstance(node, Number):
        return constant(node.value)
    if isinstance(node, Unknown):
        return UNKNOWN
    form = linear(node.inner)
    return None if form is None else form.negative


def linear_parts(node: Node) -> list[Linear]:
    """The forms of an expression and everything in it, in order, where there are any.

    They are worked out together: ``linear`` of each would read the small ones often.
    """
    found: list[Linear | None] = []
    _linear_parts(node, found)
    return [form for form in found if form is not None]


def _linear_parts(node: Node, found: list[Linear | None]) -> Linear | None:
    place = len(found)
    found.append(None)
    form: Linear | None
    if isinstance(node, Binary):
        left = _linear_parts(node.left, found)
        form = _joined(node.symbol, left, _linear_parts(node.right, found))
    elif isinstance(node, Negated):
        inner = _linear_parts(node.inner, found)
        form = None if inner is None else inner.negative
    else:
        form = linear(node)
    found[place] = form
    return form


def _joined(symbol: str, left: Linear | None, right: Linear | None) -> Linear | None:
    if left is None or right is None:
        return None
    form: Linear | None
    if symbol == "+":
        form = left.plus(right)
    elif symbol == "-":
        form = left.minus(right)
    elif symbol == "*":
        form = product(left, right)
    else:
        form = quotient(left, right)
    return form if form is not None and form.is_small else None


# Not slotted: what follows from it is worked out once, for it is judged many times.
@dataclass(frozen=True)
class Chain:
    """Expressions joined by equals signs; one alone where there is no sign."""

    sides: tuple[Node, ...]
    forms: tuple[Linear, ...]

    @property
    def is_equation(self) -> bool:
        """Whether there is an equals sign."""
        return len(self.sides) > 1

    @once
    def has_unknown(self) -> bool:
        """Whether the unknown is written anywhere."""
        return any(form.slope != 0 for form in self.forms) or any(
            isinstance(node, Unknown) for side in self.sides for node in walk(side)
        )

    @once
    def sizes(self) -> tuple[tuple[Exact, ...], ...]:
        """For each side the sizes of all its parts that are plain numbers."""
        return tuple(map(_sizes, self.sides))

    @once
    def balances(self) -> tuple[Balance, ...]:
        """The equations between neighbours."""
        return tuple(map(Balance, self.forms, self.forms[1:]))

    @once
    def solved(self) -> tuple[Solved, ...]:
        """For each equation the value of the unknown, or whether there is one."""
        return tuple([balance.solved for balance in self.balances])


def _sizes(node: Node) -> tuple[Exact, ...]:
    if isinstance(node, Number):
        return (tidy(node.value),)
    return tuple([size(f.rest) for f in linear_parts(node) if f.slope == 0])


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
        # What may be taken at each place; nothing behind the last.
        self._signs = [t.text if t.kind is _OPERATOR else "" for t in tokens]
        self._signs.append("")
        self._are_named = are_named
        self._at = 0

    @property
    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def take(self, text: str) -> bool:
        if self._signs[self._at] != text:
            return False
        self._at += 1
        return True

    def total(self, depth: int) -> Node | None:
        left = self._product(depth)
        while left is not None:
            symbol: Literal["+", "-"]
            if self._signs[self._at] == "+":
                symbol = "+"
            elif self._signs[self._at] == "-":
                symbol = "-"
            else:
                break
            self._at += 1
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
            sign = self._signs[self._at]
            if sign in _PRODUCTS:
                self._at += 1
                right = self._signed(depth)
            elif self._is_side_by_side(is_under=is_under):
                right = self._factor(depth)
            else:
                break
            is_under = sign == "/"
            if right is None:
                return None
            left = Binary("/" if is_under else "*", left, right)
        return left

    def _is_side_by_side(self, *, is_under: bool) -> bool:
        """Whether a product is written without a sign.

        After a slash it is not read: ``1/2x`` can mean two things, ``1/2 x`` one.
        """
        if self.is_done:
            return False
        token = self._tokens[self._at]
        if is_under:
            gap = token.start > self._tokens[self._at - 1].end
            return token.kind is _LETTER and gap
        return token.kind in _FACTORS or self._signs[self._at] in _OPENING

    def _signed(self, depth: int) -> Node | None:
        sign = self._signs[self._at]
        if sign not in _SUMS:
            return self._factor(depth)
        if depth > MAX_DEPTH:
            return None
        self._at += 1
        inner = self._signed(depth + 1)
        return Negated(inner) if sign == "-" and inner is not None else inner

    def _factor(self, depth: int) -> Node | None:
        if self.is_done or depth > MAX_DEPTH:
            return None
        closing = _OPENING.get(self._signs[self._at])
        token = self._tokens[self._at]
        self._at += 1
        if closing is not None:
            return self._closed(depth, closing)
        if token.kind is _NUMBER:
            return _number(token.text)
        if token.kind is _LETTER:
            return Unknown(token.text if self._are_named else "")
        return self._fraction(depth) if token.kind is Kind.FRACTION else None

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


def _number(text: str) -> Number:
    if "." in text:
        return Number(Fraction(text), is_decimal=True)
    return Number(whole(int(text)))
