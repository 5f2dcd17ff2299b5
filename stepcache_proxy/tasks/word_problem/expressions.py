"""Tokens of a calculation -> a tree over its numbers, and its exact value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.word_problem.tokens import Kind, Token

MAX_DEPTH = 12
MAX_BITS = 200


@dataclass(frozen=True, slots=True)
class Operand:
    """A number of the text, by the place where it starts."""

    place: int


@dataclass(frozen=True, slots=True)
class Percent:
    """A hundredth of what stands before the sign."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands of one of ``+ - * /``."""

    sign: str
    left: "Node"
    right: "Node"


Node = Operand | Percent | Binary
Values = Mapping[int, Fraction]


class InexactError(Exception):
    """No value: a division by zero, or a number beyond all bounds."""


class _UnreadError(Exception):
    pass


def parse(found: Sequence[Token]) -> Node | None:
    """The tree of an expression that is all of ``found``; None if it is none."""
    reader = _Reader(found)
    try:
        node = reader.sum(0)
    except _UnreadError:
        return None
    return node if reader.at == len(found) else None


def operands(node: Node) -> tuple[int, ...]:
    """The places of its numbers, from left to right."""
    match node:
        case Operand(place):
            return (place,)
        case Percent(inner):
            return operands(inner)
        case Binary(_, left, right):
            return operands(left) + operands(right)


def value(node: Node, values: Values) -> Fraction:
    """The exact value. Raises InexactError."""
    match node:
        case Operand(place):
            return values[place]
        case Percent(inner):
            return value(inner, values) / 100
        case Binary(sign, left, right):
            return _joined(sign, value(left, values), value(right, values))


def parts(node: Node) -> tuple[Node, ...]:
    """The tree and every tree in it."""
    match node:
        case Operand():
            return (node,)
        case Percent(inner):
            return (node, *parts(inner))
        case Binary(_, left, right):
            return (node, *parts(left), *parts(right))


def factors_in(node: Node) -> frozenset[int]:
    """The places of numbers that something is multiplied with or divided by."""
    products = [n for n in parts(node) if isinstance(n, Binary) and n.sign in "*/"]
    sides = [side for n in products for side in (n.left, n.right)]
    return frozenset(side.place for side in sides if isinstance(side, Operand))


def _joined(sign: str, a: Fraction, b: Fraction) -> Fraction:
    if sign == "/" and not b:
        raise InexactError
    match sign:
        case "+":
            done = a + b
        case "-":
            done = a - b
        case "*":
            done = a * b
        case _:
            done = a / b
    if max(done.numerator.bit_length(), done.denominator.bit_length()) > MAX_BITS:
        raise InexactError
    return done


class _Reader:
    """One pass over the tokens; ``at`` is the next one."""

    def __init__(self, found: Sequence[Token]) -> None:
        self._found = found
        self.at = 0

    def sum(self, depth: int) -> Node:
        """Terms added and subtracted."""
        node = self._product(depth)
        while (sign := self._next()) in {"+", "-"}:
            self.at += 1
            node = Binary(sign, node, self._product(depth))
        return node

    def _product(self, depth: int) -> Node:
        node = self._atom(depth)
        while True:
            sign = self._next()
            if sign in {"*", "/"}:
                self.at += 1
            elif sign != "(":
                return node
            node = Binary("/" if sign == "/" else "*", node, self._atom(depth))

    def _atom(self, depth: int) -> Node:
        if depth > MAX_DEPTH or self.at >= len(self._found):
            raise _UnreadError
        token = self._found[self.at]
        self.at += 1
        if token.kind is Kind.NUMBER and not token.is_said:
            node: Node = Operand(token.start)
        elif token.text == "(":
            node = self.sum(depth + 1)
            if self._next() != ")":
                raise _UnreadError
            self.at += 1
        else:
            raise _UnreadError
        if self._next() == "%":
            self.at += 1
            return Percent(node)
        return node

    def _next(self) -> str:
        found, at = self._found, self.at
        return found[at].text if at < len(found) else ""
