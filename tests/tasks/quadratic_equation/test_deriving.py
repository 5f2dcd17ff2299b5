"""What is derived is the donor's answer in its words, right for the new equation."""

import re

import pytest
from hypothesis import given

from stepcache_proxy.reuse.model import Accept
from tests.tasks.quadratic_equation.quadratics import (
    Question,
    bound,
    by_formula,
    donor,
    false_equations,
    questions,
    stated_roots,
)

ASKED = "Solve x^2 - 5x + 6 = 0"
FACTORED = """To solve x² - 5x + 6 = 0, we factor it.
We need two numbers that multiply to 6 and add up to -5: -2 and -3.
So (x - 2)(x - 3) = 0.
x - 2 = 0 or x - 3 = 0
The solutions are x = 2 and x = 3."""
FACTORED_FOR_OTHER = """To solve t² + t - 12 = 0, we factor it.
We need two numbers that multiply to -12 and add up to 1: 4 and -3.
So (t + 4)(t - 3) = 0.
t + 4 = 0 or t - 3 = 0
The solutions are t = -4 and t = 3."""
FORMULA = r"""Here \(a = 1\), \(b = -5\), and \(c = 6\).
\[ b^2 - 4ac = (-5)^2 - 4(1)(6) = 25 - 24 = 1 \]
\[ x = \frac{-(-5) \pm \sqrt{1}}{2(1)} = \frac{5 \pm 1}{2} \]
So \(x = 3\) or \(x = 2\)."""
FORMULA_FOR_OTHER = r"""Here \(a = 2\), \(b = 3\), and \(c = -2\).
\[ b^2 - 4ac = 3^2 - 4(2)(-2) = 9 + 16 = 25 \]
\[ x = \frac{-3 \pm \sqrt{25}}{2(2)} = \frac{-3 \pm 5}{4} \]
So \(x = \frac{1}{2}\) or \(x = -2\)."""


@pytest.mark.parametrize(
    ("answer", "new", "derived"),
    [
        pytest.param(
            "x = 2, 3", "Solve 2y^2 + 3y - 2 = 0", "y = -2, 1/2", id="solutions alone"
        ),
        pytest.param(
            FACTORED, "Solve t² + t - 12 = 0", FACTORED_FOR_OTHER, id="factored"
        ),
        pytest.param(
            FORMULA, "Solve 2x^2 + 3x - 2 = 0", FORMULA_FOR_OTHER, id="formula"
        ),
        pytest.param(
            "(x - 2)(x - 3) = 0. Check: 2^2 - 5(2) + 6 = 4 - 10 + 6 = 0."
            " Answer: x = 2 or x = 3",
            "Solve x^2 - 2x - 3 = 0",
            "(x + 1)(x - 3) = 0. Check: (-1)^2 - 2(-1) - 3 = 1 + 2 - 3 = 0."
            " Answer: x = -1 or x = 3",
            id="check",
        ),
    ],
)
def test_an_answer_is_written_anew(answer: str, new: str, derived: str) -> None:
    assert bound(ASKED).check_answer(answer) == Accept()
    assert bound(new).derive(donor(ASKED, answer)) == derived


@pytest.mark.parametrize(
    ("old", "answer", "new"),
    [
        pytest.param(ASKED, "x = 2", "Solve x^2 = 4", id="wrong donor"),
        pytest.param(ASKED, "x = 2, 3", "Solve x^2 + 6x + 9 = 0", id="double root"),
        pytest.param(ASKED, FACTORED, "Solve 2x^2 + 3x - 2 = 0", id="other factors"),
        pytest.param(ASKED, FACTORED, "Solve 12 = x^2 + x", id="other sides"),
        pytest.param(ASKED, FACTORED, "Solve -x^2 - x + 12 = 0", id="turned signs"),
        pytest.param(ASKED, FACTORED, "Solve x^2 - 4x = 0", id="a term vanishes"),
        pytest.param(ASKED, FACTORED, "Solve x^2 = 5x - 4", id="another shape"),
        pytest.param(f"{ASKED} step by step", FACTORED, "Solve x^2 = 4", id="form"),
        pytest.param("What is love?", "x = 2, 3", "Solve x^2 = 4", id="another task"),
        pytest.param(ASKED, FORMULA, "Solve a^2 - 3a + 2 = 0", id="a formula's letter"),
    ],
)
def test_what_would_read_wrong_is_not_derived(old: str, answer: str, new: str) -> None:
    assert bound(new).derive(donor(old, answer)) is None


@given(questions(), questions())
def test_whatever_is_derived_is_right(old: Question, new: Question) -> None:
    verifier = bound(new.text)
    for answer in (bound(old.text).fallback(), by_formula(bound(old.text))):
        derived = verifier.derive(donor(old.text, answer))
        if derived is None:
            continue
        assert stated_roots(derived, new.unknown) == new.roots
        assert not list(false_equations(derived, new))
        assert re.search(r"[-+] ?[-+]|(?<!\d)1[a-z]|(?<!\d)0[a-z]", derived) is None
        assert verifier.check_answer(derived) == Accept()


@given(questions())
def test_the_same_equation_keeps_its_answer(question: Question) -> None:
    reworded = f"Please {question.text.lower()}"
    answer = bound(question.text).fallback()
    assert bound(reworded).derive(donor(question.text, answer)) == answer
