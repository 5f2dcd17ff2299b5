"""The decision a request would get, spelled out; asks no upstream, stores nothing."""

from collections.abc import Mapping, Sequence

from stepcache_proxy.app.parts import Parts
from stepcache_proxy.errors import InvalidRequestError
from stepcache_proxy.reuse import constraints
from stepcache_proxy.reuse.ask import Ask, Finding
from stepcache_proxy.reuse.judge import best
from stepcache_proxy.reuse.lookup import Lookup, bind, verdict_name
from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Outcome,
    Patch,
    Record,
    Reuse,
    SkipReuse,
    Step,
    Unknown,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Task
from stepcache_proxy.reuse.verify import verify
from stepcache_proxy.wire.jsonvalue import Json, JsonObject


async def explain(parts: Parts, ask: "Ask | str") -> JsonObject:
    """What ``stepcache-proxy`` would do with a chat request, and why."""
    if isinstance(ask, str):
        return {"decision": Outcome.BYPASS, "reason": ask, "candidates": []}
    searcher = parts.pipeline.searcher
    found = await searcher.look_up(searcher.bound(ask), is_thorough=True)
    decision, reason = _decision(found)
    request = ask.request
    task = found.bound.verifier.task if found.bound else None
    return {
        "decision": decision,
        "reason": reason,
        "partition": request.partition,
        "record": request.id,
        "task": task,
        "parameters": dict(request.parameters),
        "differs": found.differs,
        "constraints": _constraints(request.text),
        "format": request.format,
        "text": request.text,
        "candidates": [_candidate(finding) for finding in found.findings],
    }


def _decision(found: Lookup) -> tuple[str, str]:
    if found.exact is not None:
        return Outcome.EXACT, "verified"
    if not found.findings:
        return _without_candidate(found)
    match best(list(found.findings)).decision:
        case Reuse():
            return Outcome.REUSE, "verified"
        case Patch(region):
            return Outcome.PATCH, f"step:{region.start + 1}"
        case SkipReuse(reason):
            return Outcome.SKIP, reason


def _without_candidate(found: Lookup) -> tuple[str, str]:
    if found.trouble is not None:
        return Outcome.MISS, found.trouble
    if found.differs is not None:
        return Outcome.SKIP, f"differs:{found.differs}"
    return Outcome.MISS, "no-candidate"


def _candidate(finding: Finding) -> JsonObject:
    record = finding.candidate.record
    steps: list[Json] = [
        {
            "text": text,
            "verdict": verdict_name(verdict),
            "reason": "" if isinstance(verdict, Accept) else verdict.reason,
        }
        for text, verdict in zip(record.steps, finding.verdicts, strict=False)
    ]
    return {
        "record": record.id,
        "similarity": finding.candidate.similarity,
        "decision": _decision_of(finding),
        "text": record.text,
        "constraints": _constraints(record.text),
        "derived": finding.derived,
        "steps": steps,
    }


def _decision_of(finding: Finding) -> str:
    match finding.decision:
        case Reuse():
            return "reuse" if finding.derived is None else "derive"
        case Patch(region):
            return f"patch from step {region.start + 1}"
        case SkipReuse(reason):
            return f"skip: {reason}"


def _constraints(text: str) -> Json:
    read: Mapping[str, Sequence[str]] = constraints.describe(constraints.read(text))
    return {name: list(values) for name, values in read.items()}


def recheck(tasks: Sequence[Task], record: Record) -> tuple[Verdict, ...]:
    """The verdict on each step of a record, for the request it was stored for.

    A record keeps of its request what verifiers read, and no more: the conversation
    before the last message is not in it. Without a task every step is Unknown.
    """
    request = CanonicalRequest(
        endpoint=record.endpoint,
        body={},
        model=record.model,
        tenant="",
        namespace=record.namespace,
        partition=record.partition,
        id=record.id,
        template=record.template,
        kin=record.kin,
        question=record.question,
        parameters=record.parameters,
        text=record.text,
        format=record.format,
        # A copy of a derived answer lends to nobody, and was proved all the same.
        is_exact_only=record.is_exact_only and record.task is None,
    )
    bound = bind(tasks, request)
    if bound is None:
        return tuple(Unknown("no task") for _ in record.steps)
    steps = [Step(index, text) for index, text in enumerate(record.steps)]
    return verify(bound.verifier, steps)


def malformed() -> InvalidRequestError:
    """For a body that is no chat request."""
    msg = "The body must be a chat request with a list of messages."
    return InvalidRequestError(msg, param="body")
