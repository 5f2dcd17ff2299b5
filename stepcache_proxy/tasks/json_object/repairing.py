"""Asking again: only for the members that are missing or wrong, else for the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.model import Unknown
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.json_object.asking import Asked, member_of
from stepcache_proxy.tasks.json_object.extract import extract
from stepcache_proxy.tasks.json_object.reading import BriefObject, write
from stepcache_proxy.tasks.json_object.schema import CompiledSchema
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

MAX_KEPT_CHARS = 32_000

# With any other keyword at the top, members may depend on one another.
_SIMPLE = frozenset(
    {
        "$defs",
        "$schema",
        "additionalProperties",
        "default",
        "definitions",
        "description",
        "examples",
        "properties",
        "required",
        "title",
        "type",
    }
)
_SHARED = ("$schema", "$defs", "definitions")
# Faults at the top that name missing members, or extra ones, which are left out.
_SEEN = frozenset({"required", "additionalProperties"})


@dataclass(frozen=True, slots=True)
class Members:
    """The members of an answer: those that stand and the names of those to ask for."""

    kept: JsonObject
    wanted: tuple[str, ...]


def members(asked: Asked, compiled: CompiledSchema, value: Json) -> Members | None:
    """Which members of ``value`` stand; None if they cannot be told apart."""
    if not isinstance(value, Mapping):
        return None
    if asked.schema is None:
        return _by_keys(asked, value)
    if not isinstance(asked.schema, Mapping) or asked.schema.keys() - _SIMPLE:
        return None
    faults = compiled.faults(value, len(write(value)))
    if isinstance(faults, Unknown):
        return None
    if any(not fault.path and fault.keyword not in _SEEN for fault in faults):
        return None
    wrong = {fault.path[0] for fault in faults if fault.path}
    return _split(asked, asked.schema, value, wrong)


def _by_keys(asked: Asked, value: JsonObject) -> Members | None:
    if asked.keys is None:
        return None
    is_null_fine = asked.keys.may_be_null
    kept = {
        name: member
        for name, member in value.items()
        if (member is not None or is_null_fine)
        and (name in asked.keys.names or not asked.keys.is_closed)
    }
    wanted = tuple(name for name in asked.keys.names if name not in kept)
    return Members(kept, wanted)


def _split(
    asked: Asked, schema: JsonObject, value: JsonObject, wrong: set[str | int]
) -> Members | None:
    properties = member_of(schema, "properties")
    is_closed = schema.get("additionalProperties") is False
    kept = {
        name: member
        for name, member in value.items()
        if name not in wrong and (name in properties or not is_closed)
    }
    required = schema.get("required")
    names = list(map(str, required)) if isinstance(required, list) else []
    wanted = tuple(
        name
        for name in dict.fromkeys((*asked.names, *names))
        if name not in kept and (name in names or name in wrong)
    )
    if any(name not in properties for name in wanted):
        return None
    return Members(kept, wanted)


def part_schema(asked: Asked, wanted: Sequence[str]) -> JsonObject | None:
    """A schema for the wanted members alone; None if they refer to the rest."""
    properties = member_of(asked.schema, "properties")
    parts: dict[str, Json] = {name: properties.get(name, {}) for name in wanted}
    schema: dict[str, Json] = {
        word: asked.schema[word]
        for word in _SHARED
        if isinstance(asked.schema, Mapping) and word in asked.schema
    }
    schema |= {
        "type": "object",
        "properties": parts,
        "required": list(wanted),
        "additionalProperties": False,
    }
    return schema if _refers_to_shared(schema) else None


def _refers_to_shared(value: Json) -> bool:
    """Whether every reference stays inside what a part schema takes along."""
    if isinstance(value, Mapping):
        ref = value.get("$ref", "#/$defs/")
        if isinstance(ref, str) and not ref.startswith(("#/$defs/", "#/definitions/")):
            return False
        if any(isinstance(value.get(word), str) for word in ("$id", "id", "$anchor")):
            return False
        if value.keys() & {"$dynamicRef", "$recursiveRef", "$dynamicAnchor"}:
            return False
        return all(_refers_to_shared(member) for member in value.values())
    if isinstance(value, list):
        return all(_refers_to_shared(item) for item in value)
    return True


def part_repair(text: str, asked: Asked, split: Members) -> Repair | None:
    """A request for the wanted members, given those that stand."""
    schema = part_schema(asked, split.wanted)
    fixed = write(split.kept)
    if schema is None or not split.kept or len(fixed) > MAX_KEPT_CHARS:
        return None
    names = ", ".join(f'"{name}"' for name in split.wanted)
    plural = "these members" if len(split.wanted) > 1 else "this member"
    prompt = (
        f"{text}\n\nPart of the answer is already fixed: {fixed}\n"
        f"Reply with one JSON object that has only {plural}, fitting the fixed part: "
        f"{names}"
    )
    order = asked.names

    def merge(reply: str) -> str | None:
        found = extract(reply)
        if found is None or not isinstance(found.value, Mapping):
            return None
        new = {n: found.value[n] for n in split.wanted if n in found.value}
        return write(_ordered({**split.kept, **new}, order)) if new else None

    return Repair(merge=merge, prompt=prompt, format=_response_format(schema))


def _response_format(schema: JsonObject) -> JsonObject:
    wrapped: JsonObject = {
        "name": "missing_members",
        "strict": True,
        "schema": schema,
    }
    return {"response_format": {"type": "json_schema", "json_schema": wrapped}}


def _ordered(value: JsonObject, order: Sequence[str]) -> JsonObject:
    first = {name: value[name] for name in order if name in value}
    return BriefObject(first | {k: v for k, v in value.items() if k not in first})


def whole_repair(text: str, reason: str, opening: str) -> Repair:
    """A request for the whole answer again, with what was wrong with the last one."""
    prompt = (
        f"{text}\n\nReply with the JSON alone, without any other text. "
        f"An earlier reply was refused: {reason[:200]}"
    )

    def merge(reply: str) -> str | None:
        found = extract(reply, opening)
        return found.text if found else None

    return Repair(merge=merge, prompt=prompt, is_whole=True)
