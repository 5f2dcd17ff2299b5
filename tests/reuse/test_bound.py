"""A record that cannot be proved serves only while its own history supports it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.ask import Served
from stepcache_proxy.reuse.bound import PRIOR_RIGHT, may_serve, upper_bound
from stepcache_proxy.reuse.model import Observations
from tests.fakes import Cache, ask

counts = st.integers(0, 2_000)
errors = st.floats(0.0005, 0.5)


def test_a_new_record_may_serve_at_the_default() -> None:
    assert may_serve(Observations(), 0.01)


def test_one_wrong_observation_stops_it_until_it_has_earned_its_place_back() -> None:
    assert not may_serve(Observations(right=171, wrong=1), 0.01)
    assert may_serve(Observations(right=172, wrong=1), 0.01)


@pytest.mark.parametrize("wrong", [0, 1, 5])
def test_the_extremes_of_the_setting_serve_nothing_and_everything(wrong: int) -> None:
    seen = Observations(right=10_000, wrong=wrong)
    assert not may_serve(seen, 0)
    assert may_serve(Observations(wrong=wrong), 1)


def test_without_wrong_observations_the_bound_has_a_closed_form() -> None:
    for right in (0, 10, 700):
        exact = 1 - 0.05 ** (1 / (PRIOR_RIGHT + right))
        assert upper_bound(Observations(right)) == pytest.approx(exact, rel=1e-6)


def test_the_bound_is_the_tabled_one_of_clopper_and_pearson() -> None:
    # 5 wrong of 400: the 0.95 quantile of Beta(6, 395).
    assert upper_bound(Observations(right=95, wrong=5)) == pytest.approx(
        0.026082, rel=1e-3
    )


@given(counts, counts, errors)
def test_a_wrong_observation_never_helps(right: int, wrong: int, error: float) -> None:
    if may_serve(Observations(right, wrong + 1), error):
        assert may_serve(Observations(right, wrong), error)


@given(counts, counts, errors)
def test_a_right_observation_never_hurts(right: int, wrong: int, error: float) -> None:
    if may_serve(Observations(right, wrong), error):
        assert may_serve(Observations(right + 1, wrong), error)


@given(counts, st.integers(0, 40))
def test_the_bound_rises_with_wrong_and_falls_with_right(
    right: int, wrong: int
) -> None:
    here = upper_bound(Observations(right, wrong))
    assert upper_bound(Observations(right, wrong + 1)) > here
    assert upper_bound(Observations(right + 1, wrong)) < here


@given(st.integers(0, 500), st.integers(0, 40), errors)
def test_the_decision_is_the_bound(right: int, wrong: int, error: float) -> None:
    seen = Observations(right, wrong)
    bound = upper_bound(seen)
    if abs(bound - error) > 1e-6:
        assert may_serve(seen, error) == (bound <= error)


@given(st.integers(-(2**60), 2**60), st.integers(-(2**60), 2**60))
def test_no_count_is_too_odd_to_be_answered(right: int, wrong: int) -> None:
    assert may_serve(Observations(right, wrong), 0.01) in (True, False)


FIRST = ask("Which river runs through Paris?")
AGAIN = ask("Please tell me: which river runs through Paris?")


async def test_a_record_that_was_wrong_is_not_served_to_another_wording() -> None:
    cache = Cache()
    id_ = await cache.learn(FIRST, "It is the Seine.")
    assert isinstance(await cache.reply(AGAIN), Served)
    await cache.ledger.observe(id_, is_right=False)
    assert (await cache.forward(AGAIN)).reason == "bound"


async def test_it_is_served_again_when_it_has_been_right_often_enough() -> None:
    cache = Cache()
    id_ = await cache.learn(FIRST, "It is the Seine.")
    await cache.ledger.observe(id_, is_right=False)
    for _ in range(172):
        await cache.ledger.observe(id_, is_right=True)
    assert isinstance(await cache.reply(AGAIN), Served)


async def test_the_same_request_is_answered_whatever_was_observed() -> None:
    cache = Cache()
    id_ = await cache.learn(FIRST, "It is the Seine.")
    await cache.ledger.observe(id_, is_right=False)
    assert await cache.pipeline.exact(FIRST) is not None


async def test_what_is_proved_needs_no_history() -> None:
    cache = Cache()
    id_ = await cache.learn(ask("Solve 2x + 3 = 11 for x."), "2x = 8\n\nx = 4")
    await cache.ledger.observe(id_, is_right=False)
    assert isinstance(await cache.reply(ask("Solve for x: 2x + 3 = 11")), Served)


async def test_a_stricter_operator_gets_nothing_unproved() -> None:
    cache = Cache(max_error=0.001)
    await cache.learn(FIRST, "It is the Seine.")
    assert (await cache.forward(AGAIN)).reason == "bound"
