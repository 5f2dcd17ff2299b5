"""With the index in the store replicas share it, at once and through failures."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest

from stepcache_proxy.errors import StartError
from stepcache_proxy.wire.jsonvalue import Json
from tests.adapters.samples import record
from tests.api.proxy import CHAT, Model, says
from tests.app.running import OUTCOME, App, running, running_before
from tests.fakes import body_of
from tests.http_servers import serve_bytes
from tests.servers import ValkeyServer, redis_8_binary

OBJECT = '{"name": "Sea Gull", "colour": "white"}'
ASKED = (
    "Describe a small boat. Return only a JSON object with the keys name and colour."
)
REWORDED = (
    "Please describe a small boat."
    " Respond with only a JSON object with the keys name and colour."
)
STORE = "max-age=86400"
SHARED: dict[str, Json] = {
    "index__kind": "redis",
    "embedder__model": "all-MiniLM-L6-v2",
}


@asynccontextmanager
async def cared_for(model: Model, url: str, store: str) -> AsyncGenerator[App]:
    """A replica with its background tasks."""
    async with (
        running_before(model, url, store, **SHARED) as app,
        asyncio.TaskGroup() as group,
    ):
        caring = group.create_task(app.parts.caretaker.run())
        yield app
        caring.cancel()


@asynccontextmanager
async def two_replicas(store: str) -> AsyncGenerator[tuple[App, App]]:
    """Two replicas before one model."""
    model = Model([says(OBJECT) for _ in range(100)])
    async with (
        serve_bytes(model.meet) as url,
        cared_for(model, url, store) as first,
        cared_for(model, url, store) as second,
    ):
        yield first, second


async def outcome(app: App, text: str, control: str = STORE) -> str:
    """What happens to a question; the answer is right whatever happens."""
    response: httpx.Response = await app.client.post(
        CHAT, json=body_of(text), headers={"cache-control": control}
    )
    assert response.status_code == 200
    assert response.json()["choices"][0]["message"]["content"] == OBJECT
    return str(response.headers[OUTCOME])


async def until_outcome(app: App, text: str, wanted: str, control: str) -> None:
    """Ask until the background has done its work."""
    with anyio.fail_after(30):
        while await outcome(app, text, control) != wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def fresh(app: App, text: str) -> None:
    """Ask, and return when the answer's vector is in the store's index."""
    assert await outcome(app, text) == "miss"
    index, sets = app.parts.caretaker.index, app.parts.caretaker.sets
    assert sets is not None
    with anyio.fail_after(30):
        while not index.size():
            await sets.look()


async def test_replicas_reuse_each_others_answers_and_a_purge_empties_all(
    own_redis_8: ValkeyServer,
) -> None:
    async with two_replicas(own_redis_8.url) as (first, second):
        await fresh(first, ASKED)
        # A floor has to be measured, by the vectors.
        response = await second.client.post(
            CHAT,
            json=body_of(REWORDED),
            headers={"x-stepcache-min-similarity": "0.6"},
        )
        assert response.headers[OUTCOME] == "reuse"
        assert 0.5 < float(response.headers["x-stepcache-similarity"]) < 1
        assert len(second.model.calls) == 1
        purge = await second.client.post("/stepcache/purge", json={"all": True})
        assert purge.json()["removed"] == 1
        assert await outcome(first, REWORDED) == "miss"


async def test_a_store_killed_in_the_middle_costs_hits_and_nothing_else(
    tmp_path: Path,
) -> None:
    server = ValkeyServer(tmp_path, binary=redis_8_binary())
    with ExitStack() as stack:
        stack.enter_context(server)
        async with two_replicas(server.url) as (first, second):
            await fresh(first, ASKED)
            assert await outcome(second, REWORDED) == "reuse"
            server.kill()
            for _ in range(3):
                assert await outcome(second, REWORDED) == "miss"
            stack.enter_context(server)
            # It is empty now.
            await until_outcome(first, ASKED, "exact", STORE)
            # A miss that is stored would be an exact hit the next time.
            await until_outcome(second, REWORDED + " ", "reuse", "no-store")


async def test_what_a_replica_with_another_index_kept_is_found_too(
    own_redis_8: ValkeyServer,
) -> None:
    url, one = own_redis_8.url, record(created=time.time())
    async with running(Model(), url, **{**SHARED, "index__kind": "faiss"}) as before:
        await before.parts.storage.store.put(one, [1.0] + [0.0] * 383)
    async with two_replicas(url) as (app, _):
        index = app.parts.caretaker.index
        with anyio.fail_after(30):
            while not await index.holds(one.partition):  # noqa: ASYNC110
                await asyncio.sleep(0.02)


async def test_a_store_without_vector_sets_stops_the_start_in_one_line(
    own_valkey: ValkeyServer,
) -> None:
    with pytest.raises(StartError, match=r"index\.kind"):
        async with running(Model(), own_valkey.url, index__kind="redis"):
            pass


async def test_a_store_that_is_away_does_not_stop_the_start(tmp_path: Path) -> None:
    server = ValkeyServer(tmp_path, binary=redis_8_binary())
    model = Model([says(OBJECT)])
    async with running(model, server.url, **SHARED) as app:
        assert await outcome(app, ASKED) == "miss"
