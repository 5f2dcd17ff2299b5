"""A server that ends answers what is on its way to it, and nothing more."""

import asyncio
import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn

from stepcache_proxy.app import parting
from stepcache_proxy.app.parting import PartingServer
from tests.http_servers import json_answer

ASKED = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"
LAST = b"connection: close"


@asynccontextmanager
async def serving() -> AsyncGenerator[tuple[PartingServer, int, asyncio.Task[None]]]:
    """A server, its port, and its life."""
    ready = asyncio.Event()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]
        config = uvicorn.Config(json_answer({}), log_config=None, lifespan="off")
        server = PartingServer(config, ready.set, None)
        life = asyncio.get_running_loop().create_task(server.serve([listener]))
        await ready.wait()
        try:
            yield server, port, life
        finally:
            server.force_exit = server.should_exit = True
            await life


async def said(reader: asyncio.StreamReader) -> bytes:
    """The head of an answer; its body is read too."""
    head = await reader.readuntil(b"\r\n\r\n")
    if b"chunked" in head:
        await reader.readuntil(b"0\r\n\r\n")
    return head


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def until_refused(port: int) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                return
            except ConnectionResetError:
                continue  # it was at the door when the door was closed
            await hang_up(writer)
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "is_used", [pytest.param(False, id="new"), pytest.param(True, id="kept alive")]
)
async def test_a_request_on_an_open_connection_is_the_last_one(
    is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parting, "_LINGER_SECONDS", 30)
    async with serving() as (server, port, life):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        if is_used:
            writer.write(ASKED)
            assert LAST not in await said(reader)
        server.handle_exit(signal.SIGTERM, None)
        await until_refused(port)
        assert not life.done()
        writer.write(ASKED)
        head = await said(reader)
        assert head.startswith(b"HTTP/1.1 200")
        assert LAST in head
        assert await reader.read() == b""
        await hang_up(writer)
        async with asyncio.timeout(25):  # nobody is left to wait for
            await life


async def test_a_connection_that_brings_nothing_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parting, "_LINGER_SECONDS", 0.05)
    async with serving() as (server, port, life):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        server.handle_exit(signal.SIGTERM, None)
        async with asyncio.timeout(30):
            assert await reader.read() == b""
            await life
        await hang_up(writer)
