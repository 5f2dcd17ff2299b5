"""Tokens -> expressions; recursive descent, bounded in depth, powers of two only."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from stepcache_proxy.tasks.linear_equation.tokens import Kind, Token
from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Either,
    Negated,
    Node,
    Number,
    Root,
    Square,
    Symbol,
    Unknown,
)

MAX_DEPTH = 14
ROOT_SIGNS = frozenset({"√", "\\sqrt", "sqrt"})
EITHER_SIGNS = frozenset({"±", "\\pm"})

_BRACKETS = {"(": ")", "{": "}"}
_EXPONENTS = (("2",), ("{", "2", "}"), ("(", "2", ")"))


def read_sides(tokens: Sequence[Token], unknown: str) -> tuple[Node, ...] | None:
    """The expressions that ``tokens`` spell, between equals signs; else None."""
    parser = _Parser(tokens, unknown)
    sides: list[Node] = []
    while True:
        side = parser.total(0)
        if side is None:
            return None
        sides.append(side)
        if not parser.take("="):
            return tuple(sides) if parser.is_done else None


class _Parser:
    def __init__(self, tokens: Sequence[Token], unknown: str) -> None:
        self._tokens = tokens
        self._unknown = unknown
        self._at = 0

    @property
    def is_done(self) -> bool:
        """Whether everything was read."""
        return self._at == len(self._tokens)

    @property
    def _next(self) -> Token | None:
        return None if self.is_done else self._tokens[self._at]

    def take(self, text: str) -> bool:
        """Whether ``text`` came next; then it is behind."""
        token = self._next
        is_next = token is not None and token.text == text
        self._at += is_next
        return is_next

    def _take_either(self) -> bool:
        return any(self.take(sign) for sign in EITHER_SIGNS)

    def total(self, depth: int) -> Node | None:
        """A sum of terms."""
        left = self._term(depth)
        while left is not None:
            sign: Literal["+", "-", "±"]
            if self.take("+"):
                sign = "+"
            elif self.take("-"):
                sign = "-"
            elif self._take_either():
                sign = "±"
            else:
                break
            # "x - -3" is not how anybody writes it.
            is_twice = sign != "+" and self._next is not None and self._next.text == "-"
            right = None if is_twice else self._term(depth)
            left = None if right is None else Binary(sign, left, right)
        return left

    def _term(self, depth: int) -> Node | None:
        left = self._signed(depth)
        is_under = False
        while left is not None:
            if self.take("*"):
                right, symbol = self._signed(depth), "*"
            elif self.take("/"):
                right, symbol = self._signed(depth), "/"
            elif self._is_side_by_side(is_under=is_under):
                right, symbol = self._power(depth), "*"
            else:
                break
            is_under = is_under or symbol == "/"
            if right is None:
                return None
            left = Binary("/" if symbol == "/" else "*", left, right)
        return left

    def _is_side_by_side(self, *, is_under: bool) -> bool:
        """Whether a product is written without a sign; never after a slash."""
        token = self._next
        if token is None or is_under:
            return False
        is_open = token.text in _BRACKETS or token.text in ROOT_SIGNS
        return is_open or token.kind in {Kind.LETTER, Kind.FRACTION}

    def _signed(self, depth: int) -> Node | None:
        if depth > MAX_DEPTH:
            return None
        if self.take("-"):
            inner = self._power(depth)
            return None if inner is None else Negated(inner)
        if self._take_either():
            inner = self._power(depth)
            return None if inner is None else Either(inner)
        return self._power(depth)

    def _power(self, depth: int) -> Node | None:
        inner = self._atom(depth)
        if inner is None or not self.take("^"):
            return inner
        for spelled in _EXPONENTS:
            heard = self._tokens[self._at : self._at + len(spelled)]
            if tuple(token.text for token in heard) == spelled:
                self._at += len(spelled)
                return Square(inner)
        return None

    def _atom(self, depth: int) -> Node | None:
        token = self._next
        if token is None or depth > MAX_DEPTH:
            return None
        self._at += 1
        if token.text in _BRACKETS:
            return self._closed(depth, _BRACKETS[token.text])
        if token.text in ROOT_SIGNS:
            return self._root(depth)
        if token.kind is Kind.FRACTION:
            return self._fraction(depth)
        return self._single(token)

    def _single(self, token: Token) -> Node | None:
        match token.kind:
            case Kind.NUMBER:
                return Number(Fraction(token.text), is_decimal="." in token.text)
            case Kind.LETTER:
                is_unknown = token.text == self._unknown
                return Unknown() if is_unknown else Symbol(token.text)
            case _:
                return None

    def _closed(self, depth: int, closing: str) -> Node | None:
        inner = self.total(depth + 1)
        return inner if inner is not None and self.take(closing) else None

    def _root(self, depth: int) -> Node | None:
        """A root covers one number, one letter or a bracket, and no power after it."""
        inner = self._atom(depth + 1)
        token = self._next
        if inner is None or (token is not None and token.text == "^"):
            return None
        return Root(inner)

    def _fraction(self, depth: int) -> Node | None:
        above = self._closed(depth, "}") if self.take("{") else None
        below = self._closed(depth, "}") if above and self.take("{") else None
        return above and below and Binary("/", above, below)
