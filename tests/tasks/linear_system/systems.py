"""Systems built around a known point, requests and donors, and an evaluator apart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_system import LinearSystem
from stepcache_proxy.tasks.linear_system.task import SystemVerifier
from tests.tasks.linear_equation.equations import evaluate, request

QUESTION = "Solve the system x + y = 5, 2x - y = 1."
SUBSTITUTION = (
    "From the first equation, x = 5 - y.\n"
    "Substitute into the second equation: 2(5 - y) - y = 1.\n"
    "Expand: 10 - 2y - y = 1.\n"
    "Simplify: 10 - 3y = 1.\n"
    "Subtract 10 from both sides: -3y = -9.\n"
    "Divide both sides by -3: y = 3.\n"
    "Then x = 5 - 3 = 2.\n"
    "The solution is x = 2, y = 3."
)
ELIMINATION = (
    "We have the system:\n$$x + y = 5$$\n$$2x - y = 1$$\n\n"
    "Multiply the first equation by $2$:\n$$2x + 2y = 10$$\n"
    "Subtract the second equation from the first:\n$$3y = 9$$\n$$y = 3$$\n"
    "Substitute $y = 3$ into the first equation:\n$$x + 3 = 5$$\n$$x = 2$$\n\n"
    "The solution is $(x, y) = (2, 3)$."
)
CHECKED = "x = 2, y = 3. Check: 2 + 3 = 5 and 2(2) - 3 = 1."
DONORS = (
    (QUESTION, SUBSTITUTION),
    (QUESTION, CHECKED),
    (QUESTION, "x = 2, y = 3"),
    (
        "Solve 2x + 3y = 12, 3x - 2y = 5 for x and y.",
        "1. Multiply the first equation by 2: 4x + 6y = 24\n"
        "2. Multiply the second equation by 3: 9x - 6y = 15\n"
        "3. Add the two equations: 13x = 39\n"
        "4. Divide both sides by 13: x = 3\n"
        "5. Substitute x = 3 into the first equation: 6 + 3y = 12\n"
        "6. Subtract 6 from both sides: 3y = 6\n"
        "7. Divide both sides by 3: y = 2\n\nAnswer: x = 3, y = 2",
    ),
    (
        "Solve 2u + 3v = 12, 3u - 2v = 5 for u.",
        "Multiply the first equation by 2 and the second by 3:\n"
        "4u + 6v = 24\n9u - 6v = 15\nAdd them: 13u = 39, so u = 3.",
    ),
    (
        "Solve p + 2q = 8, 3p - q = 3 for q.",
        "Solve the first equation for p: p = 8 - 2q. Substitute this into the second"
        " equation: 3(8 - 2q) - q = 3, so 24 - 7q = 3. Therefore q = 3.",
    ),
)


def bound(text: str) -> SystemVerifier:
    """The verifier of a request that must bind."""
    verifier = LinearSystem().bind(request(text))
    assert verifier is not None, text
    return verifier


@dataclass(frozen=True, slots=True)
class Question:
    """A system whose solution is known because it was built around it."""

    text: str
    values: dict[str, Fraction]
    wanted: tuple[str, ...]


_small = st.integers(-9, 9)
_values = st.builds(Fraction, st.integers(-20, 20), st.sampled_from([1, 1, 1, 2, 3]))


@st.composite
def questions(draw: st.DrawFn, count: int | None = None) -> Question:
    """A request with whole coefficients; terms may stand on both sides."""
    names = draw(st.permutations("xypqmn"))[:2]
    point = draw(_values), draw(_values)
    a, b, c, d = (draw(_small) for _ in range(4))
    if a * d == b * c:
        a, b, c, d = 1, 2, 3, -1
    scale = point[0].denominator * point[1].denominator
    rows = (a * scale, b * scale), (c * scale, d * scale)
    equations = [_equation(draw, names, row, point) for row in rows]
    wanted = draw(st.sampled_from([(names[0],), (names[1],), tuple(names)]))
    if count is not None:
        wanted = tuple(names)[:count]
    separator = draw(st.sampled_from([", ", "; ", " and ", ",\n"]))
    text = f"Solve {separator.join(equations)} for {' and '.join(wanted)}."
    first = "".join(equations)
    order = sorted(names, key=lambda n: first.find(n) if n in first else 1_000)
    return Question(
        text,
        dict(zip(names, point, strict=True)),
        tuple(name for name in order if name in wanted),
    )


def _equation(
    draw: st.DrawFn,
    names: list[str],
    row: tuple[int, int],
    point: tuple[Fraction, Fraction],
) -> str:
    """One equation; what is moved to the right changes its sign."""
    moved = draw(st.integers(-3, 3)) if draw(st.booleans()) else 0
    extra = draw(_small) if draw(st.booleans()) else 0
    left = _side([(row[0] + moved, names[0]), (row[1], names[1]), (extra, "")])
    total = row[0] * point[0] + row[1] * point[1] + extra
    right = _side([(moved, names[0]), (int(total), "")])
    sides = [left, right]
    if draw(st.booleans()):
        sides.reverse()
    return " = ".join(sides)


def _side(terms: list[tuple[int, str]]) -> str:
    shown = ""
    for amount, name in terms:
        if amount == 0:
            continue
        size = "" if abs(amount) == 1 and name else str(abs(amount))
        sign = ("-" if not shown else " - ") if amount < 0 else ("", " + ")[bool(shown)]
        shown += f"{sign}{size}{name}"
    return shown or "0"


def is_true(text: str, values: dict[str, Fraction]) -> bool:
    """Whether every chain of equals signs in a plain text holds for the values."""
    found = list(_chains(_plain(text), values))
    assert found
    return all(
        _value(left, values) == _value(right, values)
        for chain in found
        for left, right in pairwise(chain)
    )


def stated(text: str, name: str) -> Fraction | None:
    """The last number that a text states for an unknown."""
    number = r"(-?\d+(?:/\d+)?)(?![\w*(/])"
    found = re.findall(rf"(?<![\w*/]){name} = {number}", _plain(text))
    pairs = re.findall(r"\((\w), (\w)\) = \((-?[\d/]+), (-?[\d/]+)\)", _plain(text))
    found += [x if a == name else y for a, b, x, y in pairs if name in (a, b)]
    return Fraction(found[-1]) if found else None


def _plain(text: str) -> str:
    text = re.sub(r"\\d?frac\{(-?\d+)\}\{(\d+)\}", r"(\1/\2)", text)
    return re.sub(r"Step \d+:|^\d+\. ", "", text.replace("$", ""), flags=re.MULTILINE)


def _chains(text: str, values: dict[str, Fraction]) -> Iterator[list[str]]:
    names = "".join(values)
    side = rf"[-+*/()\d {names}]*[\d){names}]"
    for chain in re.findall(rf"(?<![A-Za-z(,]){side}(?: = {side})+", text):
        yield [part.strip() for part in chain.split("=")]


def _value(side: str, values: dict[str, Fraction]) -> Fraction:
    for name, value in values.items():
        side = side.replace(name, f"({value})")
    return evaluate(side, "", Fraction(0))
