"""Nothing is reused that was rejected, nor what is unread for another question."""

from dataclasses import dataclass

from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import (
    Accept,
    Decision,
    Donor,
    Patch,
    Region,
    Reject,
    Reuse,
    SkipReuse,
    Step,
    TaskName,
    Unknown,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.reuse.verify import decide, leading_accepts, verify
from tests.strategies import steps_of, verdicts

cases = st.lists(verdicts, max_size=6)


@dataclass(frozen=True, slots=True)
class EvenVerifier:
    """Accepts steps with an even index."""

    @property
    def task(self) -> TaskName:
        return TaskName("even")

    def check_step(self, step: Step) -> Verdict:
        return Reject(step.text) if step.index % 2 else Accept()

    def check_answer(self, answer: str) -> Verdict:
        return Unknown(answer)

    def derive(self, donor: Donor) -> str | None:
        return None

    def repair(self, kept: object, rejected: str, reason: str) -> Repair | None:
        return None

    def fallback(self) -> str | None:
        return None


def test_every_step_gets_its_verdict_in_order() -> None:
    steps = steps_of("a", "b", "c")
    assert verify(EvenVerifier(), steps) == (Accept(), Reject("b"), Accept())


@given(cases, verdicts, st.booleans())
def test_a_rejected_step_or_answer_is_never_reused(
    each: list[Verdict], whole: Verdict, is_same: bool
) -> None:
    assume(any(isinstance(verdict, Reject) for verdict in (*each, whole)))
    decision = decide(each, whole, is_same_question=is_same)
    assert not isinstance(decision, Reuse)


@given(cases, verdicts)
def test_an_unread_step_stands_for_the_same_question_alone(
    each: list[Verdict], whole: Verdict
) -> None:
    assume(any(isinstance(verdict, Unknown) for verdict in (*each, whole)))
    assert not isinstance(decide(each, whole, is_same_question=False), Reuse)


@given(cases, verdicts)
def test_for_another_question_reuse_is_a_proof(
    each: list[Verdict], whole: Verdict
) -> None:
    is_proved = bool(each) and all(isinstance(v, Accept) for v in (*each, whole))
    decision = decide(each, whole, is_same_question=False)
    assert isinstance(decision, Reuse) == is_proved


@given(cases, verdicts)
def test_for_the_same_question_what_is_not_rejected_stands(
    each: list[Verdict], whole: Verdict
) -> None:
    is_refused = any(isinstance(verdict, Reject) for verdict in (*each, whole))
    decision = decide(each, whole, is_same_question=True)
    assert isinstance(decision, Reuse) == (bool(each) and not is_refused)


@given(cases, verdicts, st.booleans())
def test_the_region_covers_every_step_that_is_not_accepted(
    each: list[Verdict], whole: Verdict, is_same: bool
) -> None:
    decision = decide(each, whole, is_same_question=is_same)
    if isinstance(decision, Patch):
        region = decision.region
        assert 0 <= region.start < region.stop == len(each)
        assert all(isinstance(verdict, Accept) for verdict in each[: region.start])
        assert not isinstance(each[region.start], Accept)


@given(cases, verdicts, st.booleans())
def test_only_a_whole_that_fails_by_itself_lacks_a_region(
    each: list[Verdict], whole: Verdict, is_same: bool
) -> None:
    decision = decide(each, whole, is_same_question=is_same)
    all_accepted = all(isinstance(verdict, Accept) for verdict in each)
    assert not isinstance(decision, SkipReuse) or all_accepted


def decided(each: list[Verdict], whole: Verdict, *, same: bool = False) -> Decision:
    return decide(each, whole, is_same_question=same)


def test_decisions_by_example() -> None:
    yes, no, unread = Accept(), Reject("wrong"), Unknown("unread")
    assert decided([], yes) == SkipReuse("integrity")
    assert decided([yes, yes], yes) == Reuse()
    assert decided([yes, yes], no) == SkipReuse("integrity")
    assert decided([yes, yes], unread) == SkipReuse("integrity")
    assert decided([yes, yes], no, same=True) == SkipReuse("integrity")
    assert decided([unread], unread, same=True) == Reuse()
    assert decided([yes, unread, yes], yes) == Patch(Region(1, 3))
    assert decided([no, yes], no) == Patch(Region(0, 2))


@given(cases)
def test_leading_accepts_end_at_the_first_gap(each: list[Verdict]) -> None:
    kept = leading_accepts(each)
    assert all(isinstance(verdict, Accept) for verdict in each[:kept])
    assert kept == len(each) or not isinstance(each[kept], Accept)
