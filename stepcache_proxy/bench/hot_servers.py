"""What the hot path is measured against: a stub upstream, a bare handler and relay.

``python -m stepcache_proxy.bench.hot_servers stub --port P`` (or ``bare``, with
``--upstream URL``) runs one in the foreground.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import aiohttp
import orjson
import uvicorn
import uvloop
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from stepcache_proxy.bench.child import Child, free_port

EVENTS = 200
SLOW_EVENTS, SLOW_SECONDS = 20, 0.25
PACED_EVENTS, PACED_SECONDS = 5, 0.005
SLOW, PACED = b"take your time", b"word by word"
EQUATION = b"3x + 4 = 19"
WORKED = (
    "Step 1: Start from 3x + 4 = 19.\nStep 2: Subtract 4 from both sides: 3x = 15.\n"
    "Step 3: Divide both sides by 3: x = 5.\nAnswer: x = 5"
)
PLAIN = "The light keeps the ships away from the rocks. " * 5


def server(role: str, log: Path, *, upstream: str = "") -> Child:
    """The stub or the bare server, to be started."""
    port = free_port()
    more = ("--upstream", upstream) if upstream else ()
    command = (sys.executable, "-m", __name__, role, "--port", str(port), *more)
    return Child(f"the {role} server", command, port, "/health", log)


def answer_bytes(text: str = PLAIN) -> bytes:
    """The stub's whole answer."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 60, "total_tokens": 80}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
    return orjson.dumps({**head, "choices": [choice], "usage": usage})


class Stub(asyncio.Protocol):
    """Answers every request at once, from prepared bytes."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        # uvloop's transports are none by inheritance.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer each request that is whole."""
        self._buffer += data
        while (end := _end_of_request(self._buffer)) is not None:
            asked = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._answer(asked)

    def _answer(self, asked: bytes) -> None:
        assert self._transport is not None
        if b'"stream":true' in asked:
            events, pace = _pace_of(asked)
            self._transport.write(_STREAM_HEAD)
            loop = asyncio.get_running_loop()
            loop.call_later(pace, self._event, events, pace)
        elif EQUATION in asked:
            self._transport.write(_WORKED)
        else:
            self._transport.write(_PLAIN)

    def _event(self, left: int, pace: float) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if not left:
            transport.write(_LAST)
        else:
            transport.write(_EVENT)
            loop = asyncio.get_running_loop()
            loop.call_later(pace, self._event, left - 1, pace)


def _pace_of(asked: bytes) -> tuple[int, float]:
    """How many events follow the first one, and how many seconds apart."""
    if SLOW in asked:
        return SLOW_EVENTS, SLOW_SECONDS
    return (PACED_EVENTS, PACED_SECONDS) if PACED in asked else (EVENTS, 0.0)


def _end_of_request(buffer: bytearray) -> int | None:
    head = buffer.find(b"\r\n\r\n")
    if head < 0:
        return None
    _, found, rest = bytes(buffer[:head]).lower().partition(b"content-length:")
    end = head + 4 + (int(rest.partition(b"\r\n")[0]) if found else 0)
    return end if len(buffer) >= end else None


def _whole(body: bytes) -> bytes:
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1}
    line = b"data: " + orjson.dumps({**head, "model": "m", "choices": [choice]})
    return _framed(line + b"\n\n")


def _framed(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


_PLAIN, _WORKED = _whole(answer_bytes()), _whole(answer_bytes(WORKED))
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
) + _chunk({"role": "assistant", "content": ""})
_EVENT = _chunk({"content": "light "})
_LAST = _chunk({}, "stop") + _framed(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def bare(upstream: str) -> FastAPI:
    """A FastAPI handler that returns the same bytes, and one that relays."""
    sessions: list[aiohttp.ClientSession] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            sessions.append(session)
            yield

    app = FastAPI(lifespan=lifespan)
    body = answer_bytes()

    @app.post("/bare")
    async def handle(request: Request) -> Response:
        await request.body()
        return Response(body, media_type="application/json")

    @app.get("/health")
    async def health() -> Response:
        return Response()

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def relay(path: str, request: Request) -> Response:
        asked = await request.body()
        call = sessions[0].request(request.method, f"{upstream}/{path}", data=asked)
        response = await call
        kind = response.headers.get("content-type")
        if kind != "text/event-stream":
            return Response(await response.read(), media_type=kind)
        return StreamingResponse(response.content.iter_any(), media_type=kind)

    return app


async def _serve_stub(port: int) -> None:
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(Stub, "127.0.0.1", port, backlog=2048)
    await listening.serve_forever()


def main() -> None:
    """Serve until SIGTERM."""
    options = argparse.ArgumentParser(prog="hot_servers", description=__doc__)
    options.add_argument("role", choices=("stub", "bare"))
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--upstream", default="")
    args = options.parse_args()
    if args.role == "stub":
        uvloop.run(_serve_stub(args.port))
        return
    app = bare(args.upstream)
    uvicorn.run(app, port=args.port, log_level="error", access_log=False)


if __name__ == "__main__":
    main()
