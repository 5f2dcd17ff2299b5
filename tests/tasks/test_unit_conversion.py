"""What is written or derived is right, and only like requests lend to one another."""

from fractions import Fraction

import pytest
from hypothesis import given

from stepcache_proxy.reuse.model import Accept, TaskName
from stepcache_proxy.reuse.protocols import Task, Verifier
from stepcache_proxy.tasks.unit_conversion import UnitConversion
from tests.fakes import canonical
from tests.tasks.unit_conversion.conversions import (
    Question,
    bound,
    donor,
    questions,
)

TASK = UnitConversion()


def test_it_is_a_task_with_a_verifier() -> None:
    task: Task = UnitConversion()
    verifier: Verifier | None = task.bind(canonical("Convert 5 km to m"))
    assert verifier is not None
    assert verifier.task == task.name == "unit_conversion"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("Convert 3 m to cm", "3 metres = 300 centimetres", id="exact"),
        pytest.param("5 km to miles", "5 kilometres ≈ 3.10686 miles", id="rounded"),
        pytest.param("5 miles to meters", "5 miles = 8046.72 meters", id="American"),
        pytest.param("Convert 100 C to F", "100 °C = 212 °F", id="degrees"),
        pytest.param("How many feet in a yard?", "1 yard = 3 feet", id="one"),
    ],
)
def test_both_quantities_are_written(text: str, answer: str) -> None:
    assert bound(text).fallback() == answer


@pytest.mark.parametrize(
    ("old", "answer", "new", "derived"),
    [
        pytest.param(
            "Convert 5 km to miles",
            "5 km is approximately 3.107 miles.",
            "Convert 12 km to miles",
            "12 km is approximately 7.456 miles.",
            id="another value",
        ),
        pytest.param(
            "How many centimetres are in 3 metres?",
            "There are 300 centimetres in 3 metres.",
            "How many minutes are in 7 hours?",
            "There are 420 minutes in 7 hours.",
            id="other units",
        ),
        pytest.param(
            "Convert 5 km to miles",
            "1 mile = 1.609344 km, so 5 km = 5 / 1.609344 = 3.106856 miles.",
            "Convert 7.5 km to miles",
            "1 mile = 1.609344 km, so 7.5 km = 7.5 / 1.609344 = 4.660284 miles.",
            id="with the factor",
        ),
        pytest.param(
            "What is 72 inches in feet?",
            "72 inches is 6 feet.",
            "What is 73 inches in feet?",
            None,
            id="no longer exact",
        ),
        pytest.param(
            "Convert 5 km to miles",
            "5 km is about 3.107 miles.",
            "Convert 1.609344 km to miles",
            None,
            id="one of them",
        ),
        pytest.param(
            "Convert 5 km to miles",
            "5 km is 4 miles.",
            "Convert 12 km to miles",
            None,
            id="wrong donor",
        ),
        pytest.param(
            "What is love?", "3.107 miles", "Convert 5 km to miles", None, id="task"
        ),
    ],
)
def test_a_donor_lends_its_words(
    old: str, answer: str, new: str, derived: str | None
) -> None:
    assert bound(new).derive(donor(old, answer)) == derived


def test_requests_of_a_kind_share_a_group_and_a_form() -> None:
    one, other = canonical("Convert 5 km to miles"), canonical("What is 7 km in mi?")
    assert TASK.group(one) == TASK.group(other)
    assert TASK.group(canonical("Convert 5 miles to km")) != TASK.group(one)
    assert TASK.group(canonical("What is love?")) is None
    assert TASK.compare(one, donor(other.text, "")) is None
    assert TASK.compare(one, donor("What is love?", "")) == "constraint:task"
    only = donor("Convert 5 km to m. Reply with only the number.", "5000")
    assert TASK.compare(one, only) == "constraint:form"
    assert bound(one.text).derive(only) is None


def test_no_model_is_asked_for_what_is_known() -> None:
    verifier = bound("Convert 5 km to m")
    assert verifier.repair((), "7", "wrong value") is None
    assert verifier.task == TASK.name == TaskName("unit_conversion")


@given(questions())
def test_whatever_is_bound_is_answered_right(question: Question) -> None:
    verifier = TASK.bind(canonical(question.text))
    if verifier is None:
        return
    answer = verifier.fallback()
    shown = Fraction(answer.replace("≈", "=").split(" = ")[1].split()[0])
    assert abs(shown - question.result) * 100_000 <= question.result
    assert verifier.check_answer(answer) == Accept()


@given(questions(), questions())
def test_whatever_is_derived_is_right(old: Question, new: Question) -> None:
    given_, asked = TASK.bind(canonical(old.text)), TASK.bind(canonical(new.text))
    if given_ is None or asked is None:
        return
    derived = asked.derive(donor(old.text, given_.fallback()))
    if derived is not None:
        shown = Fraction(derived.replace("≈", "=").split(" = ")[1].split()[0])
        assert abs(shown - new.result) * 1_000 <= new.result
        assert asked.check_answer(derived) == Accept()
