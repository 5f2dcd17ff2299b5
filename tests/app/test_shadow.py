"""Shadow checks ask again off the request path, one at a time, and never unasked."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
import pytest

from stepcache_proxy.app.shadow import InFlight, ShadowChecker
from stepcache_proxy.errors import UpstreamError, UpstreamTimeoutError
from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.events import RequestStarted, ShadowChecked
from stepcache_proxy.reuse.model import Observations, RecordId
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.api.proxy import Model, says, text_of
from tests.app.running import OUTCOME, running
from tests.fakes import Cache, Said, ask
from tests.servers import ValkeyServer

FIRST = ask("Which river runs through Paris?")
AGAIN = ask("Please tell me: which river runs through Paris?")


@dataclass
class Checked:
    """A cache whose reuse is offered to a checker."""

    cache: Cache = field(default_factory=Cache)
    rate: float = 1.0
    is_idle: bool = True

    def __post_init__(self) -> None:
        self.checker = ShadowChecker(
            rate=self.rate,
            tasks=self.cache.tasks,
            upstream=self.cache.upstream,
            ledger=self.cache.ledger,
            recorder=self.cache.recording,
            spawn=self.cache.background.spawn,
            draw=lambda: 0.0,
            is_idle=lambda: self.is_idle,
        )

    async def reuse(self, says: Said | UpstreamError) -> RecordId:
        """Serve one record to another wording and have it checked."""
        id_ = await self.cache.learn(FIRST, "It is the Seine.")
        self.cache.upstream.script = [says]
        reply = await self.served(AGAIN)
        self.checker.offer(AGAIN, reply)
        self.cache.recording.events.clear()
        await self.cache.background.run()
        return id_

    async def served(self, asked: Ask) -> Served:
        reply = await self.cache.reply(asked)
        assert isinstance(reply, Served)
        return reply

    async def seen(self, id_: RecordId) -> Observations:
        (record,) = await self.cache.store.get([id_])
        assert record is not None
        return record.observations


async def test_the_same_answer_is_an_observation_that_it_was_right() -> None:
    checked = Checked()
    id_ = await checked.reuse(Said("It is the Seine."))
    assert checked.cache.recording.events == [ShadowChecked("right")]
    assert await checked.seen(id_) == Observations(right=1)


async def test_another_answer_is_an_observation_that_stops_the_record() -> None:
    checked = Checked()
    id_ = await checked.reuse(Said("Rhone"))
    assert checked.cache.recording.events == [ShadowChecked("wrong")]
    assert await checked.seen(id_) == Observations(wrong=1)
    assert (await checked.cache.forward(AGAIN)).reason == "bound"


async def test_an_answer_that_was_cut_shows_nothing() -> None:
    checked = Checked()
    id_ = await checked.reuse(Said("Rhone", finish_reason="length"))
    assert checked.cache.recording.events == [ShadowChecked("unknown")]
    assert await checked.seen(id_) == Observations()


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(UpstreamError("gone"), id="gone"),
        pytest.param(UpstreamTimeoutError("late"), id="late"),
    ],
)
async def test_an_upstream_that_fails_is_no_event(error: UpstreamError) -> None:
    checked = Checked()
    id_ = await checked.reuse(error)
    assert checked.cache.recording.events == []
    assert await checked.seen(id_) == Observations()


async def test_the_upstream_is_asked_what_the_client_asked() -> None:
    checked = Checked()
    await checked.reuse(Said("It is the Seine."))
    (prompt,) = checked.cache.upstream.prompts
    assert (prompt.body, prompt.headers) == (AGAIN.request.body, AGAIN.headers)
    assert not prompt.prefix


async def test_switched_off_nobody_is_asked() -> None:
    checked = Checked(rate=0.0)
    await checked.reuse(Said("Rhone"))
    assert checked.cache.upstream.prompts == []


async def test_a_check_waits_while_requests_are_in_flight() -> None:
    checked = Checked(is_idle=False)
    await checked.cache.learn(FIRST, "It is the Seine.")
    checked.cache.upstream.script = [Said("Rhone")]
    checked.checker.offer(AGAIN, await checked.served(AGAIN))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(checked.cache.background.run)
        await anyio.wait_all_tasks_blocked()
        assert checked.cache.upstream.prompts == []
        checked.is_idle = True
    assert len(checked.cache.upstream.prompts) == 1


async def test_more_than_sixteen_are_not_kept_waiting() -> None:
    checked = Checked(is_idle=False)
    await checked.cache.learn(FIRST, "It is the Seine.")
    checked.cache.upstream.script = [Said("Rhone")] * 40
    reply = await checked.served(AGAIN)
    async with anyio.create_task_group() as tasks:
        for _ in range(40):
            checked.checker.offer(AGAIN, reply)
            tasks.start_soon(checked.cache.background.run)
        await anyio.wait_all_tasks_blocked()
        checked.is_idle = True
    assert len(checked.cache.upstream.prompts) == 16


def test_requests_in_flight_are_those_started_and_not_answered() -> None:
    in_flight = InFlight()
    in_flight.record(RequestStarted())
    in_flight.record(RequestStarted())
    in_flight.record(ShadowChecked("right"))
    assert in_flight.count == 2


async def test_the_whole_proxy_checks_what_it_derives(own_valkey: ValkeyServer) -> None:
    model = Model([says("2x = 8\n\nx = 4"), says("x = 4")])
    async with running(model, own_valkey.url, shadow__rate=1.0) as app:
        await app.ask("Solve 2x + 3 = 11 for x.")
        reused = await app.ask("Solve 2x + 5 = 13 for x.")
        shadow = await shadow_of(app.parts.statistics.snapshot)
    assert reused.headers[OUTCOME] == "reuse"
    assert text_of(reused) == "2x = 8\n\nx = 4"
    assert shadow == {"right": 1, "wrong": 0, "unknown": 0}


async def shadow_of(snapshot: Callable[[], JsonObject]) -> JsonObject:
    """The counts of shadow checks, once there is one."""
    with anyio.fail_after(10):
        while True:
            shadow = snapshot()["shadow"]
            assert isinstance(shadow, dict)
            counts = {name: shadow[name] for name in ("right", "wrong", "unknown")}
            if any(counts.values()):
                return counts
            await anyio.sleep(0.01)
