"""The answer of the upstream as raw bytes, and its faults as ours."""

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass

import httpx

from stepcache_proxy.errors import UpstreamError, UpstreamTimeoutError
from stepcache_proxy.wire.headers import RawHeaders

MAX_REPLY_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class UpstreamResponse:
    """The head of an answer; its body is still to come."""

    status: int
    headers: RawHeaders
    body: httpx.AsyncByteStream

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The raw body as it arrives, nothing decoded.

        Raises UpstreamError if it breaks off, UpstreamTimeoutError on a long silence.
        """
        with faults_as_ours():
            async for chunk in self.body:
                yield chunk

    async def read(self, limit: int = MAX_REPLY_BYTES) -> bytes:
        """The whole body; UpstreamError if it is over ``limit`` bytes."""
        body = bytearray()
        async with aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > limit:
                    msg = "The upstream's answer is too large"
                    raise UpstreamError(msg)
        return bytes(body)


@contextmanager
def faults_as_ours() -> Generator[None]:
    """The one place where httpx's errors become ours; the cause has the details."""
    try:
        yield
    except httpx.TimeoutException as fault:
        msg = "The upstream did not answer in time"
        raise UpstreamTimeoutError(msg) from fault
    except (httpx.ConnectError, httpx.UnsupportedProtocol) as fault:
        msg = "The upstream is unreachable"
        raise UpstreamError(msg) from fault
    except httpx.TransportError as fault:
        msg = "The upstream closed the connection"
        raise UpstreamError(msg) from fault
