"""A role is played by whatever has what the role asks for."""

import pytest

from stepcache_proxy.app.parts import load_tasks
from stepcache_proxy.config import Settings
from stepcache_proxy.reuse.protocols import Task
from stepcache_proxy.reuse.roles import (
    is_gating,
    is_grouping,
    is_kindred,
    is_reworking,
)
from tests.fakes import ask

SETTINGS = Settings.model_validate({"upstream": {"url": "http://x"}})
TASKS: dict[str, Task] = {task.name: task for task in load_tasks(SETTINGS)}


@pytest.mark.parametrize(
    ("name", "plays"),
    [
        ("arithmetic", (False, False, False)),
        ("linear_equation", (True, True, False)),
        ("quadratic_equation", (True, False, False)),
        ("json_object", (True, False, True)),
        ("verbatim", (True, False, True)),
    ],
)
def test_the_roles_of_the_tasks(name: str, plays: tuple[bool, bool, bool]) -> None:
    task = TASKS[name]
    assert (is_grouping(task), is_kindred(task), is_gating(task)) == plays


def test_one_verifier_alone_works_answers_anew() -> None:
    told = {}
    for name, text in {
        "word_problem": "A box holds 4 pens. How many pens do 3 boxes hold?",
        "verbatim": "Describe a pen.",
    }.items():
        verifier = TASKS[name].bind(ask(text).request)
        assert verifier is not None
        told[name] = is_reworking(verifier)
    assert told == {"word_problem": True, "verbatim": False}
