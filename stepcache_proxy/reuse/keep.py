"""Complete, accepted answers -> records. Nothing else is ever stored."""

from collections.abc import Callable
from dataclasses import dataclass, replace

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
    Vector,
    VectorIndex,
)
from stepcache_proxy.reuse.segment import segment

_COMPLETE = ("stop", "tool_calls")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an answer to be kept came from, and whether it is proved."""

    provenance: Provenance
    task: TaskName | None = None
    is_proved: bool = False
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Keeper:
    """Writes records: first the store, then the index, never a failure to anybody."""

    store: RecordStore
    index: VectorIndex
    embedder: Embedder
    recorder: Recorder
    clock: Callable[[], float]
    now: Callable[[], float]
    max_record_bytes: int

    async def keep(self, ask: Ask, answer: Answer, origin: Origin) -> Record | None:
        """The record as stored; None if it may not be, or the store is not there."""
        if not ask.controls.may_store or not is_complete(answer):
            return None
        if self._size(ask, answer) > self.max_record_bytes:
            return None
        record = self._record(ask, answer, origin)
        started = self.clock()
        try:
            vector = await self._vector(record, ask, origin)
            await self.store.put(record, vector)
            if vector is not None:
                await self.index.add(record.partition, record.id, vector)
        except SeamError:
            return None
        self.recorder.record(StageTimed("record", self.clock() - started))
        return record

    async def keep_served(self, ask: Ask, served: Served, origin: Origin) -> Served:
        """``served``, naming the record it was kept as, if it was kept."""
        record = await self.keep(ask, served.answer, origin)
        if record is None:
            return replace(served, record=None)
        return replace(served, record=record.id, is_stored=True)

    async def _vector(self, record: Record, ask: Ask, origin: Origin) -> Vector | None:
        if record.is_exact_only or ask.controls.mode is not Mode.VERIFIED:
            return None
        if origin.vector is not None:
            return origin.vector
        try:
            return await self.embedder.embed(record.text)
        except SeamError:
            return None

    def _record(self, ask: Ask, answer: Answer, origin: Origin) -> Record:
        request = ask.request
        is_plain = isinstance(answer.content, str) and not answer.message.get("refusal")
        return Record(
            id=RecordId(request.id),
            partition=request.partition,
            template=request.template,
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
            or bool(answer.message.get("tool_calls")),
            provenance=origin.provenance,
            created=self.now(),
            ttl_seconds=ask.controls.ttl_seconds,
        )

    def _size(self, ask: Ask, answer: Answer) -> int:
        """Bytes that the texts of a record take, before the store packs them."""
        texts = (ask.request.text, answer.text, str(answer.message), str(answer.usage))
        return sum(len(text.encode("utf-8", "replace")) for text in texts)


def is_complete(answer: Answer) -> bool:
    """Whether an answer is whole: it ended by itself and says something."""
    if answer.finish_reason not in _COMPLETE:
        return False
    says = answer.text.strip() or answer.message.get("tool_calls")
    return bool(says or answer.message.get("refusal"))
