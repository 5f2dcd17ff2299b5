"""The Redis store survives what servers, networks and other programs do to it."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.crc import key_slot

from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import Client, Timeouts, open_client
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.adapters.upkeep import Selection
from stepcache_proxy.errors import StoreUnavailableError
from stepcache_proxy.reuse.model import (
    PartitionKey,
    QuestionKey,
    RecordId,
    TemplateKey,
)
from tests.adapters.samples import NOW, Clock, record, record_id, request
from tests.servers import ValkeyServer

LONGEST = "n" * 56


def open_store(
    client: Client, clock: Clock, namespace: str = "stepcache"
) -> RedisStore:
    return RedisStore(client, Keys(namespace), clock, lambda: "model-a")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["valkey", "redis_server"])
def server(request: pytest.FixtureRequest) -> ValkeyServer:
    running = request.getfixturevalue(request.param)
    assert isinstance(running, ValkeyServer)
    return running


@pytest.fixture
async def client(server: ValkeyServer) -> AsyncGenerator[Redis]:
    client = open_client(server.url)
    assert isinstance(client, Redis)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture
def store(client: Redis, clock: Clock) -> RedisStore:
    return open_store(client, clock)


async def test_every_key_expires_and_is_short(client: Redis, clock: Clock) -> None:
    store = open_store(client, clock, LONGEST)
    upkeep = RedisUpkeep(store)
    hostile = replace(
        record(),
        template=TemplateKey("a prompt\n" * 99),
        question=QuestionKey("another prompt " * 99),
    )
    await store.put(hostile, [1.0])
    await store.put(record("b", ttl_seconds=10), [1.0])
    clock.now += 11
    await upkeep.janitor()
    keys = [key async for key in client.scan_iter()]
    assert len(keys) == 9
    for key in keys:
        assert await client.pttl(key) > 0, key
        assert len(key) <= 128
        assert key.startswith(LONGEST.encode())
        assert b"prompt" not in key
    await store.delete([hostile.id])
    assert not [key async for key in client.scan_iter() if b":q:" in key][1:]


def test_all_keys_of_a_partition_share_a_slot() -> None:
    keys = Keys("stepcache")
    partition = record().partition
    names = [
        keys.record(record_id("a")) or "",
        keys.record(record_id("b")) or "",
        keys.template(partition, TemplateKey("t")),
    ]
    assert len({key_slot(name.encode()) for name in names}) == 1


async def test_a_hit_does_not_extend_the_life(client: Redis, store: RedisStore) -> None:
    await store.put(record(ttl_seconds=100), None)
    key = store.keys.record(record().id)
    await client.pexpire(str(key), 5_000)
    await store.get([record().id])
    await RedisUpkeep(store).janitor()
    assert await client.pttl(str(key)) <= 5_000


async def test_a_template_lives_as_long_as_its_longest_record(
    client: Redis, store: RedisStore
) -> None:
    await store.put(record("a", ttl_seconds=600), None)
    await store.put(record("b", ttl_seconds=10), None)
    key = store.keys.template(record().partition, record().template)
    assert await client.ttl(key) > 500


async def test_dead_records_make_room_in_their_template(
    client: Redis, store: RedisStore
) -> None:
    for name in "abcd":
        await store.put(record(name, created=NOW + 5), None)
        await client.delete(str(store.keys.record(record_id(name))))
    await store.put(record("e"), None)
    found = await store.find(request(record()))
    assert [r.id for r in found.records] == [record_id("e")]


async def test_a_template_of_an_older_version_is_read(
    client: Redis, store: RedisStore
) -> None:
    await store.put(record("a"), None)
    await store.put(record("b", created=NOW + 1), None)
    key = store.keys.template(record().partition, record().template)
    for name in "ab":
        await client.zrem(key, record_id(name)[33:])
    await client.zadd(key, {record_id("a"): NOW, record_id("b"): NOW + 1})
    wanted = [record_id("b"), record_id("a")]
    found = await store.find(request(record()))
    assert [r.id for r in found.records] == wanted
    await store.put(record("b", created=NOW + 1), None)
    found = await store.find(request(record()))
    assert [r.id for r in found.records] == wanted
    assert await store.delete(wanted) == 2
    assert not await client.exists(key)


async def test_the_longest_life_bounds_every_other(client: Redis, clock: Clock) -> None:
    store = replace(open_store(client, clock), max_ttl_seconds=50)
    await store.put(record(ttl_seconds=600), None)
    async for key in client.scan_iter():
        assert 0 < await client.ttl(key) <= 50


async def test_keys_of_another_type_are_no_record(
    client: Redis, store: RedisStore
) -> None:
    upkeep = RedisUpkeep(store)
    await store.put(record(), [1.0])
    async for key in client.scan_iter():
        await client.set(key, "x", ex=60)
    assert await store.get([record().id]) == [None]
    found = await store.find(request(record(), temperature="bb"))
    assert (found.records, found.differs) == ((), None)
    assert [pair async for pair in store.scan()] == []
    await client.delete(store.keys.expiry, store.keys.used, store.keys.feed)
    await store.put(record(), None)
    assert (await store.get([record().id]))[0] is not None
    assert len((await store.find(request(record()))).records) == 1
    assert await upkeep.janitor() == []


@pytest.mark.parametrize("field", ["rec", "gen", "vec", "tpl", "q", "m", "n"])
async def test_a_record_with_a_spoilt_field_is_never_wrong(
    client: Redis, store: RedisStore, field: str
) -> None:
    await store.put(record(), [1.0])
    await client.hset(str(store.keys.record(record().id)), field, "\x00spoilt")
    [got] = await store.get([record().id])
    assert got is None or replace(got, generation=0) == record()
    assert await store.delete([record().id]) == 1


async def test_a_record_under_another_records_key_is_no_record(
    client: Redis, store: RedisStore
) -> None:
    await store.put(record("a"), None)
    await client.copy(
        str(store.keys.record(record_id("a"))), str(store.keys.record(record_id("b")))
    )
    assert await store.get([record_id("b")]) == [None]


async def test_a_vector_of_another_model_is_not_given(
    client: Redis, store: RedisStore
) -> None:
    await store.put(record(), [1.0])
    other = replace(store, fingerprint=lambda: "model-b")
    assert [vector async for _, vector in other.scan()] == [None]


async def test_another_namespace_is_another_store(
    client: Redis, store: RedisStore, clock: Clock
) -> None:
    other = open_store(client, clock, "stepcache2")
    await store.put(record(), None)
    assert await other.get([record().id]) == [None]
    assert [pair async for pair in other.scan()] == []
    await RedisUpkeep(other).purge(Selection(is_all=True), is_dry_run=False)
    assert (await store.get([record().id]))[0] is not None


async def test_emptying_the_store_leaves_what_is_known_of_upstreams(
    client: Redis, store: RedisStore
) -> None:
    upkeep = RedisUpkeep(store)
    await store.put(record(), [1.0])
    await upkeep.changes()
    epoch = store.keys.epoch("http://upstream")
    await client.set(epoch, "1", ex=60)
    purged = await upkeep.purge(Selection(is_all=True), is_dry_run=False)
    assert purged.removed == 1
    assert [key async for key in client.scan_iter()] == [epoch.encode()]
    assert (await upkeep.changes()).is_gap


async def test_a_flush_of_the_store_leaves_it_working(
    client: Redis, store: RedisStore, clock: Clock
) -> None:
    upkeep = RedisUpkeep(store)
    await upkeep.changes()
    await store.put(record(), [1.0])
    await store.get([record().id])
    await upkeep.changes()
    await client.flushall()
    assert await upkeep.janitor() == []
    assert (await upkeep.changes()).is_gap
    assert not (await upkeep.changes()).is_gap
    assert await store.get([record().id]) == [None]
    await store.put(record(), [1.0])
    assert await upkeep.count() == 1
    clock.now += 601
    assert await upkeep.janitor() == [record().id]


async def test_one_process_hears_of_anothers_changes(
    client: Redis, store: RedisStore, clock: Clock
) -> None:
    upkeep = RedisUpkeep(store)
    await upkeep.changes()
    other = open_store(client, clock)
    await other.put(record("a"), [1.0, 0.0])
    await other.put(record("b"), None)
    await other.put(record("c", ttl_seconds=10), [1.0, 0.0])
    await other.put(record("d"), [1.0, 0.0])
    await other.delete([record_id("d")])
    clock.now += 11
    await RedisUpkeep(other).janitor()
    changes = await upkeep.changes()
    assert [(c.partition, c.id) for c in changes.added] == [
        (record().partition, record_id("a"))
    ]
    assert set(changes.removed) == {record_id("c"), record_id("d")}
    assert (await upkeep.changes()).added == ()


async def test_cut_connections_are_not_noticed(
    client: Redis, store: RedisStore, server: ValkeyServer
) -> None:
    await asyncio.gather(*(store.put(record(name), None) for name in "abcdefgh"))
    async with Redis.from_url(server.url) as other:
        await other.client_kill_filter(_type="normal", skipme=True)
    got = await asyncio.gather(*(store.get([record_id(name)]) for name in "abcdefgh"))
    assert None not in [found for [found] in got]


async def test_a_cancelled_read_never_answers_the_next_one(store: RedisStore) -> None:
    names = "abcdefghij"
    for name in names:
        await store.put(record(name), None)

    async def read(name: str, turns: int) -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        _cancel_after(loop, task, turns)
        [found] = await store.get([record_id(name)])
        assert found is None or found.id == record_id(name)

    for turns in range(12):
        await asyncio.gather(*(read(n, turns) for n in names), return_exceptions=True)
        got = await asyncio.gather(*(store.get([record_id(n)]) for n in names))
        assert [g.id for [g] in got if g] == [record_id(n) for n in names]


def _cancel_after(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[None], turns: int
) -> None:
    """Cancel ``task`` after so many turns of the loop, unless it is done."""
    if turns:
        loop.call_soon(_cancel_after, loop, task, turns - 1)
    else:
        task.cancel()


async def test_a_frozen_store_is_unavailable_and_comes_back(
    own_valkey: ValkeyServer, clock: Clock
) -> None:
    client = open_client(own_valkey.url, timeouts=Timeouts(0.1, 0.1))
    store = open_store(client, clock)
    await store.put(record(), None)
    own_valkey.freeze()
    with pytest.raises(StoreUnavailableError):
        await store.get([record().id])
    with pytest.raises(StoreUnavailableError):
        await store.put(record(), None)
    own_valkey.thaw()
    assert (await store.get([record().id]))[0] is not None
    await client.aclose()


async def test_an_absent_store_is_unavailable(clock: Clock) -> None:
    client = open_client("redis://user:secret@127.0.0.1:1/0")
    store = open_store(client, clock)
    for call in (
        store.get([record().id]),
        store.find(request(record())),
        store.put(record(), None),
        store.delete([record().id]),
        RedisUpkeep(store).ping(),
        RedisUpkeep(store).changes(),
        anext(store.scan()),
    ):
        with pytest.raises(StoreUnavailableError) as caught:
            await call
        assert "secret" not in str(caught.value)
    await client.aclose()


async def test_a_full_store_refuses_writes_and_still_answers(
    client: Redis, store: RedisStore
) -> None:
    await store.put(record(), None)
    await client.config_set("maxmemory", "1")
    try:
        with pytest.raises(StoreUnavailableError):
            await store.put(record("b"), None)
        assert (await store.get([record().id]))[0] is not None
    finally:
        await client.config_set("maxmemory", "0")


async def test_an_unknown_partition_of_an_id_reads_nothing(store: RedisStore) -> None:
    await store.put(record(partition="p"), None)
    other = RecordId(f"{'0' * 32}.{record().id.partition('.')[2]}")
    assert await store.get([other]) == [None]
    assert PartitionKey("0" * 32) != record().partition


async def test_a_store_with_a_password_needs_it(tmp_path: Path, clock: Clock) -> None:
    with ValkeyServer(tmp_path, "--requirepass", "p@ss") as server:
        address = f"127.0.0.1:{server.port}/0"
        for url, is_right in [
            (f"redis://:p%40ss@{address}", True),
            (f"redis://default:p%40ss@{address}", True),
            (f"redis://:wrong@{address}", False),
            (f"redis://{address}", False),
        ]:
            client = open_client(url)
            upkeep = RedisUpkeep(open_store(client, clock))
            if is_right:
                await upkeep.ping()
            else:
                with pytest.raises(StoreUnavailableError):
                    await upkeep.ping()
            await client.aclose()
