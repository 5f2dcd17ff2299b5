"""Requests to convert, with results worked out in another way than the task does."""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Donor
from stepcache_proxy.tasks.unit_conversion import UnitConversion
from stepcache_proxy.tasks.unit_conversion.task import ConversionVerifier
from tests.fakes import canonical

# How many of the smallest unit there are in each, as whole numbers.
LENGTHS = {
    "millimetres": 10_000,
    "inches": 254_000,
    "feet": 3_048_000,
    "yards": 9_144_000,
    "metres": 10_000_000,
    "kilometres": 10_000_000_000,
    "miles": 16_093_440_000,
}
MASSES = {"grams": 100_000, "pounds": 45_359_237, "kilograms": 100_000_000}
TIMES = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400, "weeks": 604_800}


@dataclass(frozen=True, slots=True)
class Question:
    """A request and the exact result."""

    text: str
    result: Fraction
    target: str


def bound(text: str) -> ConversionVerifier:
    """The verifier of a request that must bind."""
    verifier = UnitConversion().bind(canonical(text))
    assert verifier is not None, text
    return verifier


def donor(text: str, answer: str) -> Donor:
    """A record that was asked ``text``."""
    return Donor(text=text, format={}, answer=answer)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A request of one of several wordings, of a modest size."""
    table = draw(st.sampled_from([LENGTHS, MASSES, TIMES]))
    source, target = draw(st.permutations(sorted(table)))[:2]
    value = Fraction(draw(st.integers(1, 5_000)), draw(st.sampled_from([1, 1, 2, 10])))
    shown = str(float(value)) if value.denominator > 1 else str(value)
    wording = draw(
        st.sampled_from(
            [
                f"Convert {shown} {source} to {target}",
                f"How many {target} are in {shown} {source}?",
                f"What is {shown} {source} in {target}?",
            ]
        )
    )
    return Question(wording, value * table[source] / table[target], target)
