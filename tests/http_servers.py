"""HTTP servers on the loopback interface, well-behaved and not."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import orjson
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@asynccontextmanager
async def serve(app: ASGIApp) -> AsyncGenerator[str]:
    """``app`` behind a real uvicorn; yields its address.

    The socket listens before the server accepts, so a request sent at once waits
    instead of being refused.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        config = uvicorn.Config(
            app,
            log_config=None,
            lifespan="off",
            server_header=False,
            date_header=False,
            ws="websockets-sansio",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        # No task group: it would wrap what the test raises.
        loop = asyncio.get_running_loop()
        running = loop.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


@dataclass(slots=True)
class Wire:
    """One connection as raw bytes."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int

    async def request(self) -> bytes:
        """The next request, head and body; EOF is an IncompleteReadError."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return head + await self.reader.readexactly(length)

    async def answer(self, *parts: bytes) -> None:
        """Write ``parts`` one after the other."""
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()

    async def until_closed(self) -> None:
        """Return when the other side has gone."""
        with suppress(ConnectionError):
            while await self.reader.read(65536):
                pass


@asynccontextmanager
async def serve_bytes(
    meet: Callable[[Wire], Awaitable[None]],
) -> AsyncGenerator[str]:
    """A server without manners: ``meet`` gets every connection as it is opened."""
    count = 0

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await meet(Wire(reader, writer, count))
        writer.close()

    server = await asyncio.start_server(met, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@dataclass(slots=True)
class Seen:
    """One request as a server saw it."""

    method: str
    target: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes


@dataclass(slots=True)
class Answering:
    """An ASGI app that notes every request and gives each the same answer."""

    status: int = 200
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=lambda: [b"ok"])
    seen: list[Seen] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        is_more = True
        while is_more:
            message: Message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            is_more = message.get("more_body", False)
        query: bytes = scope["query_string"]
        target: bytes = scope["raw_path"] + (b"?" + query if query else b"")
        self.seen.append(Seen(scope["method"], target, list(scope["headers"]), body))
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": self.headers,
            }
        )
        for part in self.parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def event_stream(*parts: bytes) -> Answering:
    """An app that streams ``parts`` as server-sent events."""
    kind = (b"content-type", b"text/event-stream; charset=utf-8")
    return Answering(headers=[kind], parts=list(parts))


@dataclass(slots=True)
class Routes:
    """Several ``Answering`` by path; any other path is a 404."""

    by_path: Mapping[str, ASGIApp]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        nowhere = Answering(status=404, parts=[b'{"detail":"Not Found"}'])
        await self.by_path.get(scope["path"], nowhere)(scope, receive, send)


@dataclass(slots=True)
class InTurn:
    """Another app for every request."""

    apps: list[Answering]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.apps.pop(0)(scope, receive, send)


def json_answer(value: object, status: int = 200) -> Answering:
    """An app that answers with a JSON body."""
    kind = (b"content-type", b"application/json")
    return Answering(status=status, headers=[kind], parts=[orjson.dumps(value)])
