"""One chat request over HTTP, timed, with what the response headers say."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import httpx

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


def send(client: httpx.Client, ask: Ask) -> Reply:
    """The whole answer to ``ask``. Raises StartError if the server cannot be used."""
    started = time.perf_counter()
    first = None
    body = bytearray()
    try:
        with client.stream("POST", "/v1/chat/completions", json=ask.body) as response:
            for piece in response.iter_raw():
                first = first or time.perf_counter()
                body += piece
    except httpx.HTTPError as error:
        msg = f"{ask.name}: {client.base_url} failed: {type(error).__name__} {error}"
        raise StartError(msg) from error
    ended = time.perf_counter()
    if response.is_error:
        said = bytes(body[:200]).decode(errors="replace")
        msg = f"{ask.name}: {client.base_url} said {response.status_code} {said}"
        raise StartError(msg)
    text, completion_tokens = _read(bytes(body), is_streaming=ask.is_streaming)
    outcome = response.headers.get("x-stepcache-outcome", "")
    # On a streamed miss the counts are not known when the headers go out.
    counts = dict(_COUNT.findall(response.headers.get("x-stepcache-tokens", "")))
    return Reply(
        text=text,
        latency_s=ended - started,
        ttft_s=(first or ended) - started,
        tokens_generated=int(counts.get("generated", completion_tokens)),
        tokens_reused=int(counts.get("reused", 0)),
        outcome=outcome,
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
