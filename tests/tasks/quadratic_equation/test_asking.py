"""A request is bound only if it asks for every root of one quadratic equation."""

from fractions import Fraction

import pytest
from hypothesis import given

from stepcache_proxy.tasks.linear_equation.asking import (
    read_request as read_linear_request,
)
from stepcache_proxy.tasks.quadratic_equation import QuadraticEquation
from stepcache_proxy.tasks.quadratic_equation.asking import Form, read_request
from tests.fakes import canonical
from tests.tasks.quadratic_equation.quadratics import Question, questions


@pytest.mark.parametrize(
    ("text", "form", "roots"),
    [
        pytest.param("Solve x^2 - 5x + 6 = 0", Form.PLAIN, "2 3", id="plain"),
        pytest.param("Solve x² - 5x + 6 = 0 for x.", Form.PLAIN, "2 3", id="raised"),
        pytest.param("solve x**2 = 4x", Form.PLAIN, "0 4", id="stars"),
        pytest.param("Solve $x^{2} = 9$.", Form.PLAIN, "-3 3", id="LaTeX"),
        pytest.param(
            r"Please solve \(\frac{1}{2}t^2 = 8\) for t", Form.PLAIN, "-4 4", id="frac"
        ),
        pytest.param(
            "Find the roots of 2x^2+3x-2=0 step by step",
            Form.STEPS,
            "-2 1/2",
            id="steps",
        ),
        pytest.param(
            "What are the solutions of (x-2)(x+3)=0?", Form.PLAIN, "-3 2", id="factors"
        ),
        pytest.param(
            "Solve for n: n^2 = 5n - 6. Give only the answer.",
            Form.ANSWER,
            "2 3",
            id="only the answer",
        ),
        pytest.param("If x^2 = 16, what is x?", Form.PLAIN, "-4 4", id="if"),
        pytest.param("2(x - 1)^2 = 8", Form.PLAIN, "-1 3", id="equation alone"),
        pytest.param("Solve (x - 3)^2 = 0", Form.PLAIN, "3", id="double root"),
        pytest.param("Solve 0.5x^2 = 8", Form.PLAIN, "-4 4", id="decimals"),
    ],
)
def test_what_is_asked_is_read(text: str, form: Form, roots: str) -> None:
    asked = read_request(text)
    assert asked is not None
    assert asked.form is form
    assert asked.problem.roots == tuple(map(Fraction, roots.split()))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Solve 3x = 9", id="linear"),
        pytest.param("Solve x^2 = x^2 + 3x - 6", id="linear once collected"),
        pytest.param("Solve x^3 = 8", id="cubic"),
        pytest.param("Solve x^2 + 1 = 0", id="no real roots"),
        pytest.param("Solve x^2 = 2", id="irrational roots"),
        pytest.param("Find the positive root of x^2 = 9", id="one root only"),
        pytest.param("Find the larger root of x^2 = 9", id="the larger one"),
        pytest.param("Find the sum of the roots of x^2 = 9", id="sum"),
        pytest.param("How many solutions has x^2 = 9?", id="number of solutions"),
        pytest.param("Solve x^2 = 9 modulo 5", id="another ring"),
        pytest.param("Solve x^2 = 9 for y", id="another unknown"),
        pytest.param("Solve x^2 - 4 = 0 and y = 2", id="two unknowns"),
        pytest.param("Solve x^2 = 9 by completing the square", id="a method"),
        pytest.param("Solve x^2 = 9 in French", id="a language"),
        pytest.param("Do not solve x^2 = 9", id="denied"),
        pytest.param("Solve x^2 = 9 and x^2 = 4", id="two equations"),
        pytest.param("Factor x^2 - 9", id="no equation"),
        pytest.param("Plot y = x^2 - 9", id="a function"),
        pytest.param("Solve ax^2 + bx + c = 0", id="letters"),
        pytest.param("Solve x^2 - -9 = 0", id="two signs"),
        pytest.param("Solve 1/2x = x^2", id="read in two ways"),
        pytest.param("Solve x^2 < 9", id="inequality"),
        pytest.param("Solve |x|^2 = 9", id="absolute value"),
        pytest.param("Solve y' = y^2 - 4", id="a derivative"),
        pytest.param("Solve x^2 - 5x = 6 (2)", id="the number of an equation"),
        pytest.param("Solve f(f(2)) = 8", id="a function of a function"),
    ],
)
def test_what_may_be_meant_otherwise_is_not_bound(text: str) -> None:
    assert read_request(text) is None


def test_a_system_message_or_a_format_is_not_bound() -> None:
    messages = [
        {"role": "system", "content": "Only the positive root."},
        {"role": "user", "content": "Solve x^2 = 9"},
    ]
    task = QuadraticEquation()
    assert task.bind(canonical(messages=[*messages])) is None
    formatted = canonical("Solve x^2 = 9", response_format={"type": "json_object"})
    assert task.bind(formatted) is None
    assert task.bind(canonical("Solve x^2 = 9")) is not None


@given(questions())
def test_every_quadratic_is_bound_with_its_roots(question: Question) -> None:
    asked = read_request(question.text)
    assert asked is not None
    assert frozenset(asked.problem.roots) == question.roots
    assert asked.problem.unknown == question.unknown
    assert read_linear_request(question.text) is None
