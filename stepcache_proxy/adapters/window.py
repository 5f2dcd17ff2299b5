"""Quantiles of durations over a sliding window, in a shape that adds up over workers.

Samples fall into buckets whose bounds grow by a factor (1 + e) / (1 - e), as in
DDSketch (Masson, Rim, Lee, VLDB 2019), so a quantile is at most e off the sample of
that rank. Buckets are kept per slice of time; slices that are too old are dropped.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log

from stepcache_proxy.reuse.protocols import Clock

ERROR = 0.01
SLICE_SECONDS = 60
SLICES = 10
WINDOW_SECONDS = SLICE_SECONDS * SLICES

_GROWTH = (1 + ERROR) / (1 - ERROR)
_LOG_GROWTH = log(_GROWTH)
_SHORTEST, _LONGEST = 1e-6, 1e6  # seconds; what is outside counts as the bound

Buckets = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Summary:
    """How many samples there were, and their quantiles in seconds."""

    count: int
    quantiles: tuple[float, ...]


class SlidingWindow:
    """Counts of durations per series over the last ten minutes, of bounded size."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._slices: dict[int, dict[str, Counter[int]]] = {}

    def add(self, series: str, seconds: float) -> None:
        """Count one sample of ``series``."""
        now = int(self._clock() // SLICE_SECONDS)
        current = self._slices.get(now)
        if current is None:
            current = self._slices[now] = {}
            self._drop_old(now)
        counts = current.get(series)
        if counts is None:
            counts = current[series] = Counter()
        counts[_bucket(seconds)] += 1

    def export(self) -> dict[str, list[float]]:
        """``series,slice,bucket`` -> how many, for ``merge`` here or elsewhere."""
        return {
            f"{series},{slice_},{bucket}": [count]
            for slice_, rows in self._slices.items()
            for series, counts in rows.items()
            for bucket, count in counts.items()
        }

    def merge(self, rows: Mapping[str, Sequence[float]]) -> dict[str, Counter[int]]:
        """Exported rows that are not too old -> buckets per series."""
        oldest = int(self._clock() // SLICE_SECONDS) - SLICES
        merged: dict[str, Counter[int]] = {}
        for key, (count,) in rows.items():
            series, slice_, bucket = key.rsplit(",", 2)
            if int(slice_) > oldest:
                merged.setdefault(series, Counter())[int(bucket)] += int(count)
        return merged

    def _drop_old(self, now: int) -> None:
        for slice_ in [s for s in self._slices if s <= now - SLICES]:
            del self._slices[slice_]


def summary(buckets: Buckets, quantiles: Iterable[float]) -> Summary:
    """Nearest-rank quantiles, each within ERROR of the sample of its rank."""
    total = int(sum(buckets.values()))
    ordered = sorted(buckets.items())
    values = tuple(_ranked(ordered, ceil(q * total)) for q in quantiles)
    return Summary(total, values)


def _ranked(ordered: Sequence[tuple[int, float]], rank: int) -> float:
    so_far = 0.0
    for bucket, count in ordered:
        so_far += count
        if so_far >= rank:
            return _middle(bucket)
    return 0.0


def _bucket(seconds: float) -> int:
    bounded = min(seconds, _LONGEST) if seconds > _SHORTEST else _SHORTEST
    return ceil(log(bounded) / _LOG_GROWTH)


def _middle(bucket: int) -> float:
    """The value whose relative distance to both bounds of the bucket is ERROR."""
    return 2 * _GROWTH**bucket / (_GROWTH + 1)
