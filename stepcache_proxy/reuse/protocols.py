"""The seams of the pipeline; everything that does I/O or knows a task is behind one."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Protocol

from stepcache_proxy.reuse.events import Event
from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    Donor,
    PartitionKey,
    Record,
    RecordId,
    Step,
    TaskName,
    Verdict,
)
from stepcache_proxy.wire.jsonvalue import JsonObject

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Repair:
    """How to ask the upstream for what a verifier did not accept.

    With ``prompt`` None the upstream continues the kept steps. Otherwise
    ``prompt`` replaces the last user message and ``format`` the format fields.
    ``merge`` joins the kept text (or the rejected answer) and the reply into a
    whole answer, None if the reply is of no use. ``is_whole`` tells that a whole
    answer is asked for again, which is no patch.
    """

    merge: Callable[[str], str | None]
    prompt: str | None = None
    format: JsonObject | None = None
    is_whole: bool = False


class Verifier(Protocol):
    """A task bound to ONE request. Pure, bounded in time, never raises on text."""

    @property
    def task(self) -> TaskName:
        """The name of the task."""
        ...

    def check_step(self, step: Step) -> Verdict:
        """Accept only what is proved for the bound request, or provably neutral."""
        ...

    def check_answer(self, answer: str) -> Verdict:
        """The integrity check: Accept means the whole answer is proved right."""
        ...

    def derive(self, donor: Donor) -> str | None:
        """The answer of ``donor`` re-derived for the bound request, exactly.

        No model is asked. None where it is ambiguous or would read wrong. The
        donor may be the bound request itself with a fresh answer: then only
        loss-free mends are made (a fence removed, "30" read as 30).
        """
        ...

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """How to regenerate ``rejected`` (the whole answer); None: cannot be asked."""
        ...

    def fallback(self) -> str | None:
        """The deterministic right answer, where the task has one."""
        ...


class Task(Protocol):
    """A family of requests."""

    @property
    def name(self) -> TaskName:
        """One word, also the key under ``tasks`` in the settings."""
        ...

    def bind(self, request: CanonicalRequest) -> Verifier | None:
        """A verifier if the request is of this family and was understood whole."""
        ...

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """A reason token if the donor was asked something no step check can see.

        None: whatever still differs is judged by the verifier, step by step.
        """
        ...


class Grouping(Task, Protocol):
    """A task that also knows which of its requests can lend each other steps.

    Asked only of requests that it binds.
    """

    def group(self, request: CanonicalRequest) -> str | None:
        """A key that such requests share whatever their words; None: words decide.

        It only takes the place of the template key: retrieval proposes, verification
        decides.
        """
        ...


class Kindred(Task, Protocol):
    """A task of which requests in different groups may lend each other steps, too."""

    def kin(self, request: CanonicalRequest) -> str | None:
        """A key of several groups, looked at where its own group has no record.

        Asked only of requests that the task binds.
        """
        ...


class Gating(Task, Protocol):
    """A task whose comparison refuses a donor that was asked in other words.

    So there is nothing to look for where no record has words in common.
    """

    @property
    def is_whole_gate(self) -> bool:
        """Whether None from ``compare`` means that nothing readable differs at all."""
        ...


class Reworking(Verifier, Protocol):
    """A verifier of a task that proves nothing, but works answers anew all the same.

    What it makes is as right as the donor's way was: it is served under the donor's
    bound and its shadow checks, and never becomes a record.
    """

    def rework(self, donor: Donor) -> str | None:
        """The donor's answer, its way kept, with the bound request's constants.

        None where the way is not wholly explained, in one way only.
        """
        ...


class RecordStore(Protocol):
    """Records and their keys. Raises StoreUnavailableError, nothing else."""

    async def get(
        self, ids: Sequence[RecordId], *, is_near: bool = False
    ) -> list[Record | None]:
        """The records in the order of ``ids``; expired or unreadable ones are None.

        ``is_near``: only what needs no round trip; None may then be there all the same.
        """
        ...

    def at_hand(self, request: CanonicalRequest) -> "Found | None":
        """What ``find`` would give, if that is known here; None: ``find`` it."""
        ...

    async def find(self, request: CanonicalRequest) -> "Found":
        """The record of the request itself and those of its template, in one trip."""
        ...

    async def put(
        self, record: Record, vector: Vector | None, *, only_vector: bool = False
    ) -> None:
        """Write a record with all its keys, atomically, each with the record's TTL.

        ``only_vector`` adds the vector to a record that is still there, so that
        nothing removed meanwhile comes back.
        """
        ...

    async def delete(self, ids: Sequence[RecordId]) -> int:
        """Remove records with all their keys; how many there were."""
        ...

    def scan(self) -> AsyncGenerator[tuple[Record, Vector | None]]:
        """Every live record with its vector, in no order."""
        ...


class Ledger(Protocol):
    """What was observed of records. Raises StoreUnavailableError, nothing else."""

    async def observe(self, id: RecordId, *, is_right: bool) -> None:
        """Count one observation of a live record; its life does not change.

        A record that is gone stays gone; one that is written anew starts anew.
        """
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What one read of record, template and question keys gave.

    ``exact`` is the record of the same canonical request. ``differs`` names the first
    field in which the last record with the same question (same words, tenant and
    model) was asked with another value.
    """

    records: tuple[Record, ...] = ()
    differs: str | None = None
    exact: Record | None = None


