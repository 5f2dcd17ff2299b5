"""A deadline and a breaker around each part of the cache, so that no client waits.

Closed, every call goes through, each with a deadline. After ``failures`` failures in
a row the breaker opens: calls fail at once, without touching the part. While open it
is probed: in the background by ``watch`` if that runs, otherwise by one call every
``retry_seconds``. One success closes it.

A store that answers but refuses to be written (full, read-only) is degraded, too, but
its breaker stays closed: what it holds can be served.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from stepcache_proxy.errors import (
    EmbedderUnavailableError,
    IndexUnavailableError,
    SeamError,
    StoreRefusedError,
    StoreUnavailableError,
)
from stepcache_proxy.reuse.events import SeamState
from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    PartitionKey,
    Record,
    RecordId,
)
from stepcache_proxy.reuse.protocols import (
    Clock,
    Embedder,
    Found,
    Ledger,
    Recorder,
    RecordStore,
    Vector,
    VectorIndex,
)

Seam = Literal["store", "index", "embedder"]
T = TypeVar("T")
Call = Callable[[], Awaitable[T]]

_ERRORS: dict[Seam, type[SeamError]] = {
    "store": StoreUnavailableError,
    "index": IndexUnavailableError,
    "embedder": EmbedderUnavailableError,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """When a part counts as failed and how often it is tried again, in seconds."""

    deadline_seconds: float
    failures: int = 2
    retry_seconds: float = 1.0


@dataclass(slots=True)
class Breaker:
    """Guards one part. ``clock`` is monotonic, in seconds.

    Changes of state are recorded as SeamState, once each; a recorder logs them.
    """

    seam: Seam
    limits: Limits
    clock: Clock
    recorder: Recorder
    _failed: int = field(default=0, init=False)
    _refused: int = field(default=0, init=False)
    _next_probe: float = field(default=0.0, init=False)
    _is_watched: bool = field(default=False, init=False)
    _is_open: bool = field(default=False, init=False)
    _degraded: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @property
    def is_open(self) -> bool:
        """Whether calls fail at once."""
        return self._is_open

    @property
    def is_degraded(self) -> bool:
        """Whether the part is out of use, or refuses what it is told to do."""
        return self._degraded.is_set()

    async def run(self, call: Call[T], *, deadline_seconds: float | None = None) -> T:
        """The result of ``call``; only SeamErrors of this part come out of failures.

        A cancelled call counts neither as failure nor as success.
        """
        if self.is_open and not self._may_probe():
            message = f"the {self.seam} is degraded"
            raise _ERRORS[self.seam](message)
        return await self._attempt(call, deadline_seconds)

    async def watch(self, probe: Call[object]) -> None:
        """Try ``probe`` every ``retry_seconds`` while the part is degraded; endless."""
        self._is_watched = True
        try:
            while True:
                await self._degraded.wait()
                await asyncio.sleep(self.limits.retry_seconds)
                try:
                    await self._attempt(probe, None)
                except SeamError:
                    continue
                self._refused = 0
                self._tell()
        finally:
            self._is_watched = False

    async def _attempt(self, call: Call[T], deadline_seconds: float | None) -> T:
        seconds = deadline_seconds or self.limits.deadline_seconds
        try:
            async with asyncio.timeout(seconds):
                result = await call()
        except StoreRefusedError as error:
            self._count_refusal(str(error))
            raise
        except SeamError as error:
            self._count_failure(str(error))
            raise
        except OSError as error:  # TimeoutError is one
            detail = f"no answer within {seconds:g} s"
            if not isinstance(error, TimeoutError):
                detail = type(error).__name__
            self._count_failure(detail)
            raise _ERRORS[self.seam](detail) from error
        self._count_success()
        return result

    def trip(self, detail: str) -> None:
        """Open at once: the part is known to be out of use."""
        self._failed = self.limits.failures
        self._count_failure(detail)

    def _may_probe(self) -> bool:
        """Whether this call is the probe; the next one then waits for its turn."""
        if self._is_watched or self.clock() < self._next_probe:
            return False
        self._next_probe = self.clock() + self.limits.retry_seconds
        return True

    def _count_failure(self, detail: str) -> None:
        self._failed += 1
        if not self._is_open and self._failed >= self.limits.failures:
            self._next_probe = self.clock() + self.limits.retry_seconds
            self._is_open = True
            self._tell(detail)

    def _count_refusal(self, detail: str) -> None:
        """It answers, so nobody waits for it; but only ``watch`` sees it well again."""
        self._failed, self._is_open = 0, False
        self._refused += 1
        self._tell(detail)

    def _count_success(self) -> None:
        self._failed, self._is_open = 0, False
        self._tell()

    def _tell(self, detail: str = "") -> None:
        """Record and log a change of state, if this is one."""
        is_degraded = self._is_open or self._refused >= self.limits.failures
        if is_degraded == self.is_degraded:
            return
        if is_degraded:
            self._degraded.set()
        else:
            self._degraded.clear()
        state = SeamState(self.seam, is_degraded=is_degraded, detail=detail)
        self.recorder.record(state)


@dataclass(frozen=True, slots=True)
class GuardedStore:
    """RecordStore behind a breaker; ``put_seconds`` is the deadline of writes."""

    store: RecordStore
    breaker: Breaker
    put_seconds: float = 1.0

    async def get(
        self, ids: Sequence[RecordId], *, is_near: bool = False
    ) -> list[Record | None]:
        """See RecordStore."""
        # What never reaches the store is no sign of its health.
        if not ids:
            return []
        if is_near:
            if self.breaker.is_open:
                return [None] * len(ids)
            return await self.store.get(ids, is_near=True)
        return await self.breaker.run(lambda: self.store.get(ids))

    def at_hand(self, request: CanonicalRequest) -> Found | None:
        """See RecordStore."""
        return None if self.breaker.is_open else self.store.at_hand(request)

    async def find(self, request: CanonicalRequest) -> Found:
        """See RecordStore."""
        return await self.breaker.run(lambda: self.store.find(request))

    async def put(
        self, record: Record, vector: Vector | None, *, only_vector: bool = False
    ) -> None:
        """See RecordStore."""
        await self.breaker.run(
            lambda: self.store.put(record, vector, only_vector=only_vector),
            deadline_seconds=self.put_seconds,
        )

    async def delete(self, ids: Sequence[RecordId]) -> int:
        """See RecordStore."""
        seconds = self.put_seconds
        return await self.breaker.run(
            lambda: self.store.delete(ids), deadline_seconds=seconds
        )

    def scan(self) -> AsyncGenerator[tuple[Record, Vector | None]]:
        """See RecordStore; not guarded, for no request waits for a scan."""
        return self.store.scan()


@dataclass(frozen=True, slots=True)
class GuardedLedger:
    """Ledger behind the breaker of the store it is kept in."""

    ledger: Ledger
    breaker: Breaker

    async def observe(self, id: RecordId, *, is_right: bool) -> None:
        """See Ledger."""
        await self.breaker.run(lambda: self.ledger.observe(id, is_right=is_right))


@dataclass(frozen=True, slots=True)
class GuardedIndex:
    """VectorIndex behind a breaker."""

    index: VectorIndex
    breaker: Breaker

    async def add(
        self, partition: PartitionKey, id: RecordId, vector: Vector, text: str = ""
    ) -> None:
        """See VectorIndex."""
        await self.breaker.run(lambda: self.index.add(partition, id, vector, text))

    async def nearest(
        self, partition: PartitionKey, vector: Vector, k: int
    ) -> list[tuple[RecordId, float]]:
        """See VectorIndex."""
        return await self.breaker.run(lambda: self.index.nearest(partition, vector, k))

    async def remove(self, partition: PartitionKey, id: RecordId) -> None:
        """See VectorIndex."""
        await self.breaker.run(lambda: self.index.remove(partition, id))

    async def clear(self) -> None:
        """See VectorIndex."""
        await self.breaker.run(self.index.clear)

    async def holds(self, partition: PartitionKey, text: str = "") -> bool:
        """See VectorIndex."""
        return await self.breaker.run(lambda: self.index.holds(partition, text))

    def size(self) -> int:
        """See VectorIndex."""
        return self.index.size()


@dataclass(frozen=True, slots=True)
class GuardedEmbedder:
    """Embedder behind a breaker; ``waiting_seconds`` is for what can wait."""

    embedder: Embedder
    breaker: Breaker
    waiting_seconds: float = 60.0

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """See Embedder."""
        return await self.breaker.run(
            lambda: self.embedder.embed(text, can_wait=can_wait),
            deadline_seconds=self.waiting_seconds if can_wait else None,
        )

    @property
    def fingerprint(self) -> str:
        """See Embedder."""
        return self.embedder.fingerprint
