"""A candidate is judged for the new request alone, and refused in doubt."""

from dataclasses import replace

import pytest
from hypothesis import given

from stepcache_proxy.reuse.ask import Finding
from stepcache_proxy.reuse.judge import best, is_same_question, judge, tokens_of
from stepcache_proxy.reuse.model import (
    Accept,
    Candidate,
    CanonicalRequest,
    Donor,
    Patch,
    Record,
    Region,
    Reject,
    Reuse,
    SkipReuse,
)
from stepcache_proxy.reuse.protocols import Task
from stepcache_proxy.tasks.json_object import JsonObjectTask
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.verbatim import Verbatim
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.fakes import canonical, format_of, record_of
from tests.strategies import EQUATION, INTRO, OTHER_SHAPE, Equation, equations

WORKED = record_of(canonical(EQUATION.question), INTRO + EQUATION.worked)


def judged(task: Task, request: CanonicalRequest, donor: Record) -> Finding:
    verifier = task.bind(request)
    assert verifier is not None
    return judge(task, verifier, request, Candidate(donor))


def equation(request: CanonicalRequest, donor: Record = WORKED) -> Finding:
    return judged(LinearEquation(), request, donor)


def test_a_record_lends_what_it_was_asked_and_answered() -> None:
    request = canonical(EQUATION.question)
    expected = Donor(EQUATION.question, request.format, INTRO + EQUATION.worked)
    assert WORKED.donor == expected


def test_the_same_question_in_other_words_is_reused() -> None:
    found = equation(canonical("Please solve 2x + 3 = 11 for x and show your steps."))
    assert found.decision == Reuse()
    assert found.verdicts == (Accept(),) * 5
    assert found.derived is None


def test_reasoning_is_served_to_the_same_question_alone() -> None:
    message = {"role": "assistant", "reasoning": "2x is 8, so"}
    donor = replace(WORKED, answer=replace(WORKED.answer, message=message))
    same = equation(canonical(f"{EQUATION.question} Thank you."), donor)
    other = equation(canonical("Solve 3 + 2x = 11 for x. Show your steps."), donor)
    assert (same.decision, same.is_same_question) == (Reuse(), True)
    assert (other.decision, other.is_same_question) == (Reuse(), False)


@given(equations, equations)
def test_what_is_reused_is_right_for_the_request(one: Equation, two: Equation) -> None:
    request = canonical(two.question)
    found = equation(request, record_of(canonical(one.question), one.worked))
    verifier = LinearEquation().bind(request)
    assert verifier is not None
    if isinstance(found.decision, Reuse):
        text = one.worked if found.derived is None else found.derived
        assert verifier.check_answer(text) == Accept()


def test_other_constants_are_derived() -> None:
    found = equation(canonical(Equation(5, -2, 9).question))
    assert found.decision == Reuse()
    assert found.derived is not None
    assert found.derived.endswith("Answer: x = 11/5")
    assert isinstance(found.verdicts[1], Reject)


def test_what_cannot_be_derived_is_patched_after_the_verified_steps() -> None:
    found = equation(canonical(OTHER_SHAPE))
    assert found.decision == Patch(Region(1, 5))
    assert (found.derived, found.is_same_question) == (None, False)


def test_an_answer_that_nobody_proved_is_no_donor() -> None:
    donor = replace(WORKED, is_proved=False)
    assert equation(canonical(OTHER_SHAPE), donor).decision == SkipReuse("step:2")
    found = equation(canonical(Equation(5, -2, 9).question), donor)
    assert (found.decision, found.derived) == (SkipReuse("step:2"), None)


def test_a_derivation_with_a_stop_string_inside_is_no_answer() -> None:
    request = canonical(Equation(5, -2, 9).question, stop=["11/5"])
    found = equation(request)
    assert (found.decision, found.derived) == (Patch(Region(1, 5)), None)


def test_another_form_is_refused_before_any_step_is_read() -> None:
    found = equation(canonical("Solve 2x + 3 = 11. Reply with the answer only."))
    assert (found.decision, found.verdicts) == (SkipReuse("constraint:form"), ())


@pytest.mark.parametrize(
    "question",
    [EQUATION.question, Equation(5, -2, 9).question],
    ids=["as is", "derived"],
)
@pytest.mark.parametrize(
    ("tokens", "limit", "does_fit"),
    [
        pytest.param(20, 60, True, id="within"),
        pytest.param(20, 5, False, id="over"),
        pytest.param(0, 60, False, id="untold and perhaps over"),
        pytest.param(0, 400, True, id="untold and surely within"),
    ],
)
def test_a_stated_limit_is_kept(
    question: str, tokens: int, limit: int, does_fit: bool
) -> None:
    request = canonical(question, max_tokens=limit)
    donor = record_of(canonical(EQUATION.question), EQUATION.worked, tokens=tokens)
    expected = Reuse() if does_fit else SkipReuse("differs:max_tokens")
    assert equation(request, donor).decision == expected


def test_without_a_task_only_the_same_question_is_reused() -> None:
    donor = record_of(canonical("What is the capital of France?"), "It is Paris.")
    same = judged(Verbatim(), canonical("What's the capital of France?"), donor)
    assert (same.decision, same.is_same_question) == (Reuse(), True)
    other = judged(Verbatim(), canonical("What is the capital of Spain?"), donor)
    assert other.decision == SkipReuse("constraint:name")
    assert type(other.decision.reason) is str


def test_an_object_with_a_mend_is_no_reworked_answer() -> None:
    request = canonical("Make a pair.", response_format=required("a"))
    fenced = record_of(request, '```json\n{"a": 1}\n```')
    found = judged(JsonObjectTask(), request, fenced)
    assert (found.decision, found.derived) == (Reuse(), '{"a": 1}')
    assert (found.is_reworked, found.is_proved) == (False, False)


def required(*names: str) -> JsonObject:
    return format_of(
        {
            "type": "object",
            "properties": {name: {"type": "integer"} for name in names},
            "required": list(names),
        }
    )


def test_a_changed_schema_is_another_question() -> None:
    one = canonical("Make a pair.", response_format=required("a"))
    two = canonical("Make a pair.", response_format=required("a", "b"))
    donor = record_of(one, '{"a":1}')
    assert is_same_question(one, donor.donor)
    assert not is_same_question(two, donor.donor)
    assert judged(JsonObjectTask(), one, donor).decision == Reuse()
    assert not isinstance(judged(JsonObjectTask(), two, donor).decision, Reuse)


def finding(
    decision: Reuse | Patch | SkipReuse, near: float | None, derived: str | None = None
) -> Finding:
    return Finding(Candidate(WORKED, near), decision, derived=derived)


def test_the_best_finding_serves_most() -> None:
    ordered = [
        finding(Reuse(), None),
        finding(Reuse(), 0.9),
        finding(Reuse(), 0.99, "derived"),
        finding(Patch(Region(3, 5)), 0.7),
        finding(Patch(Region(1, 5)), 0.8),
        finding(SkipReuse("a"), 0.9),
        finding(SkipReuse("b"), 0.7),
    ]
    for index, expected in enumerate(ordered):
        assert best(ordered[index:][::-1]) is expected


def test_tokens_are_in_proportion_to_the_text() -> None:
    candidate = Candidate(record_of(canonical("a"), "x" * 100, tokens=40))
    assert tokens_of("x" * 100, candidate) == 40
    assert tokens_of("y" * 50, candidate) == 20
    assert tokens_of("", candidate) == 1
    assert tokens_of("y", Candidate(record_of(canonical("a"), "", tokens=3))) == 3
