"""The series of the contract are there, with its labels, and count what happened."""

import re
from itertools import pairwise

import pytest
from prometheus_client.parser import text_string_to_metric_families

from stepcache_proxy.adapters.figures import Sizes
from stepcache_proxy.adapters.prometheus import BUCKETS, PrometheusRecorder
from stepcache_proxy.reuse.events import (
    Event,
    FellBack,
    Repaired,
    RequestStarted,
    SeamState,
    ShadowChecked,
    Skipped,
    StageTimed,
    Verified,
)
from stepcache_proxy.reuse.model import Outcome, TaskName
from tests.adapters.recorded import answered, degraded

LABELS = {
    "stepcache_requests_total": {"endpoint", "outcome", "stream"},
    "stepcache_request_seconds": {"outcome"},
    "stepcache_overhead_seconds": {"outcome"},
    "stepcache_ttft_seconds": {"outcome"},
    "stepcache_stage_seconds": {"stage"},
    "stepcache_latency_quantile_seconds": {"outcome", "quantile"},
    "stepcache_tokens_total": {"kind"},
    "stepcache_step_verdicts_total": {"task", "verdict"},
    "stepcache_skips_total": {"reason"},
    "stepcache_repairs_total": {"task", "result"},
    "stepcache_fallbacks_total": {"task"},
    "stepcache_shadow_checks_total": {"result"},
    "stepcache_unsafe_served_ratio": set[str](),
    "stepcache_degraded": {"seam"},
    "stepcache_records": set[str](),
    "stepcache_index_vectors": set[str](),
    "stepcache_store_bytes": set[str](),
    "stepcache_inflight_requests": set[str](),
}
LINEAR = TaskName("linear_equation")


@pytest.fixture
def recorder() -> PrometheusRecorder:
    return PrometheusRecorder(
        ["linear_equation"],
        sizes=lambda: Sizes(3, 2, 4096),
        quantiles=lambda: {"exact": {0.5: 0.003, 0.95: 0.004, 0.99: 0.005}},
    )


def value(recorder: PrometheusRecorder, name: str, **labels: str) -> float:
    for family in text_string_to_metric_families(recorder.render().decode()):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    pytest.fail(f"no {name}{labels}")


def series(recorder: PrometheusRecorder) -> list[tuple[str, set[str]]]:
    families = text_string_to_metric_families(recorder.render().decode())
    return [(s.name, set(s.labels)) for f in families for s in f.samples]


def test_every_metric_is_declared_before_the_first_request() -> None:
    idle = PrometheusRecorder([], sizes=Sizes, quantiles=dict)
    declared = set(re.findall(r"^# TYPE (\S+) ", idle.render().decode(), re.MULTILINE))
    assert declared == set(LABELS)


def test_the_labels_are_those_of_the_contract(recorder: PrometheusRecorder) -> None:
    recorder.record(answered())
    seen: dict[str, set[str]] = {}
    for name, labels in series(recorder):
        metric = re.sub(r"_(bucket|sum|count)$", "", name)
        seen.setdefault(metric, set()).update(labels - {"le"})
    assert seen == LABELS


def test_the_buckets_resolve_half_a_millisecond_to_ten_minutes() -> None:
    assert BUCKETS[0] <= 0.0005
    assert BUCKETS[-1] >= 600
    pairs = pairwise(BUCKETS)
    assert all(1 < above / below <= 2.0001 for below, above in pairs)


def test_a_request_is_counted_and_timed(recorder: PrometheusRecorder) -> None:
    recorder.record(RequestStarted())
    recorder.record(answered(Outcome.REUSE, seconds=0.004, is_stream=True))
    labels = {"endpoint": "chat", "outcome": "reuse", "stream": "true"}
    assert value(recorder, "stepcache_requests_total", **labels) == 1
    name = "stepcache_request_seconds"
    assert value(recorder, f"{name}_count", outcome="reuse") == 1
    assert value(recorder, f"{name}_sum", outcome="reuse") == pytest.approx(0.004)
    assert value(recorder, f"{name}_bucket", outcome="reuse", le="0.004") == 1
    assert value(recorder, f"{name}_bucket", outcome="reuse", le="0.0025") == 0
    assert value(recorder, f"{name}_bucket", outcome="reuse", le="+Inf") == 1
    for kind, count in (("prompt", 7), ("generated", 11), ("reused", 13)):
        assert value(recorder, "stepcache_tokens_total", kind=kind) == count
    assert value(recorder, "stepcache_tokens_total", kind="saved") == 17


