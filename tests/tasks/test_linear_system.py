"""The task keeps the promises of its protocol."""

import pytest

from stepcache_proxy.reuse.model import Donor
from stepcache_proxy.reuse.protocols import Grouping, Task, Verifier
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.linear_system import LinearSystem
from tests.tasks.linear_equation.equations import donor, request
from tests.tasks.linear_system.systems import CHECKED, QUESTION, SUBSTITUTION, bound


def test_it_is_a_task_with_a_verifier() -> None:
    task: Task = LinearSystem()
    verifier: Verifier | None = task.bind(request(QUESTION))
    assert verifier is not None
    assert verifier.task == task.name == "linear_system"
    assert LinearEquation().bind(request(QUESTION)) is None


@pytest.mark.parametrize(
    ("fields", "is_bound"),
    [
        pytest.param({}, True, id="none"),
        pytest.param({"response_format": {"type": "text"}}, True, id="text"),
        pytest.param({"response_format": {"type": "json_object"}}, False, id="json"),
        pytest.param({"guided_regex": "[0-9]"}, False, id="guided"),
        pytest.param(
            {
                "messages": [
                    {"role": "system", "content": "Work modulo 5."},
                    {"role": "user", "content": QUESTION},
                ]
            },
            False,
            id="system prompt",
        ),
    ],
)
def test_only_a_plain_request_that_stands_alone_binds(
    fields: dict[str, str], *, is_bound: bool
) -> None:
    made = request(QUESTION, **fields)
    assert (LinearSystem().bind(made) is not None) == is_bound


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        pytest.param("Please solve x + y = 5, 2x - y = 1.", None, id="words"),
        pytest.param("Solve 3p - q = 1 - p, p = 2q", None, id="system"),
        pytest.param("Solve p = 3q, p + q = 1 for p", "constraint:form", id="one"),
        pytest.param("Solve p = q, q = 1. Answer only.", "constraint:form", id="form"),
        pytest.param("Solve for world peace.", "constraint:task", id="task"),
        pytest.param("Solve 2x = 4 for x.", "constraint:task", id="one equation"),
    ],
)
def test_only_the_form_is_compared(other: str, reason: str | None) -> None:
    assert LinearSystem().compare(request(QUESTION), donor(other, "")) == reason


def test_systems_of_one_shape_are_a_group() -> None:
    task: Grouping = LinearSystem()
    first, second, other = (
        task.group(request(text))
        for text in (QUESTION, "Solve p + q = 4, 3p - q = 2", "Solve p = q, q = 1")
    )
    assert first == second != other
    assert task.group(request("Solve 2x = 4 for x.")) is None


def test_a_donor_under_a_format_is_another_task() -> None:
    given = Donor(text=QUESTION, format={"grammar": "x"}, answer=CHECKED)
    assert bound(QUESTION).derive(given) is None


def test_a_repair_continues_what_stands() -> None:
    kept = segment(SUBSTITUTION)[:1]
    repair = bound(QUESTION).repair(kept, SUBSTITUTION, "wrong solution")
    assert repair.prompt is None
    assert repair.merge("x = 2, y = 3") == kept[0].text + "x = 2, y = 3"


def test_a_repair_of_nothing_asks_again() -> None:
    repair = bound(QUESTION).repair([], "x = 7", "wrong solution")
    assert repair.prompt is not None
    assert "x + y = 5, 2x - y = 1 for x and y" in repair.prompt
    assert repair.is_whole
    assert (repair.merge(CHECKED), repair.merge("")) == (CHECKED, None)


def test_a_short_form_is_asked_for_again_in_its_form() -> None:
    verifier = bound("Solve x + y = 5, x = 4 for y. Answer only.")
    assert "answer only" in (verifier.repair([], "y = 7", "wrong").prompt or "")
