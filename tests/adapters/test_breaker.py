"""A part that fails is left alone until it is back, and nobody waits for it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from stepcache_proxy.adapters.breaker import (
    Breaker,
    GuardedEmbedder,
    GuardedIndex,
    GuardedStore,
    Limits,
)
from stepcache_proxy.adapters.logs import LogRecorder
from stepcache_proxy.adapters.memory import MemoryIndex, MemoryStore
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import Timeouts, open_client
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.errors import (
    EmbedderUnavailableError,
    IndexUnavailableError,
    SeamError,
    StoreRefusedError,
    StoreUnavailableError,
)
from stepcache_proxy.reuse.events import Event, SeamState
from stepcache_proxy.reuse.model import CanonicalRequest
from stepcache_proxy.reuse.protocols import Found, Vector
from tests.adapters.samples import Clock, record, request
from tests.servers import ValkeyServer


class Story:
    """A recorder whose events are read as a list."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def record(self, event: Event) -> None:
        self.events.append(event)

    @property
    def changes(self) -> list[bool]:
        return [e.is_degraded for e in self.events if isinstance(e, SeamState)]


class Part:
    """A part that fails on demand and counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0
        self.failure: BaseException | None = None

    async def __call__(self) -> str:
        self.calls += 1
        if self.failure is not None:
            raise self.failure
        return "fine"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def story() -> Story:
    return Story()


@pytest.fixture
def part() -> Part:
    return Part()


@pytest.fixture
def breaker(clock: Clock, story: Story) -> Breaker:
    return Breaker("store", Limits(5.0, failures=2, retry_seconds=1.0), clock, story)


async def fail(breaker: Breaker, part: Part, times: int = 1) -> None:
    part.failure = StoreUnavailableError("gone")
    for _ in range(times):
        with pytest.raises(StoreUnavailableError):
            await breaker.run(part)


async def test_a_call_gives_what_the_part_gives(breaker: Breaker, part: Part) -> None:
    assert await breaker.run(part) == "fine"


async def test_after_failures_in_a_row_the_part_is_left_alone(
    breaker: Breaker, part: Part, story: Story
) -> None:
    await fail(breaker, part, 2)
    assert breaker.is_open
    await fail(breaker, part, 5)
    assert part.calls == 2
    assert story.changes == [True]


async def test_a_success_between_failures_keeps_it_closed(
    breaker: Breaker, part: Part, story: Story
) -> None:
    for _ in range(3):
        await fail(breaker, part)
        part.failure = None
        await breaker.run(part)
    assert not breaker.is_open
    assert story.changes == []


async def test_one_call_at_a_time_probes(
    breaker: Breaker, part: Part, clock: Clock
) -> None:
    await fail(breaker, part, 2)
    clock.now += 0.9
    await fail(breaker, part)
    assert part.calls == 2
    clock.now += 0.2
    await fail(breaker, part, 3)
    assert part.calls == 3


async def test_a_probe_that_succeeds_closes(
    breaker: Breaker, part: Part, clock: Clock, story: Story
) -> None:
    await fail(breaker, part, 2)
    clock.now += 1.1
    part.failure = None
    assert await breaker.run(part) == "fine"
    assert await breaker.run(part) == "fine"
    assert story.changes == [True, False]


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(ConnectionResetError(), id="the system"),
        pytest.param(TimeoutError(), id="a timeout of the part itself"),
        pytest.param(IndexUnavailableError("other"), id="another seam's error"),
    ],
)
async def test_only_seam_errors_come_out(
    breaker: Breaker, part: Part, failure: Exception
) -> None:
    part.failure = failure
    with pytest.raises(SeamError):
        await breaker.run(part)


async def test_a_bug_is_not_hidden(breaker: Breaker, part: Part) -> None:
    part.failure = KeyError("bug")
    for _ in range(3):
        with pytest.raises(KeyError):
            await breaker.run(part)
    assert not breaker.is_open


async def test_a_part_that_never_answers_is_cut_at_its_deadline(
    clock: Clock, story: Story
) -> None:
    breaker = Breaker("index", Limits(0.01), clock, story)
    for _ in range(2):
        with pytest.raises(IndexUnavailableError, match=r"no answer within 0\.01 s"):
            await breaker.run(asyncio.Event().wait)
    assert breaker.is_open


async def test_a_deadline_may_be_set_per_call(breaker: Breaker) -> None:
    with pytest.raises(StoreUnavailableError, match=r"within 0\.01 s"):
        await breaker.run(asyncio.Event().wait, deadline_seconds=0.01)


async def test_a_cancelled_call_is_cancelled_and_not_counted(
    breaker: Breaker, part: Part
) -> None:
    await fail(breaker, part)
    part.failure = asyncio.CancelledError()
    for _ in range(3):
        with pytest.raises(asyncio.CancelledError):
            await breaker.run(part)
    assert not breaker.is_open
    await fail(breaker, part)
    assert breaker.is_open


async def test_each_change_is_one_line_in_the_log(
    part: Part, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    breaker = Breaker("store", Limits(0.05), clock, LogRecorder())
    with caplog.at_level(logging.DEBUG):
        await fail(breaker, part, 9)
        clock.now += 2
        await fail(breaker, part, 9)
        clock.now += 2
        part.failure = None
        await breaker.run(part)
    assert caplog.messages == ["degraded", "recovered"]


@asynccontextmanager
async def watched(
    breaker: Breaker, probe: Callable[[], Awaitable[object]]
) -> AsyncGenerator[None]:
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(breaker.watch(probe))
        await asyncio.sleep(0)
        yield
        watch.cancel()


async def until(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_true():  # noqa: ASYNC110 -- the state of the real thing
            await asyncio.sleep(0.005)


async def test_a_watched_part_is_probed_by_no_client(
    clock: Clock, story: Story, part: Part
) -> None:
    limits = Limits(5.0, failures=1, retry_seconds=0.01)
    breaker = Breaker("store", limits, clock, story)
    asked = Part()
    async with watched(breaker, part):
        await fail(breaker, asked)
        part.failure = StoreUnavailableError("still gone")
        clock.now += 100
        await fail(breaker, asked, 3)
        await until(lambda: part.calls > 2)
        assert breaker.is_open
        part.failure = None
        await until(lambda: not breaker.is_open)
    assert asked.calls == 1
    assert story.changes == [True, False]


async def test_a_frozen_store_fails_at_once_and_comes_back_by_itself(
    own_valkey: ValkeyServer, clock: Clock, story: Story
) -> None:
    client = open_client(own_valkey.url, timeouts=Timeouts(0.1, 0.1))
    redis = RedisStore(client, Keys("stepcache"), Clock(), lambda: "model-a")
    limits = Limits(0.1, failures=2, retry_seconds=0.05)
    breaker = Breaker("store", limits, clock, story)
    store = GuardedStore(redis, breaker)
    async with watched(breaker, RedisUpkeep(redis).ping):
        await store.put(record(), [1.0])
        own_valkey.freeze()
        for _ in range(50):
            with pytest.raises(StoreUnavailableError):
                await store.get([record().id])
        assert breaker.is_open
        own_valkey.thaw()
        await until(lambda: not breaker.is_open)
        assert (await store.get([record().id]))[0] is not None
    assert story.changes == [True, False]
    await client.aclose()


async def test_a_full_store_is_degraded_served_from_and_comes_back_by_itself(
    own_valkey: ValkeyServer, clock: Clock, story: Story
) -> None:
    client = open_client(own_valkey.url)
    assert isinstance(client, Redis)
    redis = RedisStore(client, Keys("stepcache"), Clock(), lambda: "model-a")
    limits = Limits(5.0, failures=2, retry_seconds=0.02)
    breaker = Breaker("store", limits, clock, story)
    store = GuardedStore(redis, breaker)
    async with watched(breaker, RedisUpkeep(redis).ping):
        await store.put(record(), [1.0])
        await client.config_set("maxmemory", "1")
        for name in "bc":
            with pytest.raises(StoreRefusedError, match="OutOfMemory"):
                await store.put(record(name), [1.0])
            assert (await store.get([record().id]))[0] is not None
        assert breaker.is_degraded
        assert not breaker.is_open
        await client.config_set("maxmemory", "0")
        await until(lambda: not breaker.is_degraded)
    assert story.changes == [True, False]
    await client.aclose()


async def test_a_refusal_shows_that_a_part_is_there(
    breaker: Breaker, part: Part
) -> None:
    await fail(breaker, part)
    part.failure = StoreRefusedError("read-only")
    with pytest.raises(StoreRefusedError):
        await breaker.run(part)
    await fail(breaker, part)
    assert not breaker.is_open


class OneVector:
    """An embedder that knows one vector, or is out of order."""

    def __init__(self) -> None:
        self.is_broken = False

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        if self.is_broken:
            raise EmbedderUnavailableError
        return [float(len(text)), 0.0]

    @property
    def fingerprint(self) -> str:
        return "one"


async def test_a_guarded_store_is_that_store(breaker: Breaker) -> None:
    store = GuardedStore(MemoryStore(Clock()), breaker)
    await store.put(record(), [1.0])
    assert (await store.get([record().id]))[0] is not None
    assert len((await store.find(request(record()))).records) == 1
    assert len([pair async for pair in store.scan()]) == 1
    assert await store.delete([record().id]) == 1


async def test_nothing_is_at_hand_of_a_store_that_is_out_of_use(
    breaker: Breaker,
) -> None:
    class NearStore(MemoryStore):
        def at_hand(self, request: CanonicalRequest) -> Found:
            return Found()

    store = GuardedStore(NearStore(Clock()), breaker)
    assert store.at_hand(request(record())) == Found()
    breaker.trip("gone")
    assert store.at_hand(request(record())) is None


async def test_a_guarded_index_is_that_index(breaker: Breaker) -> None:
    index = GuardedIndex(MemoryIndex(), breaker)
    one = record()
    await index.add(one.partition, one.id, [1.0, 0.0])
    assert await index.nearest(one.partition, [2.0, 0.0], 4) == [(one.id, 1.0)]
    assert index.size() == 1
    await index.remove(one.partition, one.id)
    await index.add(one.partition, one.id, [1.0, 0.0])
    await index.clear()
    assert index.size() == 0


async def test_a_guarded_embedder_is_that_embedder(clock: Clock, story: Story) -> None:
    plain = OneVector()
    breaker = Breaker("embedder", Limits(5.0), clock, story)
    embedder = GuardedEmbedder(plain, breaker)
    assert await embedder.embed("ab") == [2.0, 0.0]
    assert embedder.fingerprint == "one"
    plain.is_broken = True
    with pytest.raises(EmbedderUnavailableError):
        await embedder.embed("ab")
