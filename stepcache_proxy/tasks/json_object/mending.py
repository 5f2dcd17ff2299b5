"""Loss-free mends: a value that means the same and fits the schema better.

Only the way a value is written changes ("30" for 30), members that the schema
forbids go, and members that the schema itself fixes come. No value is overwritten.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepcache_proxy.tasks.json_object.asking import member_of
from stepcache_proxy.tasks.json_object.reading import (
    MAX_DEPTH,
    BriefArray,
    BriefObject,
    WrittenFloat,
)
from stepcache_proxy.tasks.json_object.schema import Schema
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_MAX_HOPS = 8
_EXACT_LIMIT = 2**53
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,2})?"
)
# Beside these, a member that "properties" does not name may still be asked for.
_OPEN = frozenset(
    {
        "$ref",
        "allOf",
        "anyOf",
        "dependencies",
        "dependentSchemas",
        "if",
        "oneOf",
        "patternProperties",
    }
)


@dataclass(frozen=True, slots=True)
class Mends:
    """How to mend for one schema.

    ``is_fresh``: the value answers this very schema. Only then is a default what
    the writer meant by leaving a member out; of another schema's answer nobody
    knows what it would have said.
    """

    root: Schema
    is_fresh: bool

    def mended(self, value: Json) -> Json:
        """``value`` with all mends that apply; it may still be invalid."""
        return self._mended(value, self.root, 0)

    def _mended(self, value: Json, schema: Json, depth: int) -> Json:
        node = self._branch(value, self._resolved(schema))
        if not node or depth > MAX_DEPTH:
            return value
        if isinstance(value, Mapping):
            return self._object(value, node, depth + 1)
        if isinstance(value, list):
            items = node.get("items")
            return BriefArray([self._mended(v, items, depth + 1) for v in value])
        return _converted(value, self._types(node))

    def _object(self, value: JsonObject, node: JsonObject, depth: int) -> Json:
        properties = member_of(node, "properties")
        filled: dict[str, Json] = {}
        for name, subschema in properties.items():
            fixed = None if name in value else self._fixed(name, node)
            if name in value:
                filled[name] = self._mended(value[name], subschema, depth)
            elif fixed is not None:
                filled[name] = fixed.value
        if node.get("additionalProperties") is False and not _OPEN & node.keys():
            return BriefObject(filled)
        extras = {k: v for k, v in value.items() if k not in properties}
        return BriefObject(filled | extras)

    def _fixed(self, name: str, node: JsonObject) -> "_Fixed | None":
        """The value of a missing required member that the schema leaves no choice."""
        required = node.get("required")
        if not isinstance(required, Sequence) or name not in required:
            return None
        member = self._resolved(member_of(node, "properties")[name])
        if "const" in member:
            return _Fixed(member["const"])
        choices = member.get("enum")
        if isinstance(choices, list) and len(choices) == 1:
            return _Fixed(choices[0])
        if self.is_fresh and "default" in member:
            return _Fixed(member["default"])
        return None

    def _resolved(self, schema: Json) -> JsonObject:
        """The schema behind local references; empty where there is none."""
        for _ in range(_MAX_HOPS):
            if not isinstance(schema, Mapping):
                return {}
            ref = schema.get("$ref")
            if not isinstance(ref, str):
                return schema
            schema = pointed(self.root, ref)
        return {}

    def _branch(self, value: Json, node: JsonObject) -> JsonObject:
        """The only branch of a choice that can hold such a value ("X or null")."""
        choices = node.get("anyOf") or node.get("oneOf")
        if not isinstance(choices, list) or not isinstance(value, Mapping | list):
            return node
        wanted = "object" if isinstance(value, Mapping) else "array"
        fitting = [
            branch
            for choice in choices
            if wanted in self._types(branch := self._resolved(choice))
        ]
        return fitting[0] if len(fitting) == 1 else {}

    def _types(self, node: JsonObject) -> frozenset[str]:
        """The types a node allows, also those of its branches; empty if any."""
        named = node.get("type")
        if isinstance(named, str):
            return frozenset({named})
        if isinstance(named, list):
            return frozenset(name for name in named if isinstance(name, str))
        choices = node.get("anyOf") or node.get("oneOf")
        if not isinstance(choices, list):
            return frozenset()
        branches = [self._resolved(choice).get("type") for choice in choices]
        names = frozenset(name for name in branches if isinstance(name, str))
        return names if len(branches) == len(names) else frozenset()


@dataclass(frozen=True, slots=True)
class _Fixed:
    value: Json


def pointed(root: Json, ref: str) -> Json:
    """What a reference like ``#/$defs/town`` points at; None if it is not such."""
    if ref == "#":
        return root
    if not ref.startswith("#/") or "%" in ref:
        return None
    at = root
    for part in ref[2:].split("/"):
        if not isinstance(at, Mapping):
            return None
        at = at.get(part.replace("~1", "/").replace("~0", "~"))
    return at


def type_names(value: Json) -> frozenset[str]:
    """The JSON Schema types of a scalar as it is written: 3.0 is no integer here."""
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int):
        return frozenset({"integer", "number"})
    return frozenset({"number"} if isinstance(value, float) else {"string"})


def _converted(value: Json, types: frozenset[str]) -> Json:
    """``value`` as the one allowed type that says the same, else unchanged."""
    if not types or type_names(value) & types:
        return value
    if isinstance(value, str):
        return _read_scalar(value, types)
    if isinstance(value, float) and "integer" in types and _is_whole(value):
        return int(value)
    if isinstance(value, WrittenFloat) and "string" in types:
        return value.text
    if isinstance(value, int) and not isinstance(value, bool) and "string" in types:
        return str(value)
    return value


def _is_whole(value: float) -> bool:
    return value.is_integer() and abs(value) < _EXACT_LIMIT


def _read_scalar(text: str, types: frozenset[str]) -> Json:
    if types & {"integer", "number"} and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in types and _NUMBER.fullmatch(text):
        return WrittenFloat(text)
    if "boolean" in types and text in {"true", "false"}:
        return text == "true"
    return text
