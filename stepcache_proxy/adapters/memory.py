"""A store and an index in plain memory that behave like the real ones.

For ``eval``, for tests, and for whoever wants to read what the others must do.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace

from stepcache_proxy.adapters.record_format import (
    decode_line,
    decode_record,
    decode_vector,
    encode_line,
    encode_record,
    encode_vector,
    expires_at,
)
from stepcache_proxy.adapters.upkeep import Changes, Purged, Selection
from stepcache_proxy.adapters.vector_rows import Hit, Rows, unit
from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    Observations,
    PartitionKey,
    QuestionKey,
    Record,
    RecordId,
    TemplateKey,
)
from stepcache_proxy.reuse.protocols import Clock, Found, Vector
from stepcache_proxy.reuse.sketch import words_of

_TEMPLATE_IDS = 4
_FINGERPRINT = "memory"
_Template = tuple[PartitionKey, TemplateKey]


@dataclass(frozen=True, slots=True)
class _Stored:
    """A record's stored form: what the real store cannot hold is not found here."""

    raw: bytes
    generation: int
    vector: bytes
    templates: tuple[_Template, ...]
    question: QuestionKey
    created: float
    observations: Observations


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """RecordStore and Upkeep in a dict; ``clock`` gives seconds since the epoch."""

    clock: Clock
    max_records: int = 100_000
    _stored: dict[RecordId, _Stored] = field(default_factory=dict[RecordId, _Stored])
    _asked: dict[QuestionKey, Record] = field(default_factory=dict[QuestionKey, Record])
    _alike: dict[_Template, list[RecordId]] = field(
        default_factory=dict[_Template, list[RecordId]]
    )

    async def get(
        self, ids: Sequence[RecordId], *, is_near: bool = False
    ) -> list[Record | None]:
        """The records in the order of ``ids``; expired ones are None."""
        found = [self._live(id) for id in ids]
        for record in found:
            if record is not None:
                # The dict is ordered by last use.
                self._stored[record.id] = self._stored.pop(record.id)
        return found

    def at_hand(self, request: CanonicalRequest) -> Found | None:
        """None: ``find`` is as near."""
        return None

    async def find(self, request: CanonicalRequest) -> Found:
        """Template candidates, newest first, and how the same question differed."""
        records: list[Record] = []
        for template in _templates(request):
            alike = [] if records else self._alike.get(template, [])
            records += [r for id in alike if (r := self._live(id)) is not None]
        records.sort(key=lambda record: (record.created, record.id), reverse=True)
        differs, exact = self._difference(request), self._live(request.id)
        return Found(tuple(records[:_TEMPLATE_IDS]), differs, exact)

    async def put(
        self, record: Record, vector: Vector | None, *, only_vector: bool = False
    ) -> None:
        """Write a record; what JSON cannot hold or is over is not written."""
        stored = b"" if vector is None else encode_vector(vector, _FINGERPRINT)
        if not only_vector:
            await self._put_stored(record, stored)
        elif record.id in self._stored:
            before = self._stored[record.id]
            self._stored[record.id] = replace(before, vector=stored)

    async def delete(self, ids: Sequence[RecordId]) -> int:
        """Remove records; how many there were."""
        gone = [(id, s) for id in ids if (s := self._stored.pop(id, None)) is not None]
        for id, stored in gone:
            self._forget_template(id, stored)
            asked = self._asked.get(stored.question)
            if asked is not None and asked.id == id:
                del self._asked[stored.question]
        return len(gone)

    async def observe(self, id: RecordId, *, is_right: bool) -> None:
        """See Ledger."""
        stored = self._stored.get(id)
        if stored is not None and self._live(id) is not None:
            seen = stored.observations
            now = Observations(seen.right + is_right, seen.wrong + (not is_right))
            self._stored[id] = replace(stored, observations=now)

    async def scan(self) -> AsyncGenerator[tuple[Record, Vector | None]]:
        """Every live record with its vector."""
        for id in list(self._stored):
            record = self._live(id)
            if record is not None:
                yield record, decode_vector(self._stored[id].vector, _FINGERPRINT)

    async def ping(self) -> None:
        """Always fine."""

    async def janitor(self) -> list[RecordId]:
        """Forget what has expired, evict what is over the bound; the ids of both."""
        gone = [id for id in self._stored if self._live(id) is None]
        await self.delete(gone)
        over = max(0, len(self._stored) - self.max_records)
        evicted = list(self._stored)[:over]
        await self.delete(evicted)
        return gone + evicted

    async def changes(self) -> Changes:
        """Nothing: no other process sees this store."""
        return Changes()

    async def count(self) -> int:
        """How many live records there are."""
        return sum(self._live(id) is not None for id in self._stored)

    async def size_bytes(self) -> int:
        """The sum of the stored forms."""
        return sum(len(s.raw) + len(s.vector) for s in self._stored.values())

    async def purge(self, selection: Selection, *, is_dry_run: bool) -> Purged:
        """Remove the selected records."""
        chosen = [
            record.id
            for id in self._stored
            if (record := self._live(id)) is not None
            and selection.takes(record.id, record.model, record.namespace)
        ]
        if is_dry_run:
            return Purged(matched=len(chosen), removed=0)
        return Purged(len(chosen), await self.delete(chosen), tuple(chosen))

    async def export_lines(self) -> AsyncGenerator[bytes]:
        """Every live record as one JSON line."""
        for id in list(self._stored):
            record = self._live(id)
            if record is None:
                continue
            left = int(expires_at(record) - self.clock())
            line = encode_line(record, self._stored[id].vector, left)
            if line is not None:
                yield line

    async def import_line(self, line: bytes) -> bool:
        """Store an exported record for the rest of its life; False if it was not."""
        read = decode_line(line)
        return read is not None and await self._put_stored(*read)

    async def _put_stored(self, record: Record, vector: bytes) -> bool:
        raw = encode_record(record)
        if raw is None or expires_at(record) <= self.clock():
            return False
        before = self._stored.pop(record.id, None)
        if before is not None:
            self._forget_template(record.id, before)
        generation = 1 if before is None else before.generation + 1
        templates = _templates(record)
        self._stored[record.id] = _Stored(
            raw=raw,
            generation=generation,
            vector=vector,
            templates=templates,
            question=record.question,
            created=record.created,
            observations=record.observations,
        )
        self._asked[record.question] = record
        for template in () if record.is_exact_only else templates:
            alike = [*self._alike.get(template, []), record.id]
            alike.sort(key=lambda id: (self._stored[id].created, id))
            self._alike[template] = alike[-_TEMPLATE_IDS:]
        return True

    def _forget_template(self, id: RecordId, stored: _Stored) -> None:
        for template in stored.templates:
            alike = self._alike.get(template, [])
            if id in alike:
                alike.remove(id)
            if not alike:
                self._alike.pop(template, None)

    def _live(self, id: RecordId) -> Record | None:
        stored = self._stored.get(id)
        if stored is None:
            return None
        record = decode_record(stored.raw)
        if record is None or expires_at(record) <= self.clock():
            return None
        return replace(
            record, generation=stored.generation, observations=stored.observations
        )

    def _difference(self, request: CanonicalRequest) -> str | None:
        asked = self._asked.get(request.question)
        if asked is None or expires_at(asked) <= self.clock():
            return None
        before, now = asked.parameters, request.parameters
        fields = sorted(before.keys() | now.keys())
        return next((f for f in fields if before.get(f) != now.get(f)), None)


