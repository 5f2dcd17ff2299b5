"""A sign calculates, or it is a hyphen, a dash or part of a unit."""

import pytest

from stepcache_proxy.tasks.word_problem.expressions import Binary
from stepcache_proxy.tasks.word_problem.sides import (
    clauses,
    is_arithmetic,
    last_expression,
    sides_of,
    without_units,
)
from stepcache_proxy.tasks.word_problem.tokens import tokens


@pytest.mark.parametrize(
    ("text", "calculates"),
    [
        pytest.param("3 + 4", True, id="sum"),
        pytest.param("9 - 4", True, id="difference"),
        pytest.param("a 30-minute show", False, id="hyphen"),
        pytest.param("pens - and cups", False, id="dash"),
        pytest.param("$5/day", False, id="unit"),
        pytest.param("3/5", True, id="quotient"),
    ],
)
def test_a_sign_is_told_from_a_hyphen(text: str, calculates: bool) -> None:
    found = tokens(text)
    assert any(is_arithmetic(found, at) for at in range(len(found))) is calculates


def test_a_line_falls_into_clauses_and_sides() -> None:
    parts = list(clauses(tokens("So, 2 * 3 = 6 = 6. Done")))
    assert len(parts) == 3
    assert [len(list(sides_of(part))) for part in parts] == [1, 3, 1]


def test_units_are_left_out() -> None:
    shown = without_units(tokens("3 big pens * $4/pen"))
    assert [token.text for token in shown] == ["3", "*", "4"]


def test_the_longest_expression_at_the_end_is_found() -> None:
    found = tokens("in 5 days 2 * 3 pens")
    tree, start = last_expression(found)
    assert isinstance(tree, Binary)
    assert found[start].text == "2"
    assert last_expression(tokens("5 days"))[0] is None
