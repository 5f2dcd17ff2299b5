"""The index follows the store, whoever changes it."""

import asyncio
import time
from collections.abc import Callable

import anyio
import pytest

from stepcache_proxy.adapters.upstream import HttpUpstream
from tests.adapters.samples import record
from tests.api.proxy import Model
from tests.app.running import App, running
from tests.servers import ValkeyServer, free_port

VECTOR = [1.0] + [0.0] * 383


async def until(is_so: Callable[[], bool]) -> None:
    """Return when the background has done its work."""
    while not is_so():
        await anyio.lowlevel.checkpoint()


async def put(app: App, *names: str) -> None:
    """Records that the store alone knows of."""
    for name in names:
        await app.parts.storage.store.put(record(name, created=time.time()), VECTOR)


async def test_a_rebuild_takes_every_vector_of_the_store(
    own_valkey: ValkeyServer,
) -> None:
    async with running(Model(), own_valkey.url) as app:
        await put(app, "a", "b")
        assert app.parts.caretaker.index.size() == 0
        await app.parts.caretaker.rebuild()
        assert app.parts.caretaker.index.size() == 2


async def test_a_start_finds_what_the_last_run_left(own_valkey: ValkeyServer) -> None:
    async with running(Model(), own_valkey.url) as app:
        await put(app, "a")
    async with running(Model(), own_valkey.url) as app:
        assert app.parts.caretaker.index.size() == 1
        assert app.parts.caretaker.sizes.records == 1


@pytest.mark.parametrize("how", ["purge", "flush", "delete elsewhere"])
async def test_what_is_gone_from_the_store_leaves_the_index(
    how: str, own_valkey: ValkeyServer
) -> None:
    async with (
        running(Model(), own_valkey.url) as other,
        running(Model(), own_valkey.url) as app,
    ):
        caretaker, elsewhere = app.parts.caretaker, other.parts.storage.store
        await put(app, "a", "b")
        await caretaker.rebuild()
        await caretaker.measure()
        async with asyncio.TaskGroup() as group:
            caring = group.create_task(caretaker.run())
            if how == "purge":
                await app.client.post("/stepcache/purge", json={"all": True})
            elif how == "flush":
                await elsewhere.client.flushall()
            else:
                await elsewhere.delete([record("a").id, record("b").id])
            await until(lambda: caretaker.index.size() == 0)
            await until(lambda: caretaker.sizes.records == 0)
            caring.cancel()


async def test_what_happens_during_a_rebuild_is_not_missed(
    own_valkey: ValkeyServer,
) -> None:
    async with (
        running(Model(), own_valkey.url) as other,
        running(Model(), own_valkey.url) as app,
    ):
        await put(other, "a")
        async with asyncio.TaskGroup() as group:
            caring = group.create_task(app.parts.caretaker.run())
            await until(lambda: app.parts.caretaker.index.size() == 1)
            caring.cancel()


async def test_records_of_another_process_are_found(own_valkey: ValkeyServer) -> None:
    async with (
        running(Model(), own_valkey.url) as app,
        running(Model(), own_valkey.url) as other,
        asyncio.TaskGroup() as group,
    ):
        caring = group.create_task(app.parts.caretaker.run())
        await put(other, "a")
        await until(lambda: app.parts.caretaker.index.size() == 1)
        caring.cancel()


async def test_an_upstream_that_goes_and_comes_is_told_once_each(
    own_valkey: ValkeyServer,
) -> None:
    async with running(Model(), own_valkey.url) as app:
        before = (await app.client.get("/readyz")).status_code
        caretaker = app.parts.caretaker
        caretaker.upstream = HttpUpstream(f"http://127.0.0.1:{free_port()}")
        after = [(await app.client.get("/readyz")).status_code for _ in range(2)]
        metrics = (await app.client.get("/metrics")).text
        await caretaker.upstream.aclose()
    assert (before, after) == (200, [503, 503])
    assert 'stepcache_degraded{seam="upstream"} 1.0' in metrics
