"""Fresh answers of the upstream: checked by their task, repaired, kept.

A task with ``correct`` sees the model's own slips, too: its answers are held back
until they are decided, and a wrong one is repaired before anybody reads it.
"""

from dataclasses import dataclass, replace

from stepcache_proxy.errors import StructuredOutputError, UpstreamError
from stepcache_proxy.reuse.ask import Ask, Forward, Served, StepCounts
from stepcache_proxy.reuse.keep import Keeper, Origin
from stepcache_proxy.reuse.model import (
    Accept,
    Answer,
    Donor,
    Outcome,
    Provenance,
    RecordId,
    TaskName,
    Unknown,
)
from stepcache_proxy.reuse.patch import Draft, Mended, Mender, NotMended, draft_of
from stepcache_proxy.reuse.protocols import Verifier
from stepcache_proxy.reuse.roles import is_reworking
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.reuse.serve import mended_answer, with_text
from stepcache_proxy.wire.jsonvalue import JsonObject

VERBATIM = TaskName("verbatim")


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a fresh answer: ``served`` None means it goes out as it came."""

    served: Served | None = None
    record: RecordId | None = None


@dataclass(frozen=True, slots=True)
class Settler:
    """Decides what becomes of a whole answer that the upstream has just given."""

    mender: Mender
    keeper: Keeper

    async def settle(self, ask: Ask, forward: Forward, answer: Answer) -> Settled:
        """The answer mended if its task rejects it, kept if it is right or unjudged.

        An upstream that is gone when a repair is asked for leaves the fallback, or
        the answer as it came. Raises StructuredOutputError where the client demanded
        a strict schema that the model cannot fill.
        """
        verifier = forward.verifier
        if verifier is None or _proves_nothing(verifier):
            return await self._kept(ask, forward, answer)
        verdict = verifier.check_answer(answer.text)
        if isinstance(verdict, Accept):
            return await self._kept(ask, forward, answer, verifier.task)
        if isinstance(verdict, Unknown):
            return await self._kept_unread(ask, forward, answer)
        if not forward.is_held or _is_withheld(answer):
            return Settled()
        served = await self._mend(ask, verifier, answer, verdict.reason)
        if served is None:
            return Settled()
        served = replace(served, generated=served.generated + forward.spent)
        origin = Origin(
            _provenance(served), verifier.task, is_proved=True, vector=forward.vector
        )
        kept = await self.keeper.keep_served(ask, served, origin)
        return Settled(kept, kept.record)

    async def _kept_unread(self, ask: Ask, forward: Forward, answer: Answer) -> Settled:
        """What its task cannot read is for the very same request alone."""
        origin = Origin(Provenance.FRESH, vector=forward.vector, lends=False)
        record = await self.keeper.keep(ask, answer, origin)
        return Settled(record=record.id if record else None)

    async def _kept(
        self, ask: Ask, forward: Forward, answer: Answer, task: TaskName | None = None
    ) -> Settled:
        origin = Origin(
            Provenance.FRESH, task, is_proved=task is not None, vector=forward.vector
        )
        record = await self.keeper.keep(ask, answer, origin)
        return Settled(record=record.id if record else None)

    async def _mend(
        self, ask: Ask, verifier: Verifier, answer: Answer, reason: str
    ) -> Served | None:
        """The answer repaired, None if the upstream's own has to do."""
        donor = Donor(ask.request.text, ask.request.format, answer.text)
        is_whole = answer.finish_reason == "stop"
        derived = verifier.derive(donor) if is_whole else None
        if derived is not None:
            return _extracted(verifier, answer, derived)
        draft = draft_of(verifier, answer.text, reason)
        try:
            mended = await self.mender.mend(verifier, ask, draft, only_parts=False)
        except UpstreamError:
            mended = self.mender.fall_back(verifier, ask)
        if isinstance(mended, NotMended):
            if is_whole and _is_strict(ask.request.format):
                message = f"The model's answer does not fit the schema: {reason}"
                raise StructuredOutputError(message)
            return None
        return _mended(verifier, answer, mended, draft)


def _proves_nothing(verifier: Verifier) -> bool:
    return verifier.task == VERBATIM or is_reworking(verifier)


def _extracted(verifier: Verifier, answer: Answer, text: str) -> Served:
    """The model's own answer with loss-free mends: nothing was asked again."""
    return Served(
        outcome=Outcome.PATCH,
        reason="integrity",
        answer=with_text(answer, text, answer.completion_tokens),
        steps=StepCounts(patched=len(segment(text))),
        generated=answer.completion_tokens,
        task=verifier.task,
    )


def _mended(verifier: Verifier, answer: Answer, mended: Mended, draft: Draft) -> Served:
    is_step = draft.kept < len(draft.steps)
    return Served(
        outcome=Outcome.PATCH,
        reason=f"step:{draft.kept + 1}" if is_step else "integrity",
        answer=mended_answer(answer, mended),
        steps=StepCounts(kept=mended.kept, patched=mended.patched),
        generated=answer.completion_tokens + mended.generated,
        fallback=mended.fallback,
        task=verifier.task,
    )


def _is_withheld(answer: Answer) -> bool:
    """Whether the upstream refused or filtered: that is its decision, not a slip."""
    is_ended = answer.finish_reason in ("stop", "length")
    return not is_ended or bool(answer.message.get("refusal"))


def _provenance(served: Served) -> Provenance:
    return Provenance.FALLBACK if served.fallback else Provenance.PATCHED


def _is_strict(format_fields: JsonObject) -> bool:
    demanded = format_fields.get("response_format")
    schema = demanded.get("json_schema") if isinstance(demanded, dict) else None
    return isinstance(schema, dict) and schema.get("strict") is True
