"""Compiled schemas: a JSON Schema -> a verdict on a value, bounded in time.

Drafts 4, 6, 7, 2019-09 and 2020-12 by ``$schema``, else 2020-12. Nothing is ever
fetched: a reference that does not lead into the schema itself makes it one that is
not understood, and such a schema accepts and rejects nothing.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import orjson
from jsonschema import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
)
from referencing import Registry
from referencing.exceptions import Unresolvable

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.json_object.keywords import (
    CannotJudgeError,
    Examiner,
    Judge,
    bounded_class,
)
from stepcache_proxy.tasks.json_object.patterns import Patterns
from stepcache_proxy.tasks.json_object.reading import OutOfBoundsError, bounded
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

MAX_SCHEMA_BYTES = 200_000
MAX_PRODUCT = 2_000_000_000
MAX_REASON = 200
MAX_FAULTS = 200

Schema = JsonObject | bool

# What the library can raise when a keyword is applied to what it was not made for
# (a reference into the middle of an annotation, a cycle of references).
_NOT_APPLICABLE = (
    CannotJudgeError,
    Unresolvable,
    RecursionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)

_DIALECTS: Mapping[str, type[Validator]] = {
    "http://json-schema.org/draft-04/schema": Draft4Validator,
    "http://json-schema.org/draft-06/schema": Draft6Validator,
    "http://json-schema.org/draft-07/schema": Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": Draft201909Validator,
    "https://json-schema.org/draft/2020-12/schema": Draft202012Validator,
}
_DEFAULT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: where it is and what the validator says."""

    path: tuple[str | int, ...]
    keyword: str
    message: str

    def __str__(self) -> str:
        where = "/".join(str(part)[:40] for part in self.path[:8])
        return f"/{where}: {self.message}"[:MAX_REASON]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledSchema:
    """A schema ready to judge values; ``doubt`` says why it cannot.

    It is equal to itself alone, so that verdicts can be kept by it.
    """

    size: int
    judge: Judge | None = None
    doubt: str = ""
    patterns: Patterns = field(default_factory=Patterns, repr=False)

    def check(self, value: Json, chars: int) -> Verdict:
        """Accept if ``value``, written in ``chars`` characters, is valid."""
        faults = self.faults(value, chars, most=1)
        if isinstance(faults, Unknown):
            return faults
        return Reject(str(faults[0])) if faults else Accept()

    def faults(
        self, value: Json, chars: int, *, most: int = MAX_FAULTS
    ) -> list[Fault] | Unknown:
        """The first ``most`` faults of ``value``; Unknown if it cannot be judged."""
        if self.judge is None:
            return Unknown(self.doubt)
        if self.size * chars > MAX_PRODUCT:
            return Unknown("schema and answer are too large together")
        examiner = Examiner(self.patterns)
        judge = self.judge.evolve(format_checker=examiner)
        try:
            found = islice(judge.iter_errors(value), most)
            return [_fault(error) for error in found]
        except CannotJudgeError as bound:
            return Unknown(str(bound))
        except _NOT_APPLICABLE:
            return Unknown("a keyword of the schema cannot be applied")


def _fault(error: ValidationError) -> Fault:
    return Fault(
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        message=error.message[:MAX_REASON],
    )


@dataclass(frozen=True, slots=True)
class InvalidSchema:
    """The schema itself breaks the rules of its draft."""


class SchemaShelf:
    """Compiles each schema once; keeps the last used, bounded in number and bytes."""

    def __init__(self, *, most: int = 256, most_bytes: int = 2_000_000) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[bytes, CompiledSchema | InvalidSchema] = OrderedDict()
        self._lock = threading.Lock()
        self._patterns = Patterns()
        self._classes: dict[str, Callable[..., Judge]] = {
            uri: bounded_class(dialect) for uri, dialect in _DIALECTS.items()
        }

    def __len__(self) -> int:
        return len(self._kept)

    def compiled(self, schema: Schema) -> CompiledSchema | InvalidSchema:
        """``schema`` compiled, or told invalid; never raises."""
        written = _written(schema)
        if written is None or len(written) > MAX_SCHEMA_BYTES:
            return CompiledSchema(size=0, doubt="the schema is too large")
        with self._lock:
            if written in self._kept:
                self._kept.move_to_end(written)
                return self._kept[written]
        made = self._compile(schema, len(written))
        with self._lock:
            self._keep(written, made)
        return made

    def _keep(self, written: bytes, made: CompiledSchema | InvalidSchema) -> None:
        if written not in self._kept:
            self._bytes += len(written)
        self._kept[written] = made
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            oldest, _ = self._kept.popitem(last=False)
            self._bytes -= len(oldest)

    def _compile(self, schema: Schema, size: int) -> CompiledSchema | InvalidSchema:
        try:
            held = bounded(schema)
        except (OutOfBoundsError, RecursionError):
            return CompiledSchema(size=size, doubt="the schema is nested too deep")
        uri = _dialect(held)
        if uri is None:
            return CompiledSchema(size=size, doubt="the schema is of an unknown draft")
        doubt = _doubt(held, uri)
        if doubt:
            return CompiledSchema(size=size, doubt=doubt)
        return self._judged(held, uri, size)

    def _judged(
        self, schema: Json, uri: str, size: int
    ) -> CompiledSchema | InvalidSchema:
        make = self._classes[uri]
        meta = make(
            _DIALECTS[uri].META_SCHEMA,
            format_checker=Examiner(self._patterns, is_meta=True),
            registry=Registry(),
        )
        try:
            if next(meta.iter_errors(schema), None) is not None:
                return InvalidSchema()
            judge = make(schema, registry=Registry())
        except _NOT_APPLICABLE:
            return CompiledSchema(size=size, doubt="the schema cannot be checked")
        return CompiledSchema(size, judge, patterns=self._patterns)


def _written(schema: Schema) -> bytes | None:
    try:
        return orjson.dumps(schema)
    except orjson.JSONEncodeError:
        return None


def _dialect(schema: Json) -> str | None:
    if not isinstance(schema, Mapping):
        return _DEFAULT if isinstance(schema, bool) else None
    named = schema.get("$schema", _DEFAULT)
    uri = named.rstrip("#") if isinstance(named, str) else ""
    return uri if uri in _DIALECTS else None


def _doubt(schema: Json, uri: str) -> str:
    """Why ``schema`` cannot be judged, empty if it can."""
    nodes = list(_nodes(schema))
    if any(_is_of_another_draft(node.get("$schema"), uri) for node in nodes):
        return "the schema mixes drafts"
    if any(_is_foreign(node.get("$ref")) for node in nodes):
        return "the schema refers to another document"
    names = {name for node in nodes for name in node}
    if names & {"unevaluatedProperties"} and names & {"patternProperties"}:
        # The library would run these patterns unbounded.
        return "the schema combines patterns with unevaluated members"
    return ""


def _is_of_another_draft(named: Json, uri: str) -> bool:
    return isinstance(named, str) and named.rstrip("#") != uri


def _is_foreign(ref: Json) -> bool:
    return isinstance(ref, str) and "json-schema.org" in ref


def _nodes(value: Json) -> Iterator[JsonObject]:
    if isinstance(value, Mapping):
        yield value
        for member in value.values():
            yield from _nodes(member)
    elif isinstance(value, list):
        for item in value:
            yield from _nodes(item)
