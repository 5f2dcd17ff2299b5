"""What goes over the wire is what was given, and a lost idle connection is replaced."""

import gzip
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest

from stepcache_proxy.adapters.upstream.transport import AiohttpTransport
from tests.http_servers import Answering, Wire, serve, serve_bytes

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@asynccontextmanager
async def open_transport() -> AsyncGenerator[AiohttpTransport]:
    transport = AiohttpTransport()
    try:
        yield transport
    finally:
        await transport.aclose()


def request(
    url: str,
    target: bytes = b"/",
    *,
    method: str = "POST",
    headers: list[tuple[bytes, bytes]] | None = None,
    body: bytes | httpx.AsyncByteStream = b"",
) -> httpx.Request:
    stream = httpx.ByteStream(body) if isinstance(body, bytes) else body
    extensions = {"target": target, "timeout": {"connect": 5.0, "read": 5.0}}
    return httpx.Request(
        method, url, headers=headers or [], stream=stream, extensions=extensions
    )


async def fetch(transport: AiohttpTransport, sent: httpx.Request) -> bytes:
    response = await transport.handle_async_request(sent)
    assert isinstance(response.stream, httpx.AsyncByteStream)
    try:
        return b"".join([part async for part in response.stream])
    finally:
        await response.stream.aclose()


class Upload(httpx.AsyncByteStream):
    def __init__(self, *parts: bytes) -> None:
        self.parts = parts

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        for part in self.parts:
            yield part


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(b"/v1/files/a%2Fb%20c/d?x=1&x=2&empty=&q=%C3%A5", id="escapes"),
        pytest.param(b"/a/../b/./c//d", id="dots and slashes"),
        pytest.param(b"/%7euser/%c3%a5?a+b=%2B&c=~", id="case of escapes"),
        pytest.param(b"/a;b=c/{d}?[e]=f|g", id="odd characters"),
        pytest.param(b"//elsewhere/x", id="like an authority"),
    ],
)
async def test_a_path_arrives_byte_for_byte(target: bytes) -> None:
    app = Answering()
    async with serve(app) as url, open_transport() as transport:
        await fetch(transport, request(url, target))
    assert app.seen[0].target == target


async def test_bytes_no_path_may_hold_are_escaped() -> None:
    app = Answering()
    async with serve(app) as url, open_transport() as transport:
        await fetch(transport, request(url, b"/\xc3\xa5%20"))
    assert app.seen[0].target == b"/%C3%A5%20"


async def test_nothing_is_added_but_host_and_framing() -> None:
    seen: list[bytes] = []

    async def meet(wire: Wire) -> None:
        seen.append(await wire.request())
        await wire.answer(OK)

    given = [(b"X-Twice", b"1"), (b"X-Twice", "å".encode()), (b"Cookie", b"a=1")]
    async with serve_bytes(meet) as url, open_transport() as transport:
        await fetch(transport, request(url, headers=given, body=b"body"))
    head = seen[0].split(b"\r\n\r\n")[0].split(b"\r\n")
    assert head[0] == b"POST / HTTP/1.1"
    assert sorted(head[1:]) == sorted(
        [
            b"Host: " + url.removeprefix("http://").encode(),
            b"X-Twice: 1",
            b"X-Twice: " + "å".encode(),
            b"Cookie: a=1",
            b"Content-Length: 4",
        ]
    )


async def test_header_text_that_is_not_utf_8_arrives_as_utf_8() -> None:
    app = Answering()
    async with serve(app) as url, open_transport() as transport:
        await fetch(transport, request(url, headers=[(b"x-odd", b"\xe5")]))
    assert (b"x-odd", "å".encode()) in app.seen[0].headers


async def test_a_given_length_is_kept_on_a_stream() -> None:
    app = Answering()
    given = [(b"content-length", b"6")]
    async with serve(app) as url, open_transport() as transport:
        sent = request(url, headers=given, body=Upload(b"abc", b"def"))
        await fetch(transport, sent)
        await fetch(transport, request(url, body=Upload(b"xyz")))
    assert [seen.body for seen in app.seen] == [b"abcdef", b"xyz"]
    assert given[0] in app.seen[0].headers
    assert (b"transfer-encoding", b"chunked") in app.seen[1].headers


