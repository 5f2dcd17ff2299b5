"""A store that keeps what it reads for as long as the server tells of changes."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from redis.asyncio import Redis

from stepcache_proxy.adapters.recent import ChangeListener, Recent
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.store_client import (
    close_client,
    open_client,
    open_listener,
)
from stepcache_proxy.adapters.store_keys import Keys
from tests.adapters.samples import Clock
from tests.adapters.store_places import StorePlace


@asynccontextmanager
async def listening(
    place: StorePlace, clock: Clock | None = None
) -> AsyncGenerator[RedisStore]:
    """A store that keeps what it reads."""
    client = open_client(place.url, tls_ca_file=place.tls_ca_file)
    listener = open_listener(place.url, tls_ca_file=place.tls_ca_file)
    assert listener is not None
    recent = Recent(most=100)
    store = RedisStore(
        client, Keys("stepcache"), clock or Clock(), lambda: "model-a", recent=recent
    )
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(ChangeListener(listener, store.keys, recent).run())
        await until(lambda: recent.is_open)
        yield store
        task.cancel()
    await close_client(client)
    await close_client(listener)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 -- the news come when they come
            await asyncio.sleep(0.002)


async def other(store: RedisStore, *command: str) -> None:
    """What another process does to the same server."""
    assert isinstance(store.client, Redis)
    pipe = store.client.pipeline(transaction=False)
    pipe.execute_command(*command)
    await pipe.execute()
