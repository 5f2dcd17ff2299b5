"""Keys that a request only writes in another style: firstName and first_name."""

import re
from collections.abc import Iterable, Mapping

from stepcache_proxy.tasks.json_object.reading import BriefObject
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLAIN = re.compile(r"[A-Za-z0-9_ -]*")


def words_of(key: str) -> tuple[str, ...]:
    """The words a key is made of, in small letters, without its style.

    None for a key with other signs: "c++" is not another way to write "c".
    """
    if not _PLAIN.fullmatch(key):
        return ()
    return tuple(word.lower() for word in _WORD.findall(key))


def renames(old: Iterable[str], new: Iterable[str]) -> dict[str, str]:
    """Old key -> new key, for keys that are gone and came back in another style.

    Only where one gone key and one new key are made of the same words.
    """
    old_keys, new_keys = set(old), set(new)
    if old_keys <= new_keys or new_keys <= old_keys:
        return {}
    gone = _by_words(old_keys - new_keys)
    came = _by_words(new_keys - old_keys)
    return {
        gone[words][0]: came[words][0]
        for words in gone.keys() & came.keys()
        if words and len(gone[words]) == len(came[words]) == 1
    }


def renamed(value: JsonObject, names: Mapping[str, str]) -> JsonObject:
    """``value`` with its keys renamed, in the same order."""
    return BriefObject({names.get(key, key): member for key, member in value.items()})


def renamed_list(keys: Json, names: Mapping[str, str]) -> Json:
    """A list of keys (``required``) renamed."""
    if not isinstance(keys, list):
        return keys
    return [names.get(key, key) if isinstance(key, str) else key for key in keys]


def _by_words(keys: set[str]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for key in keys:
        found.setdefault(words_of(key), []).append(key)
    return found
