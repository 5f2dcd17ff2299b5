"""Where workers of one proxy show each other what they have counted.

Every worker writes its sums to a file of its own, in one rename, and reads the files
of the others when somebody asks for figures. Counters of a worker that has ended stay
(a counter must not fall); what it had in flight or out of use goes with it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import orjson
from anyio import to_thread

from stepcache_proxy.adapters.figures import State
from stepcache_proxy.adapters.prometheus import PrometheusRecorder
from stepcache_proxy.adapters.statistics import Exported, Statistics

PUBLISH_SECONDS = 0.5

_OF_THE_LIVING = ("inflight", "degraded")


class WorkerBoard:
    """One folder on a local disk, one file per worker; unreadable files are skipped."""

    def __init__(self, folder: Path, *, pid: int | None = None) -> None:
        self._folder = folder
        self._pid = os.getpid() if pid is None else pid
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def clear(self) -> None:
        """Forget every worker; for the parent, before it starts the first one."""
        for file in self._folder.glob("*.json*"):
            file.unlink(missing_ok=True)

    def publish(self, metrics: State, statistics: Exported) -> None:
        """Show the others what this worker has counted so far."""
        shown = {
            "metrics": metrics,
            "state": statistics.state,
            "recent": statistics.recent,
            "degraded": statistics.degraded,
        }
        file = self._folder / f"{self._pid}.json"
        draft = file.with_suffix(".json.new")
        draft.write_bytes(orjson.dumps(shown))
        draft.replace(file)

    def metrics(self) -> list[State]:
        """What the others have counted, for ``PrometheusRecorder(peers=…)``."""
        return [shown.metrics for shown in self._others()]

    def statistics(self) -> list[Exported]:
        """What the others have counted, for ``Statistics(peers=…)``."""
        return [shown.statistics for shown in self._others()]

    def _others(self) -> Iterator["_Shown"]:
        for file in sorted(self._folder.glob("*.json")):
            pid = int(file.stem) if file.stem.isdigit() else self._pid
            shown = _read(file) if pid != self._pid else None
            if shown is not None:
                yield shown if _is_alive(pid) else _ended(shown)


async def keep_publishing(
    board: WorkerBoard, metrics: PrometheusRecorder, statistics: Statistics
) -> None:
    """Publish twice a second what has changed, until cancelled; for a task group."""
    published = -1
    while True:
        revision = statistics.revision
        if revision != published:
            published = revision
            await to_thread.run_sync(
                lambda: board.publish(metrics.export(), statistics.export())
            )
        await anyio.sleep(PUBLISH_SECONDS)


@dataclass(frozen=True, slots=True)
class _Shown:
    metrics: State
    statistics: Exported


def _read(file: Path) -> _Shown | None:
    try:
        shown = orjson.loads(file.read_bytes())
        statistics = Exported(shown["state"], shown["recent"], shown["degraded"])
        return _Shown(shown["metrics"], statistics)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _ended(shown: _Shown) -> _Shown:
    statistics = Exported(_lasting(shown.statistics.state), shown.statistics.recent)
    return _Shown(_lasting(shown.metrics), statistics)


def _lasting(state: State) -> State:
    return {f: rows for f, rows in state.items() if f not in _OF_THE_LIVING}


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
