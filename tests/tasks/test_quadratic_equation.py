"""The task groups, compares and repairs; it lends steps only where they fit."""

import pytest

from stepcache_proxy.reuse.model import Step, TaskName
from stepcache_proxy.reuse.protocols import Task, Verifier
from stepcache_proxy.reuse.roles import is_grouping
from stepcache_proxy.tasks.quadratic_equation import QuadraticEquation
from tests.fakes import canonical
from tests.tasks.quadratic_equation.quadratics import bound, donor

TASK = QuadraticEquation()


def test_it_is_a_task_with_a_verifier() -> None:
    task: Task = QuadraticEquation()
    verifier: Verifier | None = task.bind(canonical("Solve x^2 = 9"))
    assert verifier is not None
    assert verifier.task == task.name == "quadratic_equation"


@pytest.mark.parametrize(
    ("one", "other", "is_shared"),
    [
        pytest.param("Solve x^2 - 5x + 6 = 0", "Find the roots of t^2 + t - 2 = 0", 1),
        pytest.param("Solve x^2 - 5x + 6 = 0", "Solve x^2 - 9 = 0", 0),
        pytest.param("Solve x^2 = 9", "Solve x^2 = 9. Only the answer.", 0),
    ],
)
def test_equations_of_a_kind_share_a_group(
    one: str, other: str, is_shared: int
) -> None:
    assert is_grouping(TASK)
    groups = [TASK.group(canonical(text)) for text in (one, other)]
    assert None not in groups
    assert (groups[0] == groups[1]) == bool(is_shared)
    assert TASK.group(canonical("Solve 3x = 9")) is None


def test_donors_of_another_kind_are_refused() -> None:
    request = canonical("Solve x^2 = 9")
    love = donor("What is love?", "4")
    only = donor("Solve x^2 = 4. Only the answer.", "x = ±2")
    assert TASK.compare(request, love) == "constraint:task"
    assert TASK.compare(request, only) == "constraint:form"
    assert TASK.compare(request, donor("Solve x^2 = 4", "x = ±2")) is None


def test_a_repair_goes_on_after_what_stands() -> None:
    verifier = bound("Solve x^2 = 9")
    assert verifier.task == TASK.name == TaskName("quadratic_equation")
    kept = verifier.repair([Step(0, "x^2 = 9\n")], "x = 4", "wrong solution")
    assert kept.merge("x = ±3") == "x^2 = 9\nx = ±3"
    whole = verifier.repair([], "x = 4", "wrong solution")
    assert whole.is_whole
    assert whole.prompt is not None
    assert "x^2 = 9" in whole.prompt
    only = bound("Solve x^2 = 9. Only the answer.").repair([], "x = 4", "wrong")
    assert only.prompt == "Solve x^2 = 9 for x. Reply with only the solutions."
