"""What a run counted: one report a file, as numbers, as JSON and as lines."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from stepcache_proxy.adapters.snapshot import wilson
from stepcache_proxy.wire.jsonvalue import Json, JsonObject


@dataclass(slots=True)
class Counts:
    """Requests and what became of them.

    A trap is a request that must not get the cached answer. ``wrong`` counts what
    the cache served or patched and the label refutes.
    """

    requests: int = 0
    served: int = 0
    wrong: int = 0
    traps: int = 0
    traps_served: int = 0
    may_share: int = 0
    may_share_served: int = 0
    patched: int = 0
    skipped: int = 0

    def add(self, other: "Counts") -> None:
        """Add every count of ``other``."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_json(self) -> dict[str, Json]:
        """Every count by its name."""
        return {name: int(getattr(self, name)) for name in _COUNTED}


_COUNTED = (
    "requests",
    "served",
    "wrong",
    "traps",
    "traps_served",
    "may_share",
    "may_share_served",
    "patched",
    "skipped",
)


@dataclass(slots=True)
class StepCounts:
    """Steps by their label, and what the verifier made of them.

    ``caught`` are wrong steps it rejects, ``false_rejects`` right ones; ``unknown``
    those it cannot read, right or wrong.
    """

    right: int = 0
    wrong: int = 0
    caught: int = 0
    false_rejects: int = 0
    unknown: int = 0

    def as_json(self) -> dict[str, Json]:
        """The counts, with precision and recall on wrong steps and the coverage."""
        refused, steps = self.caught + self.false_rejects, self.right + self.wrong
        return {
            "right": self.right,
            "wrong": self.wrong,
            "caught": self.caught,
            "false_rejects": self.false_rejects,
            "unknown": self.unknown,
            "precision": ratio(self.caught, refused),
            "recall": ratio(self.caught, self.wrong),
            "false_reject_rate": ratio(self.false_rejects, self.right),
            "coverage": ratio(steps - self.unknown, steps),
        }


@dataclass(slots=True)
class SchemaCounts:
    """Values against their schemas: ``agree`` with the label, or which way not."""

    rows: int = 0
    agree: int = 0
    false_accepts: int = 0
    false_rejects: int = 0
    unknown: int = 0
    compile_seconds: list[float] = field(default_factory=list[float])

    def as_json(self) -> dict[str, Json]:
        """The counts, the share that agrees, and what compiling took."""
        return {
            "agree": self.agree,
            "false_accepts": self.false_accepts,
            "false_rejects": self.false_rejects,
            "unknown": self.unknown,
            "agreement": ratio(self.agree, self.rows),
            "compile_ms": milliseconds(self.compile_seconds),
        }


@dataclass(slots=True)
class Report:
    """Everything counted over one file; ``extra`` holds what only one kind has.

    ``is_served``: a cache was asked. Otherwise nothing could be served, wrong or right,
    and the counts of that are no finding.
    """

    file: str
    rows: int
    labels: str
    is_served: bool = True
    counts: Counts = field(default_factory=Counts)
    by_category: dict[str, Counts] = field(default_factory=dict[str, Counts])
    by_half: dict[str, Counts] = field(default_factory=dict[str, Counts])
    check_seconds: list[float] = field(default_factory=list[float])
    reasons: Counter[str] = field(default_factory=Counter[str])
    steps: StepCounts | None = None
    schema: SchemaCounts | None = None
    extra: dict[str, Json] = field(default_factory=dict[str, Json])

    def count(self, categories: Sequence[str], half: str, counts: Counts) -> None:
        """Add one request to the whole, to its categories and to its half."""
        self.counts.add(counts)
        self.by_half.setdefault(half, Counts()).add(counts)
        for category in categories:
            self.by_category.setdefault(category, Counts()).add(counts)

    def as_json(self) -> JsonObject:
        """The object of the contract, with intervals and what else was counted."""
        return {
            "file": self.file,
            "rows": self.rows,
            "labels": self.labels,
            **self.counts.as_json(),
            "check_ms": milliseconds(self.check_seconds),
            "rates": rates(self.counts) if self.is_served else None,
            "by_category": _nested(self.by_category),
            "by_half": _nested(self.by_half),
            "reasons": dict(self.reasons.most_common()),
            **({"steps": self.steps.as_json()} if self.steps else {}),
            **({"schema": self.schema.as_json()} if self.schema else {}),
            **self.extra,
        }


def rates(counts: Counts) -> dict[str, Json]:
    """The shares of right and wrong answers, each with its 95 % interval (Wilson).

    Right is whatever was served or patched and is not wrong.
    """
    answered = counts.served + counts.patched
    return {
        "right_of_requests": _rate(answered - counts.wrong, counts.requests),
        "wrong_of_requests": _rate(counts.wrong, counts.requests),
        "wrong_of_traps": _rate(counts.traps_served, counts.traps),
        "wrong_of_served": _rate(counts.wrong, answered),
        "may_share_served": _rate(counts.may_share_served, counts.may_share),
    }


def ratio(part: int, whole: int) -> float | None:
    """The share, None of nothing."""
    return part / whole if whole else None


def milliseconds(seconds: Sequence[float]) -> dict[str, Json]:
    """Median and 95th percentile (nearest rank); null where nothing was timed."""
    ordered = sorted(seconds)
    if not ordered:
        return {"p50": None, "p95": None}
    ranks = {"p50": 0.50, "p95": 0.95}
    return {
        name: round(1000 * ordered[max(0, math.ceil(q * len(ordered)) - 1)], 4)
        for name, q in ranks.items()
    }


def _rate(part: int, whole: int) -> JsonObject:
    interval = wilson(part, whole)
    return {
        "count": part,
        "of": whole,
        "share": ratio(part, whole),
        "interval_95": list(interval) if interval else None,
    }


def _nested(table: dict[str, Counts]) -> JsonObject:
    return {key: table[key].as_json() for key in sorted(table)}
