"""Word problems of our own whose answers are known by formula, with worked answers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from stepcache_proxy.tasks.word_problem.question import read_question
from stepcache_proxy.tasks.word_problem.reworking import rework


@dataclass(frozen=True, slots=True)
class Family:
    """One text with numbers left out, how it is solved, and what comes out.

    ``steps`` holds expressions in braces: each is shown with its value. A digit is a
    number of the problem, ``r`` and a digit the value of an earlier step. What stands
    as a numeral in ``steps`` is a constant that the text does not state in digits.
    """

    text: str
    steps: tuple[str, ...]
    answer: Callable[..., Fraction]


FAMILIES = {
    "shopping": Family(
        "Nora buys {0} boxes of pens. Each box holds {1} pens. She gives away {2} pens "
        "and sells the rest for ${3} each. How much money does she get?",
        ("<0> * <1>", "r0 - <2>", "r1 * <3>"),
        lambda a, b, c, d: (a * b - c) * d,
    ),
    "week": Family(
        "Omar runs {0} miles every day and walks {1} miles every day. How many miles "
        "does he go in a week?",
        ("<0> + <1>", "r0 * 7"),
        lambda a, b: (a + b) * 7,
    ),
    "two people": Family(
        "Ines and Paul each have {0} coins. They find {1} coins and share them with "
        "{2} friends. How many coins were there to share in all?",
        ("<0> * 2", "r0 + <1>"),
        lambda a, b, c: 2 * a + b,
    ),
    "myself too": Family(
        "Kofi invites {0} friends to dinner. He cooks {1} dumplings for each person, "
        "himself included. How many dumplings does he cook?",
        ("<0> + 1", "r0 * <1>"),
        lambda a, b: (a + 1) * b,
    ),
    "named to themselves": Family(
        "There are {0} friends who go out with Lena. Everybody pays ${1}. Lena also "
        "buys {2} drinks at ${3} each. How much money is paid in all?",
        ("r_people * <1>", "<2> * <3>", "r0 + r1"),
        lambda a, b, c, d: (a + 1) * b + c * d,
    ),
    "percent": Family(
        "A coat costs ${0}. Today it is sold at {1}% off. How much does the coat cost "
        "today?",
        ("<0> * <1> / 100", "<0> - r0"),
        lambda a, b: a - a * b / 100,
    ),
    "months": Family(
        "Rosa saves ${0} a month and her sister saves ${1} a month. How much money do "
        "they save together in {2} years?",
        ("<0> + <1>", "<2> * 12", "r0 * r1"),
        lambda a, b, c: (a + b) * c * 12,
    ),
    "halves": Family(
        "Mia picks {0} apples and half as many pears. She puts {1} fruits into each "
        "basket. How many baskets does she fill?",
        ("<0> / 2", "<0> + r0", "r1 / <1>"),
        lambda a, b: (a + a / 2) / b,
    ),
    "overtime unsaid": Family(
        "A guard earns ${0} an hour for {1} hours, and ${2} for each of {3} more "
        "hours. How much does the guard earn?",
        ("<0> * <1>", "<2> * <3>", "r0 + r1"),
        lambda a, b, c, d: a * b + c * d,
    ),
    "older": Family(
        "Tess is {0} years older than Jon, who is {1} years old. In {2} years, how old "
        "will Tess be?",
        ("<1> + <0>", "r0 + <2>"),
        lambda a, b, c: a + b + c,
    ),
    "rows": Family(
        "A hall has {0} rows of {1} chairs and a balcony with {2} chairs. {3} chairs "
        "are broken. How many chairs can be used?",
        ("<0> * <1>", "r0 + <2>", "r1 - <3>"),
        lambda a, b, c, d: a * b + c - d,
    ),
}


def stated(family: Family, numbers: list[Fraction]) -> str:
    """The problem with these numbers."""
    return family.text.format(*map(written, numbers))


def solved(family: Family, numbers: list[Fraction], *, is_noted: bool) -> str:
    """A worked answer for these numbers, and the answer at the end."""
    results: list[Fraction] = []
    lines: list[str] = []

    def number(found: re.Match[str]) -> str:
        name = found[0]
        if name == "r_people":
            return written(numbers[0] + 1)
        if name.startswith("r"):
            return written(results[int(name[1:])])
        return written(numbers[int(name[1:-1])])

    for step in family.steps:
        shown = re.sub(r"<\d>|r_people|r\d", number, step)
        value = _value(shown)
        results.append(value)
        told = f"<<{shown}={written(value)}>>" if is_noted else ""
        lines.append(f"That makes {shown} = {told}{written(value)} so far.")
    lines.append(f"#### {written(results[-1])}")
    return "\n".join(lines)


def written(number: Fraction) -> str:
    """The number as an integer or with its decimals; fractions have no place here."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.6f}".rstrip("0")


def _value(shown: str) -> Fraction:
    """The value of numbers and signs, from left to right (no sums before products)."""
    first, *rest = shown.split()
    value = Fraction(first)
    for sign, number in zip(rest[::2], rest[1::2], strict=True):
        other = Fraction(number)
        value = {
            "+": value + other,
            "-": value - other,
            "*": value * other,
            "/": value / other,
        }[sign]
    return value


def reworked(given: str, answer: str, asked: str) -> str | None:
    """What becomes of an answer to ``given`` for ``asked``."""
    before, after = read_question(given), read_question(asked)
    if before is None or after is None:
        return None
    return rework(before, answer, after)


def figures(count: int, most: int) -> st.SearchStrategy[list[Fraction]]:
    """Whole numbers of which many are equal, or equal to a constant of the world."""
    small = st.integers(1, 14)
    some = st.sampled_from([2, 7, 12, 24, 30, 52, 60, 100])
    return st.lists(
        st.one_of(small, some, st.integers(1, most)).map(Fraction),
        min_size=count,
        max_size=count,
    )
