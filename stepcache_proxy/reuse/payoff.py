"""How often repairs succeed, by model and task: only those that pay are tried.

A repair that fails has cost a call and leaves the request where it was, at the
fallback or at the upstream's own answer. What has failed for a while is therefore
left out, and looked at again now and then, ever more rarely while it goes on failing.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace

from stepcache_proxy.reuse.model import TaskName

_DECAY = 0.9  # an attempt counts half after seven more
_OPTIMISM = 4.0  # imagined successes at the start: seven failures end it
_LEAST_SHARE = 0.3
_FIRST_PAUSE, _LONGEST_PAUSE = 16, 1024  # requests without a repair
_MOST_KINDS = 1024


@dataclass(frozen=True, slots=True)
class RepairKind:
    """Repairs that are likely to end alike: the same model, task and manner."""

    model: str
    task: TaskName
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _Record:
    """Decayed counts, and how long the kind has been left out."""

    tried: float = _OPTIMISM
    succeeded: float = _OPTIMISM
    skipped: int = 0
    pause: int = _FIRST_PAUSE

    @property
    def pays(self) -> bool:
        return self.succeeded >= _LEAST_SHARE * self.tried


class Payoff:
    """Remembers the last kinds of repairs, at most a thousand; forgets the oldest."""

    def __init__(self) -> None:
        self._records: OrderedDict[RepairKind, _Record] = OrderedDict()

    def pays(self, kind: RepairKind) -> bool:
        """Whether repairs of this kind succeed often enough; unknown ones may."""
        return self._records.get(kind, _Record()).pays

    def should_try(self, kind: RepairKind) -> bool:
        """Whether to repair now: it pays, or it is time to look again."""
        record = self._records.get(kind, _Record())
        if record.pays:
            return True
        is_time = record.skipped >= record.pause
        self._keep(kind, replace(record, skipped=0 if is_time else record.skipped + 1))
        return is_time

    def note(self, kind: RepairKind, *, is_success: bool) -> None:
        """An attempt has ended; one success after a pause is a new start."""
        before = self._records.get(kind, _Record())
        if is_success and not before.pays:
            self._keep(kind, _Record())
            return
        pause = before.pause if before.pays else min(before.pause * 2, _LONGEST_PAUSE)
        after = _Record(
            tried=before.tried * _DECAY + 1,
            succeeded=before.succeeded * _DECAY + is_success,
            skipped=before.skipped,
            pause=pause,
        )
        self._keep(kind, after)

    def _keep(self, kind: RepairKind, record: _Record) -> None:
        self._records[kind] = record
        self._records.move_to_end(kind)
        if len(self._records) > _MOST_KINDS:
            self._records.popitem(last=False)
