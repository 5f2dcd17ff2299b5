"""Small steps of ASGI: reading a body, answering, noticing that the client left."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

from starlette.types import Receive, Scope, Send

from stepcache_proxy.api.dated import date_header
from stepcache_proxy.api.error_objects import error_object
from stepcache_proxy.errors import (
    BodyTooLargeError,
    ClientGoneError,
    InvalidRequestError,
    SeamError,
    StepcacheError,
    UpstreamStatusError,
)
from stepcache_proxy.wire.headers import RawHeaders, for_client, with_ours

T = TypeVar("T")

_JSON = (b"content-type", b"application/json")
# The SDKs ask again by themselves after 502 and 504; a second generation is no help
# to somebody who has waited too long for the first.
_ADVICE: dict[int, RawHeaders] = {
    502: [(b"retry-after", b"1")],
    503: [(b"retry-after", b"1")],
    504: [(b"x-should-retry", b"false")],
}


async def body_parts(receive: Receive, limit: int) -> AsyncGenerator[bytes]:
    """The request body as it comes in.

    Raises BodyTooLargeError past ``limit`` bytes, ClientGoneError if it breaks off.
    """
    total = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        part: bytes = message.get("body", b"")
        total += len(part)
        if total > limit:
            raise too_large(limit)
        if part:
            yield part
        if not message.get("more_body", False):
            return


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole request body; raises as ``body_parts`` does."""
    return b"".join([part async for part in body_parts(receive, limit)])


def too_large(limit: int) -> BodyTooLargeError:
    """The error for a body over ``limit`` bytes."""
    message = f"The request body is over {limit} bytes (server.max_body_bytes)."
    return BodyTooLargeError(message, param="body")


async def until_disconnect(receive: Receive) -> None:
    """Returns when the client has left; the body must have been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def run_until_disconnect(receive: Receive, work: Awaitable[T]) -> T:
    """The result of ``work``, which is cancelled when the client leaves.

    The body must have been read before. Raises ClientGoneError, or what ``work``
    raised.
    """
    return await run_until(lambda: until_disconnect(receive), work)


async def run_until(gone: Callable[[], Awaitable[None]], work: Awaitable[T]) -> T:
    """The result of ``work``; ClientGoneError as soon as ``gone`` returns."""
    try:
        async with asyncio.TaskGroup() as group:
            watcher = group.create_task(_raise_after(gone))
            try:
                return await work
            finally:
                watcher.cancel()
    except BaseExceptionGroup as failed:
        # Two at once happen when the client leaves in the moment of a failure.
        fault = failed.exceptions[0]
        raise fault from fault.__cause__


async def _raise_after(gone: Callable[[], Awaitable[None]]) -> None:
    await gone()
    raise ClientGoneError


async def send_head(send: Send, status: int, headers: RawHeaders) -> None:
    """Status line and headers."""
    await send(
        {"type": "http.response.start", "status": status, "headers": list(headers)}
    )


async def send_body(send: Send, body: bytes = b"", *, is_last: bool = True) -> None:
    """A piece of the body."""
    await send({"type": "http.response.body", "body": body, "more_body": not is_last})


async def send_whole(send: Send, status: int, headers: RawHeaders, body: bytes) -> None:
    """A whole response with its length."""
    length = (b"content-length", b"%d" % len(body))
    await send_head(send, status, with_ours(headers, [length]))
    await send_body(send, body)


async def send_error(send: Send, fault: StepcacheError, ours: RawHeaders = ()) -> None:
    """``fault`` as an OpenAI error object; an upstream's own error unchanged."""
    if isinstance(fault, UpstreamStatusError):
        passed = with_ours(for_client(fault.headers), ours)
        await send_whole(send, fault.upstream_status, passed, fault.body)
        return
    status = 503 if isinstance(fault, SeamError) else fault.status
    headers = [_JSON, date_header(), *_ADVICE.get(status, ()), *ours]
    await send_whole(send, status, headers, error_body(fault))


def error_body(fault: StepcacheError) -> bytes:
    """The error object of ``fault``."""
    param = fault.param if isinstance(fault, InvalidRequestError) else None
    return error_object(str(fault), kind=fault.kind, code=fault.code, param=param)


def target_of(scope: Scope) -> bytes:
    """Path and query exactly as the client wrote them."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope.get("query_string", b"")
    return path + b"?" + query if query else path
