"""What a store must offer beside RecordStore: upkeep, figures, purge, export."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from stepcache_proxy.reuse.model import PartitionKey, RecordId
from stepcache_proxy.reuse.protocols import Vector


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records a purge takes: those that fit every field that is set.

    Nothing set selects nothing, unless ``is_all``.
    """

    record: RecordId | None = None
    model: str | None = None
    namespace: str | None = None
    is_all: bool = False

    def takes(self, id: str, model: str, namespace: str) -> bool:
        """Whether a record with these is selected."""
        wanted = (self.record, self.model, self.namespace)
        if all(value is None for value in wanted):
            return self.is_all
        pairs = zip(wanted, (id, model, namespace), strict=True)
        return all(want is None or want == have for want, have in pairs)


@dataclass(frozen=True, slots=True)
class Purged:
    """How many records a purge selected and removed; ``ids`` are the removed ones."""

    matched: int
    removed: int
    ids: tuple[RecordId, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A vector that another process put, and the text it is of."""

    partition: PartitionKey
    id: RecordId
    vector: Vector
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What other processes did to the store since the last look.

    ``is_gap``: the news is incomplete, so the index must be rebuilt by a scan.
    """

    added: tuple[Change, ...] = ()
    removed: tuple[RecordId, ...] = ()
    is_gap: bool = False


class Upkeep(Protocol):
    """The side of a store that no request waits for."""

    async def ping(self) -> None:
        """Return if the store answers; StoreUnavailableError if not."""
        ...

    async def janitor(self) -> list[RecordId]:
        """Forget what has expired, evict what is over the bound; the ids of both."""
        ...

    async def changes(self) -> Changes:
        """What other processes put and removed since the last call."""
        ...

    async def count(self) -> int:
        """How many live records there are."""
        ...

    async def size_bytes(self) -> int:
        """Memory that the store takes, in bytes."""
        ...

    async def purge(self, selection: Selection, *, is_dry_run: bool) -> Purged:
        """Remove the selected records with all their keys."""
        ...

    def export_lines(self) -> AsyncGenerator[bytes]:
        """Every live record as one JSON line, without the line end."""
        ...

    async def import_line(self, line: bytes) -> bool:
        """Store an exported record for the rest of its life; False if it was not."""
        ...
