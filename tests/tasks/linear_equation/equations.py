"""Equations, requests and worked answers for tests, and an evaluator of their own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.model import CanonicalRequest, Donor
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.linear_equation.task import EquationVerifier
from stepcache_proxy.wire.jsonvalue import Json

SCOPE = Scope(tenant="t", upstream="http://127.0.0.1:1", namespace="n")

_TOKENS = re.compile(r"\s*(\d+(?:\.\d+)?|[-+*/()]|[A-Za-z])")
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 2}


def request(text: str, **fields: Json) -> CanonicalRequest:
    """A chat request with one user message."""
    body: dict[str, Json] = {
        "model": "m",
        "messages": [{"role": "user", "content": text}],
        **fields,
    }
    made = canonicalise("chat", body, SCOPE)
    assert made is not None
    return made


def bound(text: str) -> EquationVerifier:
    """The verifier of a request that must bind."""
    verifier = LinearEquation().bind(request(text))
    assert verifier is not None, text
    return verifier


def donor(text: str, answer: str) -> Donor:
    """A record that was asked ``text``."""
    return Donor(text=text, format={}, answer=answer)


@dataclass(frozen=True, slots=True)
class Question:
    """An equation whose solution is known because it was built around it."""

    text: str
    unknown: str
    root: Fraction


def _signed(value: Fraction) -> str:
    sign = "-" if value < 0 else "+"
    return f"{sign} {abs(value)}"


small = st.integers(-12, 12).map(Fraction)
_roots = st.builds(Fraction, st.integers(-30, 30), st.sampled_from([1, 1, 1, 2, 3, 5]))
_unknowns = st.sampled_from("xyznabk")


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A request with whole coefficients in one of several shapes."""
    name, root = draw(_unknowns), draw(_roots)
    a, b, c = draw(small), draw(small), draw(small)
    if a == c:
        a += 1
    scale = root.denominator
    a, b, c = a * scale, b * scale, c * scale
    right = (a - c) * root + b
    sides = [f"{a}{name} {_signed(b)}", f"{c}{name} {_signed(right)}"]
    if c == 0:
        sides[1] = str(right)
    if b == 0:
        sides[0] = f"{a}{name}"
    if draw(st.booleans()):
        sides.reverse()
    return Question(f"Solve {' = '.join(sides)} for {name}.", name, root)


def brief(question: str, verifier: EquationVerifier) -> str:
    """A worked answer that collects, subtracts and divides, as a terse model would."""
    problem = verifier.asked.problem
    name, gap = problem.unknown, problem.balance.difference
    lines = [f"Start from {question.removeprefix('Solve ').split(' for ')[0]}."]
    a, b = gap.a, gap.b
    if problem.balance.right.a != 0 or problem.balance.left.a == 0:
        lines.append(
            f"Collect the terms in {name} on the left: {_side(a, b, name)} = 0."
        )
        d = Fraction(0)
    else:
        b, d = problem.balance.left.b, problem.balance.right.b
    if b:
        verb = f"Subtract {b} from" if b > 0 else f"Add {-b} to"
        lines.append(f"{verb} both sides: {_side(a, Fraction(0), name)} = {d - b}.")
    if a != 1:
        lines.append(f"Divide both sides by {a}: {name} = {(d - b) / a}.")
    steps = [f"Step {number}: {line}" for number, line in enumerate(lines, 1)]
    return "\n".join([*steps, f"Answer: {name} = {(d - b) / a}"])


def _side(a: Fraction, b: Fraction, name: str) -> str:
    head = {1: name, -1: f"-{name}"}.get(int(a) if a.denominator == 1 else 0)
    return (head or f"{a}{name}") + (f" {_signed(b)}" if b else "")


def equations_in(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Neighbouring sides of every chain of equals signs in a text without LaTeX."""
    side = rf"[-+*/()\d. {name}]*[\d){name}]"
    for chain in re.findall(rf"{side}(?: ?= ?{side})+", text):
        sides = [part.strip() for part in chain.split("=")]
        yield from pairwise(sides)


def evaluate(text: str, name: str, value: Fraction) -> Fraction:
    """The value of an expression, by operator precedence on two stacks."""
    numbers: list[Fraction] = []
    signs: list[str] = []
    before = "("
    for token in _TOKENS.findall(text):
        if before not in "+-*/(" and token not in "+-*/)":
            _push(numbers, signs, "*")
        if token not in "+-*/()":
            numbers.append(value if token == name else Fraction(token))
        else:
            _sign(numbers, signs, token, before)
        before = token
    while signs:
        _apply(numbers, signs.pop())
    return numbers[0]


def _sign(numbers: list[Fraction], signs: list[str], token: str, before: str) -> None:
    if token == "(":
        signs.append(token)
    elif token == ")":
        _close(numbers, signs)
    elif token == "-" and before in "+-*/(":
        signs.append("neg")
    else:
        _push(numbers, signs, token)


def _push(numbers: list[Fraction], signs: list[str], sign: str) -> None:
    while signs and signs[-1] != "(" and _STRENGTH[signs[-1]] >= _STRENGTH[sign]:
        _apply(numbers, signs.pop())
    signs.append(sign)


def _close(numbers: list[Fraction], signs: list[str]) -> None:
    while signs[-1] != "(":
        _apply(numbers, signs.pop())
    signs.pop()


def _apply(numbers: list[Fraction], sign: str) -> None:
    last = numbers.pop()
    if sign == "neg":
        numbers.append(-last)
        return
    first = numbers.pop()
    results = {
        "+": lambda: first + last,
        "-": lambda: first - last,
        "*": lambda: first * last,
        "/": lambda: first / last,
    }
    numbers.append(results[sign]())


def last_value(text: str, name: str) -> Fraction | None:
    """The last number that a text states for the unknown."""
    found = re.findall(
        rf"(?<![\w*/]){name} = (-?\d+(?:\.\d+)?(?:/\d+)?)(?![\w*(])", text
    )
    return Fraction(found[-1]) if found else None
