"""Complete, accepted answers -> records. Nothing else is ever stored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b

from stepcache_proxy.errors import SeamError
from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.events import StageTimed
from stepcache_proxy.reuse.model import (
    Answer,
    Mode,
    Provenance,
    Record,
    RecordId,
    TaskName,
)
from stepcache_proxy.reuse.protocols import (
    Embedder,
    Recorder,
    RecordStore,
    Spawn,
    Vector,
    VectorIndex,
)
from stepcache_proxy.reuse.segment import segment

_COMPLETE = ("stop", "tool_calls")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an answer to be kept came from, and whether it is proved.

    ``lends`` off: it is for the very same request alone, because its donor lends
    everything that it could, and needs no vector of its own.
    """

    provenance: Provenance
    task: TaskName | None = None
    is_proved: bool = False
    vector: Vector | None = None
    lends: bool = True


@dataclass(frozen=True, slots=True)
class Keeper:
    """Writes records: first the store, then the index, never a failure to anybody."""

    store: RecordStore
    index: VectorIndex
    embedder: Embedder
    recorder: Recorder
    clock: Callable[[], float]
    now: Callable[[], float]
    spawn: Spawn
    max_record_bytes: int

    async def keep(self, ask: Ask, answer: Answer, origin: Origin) -> Record | None:
        """The record as stored; None if it may not be, or the store is not there.

        The vector follows in the background if it was not made already: exact and
        template tier serve the record at once.
        """
        if not ask.controls.may_store or not is_complete(answer):
            return None
        if self._size(ask, answer) > self.max_record_bytes:
            return None
        record = self._record(ask, answer, origin)
        started = self.clock()
        try:
            await self.store.put(record, origin.vector)
        except SeamError:
            return None
        self.recorder.record(StageTimed("record", self.clock() - started))
        if not record.is_exact_only and ask.controls.mode is Mode.VERIFIED:
            self.spawn(self._index(record, origin.vector))
        return record

    def keep_later(self, ask: Ask, answer: Answer, origin: Origin) -> None:
        """Keep the answer without making anybody wait for it."""

        async def keep() -> None:
            await asyncio.sleep(0)  # whoever waits for the answer goes first
            await self.keep(ask, answer, origin)

        self.spawn(keep())

    async def keep_served(self, ask: Ask, served: Served, origin: Origin) -> Served:
        """``served``, naming the record it was kept as, if it was kept."""
        record = await self.keep(ask, served.answer, origin)
        if record is None:
            return replace(served, record=None)
        return replace(served, record=record.id, is_stored=True)

    async def quarantine(self, id_: RecordId) -> bool:
        """Take a reported record out of use at once; False if there is none.

        A marker stays in its place for the rest of its life: what is near it is then
        served only where it is proved. Raises SeamError.
        """
        (record,) = await self.store.get([id_])
        if record is None:
            return False
        await self.store.delete([id_])
        await self.index.remove(record.partition, id_)
        age = int(self.now() - record.created)
        left = max(1, record.ttl_seconds - age)
        seen = record.observations
        marker = replace(
            record,
            id=_marker_id(record),
            is_quarantined=True,
            observations=replace(seen, wrong=seen.wrong + 1),
            created=self.now(),
            ttl_seconds=left,
        )
        await self.store.put(marker, None)
        if not record.is_exact_only:
            self.spawn(self._index(marker, None))
        return True

    async def _index(self, record: Record, vector: Vector | None) -> None:
        """Put the record's vector where the nearest tier finds it."""
        try:
            if vector is None:
                vector = await self.embedder.embed(record.text, can_wait=True)
                if vector is None:
                    return
                await self.store.put(record, vector, only_vector=True)
            await self.index.add(record.partition, record.id, vector, record.text)
        except SeamError:
            return

    def _record(self, ask: Ask, answer: Answer, origin: Origin) -> Record:
        request = ask.request
        is_plain = isinstance(answer.content, str) and not answer.message.get("refusal")
        return Record(
            id=RecordId(request.id),
            partition=request.partition,
            template=request.template,
            kin=request.kin,
            question=request.question,
            parameters=request.parameters,
            endpoint=request.endpoint,
            model=request.model,
            namespace=request.namespace,
            text=request.text,
            format=request.format,
            answer=answer,
            steps=tuple(step.text for step in segment(answer.text)),
            task=origin.task,
            is_proved=origin.is_proved,
            is_exact_only=request.is_exact_only
            or not is_plain
            or bool(answer.message.get("tool_calls"))
            or not origin.lends,
            provenance=origin.provenance,
            created=self.now(),
            ttl_seconds=ask.controls.ttl_seconds,
        )

    def _size(self, ask: Ask, answer: Answer) -> int:
        """Bytes that the texts of a record take, before the store packs them."""
        texts = (ask.request.text, answer.text, str(answer.message), str(answer.usage))
        return sum(len(text.encode("utf-8", "replace")) for text in texts)


def _marker_id(record: Record) -> RecordId:
    """An id of its own, so that a better answer may take the record's place."""
    said = blake2b(record.id.encode(), digest_size=16).hexdigest()
    return RecordId(f"{record.partition}.{said}")


def is_complete(answer: Answer) -> bool:
    """Whether an answer is whole: it ended by itself and says something."""
    if answer.finish_reason not in _COMPLETE:
        return False
    says = answer.text.strip() or answer.message.get("tool_calls")
    return bool(says or answer.message.get("refusal"))
