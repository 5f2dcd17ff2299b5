"""Labelled files: JSON lines -> rows, and what kind of labels they carry."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from stepcache_proxy.errors import ConfigError
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object


class Kind(StrEnum):
    """What the labels of a file say, told from the names of its fields."""

    MESSAGES = "may an answer be shared between two conversations"
    PROBLEMS = "may an answer be shared between two word problems"
    EQUATIONS = "the value of an unknown"
    STEPS = "which step of a solution is wrong"
    SCHEMAS = "whether a value is valid for a schema"
    CALLS = "the arguments that a request asks for"
    SOLUTIONS = "the last line of a solution, right or wrong"
    OUTPUTS = "the final answer of a text"


_FIELDS: Mapping[Kind, frozenset[str]] = {
    Kind.MESSAGES: frozenset({"cached", "new", "may_share"}),
    Kind.PROBLEMS: frozenset({"cached_prompt", "cached_steps", "new_prompt"}),
    Kind.EQUATIONS: frozenset({"question", "equations", "unknown", "answer"}),
    Kind.STEPS: frozenset({"problem", "steps", "step_labels"}),
    Kind.SCHEMAS: frozenset({"schema", "instance", "valid"}),
    Kind.CALLS: frozenset({"messages", "schema", "accepted"}),
    Kind.SOLUTIONS: frozenset({"steps", "ground_truth", "is_correct"}),
    Kind.OUTPUTS: frozenset({"output", "gold"}),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled row; ``place`` is its file and line, for complaints."""

    place: str
    fields: JsonObject

    def text(self, name: str) -> str:
        """A field that must be a string."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else self._refuse(name, "a string")

    def texts(self, name: str) -> list[str]:
        """A field that must be a list of strings."""
        value = self.fields.get(name)
        if not isinstance(value, list):
            self._refuse(name, "a list of strings")
            return []
        texts = [item for item in value if isinstance(item, str)]
        if len(texts) != len(value):
            self._refuse(name, "a list of strings")
        return texts

    def flag(self, name: str) -> bool:
        """A field that must be true or false."""
        value = self.fields.get(name)
        if not isinstance(value, bool):
            self._refuse(name, "true or false")
        return value is True

    def integers(self, name: str) -> list[int | None]:
        """A field that must be a list of whole numbers and nulls."""
        value = self.fields.get(name)
        if not isinstance(value, list):
            self._refuse(name, "a list of numbers")
            return []
        return [item if isinstance(item, int) else None for item in value]

    def category(self, *names: str) -> str:
        """The first of the fields that is a string, ``-`` where none is."""
        found = (self.fields.get(name) for name in names)
        return next((value for value in found if isinstance(value, str)), "-")

    @property
    def half(self) -> str:
        """``a`` or ``b``: a fixed split at random that keeps groups together."""
        key = self.category("group", "id", "question", "problem")
        return "ab"[zlib.crc32(f"half {key}".encode()) & 1]

    def _refuse(self, name: str, wanted: str) -> str:
        msg = f"{self.place}: the field {name} must be {wanted}"
        raise ConfigError(msg)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file of JSON lines. Raises ConfigError that names the line."""
    return list(_rows(path))


def kind_of(rows: Sequence[Row], path: Path) -> Kind:
    """What the rows are labelled with, by the first. Raises ConfigError."""
    names = rows[0].fields.keys() if rows else frozenset[str]()
    for kind, wanted in _FIELDS.items():
        if wanted <= names:
            return kind
    known = "; ".join(", ".join(sorted(fields)) for fields in _FIELDS.values())
    msg = f"{path.name}: no known labels in the first row; known fields are {known}"
    raise ConfigError(msg)


def _rows(path: Path) -> Iterator[Row]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            fields: Mapping[str, Json] | None = read_object(line)
            place = f"{path.name}:{number}"
            if fields is None:
                msg = f"{place}: not a JSON object"
                raise ConfigError(msg)
            yield Row(place, fields)
