"""Bodies are bounded, errors are readable, and a client that left stops the work."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson
import pytest
from starlette.types import Message

from stepcache_proxy.api.asgi import (
    read_body,
    run_until_disconnect,
    send_error,
    target_of,
)
from stepcache_proxy.errors import (
    BodyTooLargeError,
    ClientGoneError,
    InvalidRequestError,
    NotServableError,
    StepcacheError,
    StoreUnavailableError,
    UpstreamError,
    UpstreamStatusError,
    UpstreamTimeoutError,
)


@dataclass(slots=True)
class Client:
    """The server's side of ASGI, scripted; silent when the script is over."""

    messages: list[Message] = field(default_factory=list)
    sent: list[Message] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> Message:
        if self.messages:
            return self.messages.pop(0)
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)


def sending(*parts: bytes) -> Client:
    last = len(parts) - 1
    return Client(
        [
            {"type": "http.request", "body": part, "more_body": index < last}
            for index, part in enumerate(parts)
        ]
    )


async def test_a_body_is_read_from_its_parts() -> None:
    assert await read_body(sending(b"a", b"", b"b").receive, 2) == b"ab"


async def test_a_body_over_the_limit_is_not_read_to_its_end() -> None:
    client = sending(b"aa", b"bb", b"cc")
    with pytest.raises(BodyTooLargeError):
        await read_body(client.receive, 3)
    assert len(client.messages) == 1


async def test_a_body_that_breaks_off_is_no_body() -> None:
    client = Client([{"type": "http.request", "body": b"a", "more_body": True}])
    client.left.set()
    with pytest.raises(ClientGoneError):
        await read_body(client.receive, 9)


async def test_work_gives_its_result_while_the_client_is_there() -> None:
    async def work() -> int:
        return 1

    assert await run_until_disconnect(Client().receive, work()) == 1


async def test_work_is_cancelled_when_the_client_leaves() -> None:
    client, begun, cancelled = Client(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def leave() -> None:
        await begun.wait()
        client.left.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(leave())
        with pytest.raises(ClientGoneError):
            await run_until_disconnect(client.receive, work())
    assert cancelled.is_set()


async def test_an_error_of_the_work_comes_out_as_it_is() -> None:
    async def work() -> None:
        raise UpstreamError from OSError("why")

    with pytest.raises(UpstreamError) as caught:
        await run_until_disconnect(Client().receive, work())
    assert isinstance(caught.value.__cause__, OSError)


async def test_cancelling_from_outside_stays_a_cancellation() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(run_until_disconnect(Client().receive, work()))
        await begun.wait()
        task.cancel()
    assert task.cancelled()


@pytest.mark.parametrize(
    ("fault", "status", "headers"),
    [
        pytest.param(UpstreamError("x"), 502, {b"retry-after": b"1"}, id="upstream"),
        pytest.param(
            UpstreamTimeoutError("x"), 504, {b"x-should-retry": b"false"}, id="timeout"
        ),
        pytest.param(
            NotServableError("x"), 504, {b"x-should-retry": b"false"}, id="not cached"
        ),
        pytest.param(InvalidRequestError("x", param="p"), 400, {}, id="client"),
        pytest.param(
            StoreUnavailableError("x"), 503, {b"retry-after": b"1"}, id="seam"
        ),
    ],
)
async def test_an_error_is_an_object_that_clients_read(
    fault: StepcacheError, status: int, headers: dict[bytes, bytes]
) -> None:
    client = Client()
    await send_error(client.send, fault, [(b"x-ours", b"1")])
    start, body = client.sent
    assert start["status"] == status
    sent = dict(start["headers"])
    assert sent.pop(b"content-length") == b"%d" % len(body["body"])
    assert sent.pop(b"date").endswith(b" GMT")
    assert sent == {b"content-type": b"application/json", b"x-ours": b"1", **headers}
    error = orjson.loads(body["body"])["error"]
    assert error["message"] == "x"
    assert error["type"] == fault.kind
    assert error["param"] == getattr(fault, "param", None)


async def test_an_error_of_the_upstream_is_passed_on_unchanged() -> None:
    client = Client()
    headers: Sequence[tuple[bytes, bytes]] = [
        (b"x-request-id", b"r"),
        (b"connection", b"close"),
        (b"content-length", b"3"),
    ]
    fault = UpstreamStatusError(418, headers, b'{"a')
    await send_error(client.send, fault, [(b"x-ours", b"1")])
    start, body = client.sent
    assert (start["status"], body["body"]) == (418, b'{"a')
    assert dict(start["headers"]) == {
        b"x-request-id": b"r",
        b"x-ours": b"1",
        b"content-length": b"3",
    }


@pytest.mark.parametrize(
    ("scope", "target"),
    [
        pytest.param(
            {"path": "/å b", "raw_path": b"/%c3%a5%20b", "query_string": b"x=%20"},
            b"/%c3%a5%20b?x=%20",
            id="raw",
        ),
        pytest.param({"path": "/a", "query_string": b""}, b"/a", id="no query"),
        pytest.param({"path": "/a", "raw_path": None}, b"/a", id="no raw path"),
    ],
)
def test_a_target_is_what_the_client_wrote(
    scope: dict[str, object], target: bytes
) -> None:
    assert target_of(scope) == target