def _templates(of: CanonicalRequest | Record) -> tuple[_Template, ...]:
    """Where to look, the narrow one first."""
    keys = (of.template,) if of.kin is None else (of.template, of.kin)
    return tuple((of.partition, key) for key in keys)


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """VectorIndex that compares with every vector of the partition."""

    _parts: dict[PartitionKey, Rows] = field(default_factory=dict[PartitionKey, Rows])

    async def add(
        self, partition: PartitionKey, id: RecordId, vector: Vector, text: str = ""
    ) -> None:
        """Add or replace one vector; one without direction is not added."""
        row = unit(vector)
        if row is not None:
            part = self._parts.setdefault(partition, Rows(len(row)))
            part.put(id, row, words_of(text))

    async def nearest(
        self, partition: PartitionKey, vector: Vector, k: int
    ) -> list[Hit]:
        """At most ``k`` ids with their cosine, best first."""
        rows, query = self._parts.get(partition), unit(vector)
        if rows is None or query is None or len(query) != rows.dimension or k < 1:
            return []
        return rows.best(rows.ids, query, k)

    async def remove(self, partition: PartitionKey, id: RecordId) -> None:
        """Forget one vector; unknown ids are fine."""
        if partition in self._parts:
            self._parts[partition].remove(id)

    async def clear(self) -> None:
        """Forget everything."""
        self._parts.clear()

    async def holds(self, partition: PartitionKey, text: str = "") -> bool:
        """Whether a partition holds a text that is worth comparing with."""
        part = self._parts.get(partition)
        return part is not None and part.is_any_near(words_of(text))

    def size(self, partition: PartitionKey | None = None) -> int:
        """How many vectors there are, in a partition or in all."""
        if partition is not None:
            return len(self._parts.get(partition, ()))
        return sum(len(rows) for rows in self._parts.values())
