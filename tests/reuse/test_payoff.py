"""Repairs are tried while they pay, left out when not, and looked at again."""

from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import TaskName
from stepcache_proxy.reuse.payoff import Payoff, RepairKind

KIND = RepairKind("m", TaskName("t"), is_whole=False)
OTHER = RepairKind("m", TaskName("t"), is_whole=True)


def after(*successes: bool) -> Payoff:
    payoff = Payoff()
    for is_success in successes:
        payoff.note(KIND, is_success=is_success)
    return payoff


def requests_until_tried(payoff: Payoff, most: int = 5_000) -> int:
    return next(n for n in range(most) if payoff.should_try(KIND))


def test_what_was_never_tried_may_pay() -> None:
    assert Payoff().should_try(KIND)


def test_one_failure_says_little() -> None:
    assert after(False, False).should_try(KIND)


def test_what_always_fails_is_left_out_after_a_few_attempts() -> None:
    assert not after(*[False] * 7).should_try(KIND)


def test_another_kind_of_repair_is_judged_apart() -> None:
    assert after(*[False] * 7).should_try(OTHER)


def test_what_fails_one_time_in_four_goes_on() -> None:
    assert after(*[True, True, False, True] * 20).pays(KIND)


def test_what_is_left_out_is_looked_at_again() -> None:
    assert requests_until_tried(after(*[False] * 7)) == 16


def test_each_look_that_fails_makes_the_next_rarer() -> None:
    payoff = after(*[False] * 7)
    waits: list[int] = []
    for _ in range(9):
        waits.append(requests_until_tried(payoff))
        payoff.note(KIND, is_success=False)
    assert waits == [16, 32, 64, 128, 256, 512, 1024, 1024, 1024]


def test_one_success_after_a_pause_is_a_new_start() -> None:
    payoff = after(*[False] * 20)
    payoff.note(KIND, is_success=True)
    assert payoff.should_try(KIND)
    assert payoff.should_try(KIND)


def test_a_question_alone_changes_nothing() -> None:
    payoff = after(*[False] * 7)
    assert not any(payoff.pays(KIND) for _ in range(100))
    assert requests_until_tried(payoff) == 16


def test_ever_new_models_do_not_fill_the_memory() -> None:
    payoff = after(*[False] * 7)
    for number in range(1_024):
        kind = RepairKind(f"model {number}", TaskName("t"), is_whole=False)
        payoff.note(kind, is_success=True)
    assert payoff.pays(KIND)  # forgotten, so it starts again


@given(st.lists(st.booleans(), max_size=60))
def test_whatever_has_happened_it_is_tried_again_some_day(story: list[bool]) -> None:
    assert requests_until_tried(after(*story)) <= 1_024
