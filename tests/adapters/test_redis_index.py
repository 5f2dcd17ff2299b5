"""An index in the store is shared by all, follows the records, and never hangs."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np
import pytest
from redis.asyncio import Redis
from redis.crc import key_slot

from stepcache_proxy.adapters.breaker import Breaker, GuardedIndex, Limits
from stepcache_proxy.adapters.redis_index import RedisIndex
from stepcache_proxy.adapters.redis_index_upkeep import VectorSetUpkeep, ask_for_fill
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import (
    Client,
    Timeouts,
    close_client,
    open_client,
)
from stepcache_proxy.adapters.store_keys import Keys, Quantization, vector_kind
from stepcache_proxy.adapters.upkeep import Selection
from stepcache_proxy.errors import IndexUnavailableError, StartError
from stepcache_proxy.reuse.model import PartitionKey, Record
from tests.adapters.samples import hashed, record
from tests.adapters.store_places import ACL_RULES, VECTOR_RULES, cluster_of_three
from tests.fakes import Recording
from tests.servers import ValkeyServer, redis_8_binary

P = PartitionKey(hashed("p"))
KEYS = Keys("stepcache")
EAST, NORTH = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
SOON = Timeouts(connect=0.2, operation=0.2)


def now_record(name: str = "r", partition: str = "p") -> Record:
    return record(name, partition=partition, created=time.time())


def open_store(client: Client, model: str = "model-a") -> RedisStore:
    return RedisStore(client, KEYS, time.time, lambda: model)


def open_index(
    client: Client, model: str = "model-a", quantization: Quantization = "none"
) -> RedisIndex:
    return RedisIndex(client, KEYS, lambda: model, quantization)


@pytest.fixture
async def client(redis_8: ValkeyServer) -> AsyncGenerator[Client]:
    client = open_client(redis_8.url)
    await client.flushall()
    yield client
    await close_client(client)


@pytest.fixture
def store(client: Client) -> RedisStore:
    return open_store(client)


@pytest.fixture
def index(client: Client) -> RedisIndex:
    return open_index(client)


@pytest.fixture
def upkeep(index: RedisIndex, store: RedisStore) -> VectorSetUpkeep:
    return VectorSetUpkeep(index, store)


def is_open(breaker: Breaker) -> bool:
    return breaker.is_open


async def put(store: RedisStore, index: RedisIndex, *names: str) -> list[Record]:
    """Records with a vector each, as the pipeline writes them."""
    records = [now_record(name) for name in names]
    for number, one in enumerate(records):
        vector = [1.0, float(number), 0.0]
        await store.put(one, vector)
        await index.add(one.partition, one.id, vector)
    return records


async def found(index: RedisIndex, partition: PartitionKey = P) -> set[str]:
    return {id for id, _ in await index.nearest(partition, EAST, 100)}


async def test_what_one_replica_adds_another_finds_at_once(
    redis_8: ValkeyServer, store: RedisStore, index: RedisIndex
) -> None:
    other = open_client(redis_8.url)
    [a] = await put(store, index, "a")
    assert await open_index(other).nearest(P, EAST, 4) == [(a.id, 1.0)]
    await close_client(other)


async def test_vectors_of_another_embedder_are_not_compared(
    client: Client, index: RedisIndex
) -> None:
    one = now_record()
    await open_store(client).put(one, EAST)
    await index.add(P, one.id, EAST)
    for other in (open_index(client, "model-b"), open_index(client, "model-a", "q8")):
        assert not await other.holds(P)
        assert await other.nearest(P, EAST, 4) == []
        # Another dimension is no trouble either: it is another set.
        await other.add(P, one.id, [1.0, 0.0])
        assert await other.nearest(P, [1.0, 0.0], 4) == [(one.id, 1.0)]
    assert await index.nearest(P, EAST, 4) == [(one.id, 1.0)]


@pytest.mark.parametrize(
    ("quantization", "error"),
    [("none", 1e-5), ("q8", 0.02), ("bin", 0.5)],
)
async def test_the_nearest_is_found_in_every_precision(
    client: Client, quantization: Quantization, error: float
) -> None:
    index = open_index(client, "model-a", quantization)
    rows = np.random.default_rng(1).normal(size=(300, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for number, row in enumerate(rows):
        await client.set(KEYS.record(record(str(number)).id) or "", "any")
        await index.add(P, record(str(number)).id, row.tolist())
    for number in range(0, 300, 10):
        near = rows[number] + 0.2 * rows[number - 1]
        [(id, cosine)] = await index.nearest(P, near.tolist(), 1)
        assert id == record(str(number)).id
        exact = float(rows[number] @ near / np.linalg.norm(near))
        assert cosine == pytest.approx(exact, abs=error)


async def test_the_vector_of_a_record_that_is_gone_is_not_added(
    index: RedisIndex,
) -> None:
    await index.add(P, record("gone").id, EAST)
    assert not await index.holds(P)


@pytest.mark.parametrize("how", ["delete", "purge", "purge of all"])
async def test_a_vector_leaves_with_its_record_whoever_removes_it(
    client: Client, store: RedisStore, index: RedisIndex, how: str
) -> None:
    a, b = await put(store, index, "a", "b")
    elsewhere = open_store(client)
    if how == "delete":
        await elsewhere.delete([a.id, b.id])
    else:
        selection = Selection(model="m") if how == "purge" else Selection(is_all=True)
        await RedisUpkeep(elsewhere).purge(selection, is_dry_run=False)
    assert not await index.holds(P)


async def test_a_deleted_record_takes_nobody_elses_vector_along(
    store: RedisStore, index: RedisIndex
) -> None:
    a, b = await put(store, index, "a", "b")
    await store.delete([a.id])
    assert await found(index) == {b.id}


async def test_upkeep_drops_vectors_whose_records_have_ended(
    client: Client, store: RedisStore, index: RedisIndex, upkeep: VectorSetUpkeep
) -> None:
    a, b, c = await put(store, index, "a", "b", "c")
    await client.unlink(KEYS.record(a.id) or "")
    assert await upkeep.look()
    assert await found(index) == {b.id, c.id}
    await upkeep.forget([b.id])
    assert await found(index) == {c.id}
    assert await upkeep.look()
    assert index.size() == 1


async def test_every_set_ends_and_has_a_short_name_in_its_records_slot(
    client: Client, store: RedisStore, index: RedisIndex
) -> None:
    [a] = await put(store, index, "a")
    longest = Keys("n" * 56)
    key = longest.vectors(P, index.kind)
    assert len(key) <= 128
    assert key_slot(key.encode()) == key_slot((longest.record(a.id) or "").encode())
    assert isinstance(client, Redis)
    left = await client.pttl(KEYS.vectors(P, index.kind))
    assert 0 < left <= index.life_seconds * 1000


async def test_what_the_sets_lack_is_filled_once_by_one_replica(
    client: Client, store: RedisStore, index: RedisIndex, upkeep: VectorSetUpkeep
) -> None:
    other = VectorSetUpkeep(open_index(client), open_store(client))
    records = [now_record(str(number)) for number in range(30)]
    for one in records:
        await store.put(one, EAST)
    await asyncio.gather(upkeep.fill(), other.fill())
    assert await found(index) == {one.id for one in records}
    late = now_record("late")
    await store.put(late, EAST)
    await other.fill()
    assert late.id not in await found(index)
    await ask_for_fill(store)
    await other.fill()
    assert late.id in await found(index)


async def test_a_fill_that_breaks_off_is_taken_over(
    client: Client, store: RedisStore, index: RedisIndex, upkeep: VectorSetUpkeep
) -> None:
    await put(store, index, "a")
    assert isinstance(client, Redis)
    await client.set(KEYS.filled(index.kind), "dead", nx=True, ex=60)
    await upkeep.fill()
    assert await client.get(KEYS.filled(index.kind)) == b"dead"
    await client.delete(KEYS.filled(index.kind))
    await upkeep.fill()
    assert await client.get(KEYS.filled(index.kind)) == b"done"
    assert await client.ttl(KEYS.filled(index.kind)) > 60


async def test_a_key_of_another_type_is_an_error_of_the_index(
    client: Client, index: RedisIndex
) -> None:
    await client.set(KEYS.vectors(P, index.kind), "x")
    with pytest.raises(IndexUnavailableError):
        await index.nearest(P, EAST, 4)
    with pytest.raises(IndexUnavailableError):
        await index.add(P, record().id, EAST)


async def test_a_server_that_is_full_still_searches(
    own_redis_8: ValkeyServer,
) -> None:
    client = open_client(own_redis_8.url)
    store, index = open_store(client), open_index(client)
    [a] = await put(store, index, "a")
    assert isinstance(client, Redis)
    await client.config_set("maxmemory", "1mb")
    await index.add(P, record("b").id, NORTH)
    assert await index.nearest(P, EAST, 4) == [(a.id, 1.0)]
    await close_client(client)


async def test_a_server_without_vector_sets_is_refused_at_the_start(
    valkey: ValkeyServer,
) -> None:
    client = open_client(valkey.url)
    with pytest.raises(StartError, match=r"index\.kind.*Redis 8\.0") as refused:
        await open_index(client).check()
    assert "\n" not in str(refused.value)
    await close_client(client)


async def test_a_user_must_be_allowed_to_search(own_redis_8: ValkeyServer) -> None:
    admin = open_client(own_redis_8.url)
    await admin.execute_command("ACL", "SETUSER", "cache", "on", ">s", *ACL_RULES)
    url = own_redis_8.url.replace("//", "//cache:s@")
    client = open_client(url)
    store, index = open_store(client), open_index(client)
    with pytest.raises(StartError, match=r"index\.kind.*\+vadd"):
        await index.check()
    await admin.execute_command("ACL", "SETUSER", "cache", *VECTOR_RULES)
    await index.check()
    [a] = await put(store, index, "a")
    upkeep = VectorSetUpkeep(index, store)
    await upkeep.fill()
    assert await upkeep.look()
    assert await found(index) == {a.id}
    assert await store.delete([a.id]) == 1
    assert not await index.holds(P)
    await index.clear()
    for each in (admin, client):
        await close_client(each)


async def test_a_check_leaves_nothing_behind(client: Client, index: RedisIndex) -> None:
    await index.check()
    assert await client.dbsize() == 0


@pytest.mark.parametrize("how", ["freeze", "stop"])
async def test_a_server_that_fails_is_told_in_time_and_comes_back(
    tmp_path: Path, how: str
) -> None:
    with ExitStack() as stack:
        server = ValkeyServer(tmp_path, binary=redis_8_binary())
        stack.enter_context(server)
        client = open_client(server.url, timeouts=SOON)
        recording = Recording()
        breaker = Breaker("index", Limits(0.3, retry_seconds=0.0), time.time, recording)
        index = GuardedIndex(open_index(client), breaker)
        assert not await index.holds(P)
        if how == "freeze":
            server.freeze()
        else:
            server.kill()
        for _ in range(2):
            with pytest.raises(IndexUnavailableError):
                await index.nearest(P, EAST, 4)
        assert is_open(breaker)
        if how == "freeze":
            server.thaw()
        else:
            stack.enter_context(server)
        async with asyncio.timeout(20):
            while is_open(breaker):
                with suppress(IndexUnavailableError):
                    await index.holds(P)
                await asyncio.sleep(0.02)
        await close_client(client)


async def test_a_cluster_spreads_the_partitions(tmp_path: Path) -> None:
    with cluster_of_three(tmp_path, redis_8_binary()) as place:
        client = open_client(place.url)
        store, index = open_store(client), open_index(client)
        upkeep = VectorSetUpkeep(index, store)
        await index.check()
        records = [now_record("a", partition=str(number)) for number in range(30)]
        for one in records:
            await store.put(one, EAST)
        await upkeep.fill()
        slots = {
            key_slot(index.keys.vectors(one.partition, "").encode()) for one in records
        }
        assert len({slot * 3 // 16_384 for slot in slots}) == 3
        for one in records:
            assert await index.nearest(one.partition, EAST, 4) == [(one.id, 1.0)]
        assert await upkeep.look()
        assert index.size() == 30
        assert await store.delete([one.id for one in records[:10]]) == 10
        await upkeep.look()
        assert index.size() == 20
        await index.clear()
        assert not await index.holds(records[-1].partition)
        await close_client(client)


def test_a_kind_names_the_embedder_and_the_precision() -> None:
    kinds = {vector_kind(model, of) for model in "ab" for of in ("none", "q8", "bin")}
    assert len(kinds) == 6


async def test_looks_at_the_same_time_do_not_disturb_each_other(
    store: RedisStore, index: RedisIndex, upkeep: VectorSetUpkeep
) -> None:
    await put(store, index, "a", "b")
    assert all(await asyncio.gather(*(upkeep.look() for _ in range(5))))
    assert index.size() == 2
