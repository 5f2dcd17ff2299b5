"""A shadow check takes what was reused or patched, and doubts in favour of wrong."""

import pytest
from hypothesis import given

from stepcache_proxy.reuse.ask import Served
from stepcache_proxy.reuse.lookup import bind
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.protocols import Verifier
from stepcache_proxy.reuse.shadow import Result, compare, is_sampled
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.verbatim import VerbatimVerifier
from tests.fakes import answer, ask, canonical
from tests.strategies import texts


def served(outcome: Outcome) -> Served:
    return Served(outcome, "verified", answer("It is Paris."))


@pytest.mark.parametrize(
    ("outcome", "is_checked"),
    [
        pytest.param(Outcome.REUSE, True, id="reused"),
        pytest.param(Outcome.PATCH, True, id="patched"),
        pytest.param(Outcome.EXACT, False, id="exact"),
        pytest.param(Outcome.COALESCED, False, id="coalesced"),
    ],
)
def test_only_what_was_reused_or_patched_is_checked(
    outcome: Outcome, is_checked: bool
) -> None:
    assert is_sampled(ask("q"), served(outcome), 0.5, 0.2) == is_checked


def test_the_share_that_is_checked_is_the_rate() -> None:
    draws = [i / 100 for i in range(100)]
    reuse = served(Outcome.REUSE)
    assert sum(is_sampled(ask("q"), reuse, 0.25, draw) for draw in draws) == 25
    assert not any(is_sampled(ask("q"), reuse, 0.0, draw) for draw in draws)


def test_a_client_that_wants_no_upstream_call_causes_none() -> None:
    asked = ask("q", {"cache-control": "only-if-cached"})
    assert not is_sampled(asked, served(Outcome.REUSE), 1.0, 0.0)


def equation() -> Verifier:
    bound = bind([LinearEquation()], canonical("Solve 2x + 3 = 11 for x."))
    assert bound is not None
    return bound.verifier


def test_a_verifier_decides_whatever_the_model_says() -> None:
    assert compare(equation(), "x = 4", "x = 7") == "right"
    assert compare(equation(), "x = 7", "x = 7") == "wrong"


@pytest.mark.parametrize(
    ("before", "now", "result"),
    [
        pytest.param("It is Paris.", "it is  **Paris**", "right", id="dress"),
        pytest.param("It is Paris.", "It is Lyon.", "unknown", id="one word"),
        pytest.param("Paris", "Lyon", "wrong", id="another word"),
        pytest.param("It takes 3 days.", "It takes 4 days.", "wrong", id="number"),
        pytest.param("Use 3 cups.", "Of cups, use 3.", "unknown", id="other order"),
        pytest.param("Yes, you can.", "There is no way.", "wrong", id="other words"),
        pytest.param("", "Something", "wrong", id="nothing"),
    ],
)
def test_texts_are_compared_by_number_and_word(
    before: str, now: str, result: Result
) -> None:
    assert compare(VerbatimVerifier(), before, now) == result
    assert compare(None, before, now) == result


@given(texts)
def test_the_same_text_is_right(text: str) -> None:
    assert compare(None, text, text) == "right"


@given(texts, texts)
def test_it_makes_no_difference_which_text_came_first(a: str, b: str) -> None:
    assert compare(None, a, b) == compare(None, b, a)
