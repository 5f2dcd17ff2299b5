"""One holder at a time; a holder that is gone lets go; no store, no waiting."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import token_hex

import pytest
from redis.asyncio import Redis

from stepcache_proxy.adapters.breaker import Breaker, Limits
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.adapters.turns import LIFE_SECONDS, StoreTurns
from stepcache_proxy.reuse.model import RecordId
from tests.fakes import Recording
from tests.servers import ValkeyServer

ID = RecordId(f"{'a' * 32}.{'b' * 32}")


def guard() -> Breaker:
    return Breaker("store", Limits(0.3), time.monotonic, Recording())


@asynccontextmanager
async def two_workers(
    valkey: ValkeyServer,
) -> AsyncGenerator[tuple[StoreTurns, StoreTurns]]:
    keys = Keys(f"t{token_hex(6)}")
    client: Redis = Redis.from_url(valkey.url, socket_timeout=0.3)
    try:
        yield StoreTurns(client, keys, guard()), StoreTurns(client, keys, guard())
    finally:
        await client.aclose()


async def test_only_one_worker_has_the_turn(valkey: ValkeyServer) -> None:
    async with two_workers(valkey) as (one, two):
        assert await one.take(ID)
        assert not await two.take(ID)
        assert await two.is_taken(ID)


async def test_leaving_lets_the_next_one_take_it(valkey: ValkeyServer) -> None:
    async with two_workers(valkey) as (one, two):
        assert await one.take(ID)
        async with one.hold(ID):
            assert not await two.take(ID)
        assert await two.take(ID)


async def test_what_fails_inside_comes_out_as_it_is(valkey: ValkeyServer) -> None:
    async with two_workers(valkey) as (one, two):
        await one.take(ID)
        with pytest.raises(ConnectionError, match="the upstream is gone"):
            await _fail_inside(one)
        assert not await two.is_taken(ID)


async def _fail_inside(turns: StoreTurns) -> None:
    async with turns.hold(ID):
        message = "the upstream is gone"
        raise ConnectionError(message)


async def test_nobody_lets_go_of_anothers_turn(valkey: ValkeyServer) -> None:
    async with two_workers(valkey) as (one, two):
        assert await one.take(ID)
        async with two.hold(ID):
            pass
        assert await one.is_taken(ID)


async def test_a_turn_ends_by_itself(valkey: ValkeyServer) -> None:
    async with two_workers(valkey) as (one, _):
        await one.take(ID)
        left = await one.client.pttl(one.keys.turn(ID))
        assert 0 < left <= LIFE_SECONDS * 1000


async def test_without_a_store_everybody_may_ask(own_valkey: ValkeyServer) -> None:
    async with two_workers(own_valkey) as (one, two):
        assert await one.take(ID)
        own_valkey.freeze()
        try:
            assert await two.take(ID)
            assert not await two.is_taken(ID)
        finally:
            own_valkey.thaw()
