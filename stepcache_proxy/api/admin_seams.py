"""What the admin endpoints need from the rest, as callables and frozen values."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.events import Seam
from stepcache_proxy.reuse.model import Record, RecordId, Verdict
from stepcache_proxy.reuse.protocols import Clock
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

Header = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Purge:
    """Which records to remove; at least one field is set, all that are must fit."""

    record: str | None = None
    model: str | None = None
    namespace: str | None = None
    is_everything: bool = False
    is_dry_run: bool = False

    def matches(self, record: Record) -> bool:
        """Whether ``record`` is to go."""
        if self.is_everything:
            return True
        wanted = (
            (self.record, record.id),
            (self.model, record.model),
            (self.namespace, record.namespace),
        )
        asked = [want == have for want, have in wanted if want is not None]
        return bool(asked) and all(asked)


@dataclass(frozen=True, slots=True)
class Purged:
    """How many records fitted, and how many were removed (0 on a dry run)."""

    matched: int
    removed: int


@dataclass(frozen=True, slots=True)
class Readiness:
    """State of each part: "ok", or a few words without secrets on what is wrong."""

    states: Mapping[Seam, str]

    @property
    def degraded(self) -> list[str]:
        """The parts that are out of use."""
        return [seam for seam, state in self.states.items() if state != "ok"]

    @property
    def is_ready(self) -> bool:
        """Everything but the upstream can be done without."""
        return self.states.get("upstream") == "ok"


@dataclass(frozen=True, slots=True)
class AdminSeams:
    """Wired in ``app.py``. None of these may call the upstream but ``readiness``.

    ``verdicts`` checks the steps of a record for the request it was stored for, in
    order. ``quarantine`` takes a record out of use and says whether it was known.
    ``explain`` gets a chat request and its headers (without the admin token) and
    returns the body of the answer; it may raise InvalidRequestError.
    """

    find_record: Callable[[RecordId], Awaitable[Record | None]]
    verdicts: Callable[[Record], Awaitable[Sequence[Verdict]]]
    purge: Callable[[Purge], Awaitable[Purged]]
    quarantine: Callable[[RecordId], Awaitable[bool]]
    explain: Callable[[JsonObject, Sequence[Header]], Awaitable[JsonObject]]
    statistics: Callable[[], Mapping[str, Json]]
    clock: Clock
    token: str | None = None
    max_body_bytes: int = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HealthSeams:
    """Wired in ``app.py``: ``metrics`` renders the Prometheus text."""

    readiness: Callable[[], Awaitable[Readiness]]
    metrics: Callable[[], bytes]
