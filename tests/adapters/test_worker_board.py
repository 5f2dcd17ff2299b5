"""Workers see each other's figures; what a dead one counted stays."""

import multiprocessing
import os
from pathlib import Path

import anyio
import pytest

from stepcache_proxy.adapters.figures import Sizes
from stepcache_proxy.adapters.prometheus import PrometheusRecorder
from stepcache_proxy.adapters.statistics import Statistics
from stepcache_proxy.adapters.worker_board import WorkerBoard, keep_publishing
from stepcache_proxy.reuse.events import RequestStarted
from tests.adapters.recorded import answered, degraded


@pytest.fixture
def dead_pid() -> int:
    """The number of a process that has ended."""
    child = multiprocessing.get_context("spawn").Process(target=os.getpid)
    child.start()
    child.join()
    assert child.pid is not None
    return child.pid


def publish(board: WorkerBoard) -> None:
    metrics = PrometheusRecorder([], sizes=Sizes, quantiles=dict)
    statistics = Statistics(clock=lambda: 1_800_000_000.0)
    for event in (RequestStarted(), RequestStarted(), answered(), degraded()):
        metrics.record(event)
        statistics.record(event)
    board.publish(metrics.export(), statistics.export())


def test_a_worker_sees_the_others_and_not_itself(tmp_path: Path) -> None:
    mine, other = WorkerBoard(tmp_path, pid=1), WorkerBoard(tmp_path)
    publish(mine)
    publish(other)
    (state,) = mine.metrics()
    assert state["stepcache_requests"]["chat,exact,false"] == [1.0]
    assert state["inflight"][""] == [1.0]
    (exported,) = mine.statistics()
    assert exported.state["requests"] == {"chat,exact": [1.0]}
    assert len(exported.recent) == 1
    assert "embedder" in exported.degraded


def test_of_a_dead_worker_only_counters_stay(tmp_path: Path, dead_pid: int) -> None:
    publish(WorkerBoard(tmp_path, pid=dead_pid))
    board = WorkerBoard(tmp_path)
    (state,) = board.metrics()
    assert state["stepcache_requests"]["chat,exact,false"] == [1.0]
    assert "inflight" not in state
    assert "degraded" not in state
    (exported,) = board.statistics()
    assert not exported.degraded
    assert "inflight" not in exported.state


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"metrics": {}}'])
def test_a_file_that_cannot_be_read_is_skipped(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "1.json").write_bytes(content)
    (tmp_path / "notes.json").write_bytes(b"{}")
    assert WorkerBoard(tmp_path).metrics() == []


def test_a_cleared_board_is_empty(tmp_path: Path) -> None:
    publish(WorkerBoard(tmp_path, pid=1))
    board = WorkerBoard(tmp_path)
    board.clear()
    assert board.statistics() == []


async def test_what_has_changed_is_published(tmp_path: Path) -> None:
    metrics = PrometheusRecorder([], sizes=Sizes, quantiles=dict)
    statistics = Statistics(clock=lambda: 1_800_000_000.0)
    metrics.record(answered())
    statistics.record(answered())
    reader = WorkerBoard(tmp_path, pid=1)
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(
                keep_publishing, WorkerBoard(tmp_path), metrics, statistics
            )
            while not reader.statistics():
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
    assert reader.statistics()[0].state["requests"] == {"chat,exact": [1.0]}
