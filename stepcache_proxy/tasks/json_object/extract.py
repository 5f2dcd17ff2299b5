"""An answer -> the single JSON value in it, out of fences and prose."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from stepcache_proxy.tasks.json_object.keywords import key_of
from stepcache_proxy.tasks.json_object.reading import (
    MAX_CHARS,
    Document,
    OutOfBoundsError,
    bounded,
    decoder,
    read,
)
from stepcache_proxy.wire.jsonvalue import Json

MAX_CANDIDATES = 8
MAX_BRACKETS = 4_000


@dataclass(frozen=True, slots=True)
class Extracted:
    """A value and the very characters it was written with."""

    text: str
    value: Json


def extract(answer: str, opening: str = "{") -> Extracted | None:
    """The single value that begins with ``opening`` ("{" or "[") in ``answer``.

    None where there is none, where two differ, or where one is broken: the inner
    object of a truncated one is not the answer.
    """
    if len(answer) > MAX_CHARS:
        return None
    whole = read(answer)
    if isinstance(whole, Document):
        return Extracted(answer, whole.value)
    try:
        found = list(_candidates(answer, opening))
    except (ValueError, RecursionError):
        return None
    if not found or len({key_of(each.value) for each in found}) > 1:
        return None
    return found[0]


def _candidates(answer: str, opening: str) -> Iterator[Extracted]:
    """Values in order; raises ValueError at a broken one or at one too many."""
    reader: json.JSONDecoder = decoder()
    at, found = answer.find(opening), 0
    for _ in range(MAX_BRACKETS):
        if at < 0:
            return
        end = at + 1
        if _begins_value(answer, at):
            value, end = reader.raw_decode(answer, at)
            yield Extracted(answer[at:end], bounded(value))
            found += 1
        if found > MAX_CANDIDATES:
            break
        at = answer.find(opening, end)
    raise OutOfBoundsError


def _begins_value(answer: str, at: int) -> bool:
    """Whether the bracket at ``at`` opens JSON rather than a placeholder in prose."""
    following = answer[at + 1 : at + 200].lstrip(" \t\r\n")[:1]
    return answer[at] == "[" or following in {'"', "}", ""}
