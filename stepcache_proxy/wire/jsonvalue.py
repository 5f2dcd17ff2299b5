"""JSON values as types, and reading them from strangers' bytes."""

from collections.abc import Mapping, Sequence

import orjson

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
JsonObject = Mapping[str, Json]


_MOST_CONTAINERS = 100_000
_MOST_ITEMS = 2_000_000


def is_readable(data: bytes) -> bool:
    """Whether reading ``data`` is bounded: a small text of brackets is a large tree."""
    containers = data.count(b"[") + data.count(b"{")
    return containers <= _MOST_CONTAINERS and data.count(b",") <= _MOST_ITEMS


def read_object(data: bytes) -> JsonObject | None:
    """The JSON object in ``data``; None for anything else, never an error."""
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
