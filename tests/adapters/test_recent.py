"""What a process keeps of the store is what the store has, or it is not kept."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection

from stepcache_proxy.adapters import recent as module
from stepcache_proxy.adapters.recent import ChangeListener, Recent
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import (
    close_client,
    open_client,
    open_listener,
)
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.adapters.upkeep import Selection
from stepcache_proxy.errors import StoreUnavailableError
from tests.adapters.listening import listening, other, until
from tests.adapters.samples import Clock, record, record_id
from tests.adapters.store_places import StorePlace
from tests.http_servers import Wire, serve_bytes
from tests.servers import ValkeyServer

ID = record_id("r")
KEY = Keys("stepcache").record(ID) or ""


@pytest.fixture(params=["valkey_place", "redis_place", "redis_tls_acl_place"])
def place(request: pytest.FixtureRequest) -> StorePlace:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, StorePlace)
    return found


async def keep(store: RedisStore) -> None:
    """Put the sample record and read it until it is kept."""
    await other(store, "flushall")
    await store.put(record(), None)
    async with asyncio.timeout(30):
        while store.recent.get(ID) is None:  # its own news have to come first
            assert await is_there(store)
            await asyncio.sleep(0.002)


async def is_there(store: RedisStore) -> bool:
    (found,) = await store.get([ID])
    return found is not None


async def reads(store: RedisStore) -> int:
    """How many HMGET the server has answered."""
    assert isinstance(store.client, Redis)
    stats = await store.client.info("commandstats")
    return int(stats.get("cmdstat_hmget", {}).get("calls", 0))


async def test_a_record_that_is_kept_is_not_read_again(place: StorePlace) -> None:
    async with listening(place) as store:
        await keep(store)
        before = store.recent.get(ID)
        assert before is not None
        turn = store.recent.turn
        assert await store.get([ID]) == [before]
        assert store.recent.turn == turn
        assert ID in store.uses


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("del", KEY), id="deleted"),
        pytest.param(("pexpire", KEY, "1"), id="expired"),
        pytest.param(("hset", KEY, "rec", "nonsense"), id="damaged"),
        pytest.param(("flushall",), id="flushed"),
    ],
)
async def test_what_another_process_does_to_a_record_is_seen(
    place: StorePlace, command: tuple[str, ...]
) -> None:
    async with listening(place) as store:
        await keep(store)
        await other(store, *command)
        await until(lambda: store.recent.get(ID) is None)
        async with asyncio.timeout(30):
            while await is_there(store):  # noqa: ASYNC110 -- its time must come
                await asyncio.sleep(0.002)


async def test_what_another_process_observes_of_a_record_is_seen(
    place: StorePlace,
) -> None:
    async with listening(place) as store:
        await keep(store)
        await other(store, "hincrby", KEY, "wrong", "1")
        await until(lambda: store.recent.get(ID) is None)
        (found,) = await store.get([ID])
        assert found is not None
        assert found.observations.wrong == 1


async def test_what_this_process_does_is_seen_at_once(place: StorePlace) -> None:
    async with listening(place) as store:
        upkeep = RedisUpkeep(store, 100)
        everything = Selection(is_all=True)

        async def observe() -> None:
            await store.observe(ID, is_right=False)

        async def replace_it() -> None:
            await store.put(record(), None)

        async def delete() -> None:
            assert await store.delete([ID]) == 1

        async def purge() -> None:
            await upkeep.purge(everything, is_dry_run=False)

        for change in (observe, replace_it, delete, purge):
            await keep(store)
            await change()
            assert store.recent.get(ID) is None


async def test_a_record_whose_life_is_over_is_not_served(place: StorePlace) -> None:
    clock = Clock()
    async with listening(place, clock) as store:
        await keep(store)
        clock.now += 601
        assert not await is_there(store)


async def test_nothing_is_kept_of_a_store_that_is_gone_or_silent(
    tmp_path: Path,
) -> None:
    server = ValkeyServer(tmp_path)
    with server:
        async with listening(StorePlace(server.url)) as store:
            await keep(store)
            server.freeze()
            await until(lambda: not store.recent.is_open)
            assert store.recent.get(ID) is None
            server.thaw()
            await until(lambda: store.recent.is_open)
            await keep(store)
            server.kill()
            await until(lambda: not store.recent.is_open)
            assert store.recent.get(ID) is None
            with server:
                await until(lambda: store.recent.is_open)
                await keep(store)


async def test_a_user_who_may_not_listen_reads_every_time(
    tmp_path: Path,
) -> None:
    config = tmp_path / "server.conf"
    rights = "~* +@all -client|tracking"
    config.write_text(f"user default on nopass {rights}\n")
    with ValkeyServer(tmp_path, config=config) as server:
        client, heard = open_client(server.url), open_listener(server.url)
        assert heard is not None
        store = RedisStore(
            client, Keys("stepcache"), Clock(), lambda: "m", recent=Recent(most=9)
        )
        listener = ChangeListener(heard, store.keys, store.recent)
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(listener.run())
            await store.put(record(), None)
            before = await reads(store)
            for _ in range(3):
                assert await is_there(store)
            assert await reads(store) == before + 3
            assert store.recent.get(ID) is None
            task.cancel()
        await close_client(client)
        await close_client(heard)


HELLO = b"%1\r\n$5\r\nproto\r\n:3\r\n"
OK, PONG = b"+OK\r\n", b"+PONG\r\n"
NEWS = b">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n"


@asynccontextmanager
async def hearing(*replies: bytes) -> AsyncGenerator[tuple[Recent, asyncio.Task[None]]]:
    """A listener of a server that says this, and then its last word again and again."""

    async def meet(wire: Wire) -> None:
        for reply in [*replies, *[replies[-1]] * 1000]:
            if not await wire.reader.read(65536):
                return
            await wire.answer(reply)

    async with serve_bytes(meet) as url:
        client = open_listener(url.replace("http:", "redis:"))
        assert client is not None
        recent = Recent(most=9)
        listener = ChangeListener(client, Keys("stepcache"), recent)
        task = asyncio.get_running_loop().create_task(listener.run())
        try:
            yield recent, task
        finally:
            task.cancel()
            await asyncio.wait([task])
            await close_client(client)


async def test_nothing_is_kept_until_news_have_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pongs: list[object] = []

    async def read(listener: ChangeListener, connection: AbstractConnection) -> object:
        pongs.append(reply := await heard(listener, connection))
        return reply

    heard = ChangeListener._read
    monkeypatch.setattr(module, "_PING_SECONDS", 0.05)
    monkeypatch.setattr(ChangeListener, "_read", read)
    # Something in between that says yes to everything, and never tells of a change.
    async with hearing(HELLO, OK, OK, OK, OK, PONG) as (recent, _):
        await until(lambda: pongs.count(b"PONG") > 2)
        assert not recent.is_open
    async with hearing(HELLO, OK, OK, OK, OK, NEWS + PONG) as (recent, _):
        await until(lambda: recent.is_open)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(b">0\r\n", id="news of nothing"),
        pytest.param(b"%1\r\n%1\r\n:1\r\n:1\r\n:1\r\n", id="a map of maps"),
        pytest.param(b"\x00\xff\r\n", id="noise"),
    ],
)
async def test_whatever_a_server_says_the_listener_goes_on(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AGAIN_SECONDS", 0.01)
    cleared: list[bool] = []

    def clear(recent: Recent) -> None:
        cleared.append(recent.is_open)

    monkeypatch.setattr(Recent, "clear", clear)
    async with hearing(HELLO, OK, OK, OK, OK, said) as (_, task):
        await until(lambda: len(cleared) > 2)
        assert not task.done()


async def test_a_cancellation_that_the_client_library_loses_still_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading = asyncio.Event()

    async def read_response(
        connection: AbstractConnection, *args: Any, **options: Any
    ) -> object:
        if "push_request" not in options:
            return await spoken(connection, *args, **options)
        reading.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(30)
        return b"PONG"

    spoken = AbstractConnection.read_response
    monkeypatch.setattr(AbstractConnection, "read_response", read_response)
    monkeypatch.setattr(module, "_PING_SECONDS", 30)
    async with hearing(HELLO, OK, OK, OK, OK, PONG) as (_, task):
        async with asyncio.timeout(30):
            await reading.wait()
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=10)
        assert done


async def test_what_was_changed_without_an_answer_is_read_again(
    tmp_path: Path,
) -> None:
    with ValkeyServer(tmp_path) as server:
        async with listening(StorePlace(server.url)) as store:
            await keep(store)
            server.freeze()
            with pytest.raises(StoreUnavailableError):
                await store.delete([ID])
            assert store.recent.get(ID) is None
            server.thaw()


def test_only_one_plain_server_is_listened_to() -> None:
    assert open_listener("redis+sentinel://127.0.0.1:1/name") is None
    assert open_listener("redis+cluster://127.0.0.1:1") is None


def test_what_changed_while_it_was_read_is_not_kept() -> None:
    recent = Recent(most=9, is_open=True)
    turn = recent.turn
    recent.forget([b"another key"])
    recent.keep(b"key", record(), 10, turn)
    assert recent.get(ID) is None
    recent.keep(b"key", record(), 10, recent.turn)
    assert recent.get(ID) == record()


def test_the_records_used_last_stay() -> None:
    recent = Recent(most=2, is_open=True)
    for name in ("a", "b"):
        recent.keep(name.encode(), record(name), 10, recent.turn)
    assert recent.get(record_id("a")) is not None
    recent.keep(b"c", record("c"), 10, recent.turn)
    assert recent.get(record_id("b")) is None
    assert recent.get(record_id("a")) is not None


def test_their_bytes_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    recent = Recent(most=9, is_open=True)
    for name in ("a", "b", "c"):
        recent.keep(name.encode(), record(name), 40, recent.turn)
    assert [recent.get(record_id(name)) is None for name in "abc"] == [
        True,
        False,
        False,
    ]
    recent.keep(b"d", record("d"), 1_000_000, recent.turn)
    assert recent.get(record_id("d")) is None


def test_while_nothing_is_heard_nothing_is_kept() -> None:
    recent = Recent(most=9)
    recent.keep(b"key", record(), 10, recent.turn)
    assert recent.get(ID) is None
