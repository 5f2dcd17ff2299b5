"""httpx's transport seam over aiohttp, sending exactly the bytes it was given.

Chosen by measurement: behind one handler a whole httpx client answered less than half
as many requests a second. The packaged bridge re-quotes paths, joins repeated headers
and reports a lost connection as a timeout, all of which a relay must not do.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from urllib.parse import quote

import aiohttp
import httpx
from multidict import CIMultiDict
from yarl import URL

# uvicorn, vLLM and llama.cpp close an idle connection after 5 s.
KEEPALIVE_SECONDS = 4.0
_MAX_LINE_BYTES = 64 * 1024
_MAX_HEADERS = 512
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_NO_DEFAULTS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")

_CLOSED_MEANWHILE = (
    aiohttp.ServerDisconnectedError,
    aiohttp.ClientConnectionResetError,
    aiohttp.ClientOSError,
)
# The most specific class comes first.
_FAULTS: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (
    (aiohttp.ConnectionTimeoutError, httpx.ConnectTimeout),
    (TimeoutError, httpx.ReadTimeout),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (aiohttp.ServerDisconnectedError, httpx.RemoteProtocolError),
    (aiohttp.ClientPayloadError, httpx.RemoteProtocolError),
    (aiohttp.ClientResponseError, httpx.RemoteProtocolError),
    (aiohttp.InvalidURL, httpx.UnsupportedProtocol),
    (aiohttp.ClientError, httpx.ReadError),
    (OSError, httpx.ReadError),
)


class AiohttpTransport(httpx.AsyncBaseTransport):
    """Sends a request's headers and its ``target`` extension byte for byte.

    Adds Host, the framing of the body, and nothing else; keeps no cookies, follows no
    redirects, decodes nothing, reads no environment. A connection that was idle and
    turns out to be closed is replaced once, if no byte of an answer had come and the
    body can be sent again.
    """

    def __init__(self) -> None:
        self._pooled: aiohttp.ClientSession | None = None
        self._fresh: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response as soon as its headers are there; raises httpx's errors."""
        body = request.stream
        assert isinstance(body, httpx.AsyncByteStream)
        with _faults_of_httpx():
            if isinstance(body, httpx.ByteStream):
                response = await self._send_again(request, b"".join(body))
            else:
                # Nothing can be sent twice, so it must not meet a closed connection.
                response = await self._send(self._fresh_session(), request, body)
        return httpx.Response(
            response.status,
            headers=list(response.raw_headers),
            stream=_Body(response),
            request=request,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        for session in (self._pooled, self._fresh):
            if session is not None:
                await session.close()

    async def _send_again(
        self, request: httpx.Request, body: bytes
    ) -> aiohttp.ClientResponse:
        attempt = _Attempt()
        try:
            return await self._send(
                self._pooled_session(), request, body or None, attempt
            )
        except _CLOSED_MEANWHILE:
            if not attempt.is_reused:
                raise
        return await self._send(self._fresh_session(), request, body or None)

    async def _send(
        self,
        session: aiohttp.ClientSession,
        request: httpx.Request,
        body: bytes | AsyncIterable[bytes] | None,
        attempt: "_Attempt | None" = None,
    ) -> aiohttp.ClientResponse:
        return await session.request(
            request.method,
            _url(request),
            data=body,
            headers=CIMultiDict((_text(k), _text(v)) for k, v in request.headers.raw),
            allow_redirects=False,
            timeout=_timeout(request),
            trace_request_ctx=attempt,
        )

    def _pooled_session(self) -> aiohttp.ClientSession:
        if self._pooled is None:
            trace = aiohttp.TraceConfig()
            trace.on_connection_reuseconn.append(_mark_reused)
            self._pooled = _session(
                aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPALIVE_SECONDS),
                [trace],
            )
        return self._pooled

    def _fresh_session(self) -> aiohttp.ClientSession:
        if self._fresh is None:
            self._fresh = _session(aiohttp.TCPConnector(limit=0, force_close=True), [])
        return self._fresh


@dataclass(slots=True)
class _Attempt:
    is_reused: bool = False


async def _mark_reused(
    _session: aiohttp.ClientSession,
    context: SimpleNamespace,
    _params: aiohttp.TraceConnectionReuseconnParams,
) -> None:
    if isinstance(context.trace_request_ctx, _Attempt):
        context.trace_request_ctx.is_reused = True


class _Body(httpx.AsyncByteStream):
    """Raw bytes as they arrive; closed before the end, the connection is dropped."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        with _faults_of_httpx():
            async for chunk in self._response.content.iter_any():
                yield chunk

    async def aclose(self) -> None:
        self._response.close()


def _session(
    connector: aiohttp.TCPConnector, traces: list[aiohttp.TraceConfig]
) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=_NO_DEFAULTS,
        auto_decompress=False,
        trace_configs=traces,
        max_line_size=_MAX_LINE_BYTES,
        max_field_size=_MAX_LINE_BYTES,
        max_headers=_MAX_HEADERS,
    )


@contextmanager
def _faults_of_httpx() -> Generator[None]:
    try:
        yield
    except (aiohttp.ClientError, OSError) as fault:
        known = (to for kind, to in _FAULTS if isinstance(fault, kind))
        raise next(known, httpx.ReadError)(str(fault)) from fault


def _timeout(request: httpx.Request) -> aiohttp.ClientTimeout:
    given: Mapping[str, float] = request.extensions.get("timeout", {})
    # "connect" covers name, connection and TLS; there is no queue for the pool.
    return aiohttp.ClientTimeout(
        total=None, connect=given.get("connect"), sock_read=given.get("read")
    )


def _url(request: httpx.Request) -> URL:
    target: bytes = request.extensions["target"]
    text = target.decode("latin-1")
    if not target.isascii():
        text = quote(target, safe=_PRINTABLE)
    origin = request.url
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    authority = host if origin.port is None else f"{host}:{origin.port}"
    return URL(f"{origin.scheme}://{authority}{text}", encoded=True)


def _text(raw: bytes) -> str:
    """Text that comes out as the same bytes: aiohttp writes headers as UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
