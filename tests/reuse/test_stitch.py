"""Stitching loses no byte, and what is stitched wrong is seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.reuse.stitch import check_integrity, stitch
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.verbatim import Verbatim
from tests.fakes import canonical
from tests.strategies import Equation, equations, garbage, texts

RISE = Reject("the step numbers do not rise")


def checked(text: str) -> Verdict:
    verifier = Verbatim().bind(canonical("Tell me a story."))
    assert verifier is not None
    return check_integrity(verifier, text)


@given(texts | garbage)
def test_stitched_steps_are_the_text(text: str) -> None:
    assert stitch(segment(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1. a\n2. b\n2. c\n", id="twice the same"),
        pytest.param("Step 1: a\nStep 3: b\nStep 2: c\n", id="out of order"),
        pytest.param("**Step 2:** a\n\n\n   1) b\n", id="in several spellings"),
    ],
)
def test_step_numbers_that_do_not_rise_are_rejected(text: str) -> None:
    assert checked(text) == RISE


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1. a\n2. b\n4. c\n", id="rising"),
        pytest.param("Plain.\n\nText.\n", id="without numbers"),
        pytest.param("1.5 a\n\n1.2 b\n", id="numbers of another kind"),
        pytest.param(" " * 20_000 + "x", id="much space"),
        pytest.param("*" * 20_000 + "x", id="many stars"),
        pytest.param("step" + " " * 20_000 + "x", id="a step and much space"),
    ],
)
def test_rising_numbers_leave_it_to_the_verifier(text: str) -> None:
    assert isinstance(checked(text), Unknown)


@given(equations)
def test_a_right_answer_is_accepted(equation: Equation) -> None:
    verifier = LinearEquation().bind(canonical(equation.question))
    assert verifier is not None
    assert check_integrity(verifier, equation.worked) == Accept()


@given(equations, st.integers(1, 50))
def test_a_constant_of_the_donor_is_rejected(equation: Equation, more: int) -> None:
    verifier = LinearEquation().bind(canonical(equation.question))
    assert verifier is not None
    other = Equation(equation.a, equation.b, equation.c + more, equation.unknown)
    assert isinstance(check_integrity(verifier, other.worked), Reject)
