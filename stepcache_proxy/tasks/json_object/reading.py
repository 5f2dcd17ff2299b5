"""JSON text -> value and back; strict, bounded, numbers kept as they were written."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.model import Reject, Unknown
from stepcache_proxy.wire.jsonvalue import Json

MAX_CHARS = 1 << 20
MAX_DEPTH = 100


class BriefObject(dict[str, Json]):
    """An object whose repr has one size: validators put values into messages."""

    def __repr__(self) -> str:
        return "{…}" if self else "{}"


class BriefArray(list[Json]):
    """An array whose repr has one size: validators put values into messages."""

    def __repr__(self) -> str:
        return "[…]" if self else "[]"


class WrittenFloat(float):
    """A number with the digits it was written with (0.10, 1E5, 2.0)."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> "WrittenFloat":
        """The number ``text`` reads as; raises ValueError where it reads as none."""
        number = super().__new__(cls, text)
        number.text = text
        return number


@dataclass(frozen=True, slots=True)
class Document:
    """A text that is exactly one JSON value."""

    value: Json


class NotOneValueError(ValueError):
    """A key is written twice, or NaN or Infinity is written."""


class OutOfBoundsError(ValueError):
    """Correct JSON perhaps, but too deep or its numbers too large to be judged."""


def read(text: str) -> Document | Reject | Unknown:
    """The one JSON value in ``text``, white space around it allowed.

    Reject: it is not one JSON value, or a key is written twice, or NaN is written.
    Unknown: longer than 1 MiB, deeper than 100, or a number no double can hold.
    """
    if len(text) > MAX_CHARS:
        return Unknown("the answer is too long to be checked")
    try:
        return Document(bounded(decoder().decode(text)))
    except NotOneValueError as fault:
        return Reject(str(fault))
    except json.JSONDecodeError as fault:
        return Reject(f"not one JSON value: {fault.msg} at {fault.pos}")
    except (OutOfBoundsError, RecursionError, ValueError):
        # A plain ValueError is Python's own limit on the digits of an integer.
        return Unknown("the answer is too deep or its numbers too large")


def decoder() -> json.JSONDecoder:
    """A decoder that refuses what JSON forbids; raises ValueError or RecursionError."""
    return json.JSONDecoder(
        object_pairs_hook=_object,
        parse_float=WrittenFloat,
        parse_constant=_refuse_constant,
    )


def bounded(value: Json, depth: int = 0) -> Json:
    """``value`` in containers with a short repr; raises OutOfBoundsError."""
    if depth > MAX_DEPTH:
        raise OutOfBoundsError
    if isinstance(value, Mapping):
        return BriefObject({k: bounded(v, depth + 1) for k, v in value.items()})
    if isinstance(value, list):
        return BriefArray([bounded(v, depth + 1) for v in value])
    if isinstance(value, float) and not math.isfinite(value):
        raise OutOfBoundsError
    return value


def write(value: Json) -> str:
    """``value`` as one line of JSON; numbers as they were written."""
    return "".join(_pieces(value))


def _pieces(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield "{"
        for index, (key, member) in enumerate(value.items()):
            yield (", " if index else "") + _quoted(key) + ": "
            yield from _pieces(member)
        yield "}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield "["
        for index, item in enumerate(value):
            yield ", " if index else ""
            yield from _pieces(item)
        yield "]"
    else:
        yield _scalar(value)


def _scalar(value: float | str | None) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, WrittenFloat):
        return value.text
    return json.dumps(value)


def _quoted(text: str) -> str:
    # A lone surrogate cannot be sent as UTF-8; it stays the escape that it was.
    return json.dumps(text, ensure_ascii=not text.isprintable() and _is_torn(text))


def _is_torn(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


def _object(pairs: list[tuple[str, Json]]) -> Json:
    members = dict(pairs)
    if len(members) != len(pairs):
        msg = "a key is written twice"
        raise NotOneValueError(msg)
    return members


def _refuse_constant(name: str) -> Json:
    msg = f"{name} is not JSON"
    raise NotOneValueError(msg)
