"""What goes into the pipeline and what comes out of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.controls import Controls
from stepcache_proxy.reuse.model import (
    Answer,
    Candidate,
    CanonicalRequest,
    Decision,
    Outcome,
    RecordId,
    TaskName,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Task, Vector, Verifier


@dataclass(frozen=True, slots=True)
class Bound:
    """The task that a request belongs to, bound to it."""

    task: Task
    verifier: Verifier


@dataclass(frozen=True, slots=True)
class Ask:
    """One request with its controls and the headers to send upstream.

    ``bound`` once the tasks have seen it (``Searcher.bound``).
    """

    request: CanonicalRequest
    controls: Controls
    headers: Sequence[tuple[bytes, bytes]] = ()
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class StepCounts:
    """How many steps of the answer were kept, derived and patched."""

    kept: int = 0
    derived: int = 0
    patched: int = 0


@dataclass(frozen=True, slots=True)
class Served:
    """A whole answer, verified as its outcome says.

    ``generated`` counts completion tokens the upstream produced for this request,
    ``reused`` those that came from the cache. ``age_seconds`` and ``ttl_seconds``
    are of the record served.
    """

    outcome: Outcome
    reason: str
    answer: Answer
    record: RecordId | None = None
    similarity: float | None = None
    steps: StepCounts | None = None
    generated: int = 0
    reused: int = 0
    fallback: TaskName | None = None
    age_seconds: int | None = None
    ttl_seconds: int | None = None
    is_stored: bool = False
    task: TaskName | None = None


@dataclass(frozen=True, slots=True)
class Forward:
    """The upstream has to answer in full: a miss, or a skip with its reason.

    ``verifier`` is the task bound to the request; ``is_held`` means its answer is
    checked before anybody sees it. ``vector`` is the embedding if one was made.
    ``spent`` counts completion tokens that failed patches have cost already.
    """

    outcome: Outcome
    reason: str
    similarity: float | None = None
    verifier: Verifier | None = None
    is_held: bool = False
    vector: Vector | None = None
    spent: int = 0


Reply = Served | Forward


@dataclass(frozen=True, slots=True)
class Finding:
    """One candidate as the pipeline judged it.

    ``decision`` already counts what could be derived: with ``derived`` set it is
    Reuse of that text instead of the record's own. ``is_proved``: the answer served
    was accepted by the verifier, not only let stand because the questions are one.
    ``is_reworked``: what is derived proves nothing (``Reworking``).
    ``is_same_question`` is told where not all of the answer is proved, or where
    reasoning comes with it.
    """

    candidate: Candidate
    decision: Decision
    verdicts: tuple[Verdict, ...] = ()
    derived: str | None = None
    is_same_question: bool = False
    is_proved: bool = False
    is_reworked: bool = False
