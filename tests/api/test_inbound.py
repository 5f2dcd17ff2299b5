"""A small body is read first, a large one streamed, and neither is read twice."""

from collections.abc import AsyncIterator

import pytest
from starlette.types import Message, Receive

from stepcache_proxy.api.inbound import Inbound
from stepcache_proxy.errors import BodyTooLargeError, ClientGoneError
from stepcache_proxy.wire.headers import RawHeaders

CHUNKED = [(b"transfer-encoding", b"chunked")]
LARGE = 2 * 1024 * 1024


def length(size: int) -> RawHeaders:
    return [(b"content-length", b"%d" % size)]


def receiving(*messages: Message) -> Receive:
    script = iter(messages)

    async def receive() -> Message:
        return next(script, {"type": "http.disconnect"})

    return receive


def part(body: bytes, *, is_last: bool = True) -> Message:
    return {"type": "http.request", "body": body, "more_body": not is_last}


@pytest.mark.parametrize(
    ("headers", "sent", "expected"),
    [
        pytest.param([], b"", None, id="none"),
        pytest.param(length(0), b"", None, id="empty"),
        pytest.param(length(2), b"ab", b"ab", id="small"),
    ],
)
async def test_a_small_body_is_read(
    headers: RawHeaders, sent: bytes, expected: bytes | None
) -> None:
    inbound = Inbound(receiving(part(sent)), LARGE)
    assert await inbound.body(headers) == expected
    await inbound.gone()


@pytest.mark.parametrize("headers", [CHUNKED, length(LARGE)], ids=["chunked", "large"])
async def test_another_body_is_streamed(headers: RawHeaders) -> None:
    inbound = Inbound(receiving(part(b"a", is_last=False), part(b"b")), LARGE)
    body = await inbound.body(headers)
    assert isinstance(body, AsyncIterator)
    assert [piece async for piece in body] == [b"a", b"b"]
    await inbound.gone()


async def test_a_length_over_the_limit_is_refused_unread() -> None:
    with pytest.raises(BodyTooLargeError):
        await Inbound(receiving(), 1).body(length(2))


async def test_a_stream_that_fails_leaves_its_fault() -> None:
    inbound = Inbound(receiving(part(b"a", is_last=False)), LARGE)
    body = await inbound.body(CHUNKED)
    assert isinstance(body, AsyncIterator)
    with pytest.raises(ClientGoneError):
        assert [piece async for piece in body] == []
    assert isinstance(inbound.fault, ClientGoneError)
