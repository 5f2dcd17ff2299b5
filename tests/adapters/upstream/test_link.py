"""Questions to the server are bounded in time and size."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from stepcache_proxy.adapters.upstream.link import Link, link_to
from stepcache_proxy.adapters.upstream.transport import AiohttpTransport
from stepcache_proxy.errors import UpstreamError, UpstreamTimeoutError
from tests.http_servers import Answering, Wire, serve, serve_bytes


@asynccontextmanager
async def linked(url: str) -> AsyncGenerator[Link]:
    transport = AiohttpTransport()
    yield link_to(url, transport, 5, 5)
    await transport.aclose()


async def test_a_question_waits_only_so_long() -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.until_closed()

    async with serve_bytes(meet) as url, linked(url) as link:
        with pytest.raises(UpstreamTimeoutError):
            await link.ask("GET", b"/", within_s=0.05)


async def test_an_answer_is_read_only_so_far() -> None:
    app = Answering(parts=[b"12", b"34"])
    async with serve(app) as url, linked(url) as link:
        assert await link.ask("GET", b"/", within_s=5) == (200, b"1234")
        async with link.open("GET", b"/", []) as response:
            with pytest.raises(UpstreamError, match="too large"):
                await response.read(3)
