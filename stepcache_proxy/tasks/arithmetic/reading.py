"""Tokens -> the exact value of an expression, in bounded rational arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.arithmetic.tokens import Mark, Token
from stepcache_proxy.tasks.arithmetic.values import (
    UnreadableError,
    Value,
    factorial,
    joined,
    raised,
    root,
)

MAX_DEPTH = 20
MAX_UNIT_WORDS = 3

_ORDER = {"+": 1, "-": 1, "*": 2, "/": 2}
_POWERS = {"²": 2, "³": 3}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# Words after a number that make it another number.
_SCALES = frozenset(
    {"hundred", "thousand", "million", "billion", "trillion", "dozen", "pair", "k"}
)
# Words that are arithmetic themselves, or that carry it on.
_OPERATIVE = frozenset(
    [
        "of",
        "plus",
        "minus",
        "times",
        "divided",
        "multiplied",
        "mod",
        "modulo",
        "squared",
        "cubed",
        "by",
        "into",
        "over",
        "percent",
        "per",
        "each",
        "half",
        "twice",
        "double",
        "triple",
        "remainder",
        "factorial",
        "choose",
    ]
)

# Units that are written close to their number; other letters there are unknowns.
_SHORT_UNITS = frozenset(
    [
        "mm",
        "cm",
        "km",
        "kg",
        "mg",
        "lb",
        "lbs",
        "oz",
        "ft",
        "in",
        "yd",
        "mi",
        "ml",
        "hr",
        "hrs",
        "min",
        "mins",
        "sec",
        "secs",
        "am",
        "pm",
        "mph",
        "kph",
        "px",
        "gb",
        "mb",
        "kb",
        "kwh",
        "hours",
        "minutes",
        "days",
        "dollars",
        "cents",
    ]
)

# Words after a number that are no unit of it.
_CONNECTING = words("of is are equals gives and so or then which to from with")


@dataclass(frozen=True, slots=True)
class Read:
    """A value and the place of the first token after it."""

    value: Value
    end: int


def read(
    tokens: Sequence[Token], start: int = 0, *, percent: Fraction = Fraction(1, 100)
) -> Read | None:
    """The longest expression from ``start``; None if there is none we can read.

    ``percent`` is what a percent sign multiplies by.
    """
    reader = _Reader(tokens, start, percent)
    try:
        value = reader.sum(0)
    except (UnreadableError, ZeroDivisionError):
        return None
    return Read(value, reader.at)


class _Reader:
    """One pass over the tokens; ``at`` is the next one."""

    def __init__(self, tokens: Sequence[Token], at: int, percent: Fraction) -> None:
        self._tokens = tokens
        self.at = at
        self._percent = percent

    def sum(self, depth: int) -> Value:
        """Terms added and subtracted."""
        value = self._product(depth)
        while (sign := self._operator(1)) is not None:
            other = self._product(depth)
            exact = value.exact + other.exact * (1 if sign == "+" else -1)
            value = joined(value, other, exact)
        return value

    def _product(self, depth: int) -> Value:
        value = self._signed(depth)
        while (sign := self._operator(2)) is not None:
            other = self._signed(depth)
            over = sign == "*"
            exact = value.exact * other.exact if over else value.exact / other.exact
            value = joined(value, other, exact, is_product=True)
        return value

    def _signed(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise UnreadableError
        token = self._peek()
        if token is not None and token.mark is Mark.OPERATOR and token.text == "-":
            self.at += 1
            value = self._signed(depth + 1)
            return replace(value, exact=-value.exact, first=-value.first)
        return self._with_units(self._power(depth))

    def _power(self, depth: int) -> Value:
        value = self._atom(depth)
        token = self._peek()
        if token is None or token.mark is not Mark.OPERATOR:
            return value
        if token.text in _POWERS:
            self.at += 1
            return raised(value, _POWERS[token.text])
        if token.text != "^":
            return value
        self.at += 1
        exponent = self._atom(depth + 1)
        if exponent.exact.denominator != 1:
            raise UnreadableError
        return raised(value, int(exponent.exact))

    def _atom(self, depth: int) -> Value:
        token = self._take()
        match token.mark:
            case Mark.NUMBER:
                value = self._mixed(token, depth)
            case Mark.OPEN:
                value = self._group(_CLOSING[token.text], depth)
            case Mark.FRACTION:
                value = self._fraction(depth)
            case Mark.ROOT:
                value = root(self._radicand(depth))
            case _:
                raise UnreadableError
        return self._ended(value)

    def _ended(self, value: Value) -> Value:
        """The value with its factorial or percent sign; nothing may be glued to it."""
        token = self._peek()
        if token is not None and token.mark is Mark.FACTORIAL and token.is_glued:
            if self._marks_factorial():
                self.at += 1
                return factorial(value)
        elif token is not None and token.mark is Mark.PERCENT:
            self.at += 1
            exact = value.exact * self._percent
            return replace(value, exact=exact, has_percent=True)
        if self._is_glued_to_letters():
            raise UnreadableError
        return value

    def _marks_factorial(self) -> bool:
        """Not the exclamation mark that ends a sentence."""
        after = self._peek(1)
        return after is not None and after.mark in (
            Mark.OPERATOR,
            Mark.EQUAL,
            Mark.CLOSE,
        )

    def _is_glued_to_letters(self) -> bool:
        token = self._peek()
        if token is None or not token.is_glued:
            return False
        if token.mark is Mark.WORD:
            return token.text.casefold() not in _SHORT_UNITS
        return token.mark is Mark.OPAQUE

    def _mixed(self, token: Token, depth: int) -> Value:
        """A number, or a whole number with a fraction after it."""
        value = Value(token.value, token.places, first=token.value)
        following = self._peek()
        if following is None or token.places:
            return value
        if following.mark is Mark.FRACTION:
            self.at += 1
            part = self._fraction(depth)
            exact = value.exact + part.exact
            return replace(value, exact=exact, first=exact, is_unsure=True)
        over, slash, under = following, self._peek(1), self._peek(2)
        if (
            over.mark is Mark.NUMBER
            and slash is not None
            and slash.text == "/"
            and under is not None
            and under.mark is Mark.NUMBER
        ):
            self.at += 3
            exact = value.exact + over.value / under.value
            return replace(value, exact=exact, first=exact, is_unsure=True)
        return value

    def _group(self, closing: str, depth: int) -> Value:
        value = self.sum(depth + 1)
        token = self._take()
        if token.mark is not Mark.CLOSE or token.text != closing:
            raise UnreadableError
        return value

    def _fraction(self, depth: int) -> Value:
        over, under = self._braced(depth), self._braced(depth)
        return joined(over, under, over.exact / under.exact, is_product=True)

    def _radicand(self, depth: int) -> Value:
        token = self._peek()
        if token is not None and token.mark is Mark.NUMBER:
            self.at += 1
            return Value(token.value, token.places, first=token.value)
        return self._braced(depth)

    def _braced(self, depth: int) -> Value:
        token = self._take()
        if token.mark is not Mark.OPEN:
            raise UnreadableError
        return self._group(_CLOSING[token.text], depth)

    def _with_units(self, value: Value) -> Value:
        """Words between a number and the operator after it are its unit."""
        unit = self._unit_words()
        if not unit:
            return value
        if any(word in _SCALES or word in _OPERATIVE for word in unit):
            raise UnreadableError
        units = frozenset({unit[-1].rstrip("s")})
        after = self._peek(len(unit))
        if after is not None and after.mark in (Mark.OPERATOR, Mark.CLOSE):
            self.at += len(unit)
        return replace(value, units=value.units | units)

    def _unit_words(self) -> list[str]:
        found: list[str] = []
        token = self._peek()
        while token is not None and token.mark is Mark.WORD and _is_plain(token):
            word = token.text.casefold()
            if len(found) == MAX_UNIT_WORDS or word in _CONNECTING:
                break
            found.append(word)
            token = self._peek(len(found))
        return found

    def _operator(self, order: int) -> str | None:
        """The operator of this order that comes next, consumed; also ``of``."""
        token = self._peek()
        if token is None:
            return None
        if token.mark is Mark.OPERATOR and _ORDER.get(token.text) == order:
            return self._consumed(token.text)
        if order == 2 and self._is_implied_product(token):
            return "*"
        if order == 2 and token.mark is Mark.WORD and self._is_of(token):
            return self._consumed("*")
        return None

    def _consumed(self, sign: str) -> str | None:
        """The operator, unless it leads nowhere: a dash, or a unit after a slash."""
        after = self._peek(1)
        if after is None or after.mark is Mark.WORD or after.mark is Mark.BREAK:
            self._skip_unit_after_slash(sign, after)
            return None
        self.at += 1
        return sign

    def _skip_unit_after_slash(self, sign: str, after: Token | None) -> None:
        if sign == "/" and after is not None and _is_plain(after):
            self.at += 2

    def _is_implied_product(self, token: Token) -> bool:
        before = self._tokens[self.at - 1] if self.at else None
        return (
            token.mark is Mark.OPEN
            and token.is_glued
            and token.text == "("
            and before is not None
            and before.mark in (Mark.NUMBER, Mark.CLOSE)
        )

    def _is_of(self, token: Token) -> bool:
        before = self._tokens[self.at - 1] if self.at else None
        return token.text.casefold() == "of" and (
            before is not None
            and before.mark in (Mark.PERCENT, Mark.CLOSE, Mark.NUMBER)
        )

    def _peek(self, ahead: int = 0) -> Token | None:
        place = self.at + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    def _take(self) -> Token:
        token = self._peek()
        if token is None:
            raise UnreadableError
        self.at += 1
        return token


def _is_plain(token: Token) -> bool:
    """Whether a token is a word that cannot be the name of a variable."""
    return token.mark is Mark.WORD and len(token.text) > 1
