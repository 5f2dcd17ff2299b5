"""Statistics show what happened, over all workers, without a client's words."""

import json

import pytest

from stepcache_proxy.adapters.figures import Sizes
from stepcache_proxy.adapters.statistics import RECENT, Recorders, Statistics
from stepcache_proxy.reuse.events import (
    Event,
    FellBack,
    Repaired,
    RequestStarted,
    ShadowChecked,
    Skipped,
    StageTimed,
    Verified,
)
from stepcache_proxy.reuse.model import Outcome, TaskName
from stepcache_proxy.wire.jsonvalue import Json
from tests.adapters.recorded import answered, degraded

LINEAR = TaskName("linear_equation")


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def statistics(clock: Hands) -> Statistics:
    return Statistics(clock=clock, sizes=lambda: Sizes(3, 2, 4096))


def at(snapshot: dict[str, Json], path: str) -> Json:
    found: Json = snapshot
    for word in path.split("/"):
        assert isinstance(found, dict), path
        found = found[word]
    return found


COUNTED: list[tuple[Event, str, Json]] = [
    (RequestStarted(), "requests/inflight", 1),
    (answered(Outcome.REUSE), "requests/by_outcome/reuse", 1),
    (answered(), "tokens/prompt", 7),
    (answered(), "tokens/generated", 11),
    (answered(), "tokens/reused", 13),
    (answered(), "tokens/saved", 17),
    (answered(), "latency/total/exact/count", 1),
    (answered(), "latency/overhead/exact/count", 1),
    (answered(), "latency/ttft/exact/count", 1),
    (answered(ttft_seconds=None), "latency/ttft/exact/count", 0),
    (answered(Outcome.SKIP), "latency/from_model/count", 1),
    (answered(Outcome.REUSE), "latency/from_cache/count", 1),
    (StageTimed("embed", 0.1), "latency/stages/embed/count", 1),
    (
        Verified(LINEAR, ("accept", "accept", "reject")),
        "verdicts/linear_equation",
        {"accept": 2, "reject": 1},
    ),
    (Skipped("differs:top_p"), "skips/differs", 1),
    (Repaired(LINEAR, "failed"), "repairs/linear_equation", {"failed": 1}),
    (FellBack(LINEAR), "fallbacks/linear_equation", 1),
    (ShadowChecked("wrong"), "shadow/wrong", 1),
    (degraded(detail="too slow"), "degraded/embedder", "too slow"),
    (degraded(), "seams/embedder", "degraded"),
    (answered(), "seams/embedder", "ok"),
    (answered(), "store", {"records": 3, "bytes": 4096}),
    (answered(), "index", {"vectors": 2}),
]


@pytest.mark.parametrize(("event", "path", "expected"), COUNTED)
def test_an_event_shows_where_it_belongs(
    statistics: Statistics, event: Event, path: str, expected: Json
) -> None:
    statistics.record(event)
    assert at(statistics.snapshot(), path) == expected


def test_the_snapshot_is_json(statistics: Statistics) -> None:
    statistics.record(answered())
    snapshot = statistics.snapshot()
    assert json.loads(json.dumps(snapshot)) == snapshot


def test_percentiles_are_those_of_the_outcome(statistics: Statistics) -> None:
    for n in range(1, 101):
        statistics.record(answered(Outcome.EXACT, seconds=n / 1000))
        statistics.record(answered(Outcome.MISS, seconds=n / 10))
    snapshot = statistics.snapshot()
    assert at(snapshot, "latency/total/exact/p50") == pytest.approx(0.05, rel=0.02)
    assert at(snapshot, "latency/total/exact/p99") == pytest.approx(0.099, rel=0.02)
    assert at(snapshot, "latency/total/miss/p95") == pytest.approx(9.5, rel=0.02)
    assert statistics.quantiles()["miss"][0.5] == pytest.approx(5.0, rel=0.02)


def test_recent_decisions_are_the_newest_and_bounded(
    statistics: Statistics, clock: Hands
) -> None:
    for n in range(RECENT + 5):
        statistics.record(answered(reason=f"step:{n}"))
        clock.now += 1
    recent = statistics.snapshot()["recent"]
    assert isinstance(recent, list)
    assert len(recent) == RECENT
    assert recent[0] == {
        "time": clock.now - 1,
        "endpoint": "chat",
        "outcome": "exact",
        "reason": f"step:{RECENT + 4}",
        "status": 200,
        "is_stream": False,
        "seconds": 0.004,
        "overhead_seconds": 0.002,
        "ttft_seconds": 0.002,
        "generated": 11,
        "reused": 13,
        "steps": {"kept": 3, "derived": 1, "patched": 0},
        "task": "linear_equation",
        "record": "9f3a",
        "own": None,
    }


def test_a_long_reason_is_cut(statistics: Statistics) -> None:
    statistics.record(answered(reason="differs:" + "x" * 100_000))
    assert len(json.dumps(statistics.snapshot())) < 20_000


def test_outcomes_are_counted_per_minute_and_forgotten_after_an_hour(
    statistics: Statistics, clock: Hands
) -> None:
    statistics.record(answered(Outcome.MISS))
    clock.now += 60
    statistics.record(answered(Outcome.EXACT))
    minutes = statistics.snapshot()["minutes"]
    assert isinstance(minutes, list)
    shown = [m for m in minutes if isinstance(m, dict) and (m["miss"] or m["exact"])]
    assert [(m["miss"], m["exact"]) for m in shown] == [(1, 0), (0, 1)]
    for _ in range(90):
        clock.now += 60
        statistics.record(answered(Outcome.SKIP))
    assert len(statistics.export().state["minutes"]) == 60


def test_a_part_that_came_back_is_no_longer_shown(statistics: Statistics) -> None:
    statistics.record(degraded())
    statistics.record(degraded(is_degraded=False))
    assert statistics.snapshot()["degraded"] == {}


def test_the_figures_are_of_all_workers(clock: Hands) -> None:
    other = Statistics(clock=clock)
    mine = Statistics(clock=clock, peers=lambda: [other.export()])
    mine.record(answered(Outcome.EXACT, seconds=1.0))
    clock.now += 1
    for _ in range(3):
        other.record(answered(Outcome.EXACT, seconds=2.0))
    other.record(degraded(detail="gone"))
    snapshot = mine.snapshot()
    assert at(snapshot, "requests/by_outcome/exact") == 4
    assert at(snapshot, "latency/total/exact/p50") == pytest.approx(2.0, rel=0.02)
    assert at(snapshot, "degraded/embedder") == "gone"
    assert snapshot["workers"] == 2
    recent = snapshot["recent"]
    assert isinstance(recent, list)
    seconds = [r["seconds"] for r in recent if isinstance(r, dict)]
    assert seconds == [2.0, 2.0, 2.0, 1.0]
    assert mine.quantiles()["exact"][0.95] == pytest.approx(2.0, rel=0.02)


class Broken:
    """A recorder that cannot count."""

    def record(self, event: Event) -> None:
        raise ValueError(repr(event))


def test_a_recorder_that_fails_takes_nothing_from_the_others(
    statistics: Statistics, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[Event] = []

    class Listing:
        def record(self, event: Event) -> None:
            events.append(event)

    recorders = Recorders(Broken(), statistics, Listing())
    for _ in range(2):
        recorders.record(answered(reason="differs:zanzibar"))
    assert len(events) == 2
    assert at(statistics.snapshot(), "requests/total") == 2
    assert [r.getMessage() for r in caplog.records] == ["Broken failed: ValueError"]
