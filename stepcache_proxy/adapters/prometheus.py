"""Events -> the Prometheus series of the contract, over all workers."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from threading import Lock
from typing import assert_never, get_args

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from stepcache_proxy.adapters.figures import (
    SEAMS,
    SKIP_KINDS,
    Families,
    Sizes,
    State,
    add_up,
    skip_kind,
)
from stepcache_proxy.reuse.events import (
    Answered,
    Event,
    FellBack,
    Repaired,
    RepairResult,
    RequestStarted,
    SeamState,
    ShadowChecked,
    Skipped,
    Stage,
    StageTimed,
    VerdictName,
    Verified,
)
from stepcache_proxy.reuse.model import Outcome

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# Five bounds a decade, 0.25 ms to 10 min: neighbours are at most a factor 2 apart.
BUCKETS = (
    0.00025, 0.0004, 0.0005, 0.001, 0.0015, 0.0025, 0.004, 0.006,
    0.01, 0.015, 0.025, 0.04, 0.06, 0.1, 0.15, 0.25, 0.4, 0.6,
    1.0, 1.5, 2.5, 4.0, 6.0, 10.0, 15.0, 25.0, 40.0, 60.0,
    100.0, 150.0, 250.0, 400.0, 600.0,
)  # fmt: skip

Quantiles = Mapping[str, Mapping[float, float]]


@dataclass(frozen=True, slots=True)
class _Family:
    name: str
    help: str
    labels: tuple[str, ...]


_COUNTERS = (
    _Family(
        "stepcache_requests", "Requests answered.", ("endpoint", "outcome", "stream")
    ),
    _Family("stepcache_tokens", "Tokens by where they came from.", ("kind",)),
    _Family("stepcache_step_verdicts", "Verdicts on steps.", ("task", "verdict")),
    _Family("stepcache_skips", "Refused reuse by kind of reason.", ("reason",)),
    _Family(
        "stepcache_repairs", "Attempts to regenerate a region.", ("task", "result")
    ),
    _Family("stepcache_fallbacks", "Answers by the deterministic fallback.", ("task",)),
    _Family("stepcache_shadow_checks", "Served answers asked again.", ("result",)),
)
_HISTOGRAMS = (
    _Family("stepcache_request_seconds", "Request in to last byte out.", ("outcome",)),
    _Family("stepcache_overhead_seconds", "Total less the upstream.", ("outcome",)),
    _Family("stepcache_ttft_seconds", "Request in to first token out.", ("outcome",)),
    _Family("stepcache_stage_seconds", "Time in one stage.", ("stage",)),
)


class PrometheusRecorder(Collector):
    """Counts events and renders them; safe to call from any thread.

    Labels come from closed sets: task names not in ``tasks`` are folded to "other",
    skip reasons to their kind. ``quantiles`` gives outcome -> quantile -> seconds over
    a sliding window, ``peers`` the exported states of the other workers.
    """

    def __init__(
        self,
        tasks: Sequence[str],
        *,
        sizes: Callable[[], Sizes],
        quantiles: Callable[[], Quantiles],
        peers: Callable[[], Sequence[State]] = tuple,
    ) -> None:
        self._tasks = frozenset(tasks)
        self._sizes = sizes
        self._quantiles = quantiles
        self._peers = peers
        self._lock = Lock()
        self._rows = _empty(tasks)
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def record(self, event: Event) -> None:
        """Count ``event``: a few microseconds under a lock."""
        with self._lock:
            self._count(event)

    def export(self) -> Families:
        """The state of this worker, for another worker's ``peers``."""
        with self._lock:
            return add_up([self._rows])

    def render(self) -> bytes:
        """Every series in the text format (CONTENT_TYPE)."""
        return generate_latest(self._registry)

    def collect(self) -> Iterable[Metric]:
        """The families of the contract, for the registry."""
        rows = add_up([self.export(), *self._peers()])
        yield from (_counter(f, rows[f.name]) for f in _COUNTERS)
        yield from (_histogram(f, rows[f.name]) for f in _HISTOGRAMS)
        yield _quantile_gauge(self._quantiles())
        yield from _gauges(rows, self._sizes())

    def _count(self, event: Event) -> None:
        match event:
            case StageTimed(stage, seconds):
                self._observe("stepcache_stage_seconds", stage, seconds)
            case Answered():
                self._answered(event)
            case RequestStarted():
                self._add("inflight", "")
            case Verified(task, verdicts):
                self._verdicts(self._task(task), verdicts)
            case SeamState(seam, is_degraded):
                self._rows["degraded"][seam] = [float(is_degraded)]
            case _:
                self._count_rare(event)

    def _count_rare(self, event: Skipped | Repaired | FellBack | ShadowChecked) -> None:
        match event:
            case Skipped(reason):
                self._add("stepcache_skips", skip_kind(reason))
            case Repaired(task, result):
                self._add("stepcache_repairs", f"{self._task(task)},{result}")
            case FellBack(task):
                self._add("stepcache_fallbacks", self._task(task))
            case ShadowChecked(result):
                self._add("stepcache_shadow_checks", result)
            case _:
                assert_never(event)

    def _answered(self, event: Answered) -> None:
        outcome = event.outcome.value
        stream = "true" if event.is_stream else "false"
        self._add("inflight", "", -1)
        self._add("stepcache_requests", f"{event.endpoint},{outcome},{stream}")
        self._observe("stepcache_request_seconds", outcome, event.total_seconds)
        self._observe("stepcache_overhead_seconds", outcome, event.overhead_seconds)
        if event.ttft_seconds is not None:
            self._observe("stepcache_ttft_seconds", outcome, event.ttft_seconds)
        tokens = self._rows["stepcache_tokens"]
        tokens["prompt"][0] += event.prompt_tokens
        tokens["generated"][0] += event.generated_tokens
        tokens["reused"][0] += event.reused_tokens
        tokens["saved"][0] += event.saved_tokens

    def _verdicts(self, task: str, verdicts: tuple[VerdictName, ...]) -> None:
        for verdict in verdicts:
            self._add("stepcache_step_verdicts", f"{task},{verdict}")

    def _task(self, name: str) -> str:
        return name if name in self._tasks else "other"

    def _add(self, family: str, key: str, amount: float = 1) -> None:
        self._rows[family][key][0] += amount

    def _observe(self, family: str, key: str, seconds: float) -> None:
        row = self._rows[family][key]
        row[bisect_left(BUCKETS, seconds)] += 1
        row[-1] += seconds


