"""All that the cache can say to a request before the upstream is asked.

The one place where a part of the cache that fails is caught: the request becomes a
miss that names the part. Past the budget the stage under way is broken off.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from stepcache_proxy.errors import SeamError
from stepcache_proxy.reuse.ask import Ask, Bound, Finding
from stepcache_proxy.reuse.canonical import regrouped
from stepcache_proxy.reuse.events import StageTimed, VerdictName, Verified
from stepcache_proxy.reuse.judge import bounded, judge, tightened
from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Mode,
    Record,
    Reject,
    Reuse,
    Unknown,
    Verdict,
)
from stepcache_proxy.reuse.protocols import (
    Found,
    Recorder,
    Task,
    Vector,
)
from stepcache_proxy.reuse.retrieve import Retriever, Tier
from stepcache_proxy.reuse.roles import is_gating, is_grouping, is_kindred


@dataclass(frozen=True, slots=True)
class Lookup:
    """The exact record, or the candidates as judged, or why there are none."""

    exact: Record | None = None
    bound: Bound | None = None
    findings: tuple[Finding, ...] = ()
    differs: str | None = None
    vector: Vector | None = None
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Searcher:
    """Retrieval and verification within ``budget_seconds`` a request.

    ``may_derive`` off: an answer for other constants is never re-worked. What is not
    proved is served from a record only while the bound of its error is at most
    ``max_error`` (``bound.py``).
    """

    tasks: Sequence[Task]
    retriever: Retriever
    recorder: Recorder
    clock: Callable[[], float]
    budget_seconds: float
    may_derive: bool = True
    max_error: float = 0.01

    def bound(self, ask: Ask) -> Ask:
        """The ask bound to its task, under the task's template key if it has one."""
        bound = bind(self.tasks, ask.request)
        if bound is None:
            return ask
        task, request = bound.task, ask.request
        group = task.group(request) if is_grouping(task) else None
        if group is not None:
            kin = task.kin(request) if is_kindred(task) else None
            request = regrouped(request, f"{task.name}:{group}", kin)
        return replace(ask, request=request, bound=bound)

    async def exact(self, ask: Ask, *, is_near: bool = False) -> Record | None:
        """The record of the same canonical request, if it can be had."""
        if not ask.controls.may_serve:
            return None
        try:
            return await self.retriever.exact(ask, is_near=is_near)
        except SeamError:
            return None

    async def look_up(self, ask: Ask, *, is_thorough: bool = False) -> Lookup:
        """Never raises. ``is_thorough`` goes through every tier (for ``explain``)."""
        bound = ask.bound or bind(self.tasks, ask.request)
        found = Lookup(bound=bound)
        if not ask.controls.may_serve or ask.controls.mode is Mode.OFF:
            return found
        started = self.clock()
        try:
            first = await self.retriever.find(ask)
            found = replace(found, exact=first.exact)
            if first.exact is not None and not is_thorough:
                return found
            left = self.budget_seconds - (self.clock() - started)
            async with asyncio.timeout(None if is_thorough else max(left, 0.0)):
                return await self._similar(ask, found, first, is_thorough=is_thorough)
        except TimeoutError:
            return replace(found, trouble="budget")
        except SeamError as error:
            return replace(found, trouble=f"degraded:{error.seam}")

    async def _similar(
        self, ask: Ask, found: Lookup, first: Found, *, is_thorough: bool
    ) -> Lookup:
        if ask.controls.mode is not Mode.VERIFIED or ask.request.is_exact_only:
            return replace(found, differs=first.differs)
        is_gated = found.bound is not None and is_gating(found.bound.task)
        tier = await self.retriever.template(ask, first, are_words_needed=is_gated)
        found = self._judged(ask, found, tier, is_thorough=is_thorough)
        serves = any(isinstance(f.decision, Reuse) for f in found.findings)
        if (serves and not is_thorough) or not ask.request.text:
            return found
        try:
            near = await self.retriever.nearest(
                ask, are_words_needed=is_gated and not is_thorough
            )
        except SeamError as error:
            return replace(found, trouble=f"degraded:{error.seam}")
        return self._judged(ask, found, near, is_thorough=is_thorough)

    def _judged(
        self, ask: Ask, found: Lookup, tier: Tier, *, is_thorough: bool
    ) -> Lookup:
        """The tier's candidates judged; the first that serves is enough."""
        findings = list(found.findings)
        known = {finding.candidate.record.id for finding in findings}
        for candidate in tier.candidates:
            if found.bound is None or candidate.record.id in known:
                continue
            started = self.clock()
            bound = found.bound
            finding = judge(
                bound.task,
                bound.verifier,
                ask.request,
                candidate,
                may_derive=self.may_derive,
            )
            finding = bounded(finding, self.max_error)
            if tier.is_tightened:
                finding = tightened(finding)
            self.recorder.record(StageTimed("verify", self.clock() - started))
            if finding.verdicts:
                names: tuple[VerdictName, ...] = tuple(
                    [verdict_name(verdict) for verdict in finding.verdicts]
                )
                self.recorder.record(Verified(bound.verifier.task, names))
            findings.append(finding)
            if isinstance(finding.decision, Reuse) and not is_thorough:
                break
        return replace(
            found,
            findings=tuple(findings),
            differs=tier.differs or found.differs,
            vector=tier.vector if tier.vector is not None else found.vector,
        )


def bind(tasks: Sequence[Task], request: CanonicalRequest) -> Bound | None:
    """The first task that understands the request whole."""
    if request.is_exact_only:
        return None
    for task in tasks:
        verifier = task.bind(request)
        if verifier is not None:
            return Bound(task, verifier)
    return None


def verdict_name(verdict: Verdict) -> VerdictName:
    """The verdict as a label."""
    match verdict:
        case Accept():
            return "accept"
        case Reject():
            return "reject"
        case Unknown():
            return "unknown"
        case _:
            assert_never(verdict)
