"""A WebSocket is joined to one of the upstream, or refused with an error object."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import Server, ServerConnection
from websockets.asyncio.server import serve as serve_websocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from stepcache_proxy.api.websocket import WebSocketRelay
from tests.http_servers import Answering, serve


async def echo(socket: ServerConnection) -> None:
    async for message in socket:
        if message == "bye":
            await socket.close(4001, "done")
            return
        await socket.send(message)


@asynccontextmanager
async def upstream(
    meet: Callable[[ServerConnection], Awaitable[None]] = echo,
) -> AsyncGenerator[tuple[Server, str]]:
    talk = [Subprotocol("talk")]
    async with serve_websocket(meet, "127.0.0.1", 0, subprotocols=talk) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield server, f"http://127.0.0.1:{port}/v1"


@asynccontextmanager
async def client_of(root: str) -> AsyncGenerator[ClientConnection]:
    async with serve(WebSocketRelay(root)) as url:
        address = url.replace("http", "ws", 1) + "/v1/realtime?a=%20b"
        async with connect(
            address,
            subprotocols=[Subprotocol("other"), Subprotocol("talk")],
            additional_headers={"authorization": "Bearer k", "x-stepcache-mode": "off"},
            proxy=None,
        ) as client:
            yield client


async def test_messages_go_both_ways_with_path_headers_and_subprotocol() -> None:
    requests = []

    async def meet(socket: ServerConnection) -> None:
        requests.append(socket.request)
        await echo(socket)

    async with upstream(meet) as (_, root), client_of(root) as client:
        for message in ("text å", b"\x00\xff", ""):
            await client.send(message)
            assert await client.recv() == message
        assert client.subprotocol == "talk"
    (request,) = requests
    assert request is not None
    assert request.path == "/v1/realtime?a=%20b"
    assert request.headers["authorization"] == "Bearer k"
    assert "x-stepcache-mode" not in request.headers


async def test_a_close_of_the_upstream_reaches_the_client() -> None:
    async with upstream() as (_, root), client_of(root) as client:
        await client.send("bye")
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert (client.close_code, client.close_reason) == (4001, "done")


async def test_a_close_of_the_client_reaches_the_upstream() -> None:
    sockets = []

    async def meet(socket: ServerConnection) -> None:
        sockets.append(socket)
        await echo(socket)

    async with upstream(meet) as (_, root), client_of(root) as client:
        await client.send("x")
        await client.recv()
        await client.close(4002, "enough")
        await sockets[0].wait_closed()
    assert sockets[0].close_code == 4002
    assert sockets[0].close_reason == "enough"


async def test_an_upstream_without_websockets_is_a_501() -> None:
    async with serve(Answering()) as url:
        with pytest.raises(InvalidStatus) as caught:
            async with client_of(url):
                pass
    answer = caught.value.response
    assert answer.status_code == 501
    assert answer.headers["x-stepcache-outcome"] == "bypass"
    error = orjson.loads(answer.body or b"")["error"]
    assert error["code"] == "websocket_not_supported"


async def test_an_unreachable_upstream_is_a_501() -> None:
    async with serve(Answering()) as url:
        pass
    with pytest.raises(InvalidStatus):
        async with client_of(url):
            pass
