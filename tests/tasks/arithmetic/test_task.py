"""One expression is bound, evaluated exactly, and nothing unread is accepted."""

import pytest
from hypothesis import given

from stepcache_proxy.reuse.model import (
    Accept,
    Donor,
    Reject,
    Step,
    TaskName,
    Unknown,
)
from stepcache_proxy.tasks.arithmetic import Arithmetic
from stepcache_proxy.tasks.arithmetic.task import ExpressionVerifier
from tests.fakes import canonical
from tests.tasks.arithmetic.expressions import Written, written

ONLY = " Reply with only the number."


def bound(text: str) -> ExpressionVerifier:
    verifier = Arithmetic().bind(canonical(text))
    assert verifier is not None
    return verifier


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("What is 12 * (3 + 4)?", "12 * (3 + 4) = 84", id="brackets"),
        pytest.param("Calculate 15% of 240", "15% of 240 = 36", id="percentage"),
        pytest.param("please compute 1/3 of 18.", "1/3 of 18 = 6", id="part"),
        pytest.param("what's 0.1 + 0.2", "0.1 + 0.2 = 0.3", id="decimals"),
        pytest.param("Calculate 10 / 3", "10 / 3 = 10/3 ≈ 3.3333", id="no end"),
        pytest.param("Compute 9/11.", "9/11 ≈ 0.8182", id="as it stands"),
        pytest.param("Evaluate 2^10." + ONLY, "1024", id="number only"),
        pytest.param("What is 1,200 / 4?", "1,200 / 4 = 300", id="thousands"),
    ],
)
def test_an_expression_is_answered_exactly(text: str, answer: str) -> None:
    verifier = bound(text)
    assert verifier.fallback() == answer
    assert verifier.check_answer(answer) == Accept()


def test_a_demanded_format_is_not_bound() -> None:
    demanded = {"type": "json_object"}
    request = canonical("What is 2 + 2?", response_format=demanded)
    assert Arithmetic().bind(request) is None


def test_only_the_number_is_only_the_number() -> None:
    verifier = bound("What is 12 * 7?" + ONLY)
    assert verifier.check_answer("84") == Accept()
    assert isinstance(verifier.check_answer("The answer is 84."), Unknown)


def test_a_step_is_judged_by_itself() -> None:
    verifier = bound("What is 12 * (3 + 4)?")
    assert verifier.check_step(Step(0, "Add 3 + 4 = 7.\n")) == Accept()
    assert isinstance(verifier.check_step(Step(0, "Add 3 + 4 = 8.\n")), Reject)


@pytest.mark.parametrize(
    ("donor", "derived"),
    [
        pytest.param("The sum is 4.", "The sum is 5.", id="value"),
        pytest.param("2+2 = 4", "2+3 = 5", id="expression and value"),
        pytest.param("**4**", "**5**", id="dress"),
        pytest.param("2 + 2 is 4.", None, id="written otherwise"),
        pytest.param("Add 2 and 2 to get 4.", None, id="more numbers"),
        pytest.param("The sum is 44.", None, id="another number"),
        pytest.param("Probably 4.", None, id="unread words"),
    ],
)
def test_a_donor_lends_its_words(donor: str, derived: str | None) -> None:
    verifier = bound("what is 2+3")
    assert verifier.derive(Donor("what is 2+2", {}, donor)) == derived


def test_donors_of_another_kind_are_refused() -> None:
    task, request = Arithmetic(), canonical("What is 2 + 3?")
    assert task.compare(request, Donor("What is love?", {}, "4")) == "constraint:task"
    only = Donor("What is 2 + 2?" + ONLY, {}, "4")
    assert task.compare(request, only) == "constraint:form"
    assert task.compare(request, Donor("Compute 2 + 2", {}, "4")) is None
    assert bound("What is 2 + 3?").derive(only) is None


def test_no_model_is_asked_for_what_is_known() -> None:
    verifier = bound("What is 2 + 3?")
    assert verifier.repair((), "7", "wrong value") is None
    assert verifier.task == Arithmetic().name == TaskName("arithmetic")


@given(written())
def test_whatever_is_bound_is_answered_right(expression: Written) -> None:
    verifier = Arithmetic().bind(canonical(f"Calculate {expression.text}"))
    if verifier is None:
        return
    assert verifier.asked.value == expression.value
    assert verifier.check_answer(verifier.fallback()) == Accept()


@given(written(), written())
def test_whatever_is_derived_is_right(a: Written, b: Written) -> None:
    given_, asked = (
        Arithmetic().bind(canonical(f"Calculate {e.text}")) for e in (a, b)
    )
    if given_ is None or asked is None:
        return
    donor = Donor(f"Calculate {a.text}", {}, given_.fallback())
    derived = asked.derive(donor)
    assert derived is None or asked.check_answer(derived) == Accept()
