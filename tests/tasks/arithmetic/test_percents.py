"""Percentages in plain words are worked out exactly and read only one way."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Donor, Reject, Unknown
from stepcache_proxy.tasks.arithmetic import Arithmetic
from stepcache_proxy.tasks.arithmetic.asking import read_request
from stepcache_proxy.tasks.arithmetic.percents import restated
from stepcache_proxy.tasks.arithmetic.task import ExpressionVerifier
from tests.fakes import canonical

WORDINGS: tuple[tuple[str, Callable[[Fraction, Fraction], Fraction]], ...] = (
    ("What is {rate}% of {base}?", lambda base, rate: base * rate / 100),
    ("Increase {base} by {rate}%", lambda base, rate: base + base * rate / 100),
    ("Decrease {base} by {rate}%", lambda base, rate: base - base * rate / 100),
    ("What percentage of {base} is {rate}?", lambda base, rate: rate / base),
)


def bound(text: str) -> ExpressionVerifier:
    verifier = Arithmetic().bind(canonical(text))
    assert verifier is not None, text
    return verifier


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("Calculate fifteen percent of 200", "15% of 200 = 30", id="words"),
        pytest.param(
            "What is twenty-five per cent of 60?", "25% of 60 = 15", id="tens"
        ),
        pytest.param("Increase 80 by 15%", "80 + 15% of 80 = 92", id="more"),
        pytest.param("Please reduce 80 by 15%.", "80 - 15% of 80 = 68", id="less"),
        pytest.param(
            "What is 80 increased by 15%?", "80 + 15% of 80 = 92", id="increased"
        ),
        pytest.param(
            "What is 15% less than 80?", "80 - 15% of 80 = 68", id="less than"
        ),
        pytest.param("What percentage of 80 is 12?", "12 / 80 = 15%", id="share"),
        pytest.param("12 is what percent of 80?", "12 / 80 = 15%", id="the other way"),
        pytest.param("What percent is 12 of 70?", "12 / 70 ≈ 17.1429%", id="no end"),
        pytest.param(
            "Increase 80 by 15%. Reply with only the number.", "92", id="number only"
        ),
    ],
)
def test_a_percentage_is_answered_exactly(text: str, answer: str) -> None:
    verifier = bound(text)
    assert verifier.fallback() == answer
    assert verifier.check_answer(answer) == Accept()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("What is 80 minus 15%?", id="percent of what"),
        pytest.param("What is 80 - 15%?", id="percent of what, in signs"),
        pytest.param("Increase 80 kg by 15%", id="a unit"),
        pytest.param("Increase my rent of 80 by 15%", id="more words"),
        pytest.param("Increase 80 by 15% twice", id="twice"),
        pytest.param("Increase 80 by 15", id="no percent"),
        pytest.param("What percentage of 0 is 4?", id="of nothing"),
        pytest.param("What percentage of people is 12?", id="no base"),
        pytest.param(
            "What percentage of 80 is 12? Reply with only the number.", id="15 or 0.15"
        ),
        pytest.param("Increase " + "9" * 10_000 + " by 15%", id="long number"),
    ],
)
def test_what_may_be_meant_otherwise_is_not_bound(text: str) -> None:
    assert read_request(text) is None


@pytest.mark.parametrize(
    ("text", "answer", "kind"),
    [
        pytest.param("Increase 80 by 15%", "80 increased by 15% is 92.", Accept),
        pytest.param("Increase 80 by 15%", "15% of 80 is 12. 80 + 12 = 92", Accept),
        pytest.param("Increase 80 by 15%", "80 increased by 15% is 91.", Reject),
        pytest.param("Increase 80 by 15%", "12", Reject),
        pytest.param("What percentage of 80 is 12?", "12 is 15% of 80.", Accept),
        pytest.param("What percentage of 80 is 12?", "15 percent", Accept),
        pytest.param("What percentage of 80 is 12?", "12 is 16% of 80.", Reject),
        pytest.param("What percentage of 80 is 12?", "15", Unknown),
        pytest.param("What percentage of 80 is 12?", "0.15", Unknown),
        pytest.param("What percentage of 70 is 12?", "about 17.14%", Accept),
        pytest.param("What percentage of 70 is 12?", "17.50%", Unknown),
        pytest.param("What percentage of 70 is 12?", "19.14%", Reject),
        pytest.param("Calculate 12/70", "17.50%", Reject),
    ],
)
def test_an_answer_is_judged_by_what_it_says(
    text: str, answer: str, kind: type[Accept]
) -> None:
    assert isinstance(bound(text).check_answer(answer), kind)


@pytest.mark.parametrize(
    ("old", "answer", "new", "derived"),
    [
        pytest.param(
            "Increase 80 by 15%",
            "80 increased by 15% is 92.",
            "Increase 60 by 5%",
            "60 increased by 5% is 63.",
            id="more",
        ),
        pytest.param(
            "What percentage of 80 is 12?",
            "12 is 15% of 80.",
            "What percentage of 50 is 10?",
            "10 is 20% of 50.",
            id="share",
        ),
        pytest.param(
            "Increase 80 by 15%", "92", "What percentage of 50 is 10?", None, id="kind"
        ),
        pytest.param(
            "Increase 80 by 15%", "80 × 1.15 = 92", "Increase 60 by 5%", None, id="1.15"
        ),
        pytest.param(
            "Increase 80 by 15%", "It is 91.", "Increase 60 by 5%", None, id="wrong"
        ),
        pytest.param(
            "Increase 100 by 15%",
            "15% of 100 is 15. 100 + 15 = 115",
            "Increase 60 by 5%",
            None,
            id="two quantities of one size",
        ),
    ],
)
def test_a_donor_lends_its_words(
    old: str, answer: str, new: str, derived: str | None
) -> None:
    assert bound(new).derive(Donor(old, {}, answer)) == derived


def test_what_is_said_is_restated_as_a_calculation() -> None:
    text = "12 is 15 percent of 80, and 80 increased by 5% is 84"
    assert restated(text, is_share=True) == "12 / 80 = 15%, and (80 + 5% of 80) is 84"


@given(st.integers(0, 3), st.integers(0, 3), st.integers(1, 999), st.integers(1, 200))
def test_whatever_is_asked_is_answered_right(
    one: int, other: int, base: int, rate: int
) -> None:
    wording, worth = WORDINGS[one]
    verifier = bound(wording.format(base=base, rate=rate))
    assert verifier.asked.value == worth(Fraction(base), Fraction(rate))
    assert verifier.check_answer(verifier.fallback()) == Accept()
    given_ = bound(WORDINGS[other][0].format(base=rate + 7, rate=base + 1))
    donor = Donor(WORDINGS[other][0].format(base=rate + 7, rate=base + 1), {}, "")
    for answer in (given_.fallback(), f"So we get {given_.fallback()}."):
        lent = Donor(donor.text, {}, answer)
        derived = verifier.derive(lent)
        assert derived is None or verifier.check_answer(derived) == Accept()
        if verifier.asked.value != given_.asked.value:
            assert verifier.check_answer(answer) != Accept()
