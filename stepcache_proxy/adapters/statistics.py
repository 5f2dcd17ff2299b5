"""Events -> what ``/stepcache/stats`` and the page show, over all workers."""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import assert_never

from stepcache_proxy.adapters.figures import Families, Sizes, State, add_up, skip_kind
from stepcache_proxy.adapters.snapshot import Shown, quantiles_of, snapshot
from stepcache_proxy.adapters.window import SlidingWindow
from stepcache_proxy.reuse.events import (
    Answered,
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
from stepcache_proxy.reuse.protocols import Clock, Recorder
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

RECENT = 200
MINUTES = 60
LONGEST_TEXT = 120  # characters of a reason or of a seam's detail


@dataclass(frozen=True, slots=True)
class Exported:
    """What one worker has counted, for the statistics of another."""

    state: State = field(default_factory=dict)
    recent: Sequence[JsonObject] = ()
    degraded: Mapping[str, str] = field(default_factory=dict)


class Statistics:
    """Counts events and sums them up; safe to call from any thread.

    ``clock`` gives seconds since the epoch, ``peers`` what the other workers have
    exported. Holds neither prompts nor answers nor credentials.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        sizes: Callable[[], Sizes] = Sizes,
        peers: Callable[[], Sequence[Exported]] = tuple,
    ) -> None:
        self._clock = clock
        self._sizes = sizes
        self._peers = peers
        self._lock = Lock()
        self._since = clock()
        self._revision = 0
        self._rows: Families = {}
        self._minutes: dict[int, dict[str, int]] = {}
        self._window = SlidingWindow(clock)
        self._recent: deque[Answered] = deque(maxlen=RECENT)
        self._times: deque[float] = deque(maxlen=RECENT)
        self._degraded: dict[str, str] = {}

    def record(self, event: Event) -> None:
        """Count ``event``: a few microseconds under a lock."""
        with self._lock:
            self._revision += 1
            self._count(event)

    @property
    def revision(self) -> int:
        """Changes with every event."""
        return self._revision

    def export(self) -> Exported:
        """The state of this worker, for another worker's ``peers``."""
        with self._lock:
            minutes = {
                f"{minute},{outcome}": [float(count)]
                for minute, counts in self._minutes.items()
                for outcome, count in counts.items()
            }
            state = add_up(
                [self._rows, {"window": self._window.export(), "minutes": minutes}]
            )
            recent = list(zip(self._times, self._recent, strict=True))
            degraded = dict(self._degraded)
        return Exported(
            state, [_shown(time, event) for time, event in recent], degraded
        )

    def quantiles(self) -> dict[str, dict[float, float]]:
        """Outcome -> quantile -> seconds of the total over the sliding window."""
        states = [e.state for e in (self.export(), *self._peers())]
        windows = add_up({"window": s.get("window", {})} for s in states)["window"]
        return quantiles_of(self._window.merge(windows))

    def snapshot(self) -> dict[str, Json]:
        """Everything there is to show, ready for JSON."""
        exported = [self.export(), *self._peers()]
        rows = add_up(e.state for e in exported)
        recent = sorted(
            (r for e in exported for r in e.recent), key=_time, reverse=True
        )
        degraded = {seam: text for e in exported for seam, text in e.degraded.items()}
        shown = Shown(
            rows=rows,
            windows=self._window.merge(rows.get("window", {})),
            recent=recent[:RECENT],
            degraded=degraded,
            sizes=self._sizes(),
            since=self._since,
            now=self._clock(),
            workers=len(exported),
        )
        return snapshot(shown)

    def _count(self, event: Event) -> None:
        match event:
            case StageTimed(stage, seconds):
                self._window.add(f"stage,{stage}", seconds)
            case Answered():
                self._answered(event)
            case RequestStarted():
                self._add("inflight", "")
            case Verified(task, verdicts):
                for verdict in verdicts:
                    self._add("verdicts", f"{task},{verdict}")
            case SeamState():
                self._seam(event)
            case _:
                self._count_rare(event)

    def _count_rare(self, event: Skipped | Repaired | FellBack | ShadowChecked) -> None:
        match event:
            case Skipped(reason):
                self._add("skips", skip_kind(reason))
            case Repaired(task, result):
                self._add("repairs", f"{task},{result}")
            case FellBack(task):
                self._add("fallbacks", task)
            case ShadowChecked(result):
                self._add("shadow", result)
            case _:
                assert_never(event)

    def _answered(self, event: Answered) -> None:
        outcome = event.outcome.value
        self._add("inflight", "", -1)
        self._add("requests", f"{event.endpoint},{outcome}")
        self._add("tokens", "prompt", event.prompt_tokens)
        self._add("tokens", "generated", event.generated_tokens)
        self._add("tokens", "reused", event.reused_tokens)
        self._add("tokens", "saved", event.saved_tokens)
        self._window.add(f"total,{outcome}", event.total_seconds)
        self._window.add(f"overhead,{outcome}", event.overhead_seconds)
        if event.ttft_seconds is not None:
            self._window.add(f"ttft,{outcome}", event.ttft_seconds)
        now = self._clock()
        self._recent.append(event)
        self._times.append(now)
        minute = self._minute(int(now // 60))
        minute[outcome] = minute.get(outcome, 0) + 1

    def _minute(self, number: int) -> dict[str, int]:
        found = self._minutes.get(number)
        if found is None:
            for old in [m for m in self._minutes if m <= number - MINUTES]:
                del self._minutes[old]
            found = self._minutes[number] = {}
        return found

    def _seam(self, event: SeamState) -> None:
        if event.is_degraded:
            self._degraded[event.seam] = event.detail[:LONGEST_TEXT]
        else:
            self._degraded.pop(event.seam, None)

    def _add(self, family: str, key: str, amount: float = 1) -> None:
        rows = self._rows.get(family)
        if rows is None:
            rows = self._rows[family] = {}
        numbers = rows.get(key)
        if numbers is None:
            numbers = rows[key] = [0.0]
        numbers[0] += amount


class Recorders:
    """Passes every event to several recorders; what one raises stays with it."""

    def __init__(self, *recorders: Recorder) -> None:
        self._recorders = recorders
        self._complained: set[str] = set()

    def record(self, event: Event) -> None:
        """Never raises; logs the first fault of each recorder, without the event."""
        for recorder in self._recorders:
            try:
                recorder.record(event)
            except Exception as fault:  # noqa: BLE001  a figure lost, not a request
                self._complain(recorder, fault)

    def _complain(self, recorder: Recorder, fault: Exception) -> None:
        name = type(recorder).__name__
        if name not in self._complained:
            self._complained.add(name)
            kind = type(fault).__name__
            logging.getLogger("stepcache").warning("%s failed: %s", name, kind)


def _shown(time: float, event: Answered) -> JsonObject:
    return {
        "time": time,
        "endpoint": event.endpoint,
        "outcome": event.outcome.value,
        "reason": event.reason[:LONGEST_TEXT].encode(errors="replace").decode(),
        "status": event.status,
        "is_stream": event.is_stream,
        "seconds": event.total_seconds,
        "overhead_seconds": event.overhead_seconds,
        "ttft_seconds": event.ttft_seconds,
        "generated": event.generated_tokens,
        "reused": event.reused_tokens,
        "steps": _steps(event.steps),
        "task": event.task,
        "record": event.record,
        "own": event.own,
    }


def _steps(steps: tuple[int, int, int] | None) -> JsonObject | None:
    if steps is None:
        return None
    return dict(zip(("kept", "derived", "patched"), steps, strict=True))


def _time(recent: JsonObject) -> float:
    time = recent.get("time")
    return time if isinstance(time, float | int) else 0.0
