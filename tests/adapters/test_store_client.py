"""Every form of store URL leads to a store that works, or to one clear line."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import ResponseError

from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import (
    Client,
    close_client,
    open_client,
    store_errors,
)
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.adapters.upkeep import Selection
from stepcache_proxy.errors import ConfigError, StoreUnavailableError
from tests.adapters.samples import Clock, record, record_id, request
from tests.servers import ValkeyServer, free_port


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("", id="empty"),
        pytest.param("embeded", id="a misspelt word"),
        pytest.param("http://127.0.0.1", id="another protocol"),
        pytest.param("redis://user:secret@[::1", id="half an address"),
        pytest.param("redis://:secret@h:port/0", id="no number for a port"),
        pytest.param("redis+swarm://:secret@h", id="another kind"),
        pytest.param("redis+sentinel://:secret@h:1", id="no name of a master"),
        pytest.param("redis+sentinel://:secret@h:1/m/x", id="no number for a db"),
        pytest.param("redis+sentinel://:secret@h:1,/m", id="an empty place"),
        pytest.param("redis+cluster://:secret@h:x", id="no port of a node"),
    ],
)
def test_a_wrong_url_is_one_clear_line_without_the_password(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^store\.url: [^\n]*$") as caught:
        open_client(url)
    assert "secret" not in str(caught.value)


async def exercise(client: Client) -> None:
    """Everything a store does, on one client."""
    clock = Clock()
    store = RedisStore(client, Keys("stepcache"), clock, lambda: "model-a")
    upkeep = RedisUpkeep(store, max_records=3)
    await upkeep.ping()
    await upkeep.changes()
    for name in "abcd":
        clock.now += 1
        await store.put(record(name, partition=name), [1.0])
    ids = [record_id(name, name) for name in "abcd"]
    assert [r.id for r in await store.get(ids) if r] == ids
    clock.now += 1
    await store.get(ids[1:])
    assert len((await store.find(request(record("z", partition="a")))).records) == 1
    assert len([pair async for pair in store.scan()]) == 4
    assert await upkeep.janitor() == ids[:1]
    assert await upkeep.count() == 3
    assert await upkeep.size_bytes() > 0
    assert len([line async for line in upkeep.export_lines()]) == 3
    purged = await upkeep.purge(Selection(is_all=True), is_dry_run=False)
    assert purged.removed == 3
    assert not (await upkeep.changes()).is_gap


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncGenerator[ValkeyServer]:
    bus = ("--cluster-port", str(free_port()))
    with ValkeyServer(tmp_path, "--cluster-enabled", "yes", *bus) as node:
        async with Redis.from_url(node.url) as client:
            await client.cluster("ADDSLOTSRANGE", 0, 16383)
            await asyncio.wait_for(_until_it_serves(client), 10)
        yield node


async def _until_it_serves(client: Redis) -> None:
    while True:
        try:
            await client.get("any")
        except ResponseError:
            await asyncio.sleep(0.02)
        else:
            return


async def test_a_cluster_is_a_store(cluster: ValkeyServer) -> None:
    client = open_client(f"redis+cluster://127.0.0.1:{cluster.port},127.0.0.1:1")
    assert isinstance(client, RedisCluster)
    await exercise(client)
    await close_client(client)


async def test_a_master_behind_sentinels_is_a_store(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    config = tmp_path / "sentinel.conf"
    config.write_text(f"sentinel monitor cache 127.0.0.1 {valkey.port} 1\n")
    with ValkeyServer(tmp_path, "--sentinel", config=config) as sentinel:
        url = f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/cache"
        client = open_client(url)
        await client.flushall()
        await exercise(client)
        await close_client(client)


async def test_a_single_server_is_a_store(own_valkey: ValkeyServer) -> None:
    client = open_client(own_valkey.url)
    await exercise(client)
    await close_client(client)


@pytest.mark.parametrize("url", ["redis+cluster://127.0.0.1:1", "rediss://127.0.0.1:1"])
async def test_an_absent_store_is_unavailable(url: str) -> None:
    client = open_client(url, tls_ca_file=None)
    store = RedisStore(client, Keys("stepcache"), Clock(), lambda: "model-a")
    with pytest.raises(StoreUnavailableError):
        await store.get([record().id])
    await close_client(client)


async def test_an_error_of_ours_is_not_wrapped_again() -> None:
    before = StoreUnavailableError()
    with pytest.raises(StoreUnavailableError) as caught, store_errors():
        raise before
    assert caught.value is before


@pytest.mark.parametrize("ticks", range(12))
async def test_a_loop_that_asks_the_store_can_be_stopped_at_any_moment(
    ticks: int, valkey: ValkeyServer
) -> None:
    client = open_client(valkey.url)

    async def ask() -> None:
        for _ in range(1_000):
            with store_errors():
                await client.ping()

    with store_errors():
        await client.ping()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(ask())
        for _ in range(ticks):
            await asyncio.sleep(0)
        asking.cancel()
    assert asking.cancelled()
    await close_client(client)
