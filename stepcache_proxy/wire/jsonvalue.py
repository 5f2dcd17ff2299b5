"""JSON values as types, and reading them from strangers' bytes."""

from collections.abc import Mapping, Sequence

import orjson

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
JsonObject = Mapping[str, Json]


def read_object(data: bytes) -> JsonObject | None:
    """The JSON object in ``data``; None for anything else, never an error."""
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
