"""Identical requests in flight share one upstream call, whoever leaves and whenever."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import anyio
import httpx
import orjson
import pytest

from stepcache_proxy.reuse.model import Outcome
from tests.api.proxy import (
    CHAT,
    DONE,
    Arrangement,
    Hangs,
    Proxy,
    Streams,
    Tells,
    before,
    delta,
    events_of,
    finish,
    says,
    streams,
    text_of,
    usage,
)
from tests.fakes import body_of

OUTCOME = "x-stepcache-outcome"


async def until_waiting(proxy: Proxy, readers: int) -> None:
    """Return when so many requests wait for the one flight."""
    while True:
        flying = list(proxy.flights._by_key.values())
        if flying and len(flying[0]._seats) == readers:
            return
        await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def streaming(
    proxy: Proxy, **fields: bool | Mapping[str, bool]
) -> AsyncGenerator[httpx.Response]:
    content = orjson.dumps(body_of("q", stream=True, **fields))
    async with proxy.client.stream("POST", CHAT, content=content) as response:
        yield response


async def test_both_get_the_one_answer_each_under_its_own_id() -> None:
    go_on = asyncio.Event()
    turn = says("one answer")
    async with (
        before(Tells(turn.body, after=go_on)) as proxy,
        asyncio.TaskGroup() as group,
    ):
        one = group.create_task(proxy.ask())
        await proxy.model.asked.wait()
        other = group.create_task(proxy.ask())
        await until_waiting(proxy, 2)
        go_on.set()
    first, joined = one.result(), other.result()
    assert len(proxy.model.calls) == 1
    assert [first.headers[OUTCOME], joined.headers[OUTCOME]] == ["miss", "coalesced"]
    assert text_of(first) == text_of(joined) == "one answer"
    assert first.json()["id"] != joined.json()["id"]
    assert joined.headers["cache-status"] == "stepcache; fwd=miss; collapsed"
    assert joined.headers["x-stepcache-tokens"] == "generated=0, reused=0"
    told = {event.outcome: event for event in proxy.heard.answered}
    assert told[Outcome.MISS].generated_tokens == 3
    assert told[Outcome.COALESCED].generated_tokens == 0
    assert told[Outcome.COALESCED].saved_tokens == 10


async def test_a_late_reader_gets_the_whole_stream_under_an_id_of_its_own() -> None:
    go_on = asyncio.Event()
    call: dict[str, object] = {"id": "call_1", "index": 0}
    parts = [delta("a "), delta("b ", id_="chatcmpl-model", tool=call)]  # type: ignore[arg-type]
    turn = Streams([*parts, go_on, delta("c"), finish(), usage(), DONE])
    async with before(turn) as proxy, streaming(proxy) as leader:
        pieces = leader.aiter_raw()
        begun = await anext(pieces)
        async with streaming(proxy) as follower:
            assert follower.headers[OUTCOME] == "coalesced"
            go_on.set()
            await follower.aread()
        whole = begun + b"".join([piece async for piece in pieces])
    assert len(proxy.model.calls) == 1
    (own,) = {event["id"] for event in events_of(follower)}
    assert isinstance(own, str)
    assert own != "chatcmpl-model"
    assert follower.content.replace(own.encode(), b"chatcmpl-model") == whole
    assert b"call_1" in follower.content


async def test_readers_in_other_forms_share_the_stream() -> None:
    go_on = asyncio.Event()
    turn = Streams([delta("a"), go_on, delta("b"), finish(), usage(), DONE])
    async with before(turn) as proxy, streaming(proxy) as leader:
        pieces = leader.aiter_raw()
        await anext(pieces)
        async with asyncio.TaskGroup() as group:
            whole = group.create_task(proxy.ask())
            options = {"include_usage": True}
            counted = group.create_task(proxy.ask(stream=True, stream_options=options))
            await until_waiting(proxy, 3)
            go_on.set()
        _ = [piece async for piece in pieces]
    assert len(proxy.model.calls) == 1
    assert whole.result().json()["choices"][0]["message"]["content"] == "ab"
    assert [bool(event.get("usage")) for event in events_of(counted.result())] == [
        False,
        False,
        False,
        True,
    ]


async def test_a_leader_that_leaves_does_not_cut_the_others() -> None:
    go_on = asyncio.Event()
    turn = Streams([delta("a"), go_on, delta("b"), finish(), usage(), DONE])
    async with before(turn) as proxy:
        async with asyncio.TaskGroup() as group:
            async with streaming(proxy) as leader:
                await anext(leader.aiter_raw())
                joined = group.create_task(proxy.ask(stream=True))
                await until_waiting(proxy, 2)
            await until_waiting(proxy, 1)
            go_on.set()
        again = await proxy.ask()
    assert text_of(joined.result()) == "ab"
    assert again.headers[OUTCOME] == "exact"


async def test_a_reader_who_hangs_up_at_the_end_does_not_undo_the_record() -> None:
    go_on = asyncio.Event()
    turn = Streams([delta("a"), finish(), usage(), DONE, go_on])
    async with before(turn) as proxy:
        async with streaming(proxy) as leader:
            async for piece in leader.aiter_raw():
                if DONE in piece:
                    break
        await proxy.heard.ended.wait()
        go_on.set()
        while proxy.flights._by_key:
            await anyio.lowlevel.checkpoint()
        again = await proxy.ask()
    assert again.headers[OUTCOME] == "exact"


async def test_the_call_ends_when_the_last_reader_has_left() -> None:
    hanging = Hangs()
    async with before(hanging) as proxy:
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(proxy.ask()) for _ in range(3)]
            await until_waiting(proxy, 3)
            for call in calls:
                call.cancel()
        await hanging.left.wait()
    assert len(proxy.model.calls) == 1


@pytest.mark.parametrize("status", [400, 500])
async def test_followers_of_a_leader_that_fails_try_again(status: int) -> None:
    go_on = asyncio.Event()
    refused = Tells(b'{"error":{"message":"no"}}', status, after=go_on)
    async with before(refused, says("right")) as proxy, asyncio.TaskGroup() as group:
        one = group.create_task(proxy.ask())
        await proxy.model.asked.wait()
        others = [group.create_task(proxy.ask()) for _ in range(2)]
        await until_waiting(proxy, 3)
        go_on.set()
    assert one.result().status_code == status
    assert [text_of(other.result()) for other in others] == ["right", "right"]
    seen = sorted(other.result().headers[OUTCOME] for other in others)
    assert seen in (["coalesced", "miss"], ["exact", "miss"])
    assert len(proxy.model.calls) == 2


async def test_a_stream_that_breaks_off_is_told_to_whoever_has_begun_to_read() -> None:
    go_on = asyncio.Event()
    turn = Streams([delta("a"), go_on], breaks_off=True)
    async with before(turn) as proxy, streaming(proxy) as leader:
        pieces = leader.aiter_raw()
        await anext(pieces)
        async with streaming(proxy) as follower:
            go_on.set()
            await follower.aread()
        rest = b"".join([piece async for piece in pieces])
    assert b"upstream_disconnected" in rest
    assert b"upstream_disconnected" in follower.content


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        pytest.param({"cache-control": "no-cache"}, {}, id="no-cache"),
        pytest.param({"cache-control": "no-store"}, {}, id="no-store"),
        pytest.param({"authorization": "Bearer b"}, {}, id="tenant"),
        pytest.param({"x-stepcache-namespace": "n"}, {}, id="namespace"),
        pytest.param({"x-stepcache-ttl": "9"}, {}, id="ttl"),
        pytest.param({}, {"max_tokens": 9}, id="limit"),
        pytest.param({}, {"seed": 1}, id="seed"),
    ],
)
async def test_only_identical_requests_share(
    headers: dict[str, str], fields: dict[str, int]
) -> None:
    go_on = asyncio.Event()
    waiting = Tells(says("a").body, after=go_on)
    async with before(waiting, says("b")) as proxy, asyncio.TaskGroup() as group:
        one = group.create_task(proxy.ask())
        await proxy.model.asked.wait()
        other = await proxy.ask("q", headers, **fields)
        go_on.set()
    assert [text_of(one.result()), text_of(other)] == ["a", "b"]


async def test_a_served_answer_is_not_shared_as_a_call() -> None:
    async with before(streams("a")) as proxy:
        await proxy.ask(stream=True)
        answers = await asyncio.gather(*[proxy.ask() for _ in range(5)])
    assert {answer.headers[OUTCOME] for answer in answers} == {"exact"}


async def test_another_credential_never_joins_a_call_it_was_not_made_with() -> None:
    go_on = asyncio.Event()
    waiting = Tells(says("a").body, after=go_on)
    shared = Arrangement(tenant="none")
    async with (
        before(waiting, says("b"), arrangement=shared) as proxy,
        asyncio.TaskGroup() as group,
    ):
        one = group.create_task(proxy.ask(headers={"authorization": "Bearer good"}))
        await proxy.model.asked.wait()
        other = await proxy.ask(headers={"authorization": "Bearer bad"})
        go_on.set()
    assert other.headers[OUTCOME] == "miss"
    assert one.result().headers[OUTCOME] == "miss"
    assert len(proxy.model.calls) == 2
