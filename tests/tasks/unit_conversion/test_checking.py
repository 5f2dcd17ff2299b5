"""An answer is accepted only if every number is right and named with its unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Step, Unknown
from stepcache_proxy.tasks.unit_conversion import UnitConversion
from tests.fakes import canonical
from tests.tasks.unit_conversion.conversions import Question, bound, donor, questions

ASKED = "Convert 5 km to miles"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("5 km is approximately 3.107 miles.", id="rounded"),
        pytest.param("3.10686 miles", id="result"),
        pytest.param("There are 3.10686 miles in 5 km.", id="the other way round"),
        pytest.param(
            "1 mile = 1.609344 km, so 5 km = 5 / 1.609344 = 3.106856 miles.",
            id="factor",
        ),
        pytest.param(
            "To convert kilometres to miles, multiply by 0.621371.\n"
            "- 5 km × 0.621371 ≈ **3.1069 miles**",
            id="multiply",
        ),
        pytest.param("5 km = 5000 m ≈ 3.1069 mi", id="by way of metres"),
    ],
)
def test_a_right_answer_is_accepted(answer: str) -> None:
    assert bound(ASKED).check_answer(answer) == Accept()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("5 km = 3.2 miles", id="value"),
        pytest.param("5 km is 8.04672 miles", id="the wrong way"),
        pytest.param("1 mile = 1.852 km, so 5 km = 3.10686 miles", id="factor"),
        pytest.param("3.10686 miles. 4 miles.", id="two results"),
        pytest.param("-3.10686 miles", id="sign"),
        pytest.param("5 km = 3.10686 miles = 3.10686 km", id="unit"),
    ],
)
def test_a_wrong_answer_is_rejected(answer: str) -> None:
    assert isinstance(bound(ASKED).check_answer(answer), Reject)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("3.107", id="no unit"),
        pytest.param("5 km = 3.107", id="no unit in a chain"),
        pytest.param("3.1 miles", id="two digits"),
        pytest.param("3.10685 miles", id="cut off"),
        pytest.param("5 km is not 3.107 miles", id="denied"),
        pytest.param("Maybe 3.107 miles", id="unread words"),
        pytest.param("3.107 nautical miles", id="another mile"),
        pytest.param("3.107 miles per hour", id="a speed"),
        pytest.param("5 miles is 8.04672 km", id="another quantity"),
        pytest.param("5 km = 5 × 0.7 = 3.107 miles", id="an odd calculation"),
        pytest.param("6 km × 0.621371 = 3.107 miles", id="another value inside"),
        pytest.param("Convert it.", id="no result"),
        pytest.param("3.107 miles = ", id="open end"),
        pytest.param("3.107 miles" + " so" * 2_000, id="too long"),
    ],
)
def test_what_is_not_understood_is_left_open(answer: str) -> None:
    assert isinstance(bound(ASKED).check_answer(answer), Unknown)


def test_a_temperature_is_worked_out() -> None:
    verifier = bound("What is 100 °C in °F?")
    answer = "°F = (°C × 9/5) + 32. (100 × 9/5) + 32 = 212 °F"
    assert verifier.check_answer(answer) == Accept()
    assert isinstance(verifier.check_answer("100 °C = 210 °F"), Reject)


def test_the_asked_precision_is_kept() -> None:
    verifier = bound("Convert 10 km to miles, rounded to 2 decimal places")
    assert verifier.check_answer("6.21 miles") == Accept()
    assert isinstance(verifier.check_answer("6.2137 miles"), Unknown)
    assert isinstance(verifier.check_answer("6.22 miles"), Reject)
    whole = bound("Convert 10 km to miles to the nearest whole number")
    assert whole.fallback() == "10 kilometres ≈ 6 miles"


def test_only_the_number_is_only_the_number() -> None:
    verifier = bound("Convert 3 m to cm. Reply with only the number.")
    assert verifier.fallback() == "300"
    assert verifier.check_answer("300") == Accept()
    assert isinstance(verifier.check_answer("300 cm"), Unknown)
    assert isinstance(verifier.check_answer("30"), Reject)


def test_a_step_is_judged_by_itself() -> None:
    verifier = bound(ASKED)
    assert verifier.check_step(Step(0, "1 mile = 1.609344 km")) == Accept()
    assert isinstance(verifier.check_step(Step(0, "6 km = 3.728 miles")), Unknown)
    assert isinstance(verifier.check_step(Step(0, "5 km = 4 miles")), Reject)


@given(questions(), st.integers(1, 10**6))
def test_another_number_is_never_accepted(question: Question, number: int) -> None:
    verifier = UnitConversion().bind(canonical(question.text))
    if verifier is None or abs(question.result - number) <= 1:
        return
    for answer in (
        f"{number} {question.target}",
        f"It is {number}.5 {question.target}",
    ):
        assert verifier.check_answer(answer) != Accept()


@given(questions(), questions())
def test_an_answer_for_another_request_is_never_accepted(
    one: Question, other: Question
) -> None:
    first = UnitConversion().bind(canonical(one.text))
    second = UnitConversion().bind(canonical(other.text))
    if first is None or second is None or first.asked == second.asked:
        return
    is_same = first.fallback() == second.fallback()
    assert is_same or first.check_answer(second.fallback()) != Accept()


@given(st.text(max_size=200) | st.text("5 km=mi.×/()-≈13°CF\n*", max_size=80))
def test_no_text_raises(text: str) -> None:
    verifier = bound(ASKED)
    UnitConversion().bind(canonical(f"Convert {text} to miles"))
    verifier.check_step(Step(0, text))
    verifier.check_answer(f"5 km = 3.107 miles {text}")
    verifier.derive(donor("Convert 6 km to miles", f"6 km ≈ 3.7282 miles {text}"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("9" * 10_000, id="long number"),
        pytest.param("9**9**9**9", id="tower"),
        pytest.param("(" * 900 + "5" + ")" * 900, id="deep brackets"),
        pytest.param("1/0", id="division by zero"),
        pytest.param("5 km = " * 250, id="long chain"),
        pytest.param("°" * 1_900, id="many degrees"),
        pytest.param("٥ km", id="other digits"),
    ],
)
def test_hostile_text_proves_nothing(text: str) -> None:
    verifier = bound(ASKED)
    for answer in (text, f"{text} = 3.107 miles", f"5 km = {text} miles"):
        assert verifier.check_answer(answer) != Accept()
    assert verifier.derive(donor("Convert 6 km to miles", text)) is None
