"""A client that costs next to nothing: prepared bytes out, whole responses in."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from stepcache_proxy.errors import StartError

_END_OF_CHUNKS = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: seconds to the first byte of its body and to its last, and all.

    A head alone is no answer: a relay may send it long before it has one.
    """

    first_s: float
    total_s: float
    raw: bytes

    @property
    def is_ok(self) -> bool:
        """Whether the status is 200."""
        return self.raw.startswith(b"HTTP/1.1 200")

    @property
    def events(self) -> int:
        """How many server-sent events came."""
        return self.raw.count(b"data: ")

    @property
    def outcome(self) -> str:
        """What the proxy says it did, empty where none answered."""
        head = self.raw.partition(b"\r\n\r\n")[0].lower()
        return (
            head.partition(b"x-stepcache-outcome: ")[2].partition(b"\r\n")[0].decode()
        )


def request(path: str, port: int, body: bytes = b"", header: str = "") -> bytes:
    """A whole HTTP request as bytes; without a body it is a GET.

    ``header`` is one line more.
    """
    method = "POST" if body else "GET"
    head = (
        f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n"
        "content-type: application/json\r\nauthorization: Bearer hot-path\r\n"
        f"content-length: {len(body)}\r\n"
    )
    more = f"{header}\r\n" if header else ""
    return f"{head}{more}\r\n".encode() + body


class Connection(asyncio.Protocol):
    """One kept-alive connection; one request at a time."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None
        self._first: float | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self.arrivals: list[float] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        # uvloop's transports are none by inheritance.
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Take bytes until the response is whole."""
        now = time.perf_counter()
        self.arrivals.append(now)
        self._buffer += data
        if self._first is None and self._has_body():
            self._first = now
        if self._is_whole() and self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(StartError(f"the connection was closed: {exc}"))

    async def ask(self, raw: bytes) -> Answer:
        """The response to a prepared request. Raises StartError if it breaks off."""
        assert self._transport is not None
        self._forget()
        self._waiting = asyncio.get_running_loop().create_future()
        started = time.perf_counter()
        self._transport.write(raw)
        await self._waiting
        ended = time.perf_counter()
        first = ended if self._first is None else self._first
        return Answer(first - started, ended - started, bytes(self._buffer))

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()

    def _forget(self) -> None:
        self._buffer.clear()
        self.arrivals.clear()
        self._length = self._first = None

    def _has_body(self) -> bool:
        head = self._buffer.find(b"\r\n\r\n")
        return 0 <= head < len(self._buffer) - 4

    def _is_whole(self) -> bool:
        if self._length is None:
            head, found, _ = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return False
            self._length = _length(bytes(head).lower(), len(head) + 4)
        if self._length < 0:
            return self._buffer.endswith(_END_OF_CHUNKS)
        return len(self._buffer) >= self._length


def _length(head: bytes, start: int) -> int:
    """How long the response will be; -1 where it comes in chunks."""
    _, found, rest = head.partition(b"\r\ncontent-length:")
    return start + int(rest.partition(b"\r\n")[0]) if found else -1


async def connect(port: int) -> Connection:
    """A connection to a server on the loopback interface."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
    return connection


async def one_by_one(
    port: int, requests: Sequence[bytes], *, pause_s: float = 0.0
) -> list[Answer]:
    """The answers over one connection, one after the other; a pause before each."""
    connection = await connect(port)
    answers: list[Answer] = []
    for raw in requests:
        if pause_s:
            await asyncio.sleep(pause_s)
        answers.append(await connection.ask(raw))
    connection.close()
    return answers


async def at_once(
    port: int, requests: Sequence[bytes], connections: int
) -> tuple[float, list[Answer]]:
    """Seconds that all requests took over so many connections, and the answers."""
    lines = [await connect(port) for _ in range(connections)]
    answers: list[Answer] = []
    left = iter(requests)

    async def work(line: Connection) -> None:
        for raw in left:
            answers.append(await line.ask(raw))  # noqa: PERF401  it is shared

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for line in lines:
            group.create_task(work(line))
    took = time.perf_counter() - started
    for line in lines:
        line.close()
    return took, answers
