"""Sums and windows -> the JSON of ``/stepcache/stats``."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepcache_proxy.adapters.figures import (
    QUANTILES,
    SEAMS,
    Families,
    Sizes,
)
from stepcache_proxy.adapters.window import WINDOW_SECONDS, summary
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

MINUTES_SHOWN = 60

_OUTCOMES = tuple(o.value for o in Outcome)
_WITHOUT_MODEL = ("exact", "reuse", "coalesced")
_FROM_CACHE = ("exact", "reuse")
_FROM_MODEL = ("miss", "skip")
_TOKEN_KINDS = ("prompt", "generated", "reused", "saved")

Windows = Mapping[str, Counter[int]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What there is to show; times in seconds since the epoch."""

    rows: Families
    windows: Windows
    recent: Sequence[JsonObject]
    degraded: Mapping[str, str]
    sizes: Sizes
    since: float
    now: float
    workers: int


def snapshot(shown: Shown) -> dict[str, Json]:
    """The body of ``/stepcache/stats``."""
    rows = shown.rows
    return {
        "since": shown.since,
        "uptime_seconds": shown.now - shown.since,
        "workers": shown.workers,
        "requests": _requests(rows),
        "latency": _latency(shown.windows),
        "tokens": {kind: _count(rows, "tokens", kind) for kind in _TOKEN_KINDS},
        "verdicts": _nested(rows, "verdicts"),
        "skips": _flat(rows, "skips"),
        "repairs": _nested(rows, "repairs"),
        "fallbacks": _flat(rows, "fallbacks"),
        "shadow": _shadow(rows),
        "degraded": dict(shown.degraded),
        "seams": {s: "degraded" if s in shown.degraded else "ok" for s in SEAMS},
        "store": {
            "records": shown.sizes.records,
            "bytes": shown.sizes.store_bytes,
        },
        "index": {"vectors": shown.sizes.index_vectors},
        "minutes": _minutes(rows, int(shown.now // 60)),
        "recent": list(shown.recent),
    }


def quantiles_of(windows: Windows) -> dict[str, dict[float, float]]:
    """Outcome -> quantile -> seconds of the total; outcomes without a sample lack."""
    found: dict[str, dict[float, float]] = {}
    for outcome in _OUTCOMES:
        buckets = windows.get(f"total,{outcome}")
        if buckets:
            values = summary(buckets, QUANTILES).quantiles
            found[outcome] = dict(zip(QUANTILES, values, strict=True))
    return found


def wilson(hits: int, total: int) -> tuple[float, float] | None:
    """The 95 % interval of a share (Wilson 1927); None without an observation."""
    if not total:
        return None
    z = 1.959964
    share, spread = hits / total, z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def _requests(rows: Families) -> JsonObject:
    """Counts; the share is of model requests, other paths were never answerable."""
    counts = dict.fromkeys(_OUTCOMES, 0)
    model_requests = without_model = 0
    for key, count in _flat(rows, "requests").items():
        endpoint, _, outcome = key.partition(",")
        counts[outcome] = counts.get(outcome, 0) + count
        if endpoint != "other":
            model_requests += count
            without_model += count if outcome in _WITHOUT_MODEL else 0
    return {
        "total": sum(counts.values()),
        "inflight": max(_count(rows, "inflight", ""), 0),
        "model_requests": model_requests,
        "answered_without_model": without_model,
        "share_without_model": without_model / model_requests
        if model_requests
        else 0.0,
        "by_outcome": counts,
    }


def _latency(windows: Windows) -> JsonObject:
    return {
        "window_seconds": WINDOW_SECONDS,
        "total": _spans(windows, "total", _OUTCOMES),
        "overhead": _spans(windows, "overhead", _OUTCOMES),
        "ttft": _spans(windows, "ttft", _OUTCOMES),
        "stages": _spans(windows, "stage", _stages(windows)),
        "from_cache": _summed(windows, _FROM_CACHE),
        "from_model": _summed(windows, _FROM_MODEL),
    }


def _stages(windows: Windows) -> list[str]:
    return sorted(key[6:] for key in windows if key.startswith("stage,"))


def _spans(windows: Windows, span: str, names: Sequence[str]) -> JsonObject:
    return {
        name: _quantiles(windows.get(f"{span},{name}", Counter())) for name in names
    }


def _summed(windows: Windows, outcomes: Sequence[str]) -> JsonObject:
    total: Counter[int] = Counter()
    for outcome in outcomes:
        total.update(windows.get(f"total,{outcome}", {}))
    return _quantiles(total)


def _quantiles(buckets: Counter[int]) -> JsonObject:
    """Null instead of a figure where there was no request in the window."""
    if not buckets:
        return {"count": 0, "p50": None, "p95": None, "p99": None}
    found = summary(buckets, QUANTILES)
    p50, p95, p99 = found.quantiles
    return {"count": found.count, "p50": p50, "p95": p95, "p99": p99}


def _shadow(rows: Families) -> JsonObject:
    right, wrong, unknown = (
        _count(rows, "shadow", result) for result in ("right", "wrong", "unknown")
    )
    judged = right + wrong
    interval = wilson(wrong, judged)
    return {
        "right": right,
        "wrong": wrong,
        "unknown": unknown,
        "unsafe_served_ratio": wrong / judged if judged else 0.0,
        "interval_95": list(interval) if interval else None,
    }


def _minutes(rows: Families, now: int) -> list[Json]:
    counts = _flat(rows, "minutes")
    return [
        {"time": minute * 60, **_minute(counts, minute)}
        for minute in range(now - MINUTES_SHOWN + 1, now + 1)
    ]


def _minute(counts: Mapping[str, int], minute: int) -> dict[str, int]:
    return {o: counts.get(f"{minute},{o}", 0) for o in _OUTCOMES}


def _nested(rows: Families, family: str) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {}
    for key, count in _flat(rows, family).items():
        outer, _, inner = key.rpartition(",")
        nested.setdefault(outer, {})[inner] = count
    return nested


def _flat(rows: Families, family: str) -> dict[str, int]:
    return {key: int(numbers[0]) for key, numbers in rows.get(family, {}).items()}


def _count(rows: Families, family: str, key: str) -> int:
    return int(rows.get(family, {}).get(key, (0.0,))[0])
