"""The worked solution is right, whole and accepted, whatever the equation."""

import pytest
from hypothesis import given

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.reuse.segment import segment
from tests.tasks.quadratic_equation.quadratics import (
    Question,
    bound,
    false_equations,
    questions,
    stated_roots,
)


@pytest.mark.parametrize(
    ("text", "worked"),
    [
        pytest.param(
            "Solve 2x^2 + 3x = 2",
            "Step 1: Start from 2x^2 + 3x = 2.\n"
            "Step 2: Write the equation in standard form: 2x^2 + 3x - 2 = 0.\n"
            "Step 3: Factor the left side: (x + 2)(2x - 1) = 0.\n"
            "Step 4: Set each factor equal to zero: x + 2 = 0 or 2x - 1 = 0.\n"
            "Answer: x = -2 or x = 1/2",
            id="both sides",
        ),
        pytest.param(
            "What are the roots of (t - 2)(t + 3) = 0?",
            "Step 1: Start from (t - 2)(t + 3) = 0.\n"
            "Step 2: Set each factor equal to zero: t + 3 = 0 or t - 2 = 0.\n"
            "Answer: t = -3 or t = 2",
            id="factored",
        ),
        pytest.param("Solve x^2 = 4x. Just the answer.", "x = 0 or x = 4", id="answer"),
    ],
)
def test_the_solution_is_worked_out(text: str, worked: str) -> None:
    assert bound(text).fallback() == worked


@given(questions())
def test_every_solution_is_right_and_accepted(question: Question) -> None:
    verifier = bound(question.text)
    worked = verifier.fallback()
    assert stated_roots(worked, question.unknown) == question.roots
    assert not list(false_equations(worked, question))
    assert verifier.check_answer(worked) == Accept()
    for step in segment(worked):
        assert verifier.check_step(step) == Accept()


@given(questions(form=". Give only the answer."))
def test_the_answer_alone_is_right_and_accepted(question: Question) -> None:
    verifier = bound(question.text)
    assert stated_roots(verifier.fallback(), question.unknown) == question.roots
    assert verifier.check_answer(verifier.fallback()) == Accept()
