"""The explanation is the decision that the request then gets; nothing is asked."""

import pytest

from stepcache_proxy.app.explain import recheck
from stepcache_proxy.reuse.model import Accept, Reject, Unknown
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.wire.jsonvalue import Json
from tests.api.proxy import Model, says
from tests.app.running import OUTCOME, App, running
from tests.fakes import body_of, canonical, record_of
from tests.servers import ValkeyServer

SOLVED = "2x + 3 = 11\n\n2x = 8\n\nx = 4"
EQUATION = "Solve 2x + 3 = 11 for x."


async def explained(app: App, text: str, **fields: Json) -> dict[str, Json]:
    response = await app.client.post("/stepcache/explain", json=body_of(text, **fields))
    told: dict[str, Json] = response.json()
    return told


@pytest.mark.parametrize(
    ("text", "fields", "decision"),
    [
        pytest.param("What is new?", {}, "miss", id="nothing like it"),
        pytest.param(EQUATION, {}, "exact", id="the same"),
        pytest.param(EQUATION, {"seed": 4}, "skip", id="another value"),
        pytest.param(EQUATION, {"n": 2}, "bypass", id="not cacheable"),
        pytest.param("Solve 3x + 3 = 12 for x.", {}, "reuse", id="other constants"),
    ],
)
async def test_it_says_what_then_happens(
    text: str, fields: dict[str, Json], decision: str, own_valkey: ValkeyServer
) -> None:
    model = Model([says(SOLVED), says(SOLVED if text == EQUATION else "news")])
    async with running(model, own_valkey.url) as app:
        await app.ask(EQUATION)
        told = await explained(app, text, **fields)
        calls = len(model.calls)
        answer = await app.ask(text, **fields)
    assert told["decision"] == decision == answer.headers[OUTCOME]
    assert told["reason"] == answer.headers["x-stepcache-reason"]
    assert calls == 1


async def test_a_candidate_is_shown_step_by_step(own_valkey: ValkeyServer) -> None:
    async with running(Model([says(SOLVED)]), own_valkey.url) as app:
        await app.ask(EQUATION)
        told = await explained(app, "Solve 3x + 3 = 12 for x.")
    candidates = told["candidates"]
    assert isinstance(candidates, list)
    (candidate,) = candidates
    assert isinstance(candidate, dict)
    assert candidate["text"] == EQUATION
    assert candidate["decision"] == "derive"
    steps = candidate["steps"]
    assert isinstance(steps, list)
    assert len(steps) == 3


async def test_what_is_no_chat_request_is_a_400(valkey: ValkeyServer) -> None:
    async with running(Model(), valkey.url) as app:
        answer = await app.client.post("/stepcache/explain", json={"messages": 1})
    assert answer.status_code == 400


def test_steps_are_checked_again_for_the_request_of_the_record() -> None:
    wrong = record_of(canonical(EQUATION), "2x = 8\n\nx = 5")
    verdicts = recheck([LinearEquation()], wrong)
    assert [type(verdict) for verdict in verdicts] == [Accept, Reject]


def test_without_a_task_nothing_is_verified() -> None:
    record = record_of(canonical("Tell me something."), "one\n\ntwo")
    assert {type(v) for v in recheck([LinearEquation()], record)} == {Unknown}
