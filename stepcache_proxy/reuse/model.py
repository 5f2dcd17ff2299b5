"""The nouns of StepCache as frozen values; nothing here does anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from stepcache_proxy.wire.answer import Answer as Answer  # noqa: PLC0414  (an export)
from stepcache_proxy.wire.jsonvalue import JsonObject

RecordId = NewType("RecordId", str)
PartitionKey = NewType("PartitionKey", str)
TemplateKey = NewType("TemplateKey", str)
QuestionKey = NewType("QuestionKey", str)
TaskName = NewType("TaskName", str)


class Outcome(StrEnum):
    """What happened to a request; exactly one each (contract, "Outcomes")."""

    EXACT = "exact"
    REUSE = "reuse"
    PATCH = "patch"
    SKIP = "skip"
    MISS = "miss"
    COALESCED = "coalesced"
    BYPASS = "bypass"


class Mode(StrEnum):
    """How much reuse is allowed, strictest first."""

    OFF = "off"
    EXACT = "exact"
    VERIFIED = "verified"


class Provenance(StrEnum):
    """Where the answer of a record came from."""

    FRESH = "fresh"
    DERIVED = "derived"
    PATCHED = "patched"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class Step:
    """Ordered unit of an answer; ``index`` counts from 0."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Accept:
    """Proved right for this request, or provably neutral."""


@dataclass(frozen=True, slots=True)
class Reject:
    """Proved wrong for this request; ``reason`` is for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Could not be read; unverified is not verified."""

    reason: str = ""


Verdict = Accept | Reject | Unknown


@dataclass(frozen=True, slots=True)
class Region:
    """Steps ``start`` (inclusive) to ``stop`` (exclusive), to be regenerated."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Reuse:
    """Every step stands for this request."""


@dataclass(frozen=True, slots=True)
class Patch:
    """The steps before ``region`` stand, the region is regenerated."""

    region: Region


@dataclass(frozen=True, slots=True)
class SkipReuse:
    """The candidate is refused; ``reason`` is a machine token of the contract."""

    reason: str


Decision = Reuse | Patch | SkipReuse


@dataclass(frozen=True, slots=True)
class CanonicalRequest:
    """A request without what cannot change its answer (see ``canonical.py``).

    ``text`` is the text of the last user message (or the prompt) and ``format``
    the fields that demand an output format: together what verifiers read.
    ``parameters`` maps every other answer-changing field to a short hash, so that
    "asked with another value" can be told without keeping values. ``kin`` is a wider
    template, looked at where ``template`` has no record. ``is_alone``: no system
    message or earlier turn can change what the text asks.
    """

    endpoint: str
    body: JsonObject
    model: str
    tenant: str
    namespace: str
    partition: PartitionKey
    id: RecordId
    template: TemplateKey
    question: QuestionKey
    parameters: Mapping[str, str]
    text: str
    format: JsonObject
    is_exact_only: bool = False
    is_alone: bool = True
    kin: TemplateKey | None = None


@dataclass(frozen=True, slots=True)
class Donor:
    """What a record was asked and what it answered, as verifiers read it."""

    text: str
    format: JsonObject
    answer: str


@dataclass(frozen=True, slots=True)
class Observations:
    """How often an answer of a record was found right and wrong after it was served."""

    right: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """A cached canonical request with its answer as ordered steps.

    ``is_proved``: the final check of the whole answer was a proof (Accept), so it
    may be a donor. ``created`` is in seconds since the epoch. ``generation`` counts
    how often this id was written. ``is_quarantined``: the answer was reported as bad;
    it is never served, and what is near it is served only where it is proved.
    ``observations`` are what shadow checks found of it (``bound.py``).
    """

    id: RecordId
    partition: PartitionKey
    template: TemplateKey
    question: QuestionKey
    parameters: Mapping[str, str]
    endpoint: str
    model: str
    namespace: str
    text: str
    format: JsonObject
    answer: Answer
    steps: tuple[str, ...]
    task: TaskName | None
    is_proved: bool
    is_exact_only: bool
    provenance: Provenance
    created: float
    ttl_seconds: int
    generation: int = 0
    is_quarantined: bool = False
    observations: Observations = Observations()
    kin: TemplateKey | None = None

    @property
    def donor(self) -> Donor:
        """This record as a donor for another request."""
        return Donor(text=self.text, format=self.format, answer=self.answer.text)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may fit; ``similarity`` is the cosine, None if not measured."""

    record: Record
    similarity: float | None = None