async def test_answers_come_undecoded_with_headers_as_sent() -> None:
    packed = gzip.compress(b"text")
    headers = [
        (b"content-encoding", b"gzip"),
        (b"set-cookie", b"a=1; Path=/"),
        (b"set-cookie", b"b=2"),
        (b"x-odd", b"\xe5"),
    ]
    app = Answering(headers=headers, parts=[packed])
    async with serve(app) as url, open_transport() as transport:
        response = await transport.handle_async_request(request(url))
        assert response.headers.raw[:4] == headers
        assert isinstance(response.stream, httpx.AsyncByteStream)
        assert b"".join([part async for part in response.stream]) == packed


async def test_no_cookie_is_kept_and_no_redirect_followed() -> None:
    headers = [(b"set-cookie", b"a=1"), (b"location", b"/elsewhere")]
    app = Answering(status=302, headers=headers)
    async with serve(app) as url, open_transport() as transport:
        for _ in range(2):
            response = await transport.handle_async_request(request(url, method="GET"))
            assert response.status_code == 302
            assert isinstance(response.stream, httpx.AsyncByteStream)
            await response.stream.aclose()
    assert [seen.target for seen in app.seen] == [b"/", b"/"]
    assert b"cookie" not in dict(app.seen[1].headers)


async def test_an_idle_connection_that_was_closed_is_replaced_once() -> None:
    bodies: list[bytes] = []

    async def meet(wire: Wire) -> None:
        bodies.append(await wire.request())
        await wire.answer(OK)
        if wire.number == 1:
            # The next request is taken and never answered.
            bodies.append(await wire.request())

    async with serve_bytes(meet) as url, open_transport() as transport:
        assert await fetch(transport, request(url, body=b"1")) == b"ok"
        assert await fetch(transport, request(url, body=b"2")) == b"ok"
    assert [body[-1:] for body in bodies] == [b"1", b"2", b"2"]


async def test_a_new_connection_that_is_closed_is_not_tried_again() -> None:
    count = 0

    async def meet(wire: Wire) -> None:
        nonlocal count
        count += 1
        await wire.request()

    async with serve_bytes(meet) as url, open_transport() as transport:
        with pytest.raises(httpx.RemoteProtocolError):
            await fetch(transport, request(url, body=b"1"))
    assert count == 1


async def test_a_body_that_cannot_be_sent_twice_gets_a_new_connection() -> None:
    numbers: list[int] = []

    async def meet(wire: Wire) -> None:
        while True:
            await wire.request()
            numbers.append(wire.number)
            await wire.answer(OK)

    length = [(b"content-length", b"1")]
    async with serve_bytes(meet) as url, open_transport() as transport:
        await fetch(transport, request(url, body=b"1"))
        await fetch(transport, request(url, body=b"2"))
        await fetch(transport, request(url, headers=length, body=Upload(b"3")))
    assert numbers == [1, 1, 2]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(
            b"no HTTP at all\r\n\r\n", httpx.RemoteProtocolError, id="garbage"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
            httpx.RemoteProtocolError,
            id="cut length",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
            httpx.RemoteProtocolError,
            id="cut chunks",
        ),
    ],
)
async def test_an_answer_that_breaks_off_is_an_error(
    answer: bytes, expected: type[Exception]
) -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(answer)

    async with serve_bytes(meet) as url, open_transport() as transport:
        with pytest.raises(expected):
            await fetch(transport, request(url))


async def test_nobody_listening_is_a_connect_error() -> None:
    async with serve(Answering()) as url:
        pass
    async with open_transport() as transport:
        with pytest.raises(httpx.ConnectError):
            await fetch(transport, request(url))


async def test_a_name_that_does_not_exist_is_a_connect_error() -> None:
    async with open_transport() as transport:
        with pytest.raises(httpx.ConnectError):
            await fetch(transport, request("http://nowhere.invalid"))


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([], id="before the head"),
        pytest.param([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx"], id="inside"),
    ],
)
async def test_a_long_silence_is_a_read_timeout(parts: list[bytes]) -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(*parts)
        await wire.until_closed()

    async with serve_bytes(meet) as url, open_transport() as transport:
        sent = request(url)
        sent.extensions["timeout"] = {"connect": 5.0, "read": 0.05}
        with pytest.raises(httpx.ReadTimeout):
            await fetch(transport, sent)
