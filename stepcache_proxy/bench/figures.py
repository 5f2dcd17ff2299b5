"""Rows -> the figures of an arm, in the shape the contract fixes."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from stepcache_proxy.bench.journal import Row
from stepcache_proxy.wire.jsonvalue import JsonObject

PAPER: JsonObject = {
    "direct": {
        "mean_s": 2.13,
        "median_s": 2.42,
        "p95_s": 3.38,
        "tokens": 36_100,
        "correct_share": 0.725,
    },
    "stepcache": {
        "mean_s": 0.67,
        "median_s": 0.01,
        "p95_s": 3.30,
        "tokens": 27_300,
        "correct_share": 1.0,
        "reuse_share": 0.797,
        "patch_share": 0.054,
        "skip_share": 0.149,
    },
}
"""The figures of the abstract of arXiv 2603.28795: theirs, on their machine."""


def arm_figures(rows: Sequence[Row]) -> JsonObject:
    """The contract's object of one arm; seconds, and tokens the upstream counted."""
    latencies = [row.latency_s for row in rows]
    without = sum(row.completion_tokens == 0 for row in rows)
    return {
        "requests": len(rows),
        "mean_s": round(fmean(latencies), 5),
        "median_s": round(median(latencies), 5),
        "p95_s": round(quantile(latencies, 0.95), 5),
        "ttft_median_s": round(median(row.ttft_s for row in rows), 5),
        "upstream_prompt_tokens": sum(row.prompt_tokens for row in rows),
        "upstream_completion_tokens": sum(row.completion_tokens for row in rows),
        "reused_tokens": sum(row.reused_tokens for row in rows),
        "correct": sum(row.is_right for row in rows),
        "correct_without_fallback": sum(
            row.is_right and not row.fallback for row in rows
        ),
        "unsafe_served": sum(row.is_from_cache and not row.is_right for row in rows),
        "answered_without_upstream": without,
        "outcomes": dict(Counter(row.outcome or "direct" for row in rows)),
    }


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of all lie (the nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def by_kind(rows: Sequence[Row]) -> JsonObject:
    """For each kind of change: requests, right answers, median, outcomes."""
    kinds = sorted({row.kind for row in rows})
    return {kind: _kind([row for row in rows if row.kind == kind]) for kind in kinds}


def _kind(rows: Sequence[Row]) -> JsonObject:
    return {
        "requests": len(rows),
        "correct": sum(row.is_right for row in rows),
        "median_s": round(median(row.latency_s for row in rows), 5),
        "outcomes": dict(Counter(row.outcome or "direct" for row in rows)),
        "reasons": dict(Counter(row.reason for row in rows if row.reason)),
    }
