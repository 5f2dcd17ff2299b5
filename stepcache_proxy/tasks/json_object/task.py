"""Structured output as a task: an answer stands if it is valid for this request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Donor,
    Reject,
    Step,
    TaskName,
    Unknown,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.json_object.asking import Asked
from stepcache_proxy.tasks.json_object.comparing import (
    is_judged_by_validation,
    renaming,
)
from stepcache_proxy.tasks.json_object.extract import Extracted, extract
from stepcache_proxy.tasks.json_object.keylist import KeyList
from stepcache_proxy.tasks.json_object.mending import Mends
from stepcache_proxy.tasks.json_object.reading import Document, write
from stepcache_proxy.tasks.json_object.readings import Readings
from stepcache_proxy.tasks.json_object.renaming import renamed
from stepcache_proxy.tasks.json_object.repairing import (
    members,
    part_repair,
    whole_repair,
)
from stepcache_proxy.tasks.json_object.schema import (
    CompiledSchema,
    InvalidSchema,
    SchemaShelf,
)
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

NAME = TaskName("json_object")
OTHER_TASK = "constraint:task"
OTHER_KEYS = "constraint:keys"


class JsonObjectTask:
    """Requests that demand JSON: a schema, any object, or keys named in the words."""

    def __init__(self) -> None:
        self._shelf = SchemaShelf()
        self._readings = Readings()

    @property
    def name(self) -> TaskName:
        """``json_object``."""
        return NAME

    @property
    def is_whole_gate(self) -> bool:
        """False: the words are the same, the members may differ."""
        return False

    def bind(self, request: CanonicalRequest) -> "JsonVerifier | None":
        """A verifier where JSON is demanded in a shape that is known.

        None, too, for a schema that is itself invalid: the upstream judges it.
        """
        if request.is_exact_only:
            return None
        ask = self._readings.asked(request.text, request.format)
        if ask is None:
            return None
        compiled = self._shelf.compiled(True if ask.schema is None else ask.schema)
        if isinstance(compiled, InvalidSchema):
            return None
        return JsonVerifier(request.text, request.format, ask, compiled, self._readings)

    def group(self, request: CanonicalRequest) -> str | None:
        """What all wordings of one request have in common, its keys left out."""
        ask = self._readings.asked(request.text, request.format)
        return None if ask is None else self._readings.wording(ask)

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """Refuses a donor that was asked in other words, or for other members."""
        ask = self._readings.asked(request.text, request.format)
        return differs(ask, donor, self._readings)


def differs(ask: Asked | None, donor: Donor, readings: Readings) -> str | None:
    """The reason why an answer to ``donor`` may not be judged by validation alone."""
    other = readings.asked(donor.text, donor.format)
    if ask is None or other is None:
        return OTHER_TASK
    reason = readings.difference(ask, other)
    if reason is not None:
        return reason
    return None if is_judged_by_validation(ask, other) else OTHER_KEYS


@dataclass(frozen=True, slots=True)
class JsonVerifier:
    """What one request asks, ready to judge answers. Accept: it is valid for it."""

    text: str
    format: JsonObject
    asked: Asked
    compiled: CompiledSchema
    readings: Readings = field(repr=False, compare=False)

    @property
    def task(self) -> TaskName:
        """``json_object``."""
        return NAME

    @property
    def _opening(self) -> str:
        """The bracket that an answer in prose is looked for by."""
        schema = self.asked.schema
        is_array = isinstance(schema, Mapping) and schema.get("type") == "array"
        return "[" if is_array else "{"

    def check_step(self, step: Step) -> Verdict:
        """The verdict on a whole answer; a piece of one can be no proof."""
        verdict = self.check_answer(step.text) if step.index == 0 else Unknown()
        if isinstance(verdict, Reject) and not isinstance(
            self.readings.read(step.text), Document
        ):
            return Unknown(verdict.reason)
        return verdict

    def check_answer(self, answer: str) -> Verdict:
        """Accept exactly one bare JSON value, valid, with every key asked for."""
        document = self.readings.read(answer)
        if not isinstance(document, Document):
            return document
        value, keys = document.value, self.asked.keys
        if self.asked.schema is not None:
            verdict = self.readings.judged(answer, document, self.compiled)
        elif isinstance(value, Mapping):
            verdict = _with_keys(value, keys) if keys else Accept()
        else:
            return Reject("/: not an object")
        if isinstance(verdict, Accept) and _closed(value, keys) != value:
            return Reject("/: a member that was not asked for")
        return verdict

    def derive(self, donor: Donor) -> str | None:
        """The answer of ``donor`` with loss-free mends; always accepted, or None."""
        is_fresh = donor.text == self.text and donor.format == self.format
        if not is_fresh and differs(self.asked, donor, self.readings) is not None:
            return None
        found = extract(donor.answer, self._opening)
        if found is None:
            return None
        if isinstance(self.check_answer(found.text), Accept):
            return found.text
        text = write(self._mended(found.value, donor, is_fresh=is_fresh))
        return text if isinstance(self.check_answer(text), Accept) else None

    def _mended(self, value: Json, donor: Donor, *, is_fresh: bool) -> Json:
        other = None if is_fresh else self.readings.asked(donor.text, donor.format)
        if other is not None and isinstance(value, Mapping):
            value = renamed(value, renaming(self.asked, other))
        value = _closed(value, self.asked.keys)
        if self.asked.schema is None:
            return value
        return Mends(self.asked.schema, is_fresh=is_fresh).mended(value)

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """Ask for the missing or invalid members only, else for the whole again.

        Never for ``guided_json`` alone: vLLM since 0.12 and llama.cpp ignore it, so
        whoever sends it gets prose from them and has to get it from us.
        """
        if set(self.format) == {"guided_json"}:
            return None
        found = extract(rejected, self._opening)
        part = self._part(found) if found else None
        return part or whole_repair(self.text, reason, self._opening)

    def _part(self, found: Extracted) -> Repair | None:
        value = found.value
        if self.asked.schema is not None:
            value = Mends(self.asked.schema, is_fresh=False).mended(value)
        split = members(self.asked, self.compiled, value)
        if split is None or not split.wanted:
            return None
        return part_repair(self.text, self.asked, split)

    def fallback(self) -> str | None:
        """None: nobody but the model knows the content."""
        return None


def _with_keys(value: JsonObject, keys: KeyList) -> Verdict:
    missing = [name for name in keys.names if name not in value]
    if missing:
        return Reject(f"/: {missing[0]!r} is missing"[:200])
    empty = [name for name in keys.names if value[name] is None]
    if empty and not keys.may_be_null:
        return Reject(f"/{empty[0]}: null"[:200])
    return Accept()


def _closed(value: Json, keys: KeyList | None) -> Json:
    """The value without members that the request forbids."""
    if keys is None or not keys.is_closed or not isinstance(value, Mapping):
        return value
    return {name: member for name, member in value.items() if name in keys.names}