def test_a_request_over_the_last_bound_is_in_the_open_bucket(
    recorder: PrometheusRecorder,
) -> None:
    recorder.record(answered(Outcome.MISS, seconds=5000))
    name = "stepcache_request_seconds_bucket"
    assert value(recorder, name, outcome="miss", le="600.0") == 0
    assert value(recorder, name, outcome="miss", le="+Inf") == 1


def test_a_request_without_a_token_has_no_time_to_it(
    recorder: PrometheusRecorder,
) -> None:
    recorder.record(answered(ttft_seconds=None))
    assert value(recorder, "stepcache_ttft_seconds_count", outcome="exact") == 0


RARE: list[tuple[Event, str, dict[str, str]]] = [
    (StageTimed("embed", 0.01), "stage_seconds_count", {"stage": "embed"}),
    (Skipped("step:3"), "skips_total", {"reason": "step"}),
    (Skipped("differs:zanzibar"), "skips_total", {"reason": "differs"}),
    (
        Repaired(LINEAR, "accepted"),
        "repairs_total",
        {"task": "linear_equation", "result": "accepted"},
    ),
    (FellBack(LINEAR), "fallbacks_total", {"task": "linear_equation"}),
    (FellBack(TaskName("zanzibar")), "fallbacks_total", {"task": "other"}),
    (ShadowChecked("wrong"), "shadow_checks_total", {"result": "wrong"}),
    (RequestStarted(), "inflight_requests", {}),
    (degraded(), "degraded", {"seam": "embedder"}),
]


@pytest.mark.parametrize(("event", "name", "labels"), RARE)
def test_an_event_moves_its_series_by_one(
    recorder: PrometheusRecorder, event: Event, name: str, labels: dict[str, str]
) -> None:
    before = value(recorder, f"stepcache_{name}", **labels)
    recorder.record(event)
    assert value(recorder, f"stepcache_{name}", **labels) == before + 1
    assert b"zanzibar" not in recorder.render()


def test_every_verdict_is_counted(recorder: PrometheusRecorder) -> None:
    recorder.record(Verified(LINEAR, ("accept", "accept", "reject")))
    name, task = "stepcache_step_verdicts_total", "linear_equation"
    assert value(recorder, name, task=task, verdict="accept") == 2
    assert value(recorder, name, task=task, verdict="reject") == 1
    assert value(recorder, name, task=task, verdict="unknown") == 0


def test_a_part_that_came_back_is_not_degraded(recorder: PrometheusRecorder) -> None:
    recorder.record(degraded())
    recorder.record(degraded(is_degraded=False))
    for seam in ("store", "index", "embedder", "upstream"):
        assert value(recorder, "stepcache_degraded", seam=seam) == 0


def test_in_flight_returns_to_zero(recorder: PrometheusRecorder) -> None:
    for _ in range(3):
        recorder.record(RequestStarted())
    for _ in range(3):
        recorder.record(answered())
    assert value(recorder, "stepcache_inflight_requests") == 0


def test_the_unsafe_ratio_is_wrong_of_all_that_were_judged(
    recorder: PrometheusRecorder,
) -> None:
    assert value(recorder, "stepcache_unsafe_served_ratio") == 0
    for result in ("right", "right", "right", "wrong"):
        recorder.record(ShadowChecked("right" if result == "right" else "wrong"))
    recorder.record(ShadowChecked("unknown"))
    assert value(recorder, "stepcache_unsafe_served_ratio") == 0.25


def test_quantiles_and_sizes_are_read_when_rendered(
    recorder: PrometheusRecorder,
) -> None:
    name = "stepcache_latency_quantile_seconds"
    assert value(recorder, name, outcome="exact", quantile="0.95") == 0.004
    assert value(recorder, "stepcache_records") == 3
    assert value(recorder, "stepcache_index_vectors") == 2
    assert value(recorder, "stepcache_store_bytes") == 4096


def test_the_figures_are_of_all_workers() -> None:
    other = PrometheusRecorder(["linear_equation"], sizes=Sizes, quantiles=dict)
    mine = PrometheusRecorder(
        ["linear_equation"],
        sizes=Sizes,
        quantiles=dict,
        peers=lambda: [other.export()],
    )
    for recorder in (mine, other, other):
        recorder.record(answered(Outcome.MISS, seconds=1.0))
        recorder.record(SeamState("store", is_degraded=True))
    labels = {"endpoint": "chat", "outcome": "miss", "stream": "false"}
    assert value(mine, "stepcache_requests_total", **labels) == 3
    assert value(mine, "stepcache_request_seconds_sum", outcome="miss") == 3
    assert value(mine, "stepcache_degraded", seam="store") == 1
    assert value(other, "stepcache_requests_total", **labels) == 2
