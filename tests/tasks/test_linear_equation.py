"""The task keeps the promises of its protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Donor, Reject, Step
from stepcache_proxy.reuse.protocols import Task, Verifier
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.tasks.linear_equation import LinearEquation
from tests.tasks.linear_equation.equations import bound, donor, request

QUESTION = "Solve 4x + 6 = 26 for x. Show your steps."
ANSWER = (
    "Step 1: Subtract 6 from both sides: 4x = 20.\n"
    "Step 2: Divide both sides by 4: x = 5.\n"
    "Answer: x = 5"
)


def test_it_is_a_task_with_a_verifier() -> None:
    task: Task = LinearEquation()
    verifier: Verifier | None = task.bind(request(QUESTION))
    assert verifier is not None
    assert verifier.task == task.name == "linear_equation"


@pytest.mark.parametrize(
    ("fields", "is_bound"),
    [
        pytest.param({}, True, id="none"),
        pytest.param({"response_format": {"type": "text"}}, True, id="text"),
        pytest.param({"response_format": {"type": "json_object"}}, False, id="json"),
        pytest.param({"guided_regex": "[0-9]"}, False, id="guided"),
    ],
)
def test_a_demanded_format_does_not_bind(
    fields: dict[str, str], is_bound: bool
) -> None:
    made = request(QUESTION, **fields)
    assert (LinearEquation().bind(made) is not None) == is_bound


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        pytest.param("Please solve 4x + 6 = 26, showing your steps.", None, id="words"),
        pytest.param("Show your steps: solve 9y = 1 - y.", None, id="equation"),
        pytest.param("Solve 4x + 6 = 26 for x.", "constraint:form", id="plain"),
        pytest.param("Solve 4x + 6 = 26. Answer only.", "constraint:form", id="answer"),
        pytest.param("Solve for world peace.", "constraint:task", id="task"),
    ],
)
def test_only_the_form_is_compared(other: str, reason: str | None) -> None:
    assert LinearEquation().compare(request(QUESTION), donor(other, "")) == reason


def test_a_donor_under_a_format_is_another_task() -> None:
    given = Donor(text=QUESTION, format={"grammar": "x"}, answer=ANSWER)
    assert bound(QUESTION).derive(given) is None


def test_a_repair_continues_what_stands() -> None:
    kept = segment(ANSWER)[:1]
    repair = bound(QUESTION).repair(kept, ANSWER, "wrong solution")
    assert repair.prompt is None
    assert repair.merge("Answer: x = 5") == kept[0].text + "Answer: x = 5"


def test_a_repair_of_nothing_asks_again() -> None:
    repair = bound(QUESTION).repair([], "x = 7", "wrong solution")
    assert repair.prompt is not None
    assert "4x + 6 = 26" in repair.prompt
    assert repair.is_whole
    assert repair.merge(ANSWER) == ANSWER
    assert repair.merge("") is None


def test_a_short_form_is_asked_for_again_in_its_form() -> None:
    repair = bound("Solve 4x = 8. Answer only.").repair([], "x = 7", "wrong solution")
    assert "answer only" in (repair.prompt or "")


_babble = st.lists(
    st.sampled_from(
        [
            *("x", "=", "5", "20", "4x", "6", "+", "-", "(", ")", "\n", ".", "**", "$"),
            *("\\frac{", "}", "≠", "x = 5", "x = 4", "?", "Step 1:", "so", "subtract"),
            *("from both sides", "answer", "not", "is", "or", "solution", "check"),
            "no solution",
        ]
    ),
    max_size=14,
).map(" ".join)


@given(_babble | st.text(max_size=60))
def test_no_babble_is_accepted_without_the_solution(text: str) -> None:
    verifier = bound("Solve 4x + 6 = 26 for x.")
    verdict = verifier.check_answer(text)
    verifier.check_step(Step(0, text))
    if not isinstance(verdict, Reject):
        assert "5" in text
    if isinstance(verdict, Accept):
        assert not any(word in text for word in ("not", "or ", "≠", "x = 4", "?"))
