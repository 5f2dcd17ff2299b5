"""Record <-> bytes, vector <-> bytes, and both as one line of an export.

A stored record is ``1:<crc32>:<json>``. What has another version, another checksum
or another shape is unreadable, and unreadable is the same as absent.
"""

import base64
import binascii
import sys
import zlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

import numpy as np
import orjson

from stepcache_proxy.reuse.model import (
    Answer,
    Observations,
    PartitionKey,
    Provenance,
    QuestionKey,
    Record,
    RecordId,
    TaskName,
    TemplateKey,
)
from stepcache_proxy.reuse.protocols import Vector
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object

FORMAT = 1
_HEAD = b"%d:" % FORMAT
_CRC_LENGTH = 8
_BODY_START = len(_HEAD) + _CRC_LENGTH + 1

T = TypeVar("T", str, bool, int, list[str], dict[str, Json])


def encode_record(record: Record) -> bytes | None:
    """The stored form; None if the record holds what JSON cannot (it is not stored)."""
    body = _dump(_plain_record(record))
    if body is None:
        return None
    return b"%s%08x:%s" % (_HEAD, zlib.crc32(body), body)


def decode_record(raw: bytes, *, generation: int | None = None) -> Record | None:
    """The record in ``raw``; None for anything that was not written by this format.

    Its observations are not in there: they change while the record stays.
    """
    body = raw[_BODY_START:]
    if raw[:_BODY_START] != b"%s%08x:" % (_HEAD, zlib.crc32(body)):
        return None
    record = _read_record(read_object(body))
    if record is None or generation in (None, record.generation):
        return record
    return replace(record, generation=generation)


def encode_vector(vector: Vector, fingerprint: str) -> bytes:
    """Length-prefixed fingerprint of the embedder, then little-endian float32."""
    name = fingerprint.encode()[:255]
    return bytes([len(name)]) + name + np.asarray(vector, dtype="<f4").tobytes()


def decode_vector(raw: bytes, fingerprint: str) -> Vector | None:
    """The vector, if it was made by the embedder with this fingerprint."""
    name = fingerprint.encode()[:255]
    head = bytes([len(name)]) + name
    floats = raw[len(head) :]
    if not raw.startswith(head) or not floats or len(floats) % 4:
        return None
    vector = array("f", floats)
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def encode_line(record: Record, vector: bytes, remaining_seconds: int) -> bytes | None:
    """One line of an export, with the stored form of the vector (may be empty)."""
    return _dump(
        {
            "format": FORMAT,
            "record": _plain_record(record),
            "vector": base64.b64encode(vector).decode(),
            "remaining_seconds": remaining_seconds,
            "observations": [record.observations.right, record.observations.wrong],
        }
    )


def decode_line(line: bytes) -> tuple[Record, bytes] | None:
    """The record of an exported line and the stored form of its vector."""
    body = read_object(line)
    if body is None or body.get("format") != FORMAT:
        return None
    plain, vector = body.get("record"), body.get("vector")
    record = _read_record(plain if isinstance(plain, dict) else None)
    if record is None or not isinstance(vector, str):
        return None
    record = replace(record, observations=_observations(body.get("observations")))
    try:
        return record, base64.b64decode(vector, validate=True)
    except (binascii.Error, ValueError):
        return None


def expires_at(record: Record) -> float:
    """When the record ends, in seconds since the epoch."""
    return record.created + record.ttl_seconds


