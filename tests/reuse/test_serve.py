"""What is served says of itself what it is, and nothing of another question."""

from dataclasses import replace

from stepcache_proxy.reuse.ask import Finding, StepCounts
from stepcache_proxy.reuse.model import Candidate, Outcome, Reuse, TaskName
from stepcache_proxy.reuse.patch import Mended
from stepcache_proxy.reuse.serve import (
    from_finding,
    from_record,
    mended_answer,
    patched,
    recount,
    with_text,
    without_reasoning,
)
from tests.fakes import NOW, answer, canonical, record_of

THOUGHT = replace(
    answer("1. aa\n2. bb\n"),
    message={"role": "assistant", "reasoning": "of a", "reasoning_content": "of a"},
)
RECORD = replace(record_of(canonical("a"), "1. aa\n2. bb\n"), answer=THOUGHT)
CANDIDATE = Candidate(RECORD, 0.9)


def later() -> float:
    return NOW + 12.9


def test_an_exact_record_is_served_as_it_is() -> None:
    served = from_record(RECORD, later)
    assert (served.outcome, served.answer) == (Outcome.EXACT, THOUGHT)
    assert (served.age_seconds, served.ttl_seconds) == (12, 48)
    assert (served.record, served.similarity, served.steps) == (RECORD.id, None, None)
    assert (served.generated, served.reused) == (0, 20)
    assert served.task == RECORD.task


def test_no_age_is_below_zero_and_no_rest_either() -> None:
    early, late = (lambda: NOW - 5), (lambda: NOW + 500)
    assert from_record(RECORD, early).age_seconds == 0
    assert from_record(RECORD, late).ttl_seconds == 0
    finding = Finding(CANDIDATE, Reuse())
    assert from_finding(finding, early).age_seconds == 0
    assert from_finding(finding, late).ttl_seconds == 0


def test_the_same_question_keeps_its_reasoning() -> None:
    served = from_finding(Finding(CANDIDATE, Reuse(), is_same_question=True), later)
    assert served.answer == THOUGHT
    assert served.outcome is Outcome.REUSE
    assert (served.steps, served.similarity) == (StepCounts(kept=2), 0.9)
    assert (served.age_seconds, served.ttl_seconds, served.reused) == (12, 48, 20)


def test_another_question_does_not_get_the_reasoning() -> None:
    served = from_finding(Finding(CANDIDATE, Reuse()), later)
    assert served.answer == replace(THOUGHT, message={"role": "assistant"})


def test_what_was_derived_is_counted_as_derived() -> None:
    served = from_finding(Finding(CANDIDATE, Reuse(), derived="1. cc\n"), later)
    assert served.answer.content == "1. cc\n"
    assert served.steps == StepCounts(derived=1)
    assert served.answer.completion_tokens == served.reused == 10
    assert served.answer.usage["total_tokens"] == 17


def test_only_what_proves_nothing_is_called_reworked() -> None:
    finding = Finding(CANDIDATE, Reuse(), derived="1. cc\n")
    assert from_finding(finding, later).reason == "verified"
    finding = replace(finding, is_reworked=True)
    assert from_finding(finding, later).reason == "reworked"


def test_a_patched_answer_counts_its_kept_share() -> None:
    mended = Mended("1. aa\n2. cc\n3. dd\n", 1, 2, 7, None)
    served = patched(Finding(CANDIDATE, Reuse()), mended, "step:2")
    assert (served.outcome, served.reason) == (Outcome.PATCH, "step:2")
    assert served.steps == StepCounts(kept=1, patched=2)
    assert (served.generated, served.reused, served.fallback) == (7, 10, None)
    assert served.answer.completion_tokens == 30
    assert "reasoning" not in served.answer.message


def test_an_empty_donor_lends_no_tokens() -> None:
    empty = replace(RECORD, answer=answer(None), steps=())
    mended = Mended("1. aa\n", 0, 1, 7, None, TaskName("t"))
    served = patched(Finding(Candidate(empty), Reuse()), mended, "step:1")
    assert (served.reused, served.fallback) == (0, "t")
    assert served.answer.completion_tokens == 7


def test_tokens_that_nobody_counted_are_estimated() -> None:
    untold = replace(answer("abcd"), usage={})
    assert (
        mended_answer(untold, Mended("x" * 40, 0, 1, 0, None)).completion_tokens == 10
    )
    assert mended_answer(untold, Mended("x", 0, 1, 0, None)).completion_tokens == 1


def test_another_text_ends_by_itself() -> None:
    cut = replace(answer("abcd", finish="length"), is_streamed=True)
    whole = with_text(cut, "ab", 3)
    assert (whole.content, whole.finish_reason, whole.is_streamed) == (
        "ab",
        "stop",
        True,
    )
    assert whole.usage == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
    }


def test_a_recount_keeps_the_rest_of_the_usage() -> None:
    expected = {"completion_tokens": 4, "total_tokens": 4, "cached": 1}
    assert recount({"cached": 1}, 4) == expected


def test_an_answer_without_reasoning_is_left_alone() -> None:
    plain = answer("a")
    assert without_reasoning(plain) is plain
