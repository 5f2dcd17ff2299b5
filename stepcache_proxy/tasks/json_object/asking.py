"""What a request asks for: the JSON its format demands and the keys its words name.

The shapes are those of vLLM and llama.cpp; one that is not known, or two demands
that differ, are not understood.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stepcache_proxy.tasks.json_object.keylist import KeyList, demands_json, find_keys
from stepcache_proxy.tasks.json_object.reading import bounded
from stepcache_proxy.tasks.json_object.schema import MAX_SCHEMA_BYTES, Schema
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

# Members of ``structured_outputs`` that tell the engine how, not what.
_HINTS = frozenset(
    {
        "backend",
        "disable_additional_properties",
        "disable_any_whitespace",
        "disable_fallback",
        "whitespace_pattern",
    }
)


@dataclass(frozen=True, slots=True)
class Demand:
    """What the format fields demand; ``schema`` None is "any object".

    ``label`` is what the schema is called and described as: words for the model.
    """

    schema: Schema | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, as verifiers read it.

    ``words`` is the text without the list of keys, ``keys`` that list. ``schema``
    is None where any object (with these keys) will do.
    """

    words: str
    schema: Schema | None
    label: str
    keys: KeyList | None

    @property
    def names(self) -> tuple[str, ...]:
        """The keys in the order they were asked for, where they are known."""
        if self.schema is None:
            return self.keys.names if self.keys else ()
        return tuple(member_of(self.schema, "properties"))


def member_of(schema: Json, name: str) -> JsonObject:
    """The member ``name`` of ``schema`` where both are objects, else an empty one."""
    member = schema.get(name) if isinstance(schema, Mapping) else None
    return member if isinstance(member, Mapping) else {}


def asked(text: str, format: JsonObject) -> Asked | None:
    """What a request with this text and format asks for; None if not JSON."""
    demands = _demands(format)
    if demands is None or any(demand != demands[0] for demand in demands):
        return None
    keys = find_keys(text)
    if not demands:
        if keys is None or not demands_json(text, keys):
            return None
        return Asked(keys.subject(text), None, "", keys)
    return _with_format(text, demands[0], keys)


def _with_format(text: str, demand: Demand, keys: KeyList | None) -> Asked:
    plain = Asked(text, demand.schema, demand.label, None)
    if keys is None:
        return plain
    if demand.schema is None:
        is_meant = demands_json(text, keys)
    else:
        is_meant = set(keys.names) <= set(plain.names)
    if not is_meant:
        return plain
    return Asked(keys.subject(text), demand.schema, demand.label, keys)


def _demands(format: JsonObject) -> list[Demand] | None:
    """The demands of all fields; None if one of them is not understood."""
    demands: list[Demand] = []
    for name, value in format.items():
        if value is None:
            continue
        read = _FIELDS.get(name)
        found = read(value) if read else None
        if found is None:
            return None
        demands += found
    return demands


def _response_format(value: Json) -> list[Demand] | None:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping):
        return None
    if kind == "text":
        return []
    if kind == "json_object":
        return _llamacpp_object(value)
    wrapped = value.get("json_schema")
    if kind == "json_schema" and isinstance(wrapped, Mapping):
        name, said = wrapped.get("name"), wrapped.get("description")
        if isinstance(name, str) and isinstance(said, str | None):
            return _schema(wrapped.get("schema"), json.dumps([name, said]))
    return None


def _llamacpp_object(value: JsonObject) -> list[Demand] | None:
    schema = value.get("schema")
    return [Demand()] if schema is None else _schema(schema)


def _structured_outputs(value: Json) -> list[Demand] | None:
    if not isinstance(value, Mapping):
        return None
    given = {k: v for k, v in value.items() if v is not None and k not in _HINTS}
    if not given:
        return []
    if set(given) == {"json"}:
        return _schema(given["json"])
    if given == {"json_object": True}:
        return [Demand()]
    return None


def _guided_json(value: Json) -> list[Demand] | None:
    return _schema(value)


def _schema(value: Json, label: str = "") -> list[Demand] | None:
    """A schema, also one written as text (vLLM reads both); None if too deep."""
    try:
        if isinstance(value, str) and len(value) <= MAX_SCHEMA_BYTES:
            value = json.loads(value)
        if isinstance(value, Mapping | bool):
            bounded(value)
            return [Demand(value, label)]
    except (ValueError, RecursionError):
        return None
    return None


_FIELDS: Mapping[str, Callable[[Json], list[Demand] | None]] = {
    "response_format": _response_format,
    "structured_outputs": _structured_outputs,
    "guided_json": _guided_json,
    "json_schema": _guided_json,
}
