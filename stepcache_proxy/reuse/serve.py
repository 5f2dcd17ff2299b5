"""Records and repaired texts -> what is served, with its tokens and steps counted."""

from collections.abc import Callable
from dataclasses import replace

from stepcache_proxy.reuse.ask import Finding, Served, StepCounts
from stepcache_proxy.reuse.judge import REASONING, has_reasoning, tokens_of
from stepcache_proxy.reuse.model import Answer, Outcome, Record
from stepcache_proxy.reuse.patch import Mended
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.wire.jsonvalue import Json, JsonObject


def from_record(record: Record, now: Callable[[], float]) -> Served:
    """The record as it is: the same request was answered before."""
    age = max(0, int(now() - record.created))
    return Served(
        outcome=Outcome.EXACT,
        reason="verified",
        answer=record.answer,
        record=record.id,
        reused=record.answer.completion_tokens,
        age_seconds=age,
        ttl_seconds=max(0, record.ttl_seconds - age),
        task=record.task,
    )


def from_finding(finding: Finding, now: Callable[[], float]) -> Served:
    """The candidate's answer, or what was derived from it, for another request."""
    record = finding.candidate.record
    age = max(0, int(now() - record.created))
    answer = record.answer
    steps = StepCounts(kept=len(record.steps))
    if not finding.is_same_question:
        answer = without_reasoning(answer)
    if finding.derived is not None:
        tokens = tokens_of(finding.derived, finding.candidate)
        answer = with_text(answer, finding.derived, tokens)
        steps = StepCounts(derived=len(segment(finding.derived)))
    return Served(
        outcome=Outcome.REUSE,
        reason="reworked" if finding.is_reworked else "verified",
        answer=answer,
        record=record.id,
        similarity=finding.candidate.similarity,
        steps=steps,
        reused=answer.completion_tokens,
        age_seconds=age,
        ttl_seconds=max(0, record.ttl_seconds - age),
        task=record.task,
    )


def patched(finding: Finding, mended: Mended, reason: str) -> Served:
    """A candidate whose region was regenerated (or written by the fallback).

    What is reused is the share of the text that the kept steps make of it.
    """
    record = finding.candidate.record
    kept = sum(len(text) for text in record.steps[: mended.kept])
    share = kept / len(record.answer.text) if record.answer.text else 0.0
    return Served(
        outcome=Outcome.PATCH,
        reason=reason,
        answer=mended_answer(without_reasoning(record.answer), mended),
        similarity=finding.candidate.similarity,
        steps=StepCounts(kept=mended.kept, patched=mended.patched),
        generated=mended.generated,
        reused=round(share * record.answer.completion_tokens),
        fallback=mended.fallback,
        task=record.task,
    )


def mended_answer(before: Answer, mended: Mended) -> Answer:
    """``before`` with the mended text, its tokens estimated from the upstream's own.

    Only the upstream has the tokenizer: the count is in proportion to the length,
    by the last count the upstream gave.
    """
    tokens = before.completion_tokens
    estimate = round(len(mended.text) * tokens / len(before.text)) if before.text else 0
    return with_text(
        without_reasoning(before),
        mended.text,
        max(1, estimate or mended.generated or len(mended.text) // 4),
    )


def with_text(answer: Answer, text: str, completion_tokens: int) -> Answer:
    """The same answer with another text, complete, its usage recounted."""
    usage = recount(answer.usage, completion_tokens)
    return replace(answer, content=text, finish_reason="stop", usage=usage)


def without_reasoning(answer: Answer) -> Answer:
    """The answer without its reasoning, which speaks of the donor's question."""
    if not has_reasoning(answer):
        return answer
    message: dict[str, Json] = {
        name: value for name, value in answer.message.items() if name not in REASONING
    }
    return replace(answer, message=message)


def recount(usage: JsonObject, completion_tokens: int) -> JsonObject:
    """The usage with another number of completion tokens, the total to match."""
    prompt = usage.get("prompt_tokens")
    total = (prompt if isinstance(prompt, int) else 0) + completion_tokens
    return {**usage, "completion_tokens": completion_tokens, "total_tokens": total}
