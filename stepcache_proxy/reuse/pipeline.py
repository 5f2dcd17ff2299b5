"""The path of a request through StepCache: start reading at ``Pipeline.answer``.

Theory. An answer is kept as ordered steps. For a new request the best earlier
answer is retrieved, every step of it is verified against the NEW request, only what
fails is regenerated, and the whole is checked again before anybody sees it. One
sentence decides every doubt: a cached step is served only if it is proved right for
this request; whatever cannot be read is unverified, and unverified is not verified.

  retrieve   exact key, template key, nearest vectors      ``lookup.py``
  verify     a task's verifier, bound to this request      ``verify.py``, ``judge.py``
  decide     Reuse, Patch(region) or SkipReuse(reason)     ``verify.py``
  patch      continue the verified prefix, or fall back    ``patch.py``
  stitch     steps -> answer, integrity of the whole       ``stitch.py``
  record     only complete, accepted answers               ``keep.py``
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from stepcache_proxy.errors import UpstreamStatusError
from stepcache_proxy.reuse.ask import Ask, Bound, Finding, Forward, Reply, Served
from stepcache_proxy.reuse.events import Skipped
from stepcache_proxy.reuse.judge import best
from stepcache_proxy.reuse.keep import Keeper, Origin
from stepcache_proxy.reuse.lookup import Lookup, Searcher
from stepcache_proxy.reuse.model import (
    Outcome,
    Patch,
    Provenance,
    Reuse,
    SkipReuse,
    TaskName,
)
from stepcache_proxy.reuse.patch import Mender, NotMended, draft_from
from stepcache_proxy.reuse.protocols import Recorder
from stepcache_proxy.reuse.roles import is_reworking
from stepcache_proxy.reuse.serve import from_finding, from_record, patched


@dataclass(frozen=True, slots=True)
class Pipeline:
    """StepCache over its seams; ``now`` gives seconds since the epoch.

    ``corrected`` names the tasks whose fresh answers are checked and repaired before
    anybody sees them (``fresh.py``). ``may_patch`` off: what would be a patch is a
    skip.
    """

    searcher: Searcher
    mender: Mender
    keeper: Keeper
    recorder: Recorder
    corrected: frozenset[TaskName]
    now: Callable[[], float]
    may_patch: bool = True

    async def answer(self, ask: Ask) -> Reply:
        """The answer, if the cache can give it; else what to forward, and why.

        Raises UpstreamError only from a patch whose upstream is gone.
        """
        found = await self.searcher.look_up(ask)
        if found.exact is not None:
            return from_record(found.exact, self.now)
        if found.bound is None or not found.findings:
            return self._without_candidate(found)
        finding = best(list(found.findings))
        match finding.decision:
            case Reuse():
                return await self._reuse(ask, found.bound, finding)
            case Patch(region):
                return await self._patch(ask, found, finding, region.start)
            case SkipReuse(reason):
                return self._skip(found, finding, reason)
            case _:
                assert_never(finding.decision)

    async def exact(self, ask: Ask, *, is_near: bool = False) -> Served | None:
        """The first tier alone: nothing bound, nothing embedded.

        One store read, or none with ``is_near``: then only what this process has.
        """
        record = await self.searcher.exact(ask, is_near=is_near)
        return None if record is None else from_record(record, self.now)

    async def _reuse(self, ask: Ask, bound: Bound, finding: Finding) -> Served:
        """Serve the candidate; what is proved for this request becomes its record."""
        served = from_finding(finding, self.now)
        verifier = bound.verifier
        if finding.is_proved:
            donor = finding.candidate.record
            origin = Origin(
                Provenance.DERIVED,
                verifier.task,
                is_proved=True,
                lends=donor.template != ask.request.template,
            )
            self.keeper.keep_later(ask, served.answer, origin)
        return served

    async def _patch(
        self, ask: Ask, found: Lookup, finding: Finding, kept: int
    ) -> Reply:
        """Keep the verified steps, regenerate the region; or answer in full."""
        reason = f"step:{kept + 1}"
        may_patch = self.may_patch and not ask.controls.only_if_cached
        if found.bound is None or not may_patch:
            return self._skip(found, finding, reason)
        verifier = found.bound.verifier
        draft = draft_from(finding, kept)
        try:
            mended = await self.mender.mend(verifier, ask, draft, only_parts=True)
        except UpstreamStatusError:
            return self._skip(found, finding, reason)
        if isinstance(mended, NotMended):
            return self._skip(found, finding, reason, spent=mended.generated)
        served = patched(finding, mended, reason)
        origin = Origin(Provenance.PATCHED, verifier.task, is_proved=True)
        return await self.keeper.keep_served(ask, served, origin)

    def _skip(
        self, found: Lookup, finding: Finding, reason: str, *, spent: int = 0
    ) -> Forward:
        self.recorder.record(Skipped(reason))
        similarity = finding.candidate.similarity
        return self._forward(found, Outcome.SKIP, reason, similarity, spent)

    def _without_candidate(self, found: Lookup) -> Forward:
        """A miss, or a skip where only another value of a field stood in the way."""
        if found.trouble is not None:
            return self._forward(found, Outcome.MISS, found.trouble)
        if found.differs is None:
            return self._forward(found, Outcome.MISS, "no-candidate")
        reason = f"differs:{found.differs}"
        self.recorder.record(Skipped(reason))
        return self._forward(found, Outcome.SKIP, reason)

    def _forward(
        self,
        found: Lookup,
        outcome: Outcome,
        reason: str,
        similarity: float | None = None,
        spent: int = 0,
    ) -> Forward:
        verifier = found.bound.verifier if found.bound else None
        return Forward(
            outcome=outcome,
            reason=reason,
            similarity=similarity,
            verifier=verifier,
            is_held=verifier is not None
            and verifier.task in self.corrected
            and not is_reworking(verifier),
            vector=found.vector,
            spent=spent,
        )
