"""A linear equation in a text, read by substitution, for the scripted model."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

_SIDE = r"(?:[-+*/() .0-9]|[a-z](?![a-z])){1,60}"
_EQUATION = re.compile(rf"(?<![A-Za-z]){_SIDE}={_SIDE}")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[a-z]|[-+*/()]")


@dataclass(frozen=True, slots=True)
class Form:
    """``a`` times the unknown plus ``b``."""

    a: Fraction
    b: Fraction


@dataclass(frozen=True, slots=True)
class Sides:
    """An equation: both sides as forms; ``text`` is how it was written, if it was."""

    unknown: str
    left: Form
    right: Form
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"{self._side(self.left)} = {self._side(self.right)}"

    def show(self, value: Fraction) -> str:
        """A number as it is written: ``5`` or ``5/2``."""
        return str(value)

    def less(self, a: Fraction, b: Fraction) -> "Sides":
        """Both sides less ``a`` unknowns and ``b``."""
        left = Form(self.left.a - a, self.left.b - b)
        right = Form(self.right.a - a, self.right.b - b)
        return Sides(self.unknown, left, right)

    def over(self, divisor: Fraction) -> "Sides":
        """Both sides divided."""
        left = Form(self.left.a / divisor, self.left.b / divisor)
        right = Form(self.right.a / divisor, self.right.b / divisor)
        return Sides(self.unknown, left, right)

    def off(self, by: int) -> "Sides":
        """The same with a wrong constant on the right."""
        return replace(self, right=Form(self.right.a, self.right.b + by), text="")

    def _side(self, form: Form) -> str:
        if not form.a:
            return self.show(form.b)
        factor = {1: "", -1: "-"}.get(int(form.a)) if form.a.denominator == 1 else None
        shown = self.show(form.a) if factor is None else factor
        if form.a.denominator != 1:
            shown = f"({shown})"
        if not form.b:
            return f"{shown}{self.unknown}"
        sign = "+" if form.b > 0 else "-"
        return f"{shown}{self.unknown} {sign} {self.show(abs(form.b))}"


def read_equation(text: str) -> Sides | None:
    """The equation in ``text``; None if there is none that is linear."""
    for found in _EQUATION.finditer(text[:4000]):
        written = found[0].strip(" .")
        letters = set(re.findall(r"[a-z]", written))
        if len(letters) != 1:
            continue
        unknown = letters.pop()
        try:
            left, right = (_form(side, unknown) for side in written.split("="))
        except (ValueError, IndexError, ZeroDivisionError):
            continue
        if left.a == 0 and right.a != 0:
            left, right = right, left
        return Sides(unknown, left, right, written)
    return None


def _form(side: str, unknown: str) -> Form:
    at_zero = _Side(side, unknown, Fraction(0)).value()
    at_one = _Side(side, unknown, Fraction(1)).value()
    return Form(at_one - at_zero, at_zero)


class _Side:
    """One side as a number, the unknown put in."""

    def __init__(self, text: str, unknown: str, value: Fraction) -> None:
        found: list[str] = _TOKEN.findall(text)
        self._tokens = [*found, ""]
        self._at = 0
        self._unknown, self._value = unknown, value

    def value(self) -> Fraction:
        total = self._sum()
        if self._tokens[self._at]:
            raise ValueError(self._tokens[self._at])
        return total

    def _sum(self) -> Fraction:
        total = Fraction(0)
        sign = 1
        while True:
            while self._tokens[self._at] in {"+", "-"}:
                sign = -sign if self._next() == "-" else sign
            total += sign * self._product()
            if self._tokens[self._at] not in {"+", "-"}:
                return total
            sign = 1

    def _product(self) -> Fraction:
        total = self._factor()
        while self._tokens[self._at] not in {"", "+", "-", ")"}:
            sign = self._tokens[self._at]
            if sign in {"*", "/"}:
                self._at += 1
            factor = self._factor()
            total = total / factor if sign == "/" else total * factor
        return total

    def _factor(self) -> Fraction:
        part = self._next()
        if part == "(":
            inner = self._sum()
            if self._next() != ")":
                raise ValueError(part)
            return inner
        return self._value if part == self._unknown else Fraction(part)

    def _next(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        return token
