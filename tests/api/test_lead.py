"""What the upstream streams goes on at once: the head, then each event in turn."""

import asyncio

import orjson
import pytest

from stepcache_proxy.wire.jsonvalue import Json
from stepcache_proxy.wire.sse import DONE, encode
from tests.api.proxy import CHAT, Arrangement, Model, before_url
from tests.fakes import body_of
from tests.http_servers import Wire, serve_bytes

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


def event(delta: dict[str, Json], finish: str | None = None) -> bytes:
    choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
    return encode({"id": "c", "object": "o", "model": "m", "choices": [choice]})


@pytest.mark.parametrize("mode", ["exact", "verified"])
async def test_an_event_goes_out_before_the_next_one_comes(mode: str) -> None:
    goes_on = [asyncio.Event() for _ in range(4)]
    events = [
        event({"role": "assistant", "content": ""}),
        event({"content": "One "}),
        event({"content": "two."}),
        event({}, "stop") + DONE,
    ]

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(HEAD)
        for may_go, said in zip(goes_on, events, strict=True):
            await may_go.wait()
            await wire.answer(said)

    body = orjson.dumps(body_of("q", stream=True))
    async with (
        serve_bytes(meet) as url,
        before_url(url, Model([]), Arrangement()) as proxy,
        proxy.client.stream(
            "POST", CHAT, content=body, headers={"x-stepcache-mode": mode}
        ) as answer,
    ):
        assert answer.headers["x-stepcache-outcome"] == "miss"
        pieces = answer.aiter_raw()
        for may_go, said in zip(goes_on[:3], events[:3], strict=True):
            may_go.set()
            assert await anext(pieces) == said
        goes_on[3].set()
        assert b"".join([piece async for piece in pieces]) == events[3]


async def test_events_that_come_together_go_on_together() -> None:
    events = [event({"content": word}) for word in ("a ", "b ", "c")]
    tail = event({}, "stop") + DONE
    may_end = asyncio.Event()

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(HEAD + b"".join(events))
        await may_end.wait()
        await wire.answer(tail)

    body = orjson.dumps(body_of("q", stream=True))
    async with (
        serve_bytes(meet) as url,
        before_url(url, Model([]), Arrangement()) as proxy,
        proxy.client.stream("POST", CHAT, content=body) as answer,
    ):
        pieces = answer.aiter_raw()
        assert await anext(pieces) == b"".join(events)
        may_end.set()
        assert b"".join([piece async for piece in pieces]) == tail
