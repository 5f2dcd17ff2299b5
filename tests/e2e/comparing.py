"""Responses of llama.cpp as comparable values: all fields but those of one call."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import httpx
import orjson

from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_OURS = ("x-stepcache-", "cache-status", "age")
# Framing is the server's own; Keep-Alive is between two neighbours.
_FRAMING = ("transfer-encoding", "keep-alive", "connection", "content-length", "date")
_UNBUFFERED = ("x-accel-buffering", "cache-control")
_OF_ONE_CALL = {"id", "created", "created_at", "completed_at", "item_id"}
_TIMES = {"timings", "time_ms", "t_start", "id_task"}
# The Anthropic-style endpoint reads its prompt from the slot whatever one asks.
_WARMTH = {"cache_read_input_tokens", "input_tokens"}


@dataclass(frozen=True, slots=True)
class Told:
    """One response; ``frames`` are the events of a stream, ``[DONE]`` included."""

    status: int
    headers: Mapping[str, str]
    value: Json
    frames: Sequence[Json]


def told(response: httpx.Response) -> Told:
    """The response less what belongs to one call only."""
    is_stream = response.headers.get("content-type", "").startswith("text/event")
    dropped = (*_OURS, *_FRAMING, *(_UNBUFFERED if is_stream else ()))
    headers = {
        name: value
        for name, value in response.headers.items()
        if not name.startswith(dropped)
    }
    if is_stream:
        return Told(response.status_code, headers, None, list(_frames(response.text)))
    return Told(response.status_code, headers, _value(response.content), ())


def _frames(text: str) -> Iterator[Json]:
    for frame in text.split("\n\n"):
        name, _, payload = frame.rpartition("data: ")
        if payload.startswith(("{", "[{")):
            yield [name, _masked(orjson.loads(payload))]
        elif frame:
            yield frame


def _value(body: bytes) -> Json:
    try:
        return _masked(orjson.loads(body))
    except orjson.JSONDecodeError:
        return body.decode()


def _masked(value: Json) -> Json:
    """Ids and times stay as keys, so that a missing one is seen."""
    if isinstance(value, Mapping):
        return {
            key: "…" if key in _OF_ONE_CALL | _TIMES | _WARMTH else _masked(inner)
            for key, inner in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_masked(inner) for inner in value]
    return value


def without_timings(value: Json) -> Json:
    """A whole answer without what only a run of the model can tell."""
    assert isinstance(value, Mapping)
    return {name: inner for name, inner in value.items() if name != "timings"}


def joined(stream: Told) -> JsonObject:
    """A stream as one value, however its text is cut: deltas joined, keys by kind."""
    kinds: dict[str, set[str]] = {}
    texts: dict[str, str] = {}
    ends: list[Json] = []
    for frame in stream.frames:
        if not isinstance(frame, list):
            ends.append(frame)
            continue
        _, chunk = frame
        kind, keys, ending = _read(chunk, texts)
        kinds.setdefault(kind, set()).update(keys)
        ends += [ending] if ending else []
    return {
        "status": stream.status,
        "kinds": {kind: sorted(keys) for kind, keys in kinds.items()},
        "texts": texts,
        "ends": ends,
    }


def _read(chunk: JsonObject, texts: dict[str, str]) -> tuple[str, set[str], Json]:
    """The kind of a chunk, its keys, and what ends the answer."""
    choices = chunk.get("choices")
    if not isinstance(choices, list) or not choices:
        return "usage", set(chunk), chunk.get("usage")
    # On a completion llama.cpp puts the usage there, whether it was asked for or not.
    keys = set(chunk) - {"timings", "usage"}
    (choice,) = choices
    keys |= {f"choice.{name}" for name in choice}
    kind = "finish" if choice["finish_reason"] else "content"
    delta = choice.get("delta", {"text": choice.get("text")})
    if delta.get("role"):
        kind = "role"
    if kind != "content":
        keys |= {f"delta.{name}" for name in delta}
    _join(delta, "", texts)
    return kind, keys, choice["finish_reason"] and choice


def _join(part: Json, path: str, texts: dict[str, str]) -> None:
    if isinstance(part, Mapping):
        for name, inner in part.items():
            _join(inner, f"{path}.{name}", texts)
    elif isinstance(part, list):
        for inner in part:
            _join(inner, path, texts)
    elif part:
        texts[path] = texts.get(path, "") + str(part)
