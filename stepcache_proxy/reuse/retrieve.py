"""Three tiers, cheapest first: exact key, template key, nearest vectors.

Retrieval proposes, verification decides. The store is the truth and the index a
derivative: a vector whose record is gone or of another partition is dropped.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from stepcache_proxy.reuse.ask import Ask
from stepcache_proxy.reuse.canonical import fits
from stepcache_proxy.reuse.events import Stage, StageTimed
from stepcache_proxy.reuse.model import Candidate, Record
from stepcache_proxy.reuse.protocols import (
    Embedder,
    Found,
    Recorder,
    RecordStore,
    Vector,
    VectorIndex,
)

_NEAREST = 4
# Pairs of fow-cache that the verbatim gate passes are nearer than that, but for slips
# of the keyboard, which the model takes for other words.
_LEAST_OF_WORDINGS = 0.5


@dataclass(frozen=True, slots=True)
class Tier:
    """What one tier proposes; ``differs`` names a field asked with another value.

    ``is_tightened``: a bad answer was reported for something as near as these.
    """

    candidates: tuple[Candidate, ...] = ()
    differs: str | None = None
    vector: Vector | None = None
    is_tightened: bool = False


@dataclass(frozen=True, slots=True)
class Retriever:
    """The three tiers over their seams. Raises SeamError."""

    store: RecordStore
    index: VectorIndex
    embedder: Embedder
    recorder: Recorder
    clock: Callable[[], float]
    now: Callable[[], float]

    async def exact(self, ask: Ask, *, is_near: bool = False) -> Record | None:
        """The record of the same canonical request, if it may be served.

        ``is_near``: if it is in this process.
        """
        started = self.clock()
        (record,) = await self.store.get([ask.request.id], is_near=is_near)
        if record is not None or not is_near:
            self._note("exact", started)
        return self._usable(record, ask)

    async def find(self, ask: Ask) -> Found:
        """The exact record, if it may be served, and its template's: a trip at most."""
        started = self.clock()
        found = self.store.at_hand(ask.request) or await self.store.find(ask.request)
        self._note("template", started)
        return replace(found, exact=self._usable(found.exact, ask))

    def _usable(self, record: Record | None, ask: Ask) -> Record | None:
        if record is None or record.is_quarantined:
            return None
        if not self._is_young_enough(record, ask):
            return None
        is_within = fits(record.answer.most_tokens, ask.request.body)
        return record if is_within else None

    async def template(
        self, ask: Ask, found: Found, *, are_words_needed: bool = False
    ) -> Tier:
        """Records of the same words with other constants, newest first.

        With ``are_words_needed`` they are wordings of one question, and a floor that
        not every such pair is over is measured.
        """
        records = [r for r in found.records if self._may_lend(r, ask)]
        is_tightened = any(record.is_quarantined for record in found.records)
        is_high = ask.controls.min_similarity > _LEAST_OF_WORDINGS
        is_measured = ask.controls.is_floor_raised or (are_words_needed and is_high)
        if not is_measured or not records:
            candidates = tuple(Candidate(record) for record in records)
            return Tier(candidates, found.differs, is_tightened=is_tightened)
        near = await self.nearest(ask)
        known = {record.id for record in records}
        measured = tuple(c for c in near.candidates if c.record.id in known)
        return Tier(measured, found.differs, is_tightened=is_tightened)

    async def nearest(self, ask: Ask, *, are_words_needed: bool = False) -> Tier:
        """Records whose last message is near, with their cosine, best first.

        Nothing is embedded where the partition has nothing to compare with; or, with
        ``are_words_needed``, nothing that has words in common.
        """
        words = ask.request.text if are_words_needed else ""
        if not await self.index.holds(ask.request.partition, words):
            return Tier()
        started = self.clock()
        vector = await self.embedder.embed(ask.request.text)
        self._note("embed", started)
        if vector is None:
            return Tier()
        partition = ask.request.partition
        started = self.clock()
        hits = await self.index.nearest(partition, vector, _NEAREST)
        near = [(i, s) for i, s in hits if s >= ask.controls.min_similarity]
        records = await self.store.get([i for i, _ in near]) if near else []
        self._note("nearest", started)
        candidates: list[Candidate] = []
        is_tightened = any(record and record.is_quarantined for record in records)
        for (id_, similarity), record in zip(near, records, strict=True):
            if record is None or record.partition != partition:
                await self.index.remove(partition, id_)
            elif self._may_lend(record, ask):
                candidates.append(Candidate(record, similarity))
        return Tier(tuple(candidates), vector=vector, is_tightened=is_tightened)

    def _may_lend(self, record: Record, ask: Ask) -> bool:
        return (
            record.partition == ask.request.partition
            and not record.is_exact_only
            and not record.is_quarantined
            and record.id != ask.request.id
            and self._is_young_enough(record, ask)
        )

    def _is_young_enough(self, record: Record, ask: Ask) -> bool:
        limit = ask.controls.max_age_seconds
        return limit is None or self.now() - record.created <= limit

    def _note(self, stage: Stage, started: float) -> None:
        """A stage has ended well."""
        self.recorder.record(StageTimed(stage, self.clock() - started))
