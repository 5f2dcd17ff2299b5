"""What two requests ask, compared: may validation alone judge the old answer?

Validation sees types, and it sees demands that became stricter: an old answer that
meets them is still the answer. It does not see a changed description, a wider
choice, another scale or a new optional member; there the model might say something
else, so the answer is refused.
"""

from collections.abc import Mapping

import orjson

from stepcache_proxy.tasks.json_object.asking import Asked, member_of
from stepcache_proxy.tasks.json_object.keywords import key_of
from stepcache_proxy.tasks.json_object.renaming import renamed, renamed_list, renames
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_AT_LEAST = frozenset({"minLength", "minItems", "minProperties"})
_AT_MOST = frozenset({"maxLength", "maxItems", "maxProperties"})
# A new demand of this kind is met or not; a changed one is another demand.
_ADDED = _AT_LEAST | _AT_MOST | {"const", "enum", "format", "pattern", "uniqueItems"}
# Validation judges these whatever they were.
_JUDGED = frozenset({"$schema", "required", "type"})
_NAMED = frozenset({"$defs", "definitions"})


def is_same(one: Json, other: Json) -> bool:
    """Whether two JSON values are equal as JSON Schema sees it: true is not 1."""
    return _are_written_alike(one, other) or key_of(one) == key_of(other)


def _are_written_alike(one: Json, other: Json) -> bool:
    """Whether two values are the same but for the order of their members.

    Told in a fraction of the time, and nearly always enough.
    """
    try:
        written = orjson.dumps(one, option=orjson.OPT_SORT_KEYS)
        return written == orjson.dumps(other, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return False


def is_judged_by_validation(new: Asked, old: Asked) -> bool:
    """Whether an answer to ``old`` that is valid for ``new`` is an answer to it."""
    if new.label != old.label:
        return False
    if new.schema is None and old.schema is None:
        return _are_keys_judged(new, old)
    if new.schema is None or old.schema is None or not _are_notes_same(new, old):
        return False
    if is_same(new.schema, old.schema):
        return True
    names = renaming(new, old)
    if not set(new.names) & {names.get(name, name) for name in old.names}:
        return False
    return _is_stricter(new.schema, _renamed_schema(old.schema, names))


def renaming(new: Asked, old: Asked) -> dict[str, str]:
    """Old key -> new key where only the style of writing changed."""
    return renames(old.names, new.names)


def _are_keys_judged(new: Asked, old: Asked) -> bool:
    """Keys in words: the old ones all asked for again, with the same notes."""
    if new.keys is None or old.keys is None:
        return new.keys is old.keys
    names = renaming(new, old)
    is_covered = all(names.get(name, name) in new.keys.names for name in old.keys.names)
    return is_covered and _are_notes_same(new, old)


def _are_notes_same(new: Asked, old: Asked) -> bool:
    """Whether the words say the same of each key that both name."""
    if new.keys is None or old.keys is None:
        return new.keys is old.keys
    if new.keys.may_be_null != old.keys.may_be_null:
        return False
    if not any(new.keys.notes) and not any(old.keys.notes):
        return True
    renamings = renaming(new, old)
    names = {renamings.get(name, name): name for name in old.keys.names}
    return all(
        new.keys.note(name) == old.keys.note(names[name])
        for name in new.keys.names
        if name in names
    )


def _renamed_schema(schema: Json, names: Mapping[str, str]) -> Json:
    """The old schema with its top-level keys in the style of the new one."""
    if not names or not isinstance(schema, Mapping):
        return schema
    changed: dict[str, Json] = dict(schema)
    changed["properties"] = renamed(member_of(schema, "properties"), names)
    if "required" in changed:
        changed["required"] = renamed_list(changed["required"], names)
    return changed


def _is_tightened(new: Json, old: Json) -> bool:
    """Whether ``new`` differs from ``old`` only where validation can judge."""
    return is_same(new, old) or _is_stricter(new, old)


def _is_stricter(new: Json, old: Json) -> bool:
    """Whether that can be told of two objects word by word."""
    if not isinstance(new, Mapping) or not isinstance(old, Mapping):
        return False
    return all(_is_word_tightened(word, new, old) for word in new.keys() | old.keys())


def _is_word_tightened(word: str, new: JsonObject, old: JsonObject) -> bool:
    if word in _JUDGED:
        return True
    if word == "properties":
        return _are_members_tightened(new, old)
    if word == "additionalProperties":
        return _is_closing(new.get(word, True), old.get(word, True))
    if word in _NAMED:
        return _are_shared_tightened(member_of(new, word), member_of(old, word))
    if word not in old:
        return word in _ADDED
    return word in new and _is_value_tightened(word, new[word], old[word])


def _is_value_tightened(word: str, new: Json, old: Json) -> bool:
    if is_same(new, old):
        return True
    if word == "items":
        return _is_tightened(new, old)
    if word == "enum" and isinstance(new, list) and isinstance(old, list):
        return {key_of(choice) for choice in new} <= {key_of(choice) for choice in old}
    if not isinstance(new, int | float) or not isinstance(old, int | float):
        return False
    return (word in _AT_LEAST and new >= old) or (word in _AT_MOST and new <= old)


def _is_closing(new: Json, old: Json) -> bool:
    """Extra members: open or closed is seen; a schema for them must be the same."""
    if isinstance(new, bool) and isinstance(old, bool):
        return True
    return is_same(new, old)


def _are_members_tightened(new: JsonObject, old: JsonObject) -> bool:
    """Members that are gone must be forbidden now, new ones must be demanded."""
    wanted, had = member_of(new, "properties"), member_of(old, "properties")
    required = new.get("required")
    demanded = set(required) if isinstance(required, list) else set[Json]()
    if wanted.keys() - had.keys() - demanded:
        return False
    if had.keys() - wanted.keys() and new.get("additionalProperties") is not False:
        return False
    return _are_shared_tightened(wanted, had)


def _are_shared_tightened(new: JsonObject, old: JsonObject) -> bool:
    return all(_is_tightened(new[name], old[name]) for name in new.keys() & old.keys())
