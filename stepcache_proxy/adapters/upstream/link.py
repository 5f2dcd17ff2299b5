"""Requests to one model server, sent as they are."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from stepcache_proxy.adapters.upstream.response import (
    UpstreamResponse,
    faults_as_ours,
)
from stepcache_proxy.errors import ConfigError, UpstreamTimeoutError
from stepcache_proxy.wire.headers import RawHeaders

_MAX_ASKED_BYTES = 4 * 1024 * 1024


class _Upload(httpx.AsyncByteStream):
    """A request body that comes from somewhere else and can be sent once."""

    def __init__(self, parts: AsyncIterator[bytes]) -> None:
        self._parts = parts

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._parts


@dataclass(frozen=True, slots=True)
class Link:
    """The address of the server and the transport that reaches it."""

    origin: httpx.URL
    path: bytes
    timeout: Mapping[str, float]
    transport: httpx.AsyncBaseTransport

    @asynccontextmanager
    async def open(
        self,
        method: str,
        target: bytes,
        headers: RawHeaders,
        body: bytes | AsyncIterator[bytes] | None = None,
    ) -> AsyncGenerator[UpstreamResponse]:
        """One request; leaving early closes the connection, so the model stops.

        ``target`` is a raw path with its query. Raises UpstreamError and
        UpstreamTimeoutError.
        """
        request = self._request(method, target, headers, body)
        with faults_as_ours():
            response = await self.transport.handle_async_request(request)
        stream = response.stream
        assert isinstance(stream, httpx.AsyncByteStream)
        try:
            yield UpstreamResponse(response.status_code, response.headers.raw, stream)
        finally:
            await stream.aclose()

    async def ask(
        self,
        method: str,
        target: bytes,
        headers: RawHeaders = (),
        body: bytes | None = None,
        *,
        within_s: float,
    ) -> tuple[int, bytes]:
        """A small question: the status and the whole body, bounded in time and size."""
        try:
            async with (
                asyncio.timeout(within_s),
                self.open(method, target, headers, body) as response,
            ):
                return response.status, await response.read(_MAX_ASKED_BYTES)
        except TimeoutError as late:
            msg = "The upstream did not answer in time"
            raise UpstreamTimeoutError(msg) from late

    def _request(
        self,
        method: str,
        target: bytes,
        headers: RawHeaders,
        body: bytes | AsyncIterator[bytes] | None,
    ) -> httpx.Request:
        # A target like "*" must not become part of the authority.
        rooted = target if target.startswith(b"/") else b"/" + target
        return httpx.Request(
            method,
            self.origin,
            headers=list(headers),
            stream=_stream(body),
            extensions={"target": self.path + rooted, "timeout": self.timeout},
        )


def _stream(body: bytes | AsyncIterator[bytes] | None) -> httpx.AsyncByteStream:
    if body is None or isinstance(body, bytes):
        return httpx.ByteStream(body or b"")
    return _Upload(body)


def link_to(
    root_url: str,
    transport: httpx.AsyncBaseTransport,
    timeout_s: float,
    connect_timeout_s: float,
) -> Link:
    """A link to the root of a server, given with or without a trailing ``/v1``.

    ``timeout_s`` bounds every silence, ``connect_timeout_s`` getting a connection.
    """
    url = httpx.URL(root_url)
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo:
        msg = "upstream.url: give http:// or https://, a host, and no user name"
        raise ConfigError(msg)
    path = url.raw_path.partition(b"?")[0].rstrip(b"/")
    timeout = {"connect": connect_timeout_s, "read": timeout_s, "write": timeout_s}
    root = path.removesuffix(b"/v1").rstrip(b"/")
    return Link(url.copy_with(raw_path=b"/"), root, timeout, transport)
