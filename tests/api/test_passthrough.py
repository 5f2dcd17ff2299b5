"""What is not cached goes through as it is, both ways, and never ends by accident."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.api.passthrough import PassThrough
from stepcache_proxy.reuse.events import Answered, Event, RequestStarted
from stepcache_proxy.reuse.model import Outcome
from tests.http_servers import Answering, Wire, event_stream, serve, serve_bytes

LIMIT = 3 * 1024 * 1024
ERROR_FRAME = b'data: {"error":'


@dataclass(slots=True)
class Events:
    events: list[Event] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def record(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Answered):
            self.ended.set()

    @property
    def answered(self) -> Answered:
        assert [type(event) for event in self.events] == [RequestStarted, Answered]
        event = self.events[-1]
        assert isinstance(event, Answered)
        return event


@dataclass(frozen=True, slots=True)
class Proxy:
    client: httpx.AsyncClient
    recorded: Events


@asynccontextmanager
async def before(url: str, *, timeout_s: float = 5) -> AsyncGenerator[Proxy]:
    upstream = HttpUpstream(url, "openai", timeout_s=timeout_s)
    recorded = Events()
    loop = asyncio.get_running_loop()
    app = PassThrough(
        upstream, recorder=recorded, clock=loop.time, max_body_bytes=LIMIT
    )
    async with (
        serve(app) as address,
        httpx.AsyncClient(base_url=address, trust_env=False) as client,
    ):
        yield Proxy(client, recorded)
    await upstream.aclose()


@asynccontextmanager
async def before_app(app: ASGIApp) -> AsyncGenerator[Proxy]:
    async with serve(app) as url, before(url) as proxy:
        yield proxy


@pytest.mark.parametrize(
    "method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PURGE"]
)
async def test_any_method_and_path_go_through(method: str) -> None:
    app = Answering(headers=[(b"content-length", b"2")])
    target = "/v1/files/a%2Fb%20c/d?x=1&x=2&empty=&q=%C3%A5"
    body = b"\x00\xff" if method.startswith("P") else None
    async with before_app(app) as proxy:
        answer = await proxy.client.request(method, target, content=body)
    assert answer.status_code == 200
    assert answer.headers["content-length"] == "2"
    assert answer.content == (b"" if method == "HEAD" else b"ok")
    assert app.seen[0].method == method
    assert app.seen[0].target == target.encode()
    assert app.seen[0].body == (body or b"")
    assert answer.headers["x-stepcache-outcome"] == "bypass"
    assert answer.headers["x-stepcache-reason"] == "endpoint"
    assert answer.headers["cache-status"].startswith("stepcache; fwd=bypass")


@pytest.mark.parametrize("status", [201, 204, 301, 304, 404, 418, 503])
async def test_a_status_is_the_upstreams(status: int) -> None:
    has_body = status not in {204, 304}
    app = Answering(
        status=status,
        headers=[(b"location", b"/b"), (b"set-cookie", b"a"), (b"set-cookie", b"b")],
        parts=[b"told"] if has_body else [],
    )
    async with before_app(app) as proxy:
        answer = await proxy.client.get("/a")
    assert answer.status_code == status
    assert answer.content == (b"told" if has_body else b"")
    assert answer.headers["location"] == "/b"
    assert answer.headers.get_list("set-cookie") == ["a", "b"]
    assert proxy.recorded.answered.status == status
    assert len(app.seen) == 1


async def test_a_not_modified_may_name_a_length() -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(b"HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n")

    async with serve_bytes(meet) as url, before(url) as proxy:
        assert (await proxy.client.get("/")).status_code == 304


async def test_a_large_body_is_streamed_up_unchanged() -> None:
    whole = bytes(range(256)) * 8192
    app = Answering()

    async def parts() -> AsyncGenerator[bytes]:
        for start in range(0, len(whole), 60_000):
            yield whole[start : start + 60_000]

    async with before_app(app) as proxy:
        await proxy.client.post("/a", content=whole)
        await proxy.client.post("/a", content=parts())
    assert [seen.body == whole for seen in app.seen] == [True, True]
    assert (b"content-length", b"%d" % len(whole)) in app.seen[0].headers


@pytest.mark.parametrize("is_chunked", [False, True])
async def test_a_body_over_the_limit_is_refused(is_chunked: bool) -> None:
    async def parts() -> AsyncGenerator[bytes]:
        for _ in range(LIMIT // 65536 + 1):
            yield bytes(65536)

    app = Answering()
    async with before_app(app) as proxy:
        content = parts() if is_chunked else bytes(LIMIT + 1)
        answer = await proxy.client.post("/a", content=content)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "request_too_large"
    assert answer.headers["x-stepcache-outcome"] == "bypass"
    assert answer.headers["x-stepcache-reason"] == "param:body"
    assert proxy.recorded.answered.status == 413
    assert app.seen == []


async def test_a_stream_is_passed_on_as_it_comes_and_marked_unbuffered() -> None:
    go_on = asyncio.Event()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(head, b"data: 1\n\n")
        await go_on.wait()
        await wire.answer(b": odd\r\n\r\nevent: e\ndata: \xc3", b"\xa5\n\ndata: tail")

    async with (
        serve_bytes(meet) as url,
        before(url) as proxy,
        proxy.client.stream("POST", "/a") as answer,
    ):
        assert answer.headers["x-accel-buffering"] == "no"
        assert answer.headers["cache-control"] == "no-cache"
        pieces = answer.aiter_raw()
        assert await anext(pieces) == b"data: 1\n\n"
        go_on.set()
        rest = b"".join([piece async for piece in pieces])
        await proxy.recorded.ended.wait()
    assert rest == b": odd\r\n\r\nevent: e\ndata: \xc3\xa5\n\ndata: tail"
    assert proxy.recorded.answered.is_stream


async def test_a_stream_that_breaks_off_ends_with_an_error_event() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"

    async def meet(wire: Wire) -> None:
        await wire.request()
        chunk = b'data: {"a":1}\n\ndata: {"hal'
        await wire.answer(head + b"transfer-encoding: chunked\r\n\r\n")
        await wire.answer(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    async with serve_bytes(meet) as url, before(url) as proxy:
        answer = await proxy.client.post("/a")
    first, error, rest = answer.content.split(b"\n\n")
    assert first == b'data: {"a":1}'
    assert error.startswith(ERROR_FRAME)
    assert b"upstream_disconnected" in error
    assert rest == b""


async def test_a_break_after_the_end_of_a_stream_is_no_error() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(head + b"content-length: 99\r\n\r\ndata: [DONE]\n\n")

    async with serve_bytes(meet) as url, before(url) as proxy:
        assert (await proxy.client.post("/a")).content == b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    "framing",
    [
        pytest.param(b"content-length: 9\r\n\r\nhalf", id="length"),
        pytest.param(b"transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n", id="chunks"),
    ],
)
async def test_another_body_that_breaks_off_is_cut(framing: bytes) -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(b"HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\n" + framing)

    async with serve_bytes(meet) as url, before(url) as proxy:
        with pytest.raises(httpx.RemoteProtocolError):
            await proxy.client.post("/a")


async def test_an_unreachable_upstream_is_a_502() -> None:
    async with serve(Answering()) as url:
        pass
    async with before(url) as proxy:
        answer = await proxy.client.post("/a", content=b"x")
    assert answer.status_code == 502
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["x-stepcache-outcome"] == "miss"
    assert answer.headers["x-stepcache-reason"] == "upstream-error"
    assert answer.json()["error"]["code"] == "upstream_unavailable"
    assert proxy.recorded.answered.outcome is Outcome.MISS


async def test_a_silent_upstream_is_a_504_that_is_not_to_be_repeated() -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.until_closed()

    async with serve_bytes(meet) as url, before(url, timeout_s=0.05) as proxy:
        answer = await proxy.client.post("/a")
    assert answer.status_code == 504
    assert answer.headers["x-should-retry"] == "false"
    assert answer.json()["error"]["code"] == "upstream_timeout"


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param(b"", id="before the head"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\nx", id="inside the answer"),
    ],
)
async def test_a_client_that_leaves_stops_the_upstream(begun: bytes) -> None:
    closed, asked = asyncio.Event(), asyncio.Event()

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(begun)
        asked.set()
        await wire.until_closed()
        closed.set()

    async with serve_bytes(meet) as url, before(url) as proxy:
        async with asyncio.TaskGroup() as group:
            call = group.create_task(proxy.client.post("/a", content=b"x"))
            await asked.wait()
            call.cancel()
        await closed.wait()
        await proxy.recorded.ended.wait()
    assert proxy.recorded.answered.status == 499


async def test_a_client_that_leaves_while_it_uploads_stops_the_upstream() -> None:
    closed, begun = asyncio.Event(), asyncio.Event()

    async def meet(wire: Wire) -> None:
        await wire.reader.readuntil(b"\r\n\r\n")
        begun.set()
        await wire.until_closed()
        closed.set()

    async def parts() -> AsyncGenerator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    async with serve_bytes(meet) as url, before(url) as proxy:
        async with asyncio.TaskGroup() as group:
            call = group.create_task(proxy.client.post("/a", content=parts()))
            await begun.wait()
            call.cancel()
        await closed.wait()
        await proxy.recorded.ended.wait()
    assert proxy.recorded.answered.status == 499


async def test_a_body_that_was_read_already_is_relayed_for_its_reason() -> None:
    app = event_stream(b"data: 1\n\n")
    recorded = Events()
    async with serve(app) as url:
        upstream = HttpUpstream(url, "openai")
        passthrough = PassThrough(
            upstream, recorder=recorded, clock=lambda: 0.0, max_body_bytes=LIMIT
        )

        async def chat(scope: Scope, receive: Receive, send: Send) -> None:
            body = (await receive())["body"]
            await passthrough.relay(
                scope, receive, send, reason="param:n", body=body, endpoint="chat"
            )

        async with (
            serve(chat) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            answer = await client.post("/v1/chat/completions", content=b'{"n":2}')
        await upstream.aclose()
    assert app.seen[0].body == b'{"n":2}'
    assert answer.headers["x-stepcache-reason"] == "param:n"
    assert recorded.answered.endpoint == "chat"
