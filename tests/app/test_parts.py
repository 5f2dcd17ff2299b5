"""Tasks are what is installed and enabled; the one that takes anything is last."""

import pytest

from stepcache_proxy.app.parts import load_tasks
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import ConfigError
from stepcache_proxy.wire.jsonvalue import Json
from tests.api.proxy import Model, says
from tests.app.running import OUTCOME, running, settings_of
from tests.servers import ValkeyServer


def settings(**more: Json) -> Settings:
    return settings_of("http://h", "redis://h", **more)


def test_verbatim_is_asked_last() -> None:
    names = [task.name for task in load_tasks(settings())]
    assert names == [
        "arithmetic",
        "json_object",
        "linear_equation",
        "linear_system",
        "quadratic_equation",
        "unit_conversion",
        "word_problem",
        "verbatim",
    ]


def test_a_task_can_be_switched_off() -> None:
    without = settings(tasks__linear_equation__enabled=False)
    assert "linear_equation" not in [task.name for task in load_tasks(without)]


def test_a_task_that_nobody_has_installed_is_a_fault_of_the_settings() -> None:
    with pytest.raises(ConfigError, match=r"tasks\.sudoku"):
        load_tasks(settings(tasks__sudoku__enabled=True))


async def test_a_wrong_answer_is_passed_on_where_nothing_is_to_be_corrected(
    own_valkey: ValkeyServer,
) -> None:
    model = Model([says("x = 5"), says("x = 5")])
    more: dict[str, Json] = {"tasks__linear_equation__correct": False}
    async with running(model, own_valkey.url, **more) as app:
        answers = [await app.ask("Solve 2x + 3 = 11 for x.") for _ in range(2)]
    # Passed on, but never kept.
    assert [answer.headers[OUTCOME] for answer in answers] == ["miss", "miss"]


async def test_without_an_embedder_the_proxy_serves_and_says_so(
    own_valkey: ValkeyServer,
) -> None:
    async with running(Model([says("a")]), own_valkey.url) as app:
        await app.ask()
        assert (await app.ask()).headers[OUTCOME] == "exact"
        ready = await app.client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["degraded"] == ["embedder"]
