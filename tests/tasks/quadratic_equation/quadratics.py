"""Quadratics, requests and worked answers for tests, and a check of their own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Donor
from stepcache_proxy.tasks.quadratic_equation import QuadraticEquation
from stepcache_proxy.tasks.quadratic_equation.task import QuadraticVerifier
from tests.fakes import canonical
from tests.tasks.linear_equation.equations import equations_in, evaluate

_POWER = re.compile(r"(\([^()]*\)|\d+|[a-z])\^2")


def bound(text: str) -> QuadraticVerifier:
    """The verifier of a request that must bind."""
    verifier = QuadraticEquation().bind(canonical(text))
    assert verifier is not None, text
    return verifier


def donor(text: str, answer: str) -> Donor:
    """A record that was asked ``text``."""
    return Donor(text=text, format={}, answer=answer)


@dataclass(frozen=True, slots=True)
class Question:
    """An equation whose roots are known because it was built around them."""

    text: str
    unknown: str
    roots: frozenset[Fraction]


_roots = st.builds(Fraction, st.integers(-12, 12), st.sampled_from([1, 1, 1, 2, 3, 5]))
_scales = st.sampled_from([1, 1, 1, 2, 3, -1, -4])
_unknowns = st.sampled_from("xxyztnk")


@st.composite
def questions(draw: st.DrawFn, *, form: str = "") -> Question:
    """A request with whole coefficients, terms on both sides, or factored."""
    first, second, name = draw(_roots), draw(_roots), draw(_unknowns)
    scale = draw(_scales) * first.denominator * second.denominator
    a, b, c = (
        Fraction(scale),
        -scale * (first + second),
        scale * first * second,
    )
    moved_b, moved_c = draw(st.integers(-9, 9)), draw(st.integers(-9, 9))
    shapes = [
        f"{side(a, b, c, name)} = 0",
        f"{side(a, b, Fraction(0), name)} = {-c}",
        f"{side(a, b + moved_b, c + moved_c, name)}"
        f" = {side(Fraction(0), Fraction(moved_b), Fraction(moved_c), name)}",
        f"{_factor(first, name)}{_factor(second, name)} = 0",
    ]
    equation = draw(st.sampled_from(shapes))
    return Question(f"Solve {equation}{form}", name, frozenset({first, second}))


def side(a: Fraction, b: Fraction, c: Fraction, name: str) -> str:
    """A collected polynomial as people write it."""
    parts = [
        _term(number, power)
        for number, power in ((a, f"{name}^2"), (b, name), (c, ""))
        if number
    ]
    return " ".join(parts).removeprefix("+ ").replace("- ", "-", _leads(parts)) or "0"


def _leads(parts: list[str]) -> int:
    return 1 if parts and parts[0].startswith("-") else 0


def _term(number: Fraction, power: str) -> str:
    sign = "-" if number < 0 else "+"
    size = "" if power and abs(number) == 1 else str(abs(number))
    return f"{sign} {size}{power}"


def _factor(root: Fraction, name: str) -> str:
    head = name if root.denominator == 1 else f"{root.denominator}{name}"
    if root == 0:
        return f"({head})"
    sign = "-" if root > 0 else "+"
    return f"({head} {sign} {abs(root.numerator)})"


def by_formula(verifier: QuadraticVerifier) -> str:
    """A worked answer by the quadratic formula, for an equation of this problem."""
    problem = verifier.asked.problem
    a, b, c = problem.whole.parts
    name = problem.unknown
    low, high = min(problem.roots), max(problem.roots)
    spread = abs(a) * (high - low)
    above = [f"({-b} + {spread})/({2 * a})", f"({-b} - {spread})/({2 * a})"]
    ends = [(-b + spread) / (2 * a), (-b - spread) / (2 * a)]
    return "\n".join(
        [
            f"Rewrite the equation: {side(a, b, c, name)} = 0.",
            f"So a = {a}, b = {b} and c = {c}.",
            f"The discriminant is {b * b - 4 * a * c}.",
            *(
                f"{name} = {step} = {end}."
                for step, end in zip(above, ends, strict=True)
            ),
            f"Answer: {name} = {ends[0]} or {name} = {ends[1]}",
        ]
    )


def stated_roots(text: str, name: str) -> frozenset[Fraction]:
    """The roots in the last line of a text, as ``x = 2 or x = 3``."""
    last = text.strip().splitlines()[-1]
    found = re.findall(rf"{name} = (-?\d+(?:\.\d+)?(?:/\d+)?)(?![\d/])", last)
    return frozenset(map(Fraction, found))


def false_equations(text: str, question: Question) -> Iterator[str]:
    """Equations of a plain text that hold for none of the roots."""
    plain = text
    while (shorter := _POWER.sub(r"(\1*\1)", plain)) != plain:
        plain = shorter
    for left, right in equations_in(plain, question.unknown):
        if not any(
            evaluate(left, question.unknown, root)
            == evaluate(right, question.unknown, root)
            for root in question.roots
        ):
            yield f"{left} = {right}"
