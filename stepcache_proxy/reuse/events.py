"""The facts of a request, recorded by the pipeline and the API, frozen.

``adapters/prometheus.py`` turns them into series; a test passes ``events.append``
and reads the list as the story of the request. Seconds come from the caller's clock.
"""

from dataclasses import dataclass
from typing import Literal

from stepcache_proxy.reuse.model import Outcome, TaskName

Stage = Literal[
    "canonical",
    "exact",
    "template",
    "embed",
    "nearest",
    "verify",
    "derive",
    "patch",
    "repair",
    "stitch",
    "record",
    "recheck",
]
Seam = Literal["store", "index", "embedder", "upstream"]
VerdictName = Literal["accept", "reject", "unknown"]
RepairResult = Literal["accepted", "rejected", "failed"]


@dataclass(frozen=True, slots=True)
class StageTimed:
    """One stage of one request took so long."""

    stage: Stage
    seconds: float


@dataclass(frozen=True, slots=True)
class Verified:
    """The steps of one candidate or fresh answer got these verdicts, in order."""

    task: TaskName
    verdicts: tuple[VerdictName, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Reuse was refused; ``reason`` is a token of the contract."""

    reason: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """One attempt to regenerate what failed."""

    task: TaskName
    result: RepairResult


@dataclass(frozen=True, slots=True)
class FellBack:
    """The deterministic fallback wrote the answer."""

    task: TaskName


@dataclass(frozen=True, slots=True)
class SeamState:
    """A part of the cache stopped (``is_degraded``) or came back."""

    seam: Seam
    is_degraded: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ShadowChecked:
    """A served answer was asked upstream again in the background."""

    result: Literal["right", "wrong", "unknown"]


@dataclass(frozen=True, slots=True)
class RequestStarted:
    """A request came in (for the number in flight)."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A request has ended; exactly one per RequestStarted.

    ``overhead_seconds`` is total less the time spent waiting for the upstream;
    ``ttft_seconds`` is None where nothing was sent. ``saved_tokens`` are completion
    and prompt tokens the upstream did not have to process. ``own`` is the id that this
    request's own record has, if one was made of it.
    """

    endpoint: Literal["chat", "completions", "other"]
    outcome: Outcome
    reason: str
    is_stream: bool
    status: int
    total_seconds: float
    overhead_seconds: float
    ttft_seconds: float | None
    prompt_tokens: int = 0
    generated_tokens: int = 0
    reused_tokens: int = 0
    saved_tokens: int = 0
    record: str | None = None
    own: str | None = None
    task: str | None = None
    steps: tuple[int, int, int] | None = None  # kept, derived, patched


Event = (
    StageTimed
    | Verified
    | Skipped
    | Repaired
    | FellBack
    | SeamState
    | ShadowChecked
    | RequestStarted
    | Answered
)
