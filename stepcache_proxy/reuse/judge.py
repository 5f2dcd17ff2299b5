"""One candidate, judged for one request: compared, verified, decided, derived."""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from stepcache_proxy.reuse.ask import Finding
from stepcache_proxy.reuse.bound import may_serve
from stepcache_proxy.reuse.canonical import fits, runs_past_stop
from stepcache_proxy.reuse.constraints import difference
from stepcache_proxy.reuse.model import (
    Accept,
    Answer,
    Candidate,
    CanonicalRequest,
    Decision,
    Donor,
    Patch,
    Record,
    Reject,
    Reuse,
    SkipReuse,
    Step,
    TaskName,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Task, Verifier
from stepcache_proxy.reuse.roles import is_gating, is_reworking
from stepcache_proxy.reuse.verify import decide, verify

# An object that fits its schema may still say what is not so.
_PROVE_FORM_ONLY = frozenset({TaskName("json_object")})

REASONING = ("reasoning", "reasoning_content")

_RANK_REUSE, _RANK_DERIVED, _RANK_PATCH, _RANK_SKIP = range(4)


def judge(
    task: Task,
    verifier: Verifier,
    request: CanonicalRequest,
    candidate: Candidate,
    *,
    may_derive: bool = True,
) -> Finding:
    """What the candidate is good for; never raises, asks nobody."""
    record, donor = candidate.record, candidate.record.donor
    refused = task.compare(request, donor)
    if refused is not None:
        return Finding(candidate, SkipReuse(str(refused)))
    steps = [Step(index, text) for index, text in enumerate(record.steps)]
    verdicts = verify(verifier, steps)
    whole = verifier.check_answer(donor.answer)
    is_same = not _is_refused(verdicts, whole) and (
        _is_gate(task)
        or (
            _says_more(record.answer, verdicts, whole)
            and is_same_question(request, donor)
        )
    )
    decision = decide(verdicts, whole, is_same_question=is_same)
    derived, is_reworked = None, is_reworking(verifier)
    if isinstance(decision, Patch):
        derived = _derived(verifier, request, record) if may_derive else None
        decision = _with_derived(decision, derived, is_proved=record.is_proved)
    if isinstance(decision, Reuse) and not _fits(request, candidate, derived):
        decision = SkipReuse("differs:max_tokens")
    is_proved = (derived is not None or isinstance(whole, Accept)) and not (
        is_reworked or verifier.task in _PROVE_FORM_ONLY
    )
    is_reworked = is_reworked and derived is not None
    return Finding(
        candidate, decision, verdicts, derived, is_same, is_proved, is_reworked
    )


def _is_gate(task: Task) -> bool:
    """Whether the comparison has already told that the questions are the same."""
    return is_gating(task) and task.is_whole_gate


def _is_refused(verdicts: Sequence[Verdict], whole: Verdict) -> bool:
    """Whether anything is proved wrong: then nobody needs to know what was asked."""
    return any(isinstance(verdict, Reject) for verdict in (whole, *verdicts))


def _says_more(answer: Answer, verdicts: Sequence[Verdict], whole: Verdict) -> bool:
    """Whether anything would be served that is not proved right for the request.

    Where all is, nobody needs to know either whether the questions are one.
    """
    is_proved = all(isinstance(verdict, Accept) for verdict in (whole, *verdicts))
    return not is_proved or has_reasoning(answer)


def has_reasoning(answer: Answer) -> bool:
    """Whether the model's reasoning, which no verifier reads, comes with the answer."""
    return any(answer.message.get(name) for name in REASONING)


def is_same_question(request: CanonicalRequest, donor: Donor) -> bool:
    """The verbatim gate: no constraint that we can read differs, nor the format."""
    if request.format != donor.format:
        return False
    return difference(request.text, donor.text) is None


def tightened(finding: Finding) -> Finding:
    """The finding near a reported answer: what is not proved is refused."""
    if isinstance(finding.decision, Reuse) and not finding.is_proved:
        return replace(finding, decision=SkipReuse("quarantine"))
    return finding


def bounded(finding: Finding, max_error: float) -> Finding:
    """The finding, refused if unproved and its record has been wrong too often."""
    if not isinstance(finding.decision, Reuse) or finding.is_proved:
        return finding
    if may_serve(finding.candidate.record.observations, max_error):
        return finding
    return replace(finding, decision=SkipReuse("bound"))


def best(findings: list[Finding]) -> Finding:
    """The finding that serves most: as it is, derived, most steps kept, refused."""
    return min(findings, key=_rank)


def tokens_of(text: str, candidate: Candidate) -> int:
    """Completion tokens of a text written in the words of the candidate's answer.

    Its own count for its own text, else in proportion to the length (an estimate:
    only the upstream has the tokenizer).
    """
    answer = candidate.record.answer
    if text == answer.text or not answer.text:
        return answer.completion_tokens
    return max(1, round(len(text) * answer.completion_tokens / len(answer.text)))


def _derived(
    verifier: Verifier, request: CanonicalRequest, record: Record
) -> str | None:
    """What a record becomes for the request, unless a stop string is in it.

    Derived from a proved record, or reworked (which proves nothing).
    """
    if is_reworking(verifier):
        text = verifier.rework(record.donor)
    else:
        text = verifier.derive(record.donor) if record.is_proved else None
    return None if text is None or runs_past_stop(text, request.body) else text


def _fits(request: CanonicalRequest, candidate: Candidate, derived: str | None) -> bool:
    answer = candidate.record.answer
    if derived is None or not answer.completion_tokens:
        return fits(max(answer.most_tokens, len(derived or "")), request.body)
    return fits(tokens_of(derived, candidate), request.body)


def _with_derived(patch: Patch, derived: str | None, *, is_proved: bool) -> Decision:
    """A derivation turns a patch into reuse; an unproved donor is patched never."""
    if derived is not None:
        return Reuse()
    if is_proved:
        return patch
    return SkipReuse(f"step:{patch.region.start + 1}")


def _rank(finding: Finding) -> tuple[int, int, float]:
    similarity = finding.candidate.similarity
    nearness = -(similarity if similarity is not None else 1.0)
    match finding.decision:
        case Reuse():
            rank = _RANK_REUSE if finding.derived is None else _RANK_DERIVED
            return rank, 0, nearness
        case Patch(region):
            return _RANK_PATCH, -region.start, nearness
        case SkipReuse():
            return _RANK_SKIP, 0, nearness
        case _:
            assert_never(finding.decision)
