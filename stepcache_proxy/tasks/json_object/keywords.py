"""The keywords of JSON Schema with every step counted.

The library's own functions do the work; here each call is charged to a budget, and
those that would run a stranger's regular expression, or compare every item with
every other, are replaced.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Protocol

from jsonschema import FormatChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from stepcache_proxy.tasks.json_object.formats import fits_format
from stepcache_proxy.tasks.json_object.patterns import Patterns
from stepcache_proxy.wire.jsonvalue import Json

# One keyword applied costs about 25 microseconds, one value compared about one.
MAX_STEPS = 400_000
KEYWORD_STEPS = 16
_SMALL = 2**60


class CannotJudgeError(Exception):
    """A bound was hit or a pattern cannot be run; the verdict is Unknown."""


class Examiner(FormatChecker):
    """What one validation carries along: its budget and the schema's patterns.

    It stands where jsonschema keeps the format checker, the one thing it hands on
    from schema to subschema.
    """

    def __init__(self, patterns: Patterns, *, is_meta: bool = False) -> None:
        """``is_meta``: a schema is judged, whose patterns need not be ones we run."""
        super().__init__(())
        self._patterns = patterns
        self._is_meta = is_meta
        self._left = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Charge ``steps``; raises CannotJudgeError when the budget is gone."""
        self._left -= steps
        if self._left < 0:
            msg = "the schema takes too long to check"
            raise CannotJudgeError(msg)

    def occurs(self, pattern: str, text: str) -> bool:
        """Whether ``pattern`` occurs in ``text``; raises CannotJudgeError."""
        self.spend(KEYWORD_STEPS + len(pattern) + len(text) // 4)
        found = self._patterns.search(pattern, text)
        if found is None:
            msg = "a pattern of the schema cannot be run safely"
            raise CannotJudgeError(msg)
        return found

    def fits_format(self, text: str, name: str) -> bool:
        """Whether ``text`` has the format ``name``; raises CannotJudgeError."""
        self.spend(len(text) // 4)
        fits = self._is_meta or fits_format(text, name)
        if fits is None:
            msg = f"the format {name[:32]} cannot be judged"
            raise CannotJudgeError(msg)
        return fits


Faults = Iterator[ValidationError]


class Judge(Protocol):
    """What is used of jsonschema's validators (their own types tell less)."""

    @property
    def schema(self) -> Json:
        """The schema that it judges by."""
        ...

    @property
    def format_checker(self) -> FormatChecker | None:
        """The examiner of the validation under way."""
        ...

    def iter_errors(self, instance: Json) -> Faults:
        """The faults of ``instance``."""
        ...

    def descend(
        self, instance: Json, schema: Json, *, path: str, schema_path: str | None = None
    ) -> Faults:
        """The faults of a member of the instance under a subschema."""
        ...

    def evolve(self, **changes: object) -> "Judge":
        """A copy with another schema or another examiner."""
        ...


class Keyword(Protocol):
    """How jsonschema calls a keyword: validator, its value, the instance, schema."""

    def __call__(
        self, judge: Judge, value: Json, instance: Json, schema: Json, /
    ) -> Faults | None:
        """The faults of ``instance``."""
        ...


_handed_on = attrgetter("schema", "format_checker", "_registry", "_resolver")


def bounded_class(dialect: type[Validator]) -> Callable[..., Judge]:
    """A validator class for ``dialect`` that cannot run away.

    ``evolve`` is replaced because the library's own changes to an unbounded class
    at every subschema that has a ``$schema``.
    """
    own = {name: fn for name, fn in _OWN.items() if name in dialect.VALIDATORS}
    charged = {n: _charged(f) for n, f in (dict(dialect.VALIDATORS) | own).items()}
    bounded = extend(dialect, validators=charged)  # type: ignore[no-untyped-call]
    setattr(bounded, "evolve", _evolve)  # noqa: B010 - not an attribute to mypy
    made: Callable[..., Judge] = bounded
    return made


def _evolve(self: Judge, **changes: object) -> Judge:
    names = ("schema", "format_checker", "registry", "_resolver")
    kept: dict[str, object] = dict(zip(names, _handed_on(self), strict=True))
    make: Callable[..., Judge] = type(self)
    return make(**(kept | changes))


def _charged(keyword: Keyword) -> Keyword:
    def check(
        judge: Judge, value: Json, instance: Json, schema: Json, /
    ) -> Faults | None:
        steps = KEYWORD_STEPS + _weight(instance) // 4 + _weight(value)
        _examiner(judge).spend(steps)
        return keyword(judge, value, instance, schema)

    return check


def _weight(value: Json) -> int:
    return len(value) if isinstance(value, str | Sequence | Mapping) else 0


def _examiner(judge: Judge) -> Examiner:
    examiner = judge.format_checker
    assert isinstance(examiner, Examiner)
    return examiner


def _pattern(judge: Judge, value: Json, instance: Json, _: Json, /) -> Faults:
    if isinstance(instance, str) and not _examiner(judge).occurs(str(value), instance):
        yield ValidationError(f"{instance[:40]!r} does not match {str(value)[:60]!r}")


def _format(judge: Judge, value: Json, instance: Json, _: Json, /) -> Faults:
    if isinstance(instance, str) and not _examiner(judge).fits_format(
        instance, str(value)
    ):
        yield ValidationError(f"{instance[:40]!r} is not a {str(value)[:40]!r}")


def _pattern_properties(
    judge: Judge, value: Json, instance: Json, _: Json, /
) -> Faults:
    if not isinstance(instance, Mapping) or not isinstance(value, Mapping):
        return
    examiner = _examiner(judge)
    for pattern, subschema in value.items():
        for key, member in instance.items():
            if examiner.occurs(pattern, key):
                yield from judge.descend(
                    member, subschema, path=key, schema_path=pattern
                )


def _additional_properties(
    judge: Judge, value: Json, instance: Json, schema: Json, /
) -> Faults:
    if not isinstance(instance, Mapping) or not isinstance(schema, Mapping):
        return
    extras = list(_extras(_examiner(judge), instance, schema))
    if value is False and extras:
        names = ", ".join(repr(name[:40]) for name in extras[:4])
        yield ValidationError(f"members that are not allowed: {names}")
    elif isinstance(value, Mapping):
        for key in extras:
            yield from judge.descend(instance[key], value, path=key)


def _extras(
    examiner: Examiner, instance: Mapping[str, Json], schema: Mapping[str, Json]
) -> Iterator[str]:
    named, patterns = schema.get("properties"), schema.get("patternProperties")
    for key in instance:
        if isinstance(named, Mapping) and key in named:
            continue
        if isinstance(patterns, Mapping) and any(
            examiner.occurs(pattern, key) for pattern in patterns
        ):
            continue
        yield key


def _multiple_of(_: Judge, value: Json, instance: Json, __: Json, /) -> Faults:
    """In exact decimals: 0.07 is a multiple of 0.01, though not in binary."""
    if (
        _is_number(instance)
        and _is_number(value)
        and _exact(instance) % _exact(value) != 0
    ):
        yield ValidationError(f"{instance!r} is not a multiple of {value!r}")


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _exact(value: Json) -> Fraction:
    return Fraction(value if isinstance(value, int) else repr(value))


def _unique_items(judge: Judge, value: Json, instance: Json, _: Json, /) -> Faults:
    if value is not True or not isinstance(instance, list):
        return
    examiner = _examiner(judge)
    if len({key_of(item, examiner.spend) for item in instance}) != len(instance):
        yield ValidationError("two items are equal")


def _enum(judge: Judge, value: Json, instance: Json, _: Json, /) -> Faults:
    spend = _examiner(judge).spend
    choices = value if isinstance(value, Sequence) else ()
    wanted = key_of(instance, spend)
    if wanted not in {key_of(choice, spend) for choice in choices}:
        yield ValidationError(f"{_shown(instance)} is not one of the choices")


def _const(judge: Judge, value: Json, instance: Json, _: Json, /) -> Faults:
    spend = _examiner(judge).spend
    if key_of(value, spend) != key_of(instance, spend):
        yield ValidationError(f"{_shown(value)} was expected")


def _shown(value: Json) -> str:
    return repr(value[:60] if isinstance(value, str) else value)[:80]


def key_of(value: Json, spend: Callable[[int], None] = lambda _: None) -> object:
    """A hashable key, equal where JSON Schema says equal: 1 is 1.0, not true."""
    spend(1)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return frozenset((k, key_of(v, spend)) for k, v in value.items())
    if isinstance(value, Sequence):
        return tuple(key_of(v, spend) for v in value)
    if isinstance(value, bool) or value is None or not math.isfinite(value):
        return (True, value)
    whole = int(value) if value == value // 1 else value
    # As text, because integers can be chosen so that their hashes are all equal.
    return (False, whole if abs(whole) < _SMALL else f"{int(whole):x}")


_OWN: Mapping[str, Keyword] = {
    "pattern": _pattern,
    "format": _format,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
    "enum": _enum,
    "const": _const,
}