def _empty(tasks: Sequence[str]) -> Families:
    """Every series at 0, so that all are declared before the first request."""
    names = [*tasks, "other"]
    outcomes = [o.value for o in Outcome]
    keys: dict[str, Iterable[tuple[str, ...]]] = {
        "inflight": [("",)],
        "degraded": product(SEAMS),
        "stepcache_requests": product(
            ("chat", "completions", "other"), outcomes, ("false", "true")
        ),
        "stepcache_tokens": product(("prompt", "generated", "reused", "saved")),
        "stepcache_step_verdicts": product(names, get_args(VerdictName)),
        "stepcache_skips": product(SKIP_KINDS),
        "stepcache_repairs": product(names, get_args(RepairResult)),
        "stepcache_fallbacks": product(names),
        "stepcache_shadow_checks": product(("right", "wrong", "unknown")),
        "stepcache_request_seconds": product(outcomes),
        "stepcache_overhead_seconds": product(outcomes),
        "stepcache_ttft_seconds": product(outcomes),
        "stepcache_stage_seconds": product(get_args(Stage)),
    }
    return {
        family: {",".join(key): [0.0] * _width(family) for key in rows}
        for family, rows in keys.items()
    }


def _width(family: str) -> int:
    """One number, or one per bucket, one above the last bound, and the sum."""
    return len(BUCKETS) + 2 if family.endswith("_seconds") else 1


def _counter(family: _Family, rows: Mapping[str, Sequence[float]]) -> Metric:
    metric = CounterMetricFamily(family.name, family.help, labels=family.labels)
    for key, numbers in rows.items():
        metric.add_metric(key.split(","), numbers[0])
    return metric


def _histogram(family: _Family, rows: Mapping[str, Sequence[float]]) -> Metric:
    metric = HistogramMetricFamily(family.name, family.help, labels=family.labels)
    for key, numbers in rows.items():
        buckets, so_far = [], 0.0
        for bound, count in zip((*BUCKETS, float("inf")), numbers, strict=False):
            so_far += count
            buckets.append(("+Inf" if bound == float("inf") else str(bound), so_far))
        metric.add_metric(key.split(","), buckets=buckets, sum_value=numbers[-1])
    return metric


def _quantile_gauge(quantiles: Quantiles) -> Metric:
    metric = GaugeMetricFamily(
        "stepcache_latency_quantile_seconds",
        "Quantiles of the total over the last ten minutes; absent without a request.",
        labels=("outcome", "quantile"),
    )
    for outcome, values in quantiles.items():
        for quantile, seconds in values.items():
            metric.add_metric((outcome, str(quantile)), seconds)
    return metric


def _gauges(rows: Families, sizes: Sizes) -> Iterable[Metric]:
    degraded = GaugeMetricFamily(
        "stepcache_degraded", "1 while a part is out of use.", labels=("seam",)
    )
    for seam, numbers in rows["degraded"].items():
        degraded.add_metric((seam,), min(numbers[0], 1.0))
    yield degraded
    plain = (
        (
            "unsafe_served_ratio",
            "Wrong of all judged shadow checks; 0 without any.",
            _unsafe(rows),
        ),
        ("records", "Live records in the store.", sizes.records),
        ("index_vectors", "Vectors in the index of this worker.", sizes.index_vectors),
        ("store_bytes", "Memory of the store in bytes.", sizes.store_bytes),
        (
            "inflight_requests",
            "Requests not yet answered.",
            max(rows["inflight"][""][0], 0.0),
        ),
    )
    for name, text, value in plain:
        yield GaugeMetricFamily(f"stepcache_{name}", text, value=value)


def _unsafe(rows: Families) -> float:
    checks = rows["stepcache_shadow_checks"]
    wrong, right = checks["wrong"][0], checks["right"][0]
    return wrong / (wrong + right) if wrong + right else 0.0
