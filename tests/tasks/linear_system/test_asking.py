"""A request is understood whole, or it is left to others."""

from fractions import Fraction

import pytest
from hypothesis import given

from stepcache_proxy.tasks.linear_equation.asking import Form
from stepcache_proxy.tasks.linear_equation.asking import read_request as read_equation
from stepcache_proxy.tasks.linear_system.asking import read_request
from tests.tasks.linear_equation.equations import Question as OneUnknown
from tests.tasks.linear_equation.equations import questions as equations
from tests.tasks.linear_system.systems import Question, questions

PLAIN, STEPS, ANSWER, NUMBER = Form.PLAIN, Form.STEPS, Form.ANSWER, Form.NUMBER


@pytest.mark.parametrize(
    ("text", "wanted", "form"),
    [
        ("Solve -5*k - 4*m = -2, 3*k + 6*m = 0 for k.", "k", PLAIN),
        ("Solve the system x + y = 5, 2x - y = 1", "xy", PLAIN),
        ("Solve for x and y: x + y = 5; 2x - y = 1", "xy", PLAIN),
        ("x + y = 5, 2x - y = 1", "xy", PLAIN),
        (
            "Solve the following system of equations step by step:\n"
            "x + y = 5\n2x - y = 1",
            "xy",
            STEPS,
        ),
        (
            "Solve the system of equations\n\\[\\begin{cases} x + y = 5 \\\\"
            " 2x - y = 1 \\end{cases}\\]",
            "xy",
            PLAIN,
        ),
        ("Given $x + y = 5$ and $2x - y = 1$, find $y$.", "y", PLAIN),
        (
            "If a + b = 5 and 2a - b = 1, what is the value of b?"
            " Answer with the number only.",
            "b",
            NUMBER,
        ),
        (
            "Solve the simultaneous equations 2x + 3y = 12 and x - y = 1."
            " Give only the answer.",
            "xy",
            ANSWER,
        ),
        ("Please solve this linear system for (x, y): x = y + 1, y = 3", "xy", PLAIN),
        ("Solve the system in x and y for x: x + y = 5, x - y = 1", "x", PLAIN),
        ("Solve x + y = 5 (1)\n2x - y = 1 (2)\nfor both unknowns.", "xy", PLAIN),
    ],
)
def test_what_is_asked_is_understood(text: str, wanted: str, form: Form) -> None:
    asked = read_request(text)
    assert asked is not None
    assert (asked.wanted, asked.form) == (tuple(wanted), form)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Solve x + y = 5, 2x + 2y = 10", id="infinitely many solutions"),
        pytest.param("Solve x + y = 5, x + y = 6", id="no solution"),
        pytest.param("Solve x + y = 5, x + y + z = 6", id="three unknowns"),
        pytest.param("Solve x + y = 5, x - y = 1, x = 3", id="three equations"),
        pytest.param("Solve x + y = 5", id="one equation"),
        pytest.param("Solve x*y = 6, x + y = 5", id="a product of unknowns"),
        pytest.param("Solve x^2 + y = 6, x + y = 5", id="a square"),
        pytest.param("Solve x + y < 6, x + y = 5", id="an inequality"),
        pytest.param("Solve x = y = 5", id="a chain"),
        pytest.param("Solve x = 5, 2x = 10", id="one unknown"),
        pytest.param("What is x + y if x - y = 1, 2x + y = 3?", id="another value"),
        pytest.param("Solve x + y = 5, x - y = 1 for z.", id="another unknown"),
        pytest.param("Solve x + y = 5, x - y = 1 for a.", id="an article"),
        pytest.param("Solve x + y = 5, x - y = 1 modulo 7.", id="a strange word"),
        pytest.param("Solve x + y = 5 or x - y = 1.", id="one of two"),
        pytest.param("Solve x + y = 5, x - y = 1 by graphing.", id="a method"),
        pytest.param("Write a system like x + y = 5, x - y = 1", id="another request"),
        pytest.param("Is x = 2, y = 3 the solution?", id="a question about it"),
        pytest.param("How many solutions do x + y = 5, x = y have?", id="how many"),
        pytest.param("Solve x + y = 5 (2), 2x - y = 1", id="a product by two"),
        pytest.param(
            "Solve x + y = 5, x - y = 1. Answer with the number only.",
            id="one number for two unknowns",
        ),
        pytest.param("Solve x + y = 5, x - y = 1 for x in terms of y.", id="in terms"),
        pytest.param("Solve x + y = 5 (3) and x - y = 1 (4)", id="numbered otherwise"),
        pytest.param("Solve x + y = 5 (2) and x - y = 1 (1)", id="numbered backwards"),
        pytest.param("Solve x' + y = 5, x - y = 1", id="a derivative"),
    ],
)
def test_what_is_not_understood_whole_is_not_bound(text: str) -> None:
    assert read_request(text) is None


@given(questions())
def test_the_solution_is_the_one_it_was_built_around(question: Question) -> None:
    asked = read_request(question.text)
    if asked is None:  # an unknown cancelled out of both equations
        names = "".join(question.values)
        assert any(question.text.split(" for ")[0].count(n) == 0 for n in names)
        return
    assert {n: asked.system.value(n) for n in asked.system.names} == question.values
    assert asked.wanted == question.wanted


@given(questions())
def test_a_system_is_no_equation_in_one_unknown(question: Question) -> None:
    assert read_equation(question.text) is None


@given(equations())
def test_an_equation_in_one_unknown_is_no_system(question: OneUnknown) -> None:
    assert read_request(question.text) is None


def test_decimals_and_fractions_are_exact() -> None:
    asked = read_request("Solve 0.1x + y/3 = 1, x - 2y = 1/2")
    assert asked is not None
    assert asked.system.point == (Fraction(65, 16), Fraction(57, 32))
