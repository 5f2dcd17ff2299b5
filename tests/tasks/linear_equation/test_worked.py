"""The fallback is a right, readable solution that passes its own check."""

import re

import pytest
from hypothesis import given

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.reuse.segment import segment
from tests.tasks.linear_equation.equations import Question, bound, last_value, questions


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(
            "Solve 5x − 3 = 2x + 9 for x.",
            "Step 1: Start from 5x - 3 = 2x + 9.\n"
            "Step 2: Subtract 2x from both sides: 3x - 3 = 9.\n"
            "Step 3: Add 3 to both sides: 3x = 12.\n"
            "Step 4: Divide both sides by 3: x = 4.\n"
            "Answer: x = 4",
            id="both sides",
        ),
        pytest.param(
            "Solve x/2 + 1/3 = 2.",
            "Step 1: Start from x/2 + 1/3 = 2.\n"
            "Step 2: Simplify both sides: (1/2)x + 1/3 = 2.\n"
            "Step 3: Multiply both sides by 6: 3x + 2 = 12.\n"
            "Step 4: Subtract 2 from both sides: 3x = 10.\n"
            "Step 5: Divide both sides by 3: x = 10/3.\n"
            "Answer: x = 10/3",
            id="fractions",
        ),
        pytest.param(
            "Solve 2x + 1 = 2x + 5.",
            "Step 1: Start from 2x + 1 = 2x + 5.\n"
            "Step 2: Subtract 2x from both sides: 1 = 5.\n"
            "Step 3: The variable has gone, and 1 = 5 is never true.\n"
            "Answer: there is no solution",
            id="no solution",
        ),
        pytest.param(
            "Solve 2x + 1 = 2x + 1. Answer only.",
            "Every number is a solution",
            id="every number",
        ),
        pytest.param("Solve 3x = 1. Answer only.", "x = 1/3", id="answer"),
        pytest.param("Solve 3x = 1. Only the number.", "1/3", id="number"),
    ],
)
def test_the_fallback_reads_well(text: str, answer: str) -> None:
    assert bound(text).fallback() == answer


@pytest.mark.parametrize(
    "text",
    [
        "Solve 0.25x - 1.5 = 3.",
        "Solve 3(x - 2)/4 = (x + 1)/6.",
        r"Solve -\frac{2}{3}x = \frac{5}{7} - x.",
        "Solve -(2 - x) = -3(-x - 4).",
        "Solve x = 5. Show your steps.",
        "Solve 5 = x.",
        "Solve 0 = 0x. Show your steps.",
        "Solve 0x = 3. Show your steps.",
        "Solve x + 2 = x + 2.",
        "Solve 2(x + 1) = 2x + 3.",
        "Solve 1000000000000x = 1.",
        "Solve 2 - 3x = 2.",
    ],
)
def test_the_fallback_is_accepted_in_every_form(text: str) -> None:
    for form in ("", " Show your steps.", " Answer only.", " Only the number."):
        question = text if form and "steps" in text else text + form
        verifier = bound(question)
        assert verifier.check_answer(verifier.fallback()) == Accept()


@given(questions())
def test_the_fallback_is_right_and_never_clumsy(question: Question) -> None:
    verifier = bound(question.text)
    answer = verifier.fallback()
    assert last_value(answer, question.unknown) == question.root
    assert verifier.check_answer(answer) == Accept()
    assert {verifier.check_step(step) for step in segment(answer)} == {Accept()}
    assert not re.search(r"(?:Subtract|Add) (?:-|0\b)|by 1:", answer)
