"""Regenerate what failed, and only that: continue, ask for members, or fall back.

The region is contiguous and reaches to the end of the answer, so the upstream can
continue the verified prefix: its own prefix cache reads it, only the region is
decoded. Every attempt is checked as a whole; what passes is proved.
"""

from dataclasses import dataclass, field

from stepcache_proxy.reuse.ask import Ask, Finding
from stepcache_proxy.reuse.canonical import IN_CONSTRAINTS, fits, runs_past_stop
from stepcache_proxy.reuse.events import FellBack, Repaired, RepairResult
from stepcache_proxy.reuse.model import Accept, Reject, Step, TaskName, Unknown
from stepcache_proxy.reuse.payoff import Payoff, RepairKind
from stepcache_proxy.reuse.protocols import (
    Delta,
    Finish,
    GeneratedAnswer,
    Prompt,
    Recorder,
    Repair,
    Upstream,
    Verifier,
)
from stepcache_proxy.reuse.segment import Segmenter, segment
from stepcache_proxy.reuse.stitch import check_integrity, stitch
from stepcache_proxy.reuse.verify import leading_accepts, verify
from stepcache_proxy.wire.jsonvalue import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer of which the first ``kept`` steps stand, and why the rest does not."""

    text: str
    steps: tuple[Step, ...]
    kept: int
    reason: str


@dataclass(frozen=True, slots=True)
class Mended:
    """A proved answer, what it cost, and who wrote the end of it."""

    text: str
    kept: int
    patched: int
    generated: int
    meta: GeneratedAnswer | None
    fallback: TaskName | None = None


@dataclass(frozen=True, slots=True)
class NotMended:
    """No attempt passed; the tokens are spent all the same."""

    generated: int


@dataclass(frozen=True, slots=True)
class Mender:
    """Draft -> proved answer, within ``attempts`` upstream calls that may pay."""

    upstream: Upstream
    recorder: Recorder
    attempts: int
    payoff: Payoff = field(default_factory=Payoff)

    async def mend(
        self, verifier: Verifier, ask: Ask, draft: Draft, *, only_parts: bool
    ) -> Mended | NotMended:
        """Repair, then fall back. ``only_parts``: never ask for a whole answer.

        Raises what ``Upstream.generate`` raises.
        """
        spent, meta = 0, None
        for _ in range(self.attempts):
            kept = draft.steps[: draft.kept]
            repair = verifier.repair(kept, draft.text, draft.reason)
            if repair is None or (repair.is_whole and only_parts):
                break
            kind = RepairKind(ask.request.model, verifier.task, repair.is_whole)
            if not self.payoff.should_try(kind):
                break
            reply = await self._generate(verifier, _prompt(ask, repair, kept))
            spent, meta = spent + reply.tokens, reply.meta or meta
            text = repair.merge(reply.text)
            result, draft = _judged(verifier, text, draft, is_whole=reply.is_complete)
            self.recorder.record(Repaired(verifier.task, result))
            self.payoff.note(kind, is_success=result == "accepted")
            if result == "accepted" and text is not None:
                if not _is_allowed(ask, text, reply):
                    break
                steps = len(segment(text))
                begun = 0 if repair.is_whole else len(kept)
                return Mended(text, begun, steps - begun, spent, meta)
        return self.fall_back(verifier, ask, spent, meta)

    def fall_back(
        self,
        verifier: Verifier,
        ask: Ask,
        spent: int = 0,
        meta: GeneratedAnswer | None = None,
    ) -> Mended | NotMended:
        """The task's own right answer, if it has one that the request allows."""
        text = verifier.fallback()
        if text is None or not _is_allowed(ask, text):
            return NotMended(spent)
        if not isinstance(verifier.check_answer(text), Accept):
            return NotMended(spent)
        self.recorder.record(FellBack(verifier.task))
        return Mended(text, 0, len(segment(text)), spent, meta, verifier.task)

    async def _generate(self, verifier: Verifier, prompt: Prompt) -> "_Reply":
        """The reply, broken off as soon as one of its steps is proved wrong."""
        text, tokens = "", 0
        segmenter = Segmenter()
        generation = self.upstream.generate(prompt)
        try:
            async for part in generation:
                if isinstance(part, Finish):
                    return _finished(text, tokens, part)
                assert isinstance(part, Delta)
                text, tokens = text + part.text, tokens + 1
                done = segmenter.push(part.text)
                if any(isinstance(v, Reject) for v in verify(verifier, done)):
                    break
        finally:
            await generation.aclose()
        return _Reply(text, tokens, None, is_complete=False)


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    tokens: int
    meta: GeneratedAnswer | None
    is_complete: bool


def _is_allowed(ask: Ask, text: str, reply: _Reply | None = None) -> bool:
    """Whether the request's own token limit and stop strings allow ``text``.

    What the upstream has not counted is taken for two characters a token: formulas
    are split finely, and a limit is a promise.
    """
    chars, tokens = (len(reply.text), reply.tokens) if reply else (0, 0)
    most = tokens + max(0, len(text) - chars) // 2
    return fits(most, ask.request.body) and not runs_past_stop(text, ask.request.body)


def _finished(text: str, pieces: int, finish: Finish) -> _Reply:
    counted = finish.answer.usage.get("completion_tokens")
    tokens = counted if isinstance(counted, int) else pieces
    is_complete = finish.answer.finish_reason == "stop"
    return _Reply(text, tokens, finish.answer, is_complete=is_complete)


def draft_of(verifier: Verifier, text: str, reason: str) -> Draft:
    """The draft that an answer makes: its leading accepted steps are kept."""
    steps = segment(text)
    return Draft(text, steps, leading_accepts(verify(verifier, steps)), reason)


def draft_from(finding: Finding, kept: int) -> Draft:
    """The draft that a candidate makes of which the first ``kept`` steps stand."""
    record = finding.candidate.record
    steps = tuple(Step(index, text) for index, text in enumerate(record.steps))
    verdict = finding.verdicts[kept]
    reason = "not verified" if isinstance(verdict, Accept) else verdict.reason
    return Draft(record.answer.text, steps, kept, reason)


def _judged(
    verifier: Verifier, text: str | None, before: Draft, *, is_whole: bool
) -> tuple[RepairResult, Draft]:
    if text is None:
        return "failed", before
    verdict = check_integrity(verifier, text)
    if isinstance(verdict, Accept) and is_whole:
        return "accepted", before
    why = verdict.reason if isinstance(verdict, Reject | Unknown) else "cut"
    after = draft_of(verifier, text, why)
    return "rejected", after if after.kept >= before.kept else before


def _prompt(ask: Ask, repair: Repair, kept: tuple[Step, ...]) -> Prompt:
    body: dict[str, Json] = dict(ask.request.body)
    if repair.format is not None:
        for field in IN_CONSTRAINTS - {"messages", "prompt"}:
            body.pop(field, None)
        body.update(repair.format)
    if repair.prompt is None:
        prefix = stitch(kept)
    else:
        prefix = ""
        body = _with_last_message(body, repair.prompt)
    return Prompt(ask.request.endpoint, body, ask.headers, prefix)


def _with_last_message(body: JsonObject, text: str) -> dict[str, Json]:
    messages = body.get("messages")
    if not isinstance(messages, list):
        return {**body, "prompt": text}
    last = messages[-1]
    assert isinstance(last, dict)
    return {**body, "messages": [*messages[:-1], {**last, "content": text}]}