class VectorIndex(Protocol):
    """Nearest vectors inside a partition. Raises IndexUnavailableError."""

    async def add(
        self, partition: PartitionKey, id: RecordId, vector: Vector, text: str = ""
    ) -> None:
        """Add or replace the vector of ``text`` (empty: of one that is not known)."""
        ...

    async def nearest(
        self, partition: PartitionKey, vector: Vector, k: int
    ) -> list[tuple[RecordId, float]]:
        """At most ``k`` ids with their cosine, best first."""
        ...

    async def remove(self, partition: PartitionKey, id: RecordId) -> None:
        """Forget one vector; unknown ids are fine."""
        ...

    async def clear(self) -> None:
        """Forget everything (before a rebuild)."""
        ...

    async def holds(self, partition: PartitionKey, text: str = "") -> bool:
        """Whether a partition may hold anything that is worth comparing ``text`` with.

        False only where it is empty, or where no text in it shares half of the words
        (``sketch.py``): then nobody needs the vector of ``text`` now.
        """
        ...

    def size(self) -> int:
        """How many vectors there are, as of the last look."""
        ...


class Embedder(Protocol):
    """Text -> unit vector. Raises EmbedderUnavailableError."""

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """A unit vector (384 floats for MiniLM); None if text overflows the window.

        ``can_wait``: no request waits for it, so it comes behind those that do.
        """
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when vectors of the old and the new model must not be compared."""
        ...


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the upstream is asked for: a request body and an assistant prefix.

    ``prefix`` is the verified beginning of the answer that the upstream continues;
    empty for a full answer. ``headers`` are the client's, ready to forward.
    """

    endpoint: str
    body: JsonObject
    headers: Sequence[tuple[bytes, bytes]]
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text from the upstream, new text only (never the prefix)."""

    text: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a complete upstream answer; ``answer.content`` is new text only."""

    answer: "GeneratedAnswer"


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """What the upstream said after the last delta."""

    finish_reason: str
    model: str
    usage: JsonObject
    message: JsonObject
    choice: JsonObject
    envelope: JsonObject


class Upstream(Protocol):
    """The model server, for calls the pipeline itself makes."""

    def generate(self, prompt: Prompt) -> AsyncGenerator[Delta | Finish]:
        """Deltas, then exactly one Finish; closing the generator aborts the call.

        Raises UpstreamError, UpstreamTimeoutError, or UpstreamStatusError with the
        upstream's own status, headers and body, unchanged.
        """
        ...


class Recorder(Protocol):
    """Takes the facts of a request; turns them into series, logs, statistics."""

    def record(self, event: Event) -> None:
        """Never raises, never blocks."""
        ...


Clock = Callable[[], float]
Spawn = Callable[[Coroutine[None, None, None]], None]
"""Runs a coroutine in the background; it may be dropped, never waited for."""