def _dump(value: Mapping[str, object]) -> bytes | None:
    try:
        return orjson.dumps(value, default=_plain)
    except (TypeError, ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(type(value).__name__)


def _plain_record(record: Record) -> dict[str, object]:
    answer = record.answer
    return {
        "id": record.id,
        "partition": record.partition,
        "template": record.template,
        "kin": record.kin,
        "question": record.question,
        "parameters": record.parameters,
        "endpoint": record.endpoint,
        "model": record.model,
        "namespace": record.namespace,
        "text": record.text,
        "format": record.format,
        "answer": {
            "content": answer.content,
            "finish_reason": answer.finish_reason,
            "model": answer.model,
            "usage": answer.usage,
            "message": answer.message,
            "choice": answer.choice,
            "envelope": answer.envelope,
            "is_streamed": answer.is_streamed,
        },
        "steps": _plain_steps(record),
        "task": record.task,
        "is_proved": record.is_proved,
        "is_exact_only": record.is_exact_only,
        "provenance": record.provenance.value,
        "created": record.created,
        "ttl_seconds": record.ttl_seconds,
        "generation": record.generation,
        "is_quarantined": record.is_quarantined,
    }


def _read_record(plain: JsonObject | None) -> Record | None:
    if plain is None:
        return None
    try:
        return _record(plain)
    except (KeyError, TypeError, ValueError):
        return None


def _kin(value: Json) -> TemplateKey | None:
    """The wider template; records of older versions have none."""
    return TemplateKey(value) if isinstance(value, str) else None


def _record(plain: JsonObject) -> Record:
    answer = _answer(_field(plain, "answer", dict))
    return Record(
        id=RecordId(_field(plain, "id", str)),
        partition=PartitionKey(_field(plain, "partition", str)),
        template=TemplateKey(_field(plain, "template", str)),
        kin=_kin(plain.get("kin")),
        question=QuestionKey(_field(plain, "question", str)),
        parameters=_hashes(_field(plain, "parameters", dict)),
        endpoint=_field(plain, "endpoint", str),
        model=_field(plain, "model", str),
        namespace=_field(plain, "namespace", str),
        text=_field(plain, "text", str),
        format=_field(plain, "format", dict),
        answer=answer,
        steps=_steps(_field(plain, "steps", list), answer.content),
        task=_task(plain["task"]),
        is_proved=_field(plain, "is_proved", bool),
        is_exact_only=_field(plain, "is_exact_only", bool),
        provenance=Provenance(_field(plain, "provenance", str)),
        created=_seconds(plain["created"]),
        ttl_seconds=_field(plain, "ttl_seconds", int),
        generation=_field(plain, "generation", int),
        is_quarantined=plain.get("is_quarantined") is True,
    )


def _observations(value: Json) -> Observations:
    """Right and wrong as exported; none where they are missing or no counts."""
    match value:
        case [int(right), int(wrong)] if min(right, wrong) >= 0:
            return Observations(right, wrong)
        case _:
            return Observations()


def _answer(plain: JsonObject) -> Answer:
    content = plain["content"]
    return Answer(
        content=None if content is None else _field(plain, "content", str),
        finish_reason=_field(plain, "finish_reason", str),
        model=_field(plain, "model", str),
        usage=_field(plain, "usage", dict),
        message=_field(plain, "message", dict),
        choice=_field(plain, "choice", dict),
        envelope=_field(plain, "envelope", dict),
        is_streamed=_field(plain, "is_streamed", bool),
    )


def _field(plain: JsonObject, key: str, kind: type[T]) -> T:
    value = plain[key]
    # A bool is an int for isinstance, but never where we wrote an int.
    if not isinstance(value, kind) or type(value) is not kind:
        raise TypeError(key)
    return value


def _texts(values: Sequence[Json]) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(str(value) for value in values)


def _plain_steps(record: Record) -> list[int] | list[str]:
    """The lengths of steps that are the answer cut in pieces, else their texts."""
    if record.steps and "".join(record.steps) == record.answer.content:
        return [len(step) for step in record.steps]
    return list(record.steps)


def _steps(values: Sequence[Json], content: str | None) -> tuple[str, ...]:
    """The inverse of ``_plain_steps``; records of older versions hold texts."""
    lengths = [value for value in values if type(value) is int]
    if not values or len(lengths) < len(values):
        return _texts(values)
    ends = list(accumulate(lengths))
    if content is None or min(lengths) < 0 or ends[-1] != len(content):
        raise ValueError
    pairs = zip(ends, lengths, strict=True)
    return tuple(content[end - length : end] for end, length in pairs)


def _hashes(values: Mapping[str, Json]) -> dict[str, str]:
    return dict(zip(values, _texts(list(values.values())), strict=True))


def _task(value: Json) -> TaskName | None:
    if value is None or isinstance(value, str):
        return None if value is None else TaskName(value)
    raise TypeError


def _seconds(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)
