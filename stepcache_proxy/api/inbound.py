"""A request on its way in: its headers, its body, and whether its sender has left."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping

from starlette.types import Receive

from stepcache_proxy.api.asgi import (
    body_parts,
    read_body,
    too_large,
    until_disconnect,
)
from stepcache_proxy.errors import StepcacheError
from stepcache_proxy.wire.headers import RawHeaders, value

# Up to here a body is read first: it can then be sent a second time if an idle
# connection turns out to be closed.
_READ_FIRST_BYTES = 1024 * 1024


def read_headers(lines: RawHeaders) -> Mapping[str, str]:
    """Header lines as a mapping of lower-case names; repeated ones are joined."""
    headers: dict[str, str] = {}
    for name, content in lines:
        key, text = name.decode("latin-1").lower(), content.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


class Inbound:
    """One request body, read once, watched afterwards."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._is_read = asyncio.Event()
        self.fault: StepcacheError | None = None

    async def body(self, headers: RawHeaders) -> bytes | AsyncIterator[bytes] | None:
        """The body to send: None, small bytes, or a stream of a large one.

        Raises BodyTooLargeError, ClientGoneError. A stream that fails leaves the
        same error in ``fault``, since whoever sends it hides the cause.
        """
        is_chunked = value(headers, b"transfer-encoding") is not None
        length = value(headers, b"content-length")
        size = int(length) if length is not None and length.isdecimal() else 0
        if not is_chunked and size > self._limit:
            raise too_large(self._limit)
        if is_chunked or size > _READ_FIRST_BYTES:
            return self._parts()
        body = await read_body(self._receive, self._limit)
        self._is_read.set()
        return body or None

    def read_already(self) -> None:
        """Somebody else has read the body."""
        self._is_read.set()

    async def gone(self) -> None:
        """Returns when the client has left after the body was read."""
        await self._is_read.wait()
        await until_disconnect(self._receive)

    async def _parts(self) -> AsyncGenerator[bytes]:
        try:
            async for part in body_parts(self._receive, self._limit):
                yield part
        except StepcacheError as fault:
            self.fault = fault
            raise
        self._is_read.set()
