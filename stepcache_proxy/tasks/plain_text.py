"""Whether an answer may be plain text: what the tasks that write sentences need."""

from collections.abc import Mapping

from stepcache_proxy.wire.jsonvalue import Json, JsonObject


def is_plain_text(format: JsonObject) -> bool:
    """Whether the format fields of a request demand nothing but text."""
    return all(value is None or _is_text_type(value) for value in format.values())


def _is_text_type(value: Json) -> bool:
    return isinstance(value, Mapping) and dict(value) == {"type": "text"}
