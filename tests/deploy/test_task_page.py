"""The task that docs/tasks.md tells how to write works as the page says."""

import sys
import tomllib
from collections.abc import Generator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from stepcache_proxy.reuse.ask import Served
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.protocols import Task
from stepcache_proxy.tasks.verbatim import Verbatim
from tests.deploy.blocks import block
from tests.fakes import Cache, answer, ask

SECONDS = "How many seconds are in {} hours?"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Generator[Task]:
    """The block as a module, found by the entry point that the page names."""
    folder: Path = tmp_path_factory.mktemp("plugin")
    (folder / "hours.py").write_text(block("docs/tasks.md", "python"))
    project = tomllib.loads(block("docs/tasks.md", "toml"))["project"]
    ((group, points),) = project["entry-points"].items()
    ((name, value),) = points.items()
    sys.path.insert(0, str(folder))
    try:
        yield EntryPoint(name, value, group).load()()
    finally:
        sys.path.remove(str(folder))
        del sys.modules["hours"]


@pytest.fixture
def cache(task: Task) -> Cache:
    return Cache(tasks=(task, Verbatim()))


def test_it_is_at_most_forty_lines() -> None:
    lines = block("docs/tasks.md", "python").splitlines()
    assert len([line for line in lines if line.strip()]) <= 40


async def test_an_answer_is_reworked_for_another_number(cache: Cache) -> None:
    await cache.learn(ask(SECONDS.format(3)), "3 hours are 10800 seconds.")
    served = await cache.reply(ask(SECONDS.format(5)))
    assert isinstance(served, Served)
    assert served.outcome is Outcome.REUSE
    assert served.answer.text == "5 hours are 18000 seconds."


async def test_another_unit_is_another_question(cache: Cache) -> None:
    await cache.learn(ask(SECONDS.format(3)), "3 hours are 10800 seconds.")
    forward = await cache.forward(ask("How many minutes are in 3 hours?"))
    assert forward.outcome is Outcome.SKIP
    assert forward.reason == "constraint:unit"


async def test_a_wrong_fresh_answer_is_mended(cache: Cache) -> None:
    wrong = answer("3 hours are 9999 seconds.")
    settled = await cache.settle(ask(SECONDS.format(3)), wrong)
    assert settled.served is not None
    assert settled.served.answer.text == "3 hours are 10800 seconds."


async def test_what_is_not_understood_whole_is_not_its_own(cache: Cache) -> None:
    question = SECONDS.format(3) + " Answer in French."
    await cache.learn(ask(question), "10800")
    forward = await cache.forward(ask(question.replace("3", "4")))
    assert forward.outcome is not Outcome.REUSE
