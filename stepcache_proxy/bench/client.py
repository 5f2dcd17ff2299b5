"""One chat request over HTTP, timed, with what the response headers say."""

import json
import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from select import select
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from stepcache_proxy.bench.workload import Ask
from stepcache_proxy.errors import StartError
from stepcache_proxy.wire.jsonvalue import Json, read_object

_COUNT = re.compile(r"(generated|reused)=(\d+)")


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request got; ``outcome`` is empty where no proxy answered.

    ``fallback`` names the task whose deterministic fallback wrote the answer.

    ``latency_s`` is from sending to the last byte, ``ttft_s`` to the first byte of
    the body, both in seconds.
    """

    text: str
    latency_s: float
    ttft_s: float
    tokens_generated: int
    tokens_reused: int
    outcome: str
    reason: str
    fallback: str = ""


class ChatClient:
    """One kept-alive connection to a server, so lean that its own time is no part.

    ``idle_seconds``: after so long without a request the connection is made anew.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float,
        headers: Mapping[str, str] | None = None,
        idle_seconds: float = 4.0,
    ) -> None:
        self.url = url
        self._headers = {"content-type": "application/json", **(headers or {})}
        self._idle_seconds = idle_seconds
        place = urlsplit(url)
        self._connection = HTTPConnection(
            place.hostname or "", place.port, timeout=timeout
        )
        self._used = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def connect(self) -> None:
        """Be connected, so that nobody who is timed has to wait for it."""
        sock = self._connection.sock
        is_idle = time.monotonic() - self._used > self._idle_seconds
        # What can be read between two requests is the end of the connection.
        if sock is not None and not is_idle and not select([sock], [], [], 0)[0]:
            return
        self._connection.close()
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, body: bytes) -> HTTPResponse:
        """The response to a chat request, its body still to be read."""
        path = "/v1/chat/completions"
        self._connection.request("POST", path, body, self._headers)
        self._used = time.monotonic()
        return self._connection.getresponse()


def send(client: ChatClient, ask: Ask) -> Reply:
    """The whole answer to ``ask``. Raises StartError if the server cannot be used."""
    asked = json.dumps(ask.body).encode()
    first = None
    body = bytearray()
    try:
        client.connect()
        started = time.perf_counter()
        with client.post(asked) as response:
            while piece := response.read1():
                first = first or time.perf_counter()
                body += piece
    except (OSError, HTTPException) as error:
        msg = f"{ask.name}: {client.url} failed: {type(error).__name__} {error}"
        raise StartError(msg) from error
    ended = time.perf_counter()
    if response.status >= 400:
        said = bytes(body[:200]).decode(errors="replace")
        msg = f"{ask.name}: {client.url} said {response.status} {said}"
        raise StartError(msg)
    text, completion_tokens = _read(bytes(body), is_streaming=ask.is_streaming)
    # On a streamed miss the counts are not known when the headers go out.
    counts = dict(_COUNT.findall(response.headers.get("x-stepcache-tokens", "")))
    return Reply(
        text=text,
        latency_s=ended - started,
        ttft_s=(first or ended) - started,
        tokens_generated=int(counts.get("generated", completion_tokens)),
        tokens_reused=int(counts.get("reused", 0)),
        outcome=response.headers.get("x-stepcache-outcome", ""),
        reason=response.headers.get("x-stepcache-reason", ""),
        fallback=response.headers.get("x-stepcache-fallback", ""),
    )


def _read(body: bytes, *, is_streaming: bool) -> tuple[str, int]:
    parts: list[str] = []
    tokens = 0
    for event in _events(body) if is_streaming else [read_object(body)]:
        part = "delta" if is_streaming else "message"
        text = _at(event, "choices", 0, part, "content")
        parts.append(text if isinstance(text, str) else "")
        count = _at(event, "usage", "completion_tokens")
        tokens = count if isinstance(count, int) else tokens
    return "".join(parts), tokens


def _events(body: bytes) -> Iterator[Json]:
    for line in body.split(b"\n"):
        if line.startswith(b"data: {"):
            yield read_object(line.removeprefix(b"data: "))


def _at(value: Json, *path: str | int) -> Json:
    for part in path:
        if isinstance(value, Mapping) and isinstance(part, str):
            value = value.get(part)
        elif isinstance(value, Sequence) and isinstance(part, int):
            value = value[part] if part < len(value) else None
        else:
            return None
    return value
