"""Everything that is not cached: bytes to the upstream, bytes back."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Literal

from starlette.types import Receive, Scope, Send

from stepcache_proxy.api.asgi import (
    run_until,
    send_body,
    send_error,
    send_head,
    target_of,
)
from stepcache_proxy.api.decision_headers import DecisionHeaders, decision_headers
from stepcache_proxy.api.inbound import Inbound
from stepcache_proxy.api.relay_figures import RelayFigures
from stepcache_proxy.api.seams import RawResponse, RawUpstream
from stepcache_proxy.errors import (
    BodyTooLargeError,
    ClientGoneError,
    StepcacheError,
    UpstreamError,
)
from stepcache_proxy.reuse.events import RequestStarted
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.protocols import Clock, Recorder
from stepcache_proxy.wire.headers import (
    RawHeaders,
    for_client,
    for_event_stream,
    for_upstream,
    is_encoded,
    is_event_stream,
    with_ours,
)
from stepcache_proxy.wire.jsonvalue import JsonObject
from stepcache_proxy.wire.sse import FrameSplitter, encode

Endpoint = Literal["chat", "completions", "other"]

NOT_CACHEABLE = "endpoint"
_WITHOUT_BODY = frozenset({204, 304})
_DROPPED: JsonObject = {
    "error": {
        "message": "The upstream closed the connection before its answer was complete",
        "type": UpstreamError.kind,
        "param": None,
        "code": "upstream_disconnected",
    }
}


class PassThrough:
    """ASGI app that relays any method and path, unbuffered and unchanged.

    A client that leaves aborts the upstream's work. An upstream that breaks off is
    never a clean end: a stream gets an error event, any other body is cut.
    """

    def __init__(
        self,
        upstream: RawUpstream,
        *,
        recorder: Recorder,
        clock: Clock,
        max_body_bytes: int,
    ) -> None:
        self._upstream = upstream
        self._recorder = recorder
        self._clock = clock
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one request for a path that is not cached."""
        await self.relay(scope, receive, send, reason=NOT_CACHEABLE)

    async def relay(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        reason: str,
        body: bytes | None = None,
        endpoint: Endpoint = "other",
    ) -> None:
        """Relay one request, recorded and marked as a bypass for ``reason``.

        ``body`` is the request's, if it was read already.
        """
        self._recorder.record(RequestStarted())
        figures = RelayFigures(self._clock, self._clock(), endpoint, reason)
        inbound = Inbound(receive, self._max_body_bytes)
        try:
            await self._exchange(scope, inbound, body, send, figures)
        except ClientGoneError as left:
            figures.status = left.status
        except StepcacheError as fault:
            await _refuse(send, fault, figures)
        finally:
            self._recorder.record(figures.answered())

    async def _exchange(
        self,
        scope: Scope,
        inbound: Inbound,
        body: bytes | None,
        send: Send,
        figures: RelayFigures,
    ) -> None:
        headers: RawHeaders = scope["headers"]
        sent: bytes | AsyncIterator[bytes] | None = body
        if body is None:
            sent = await inbound.body(headers)
        else:
            inbound.read_already()
        figures.waits()
        opened = self._upstream.open(
            scope["method"], target_of(scope), for_upstream(headers), sent
        )
        try:
            await run_until(inbound.gone, _copy(opened, send, figures))
        except UpstreamError:
            if inbound.fault is not None:
                raise inbound.fault from None
            raise


async def _copy(
    opened: AbstractAsyncContextManager[RawResponse], send: Send, figures: RelayFigures
) -> None:
    async with opened as response:
        is_stream = is_event_stream(response.headers)
        figures.begins(response.status, is_stream=is_stream)
        headers = _headers(response, is_stream=is_stream)
        await send_head(send, response.status, with_ours(headers, _decision(figures)))
        is_read = is_stream and not is_encoded(response.headers)
        pieces = _events(response) if is_read else response.chunks()
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    figures.sends()
                    await send_body(send, piece, is_last=False)
                    figures.waits()
        except UpstreamError:
            # Without a last piece the server cuts the connection, so that the client
            # cannot take a part for the whole.
            return
        await send_body(send)


async def _events(response: RawResponse) -> AsyncGenerator[bytes]:
    """Whole frames only: half of one would break the client that reads it."""
    splitter = FrameSplitter()
    is_done = False
    try:
        async with aclosing(response.chunks()) as chunks:
            async for chunk in chunks:
                frames = splitter.push(chunk)
                if frames:
                    is_done = frames[-1].is_done
                    yield b"".join(frame.raw for frame in frames)
    except UpstreamError:
        if not is_done:
            yield encode(_DROPPED)
        return
    for frame in splitter.flush():
        yield frame.raw


def _headers(response: RawResponse, *, is_stream: bool) -> RawHeaders:
    headers: RawHeaders = for_client(response.headers)
    # No body must be waited for, and a stream may get an error event more.
    if is_stream or response.status in _WITHOUT_BODY:
        headers = [h for h in headers if h[0].lower() != b"content-length"]
    return for_event_stream(headers) if is_stream else headers


def _decision(figures: RelayFigures) -> RawHeaders:
    return decision_headers(DecisionHeaders(figures.outcome, figures.reason))


async def _refuse(send: Send, fault: StepcacheError, figures: RelayFigures) -> None:
    if isinstance(fault, BodyTooLargeError):
        figures.reason = f"param:{fault.param}"
    else:
        figures.outcome, figures.reason = Outcome.MISS, "upstream-error"
    figures.status = fault.status
    await send_error(send, fault, _decision(figures))
