"""The worked solution is right, step by step, in the form that was asked for."""

import pytest
from hypothesis import given

from stepcache_proxy.reuse.model import Accept
from tests.tasks.linear_system.systems import (
    Question,
    bound,
    is_true,
    questions,
    stated,
)


@given(questions())
def test_it_is_right_and_accepted(question: Question) -> None:
    verifier = bound(question.text)
    answer = verifier.fallback()
    assert is_true(answer, question.values)
    for name in question.wanted:
        assert stated(answer, name) == question.values[name]
    assert verifier.check_answer(answer) == Accept()
    assert not any(odd in answer for odd in ("by 1:", "act -", "dd -"))


def test_it_eliminates_and_substitutes() -> None:
    assert bound("Solve 3x + 2y = 16, 5x - 4y = 12").fallback() == (
        "Step 1: Start from the equations 3x + 2y = 16 and 5x - 4y = 12.\n"
        "Step 2: Multiply the first equation by 2: 6x + 4y = 32.\n"
        "Step 3: Add the two equations: 11x = 44.\n"
        "Step 4: Divide both sides by 11: x = 4.\n"
        "Step 5: Substitute x = 4 into the first equation: 2y + 12 = 16.\n"
        "Step 6: Subtract 12 from both sides: 2y = 4.\n"
        "Step 7: Divide both sides by 2: y = 2.\n"
        "Answer: x = 4, y = 2"
    )


@pytest.mark.parametrize(
    ("demand", "answer"),
    [
        ("Answer only.", "x = 3/2, y = -1"),
        ("for y. Answer only.", "y = -1"),
        ("for x. Number only.", "3/2"),
    ],
)
def test_a_short_form_is_short(demand: str, answer: str) -> None:
    assert bound(f"Solve 2x + y = 2, y = -1 {demand}").fallback() == answer


def test_decimals_stay_decimals() -> None:
    answer = bound("Solve 0.5x + y = 2, x - y = 0.25. Answer only.").fallback()
    assert answer == "x = 1.5, y = 1.25"
