"""Expressions are read with their order of operations and valued exactly."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.word_problem.expressions import (
    InexactError,
    factors_in,
    operands,
    parse,
    parts,
    value,
)
from stepcache_proxy.tasks.word_problem.tokens import tokens


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        pytest.param("2 + 3 * 4", "14", id="products first"),
        pytest.param("20 - 3 - 4", "13", id="from the left"),
        pytest.param("(2 + 3) * 4", "20", id="brackets"),
        pytest.param("2(3 + 4)", "14", id="a product without its sign"),
        pytest.param("50 * 20%", "10", id="percent"),
        pytest.param("1 / 3", "1/3", id="no end"),
    ],
)
def test_an_expression_has_its_exact_value(text: str, exact: str) -> None:
    found = tokens(text)
    node = parse(found)
    assert node is not None
    numbers = {token.start: token.value for token in found}
    assert value(node, numbers) == Fraction(exact)
    assert set(operands(node)) <= numbers.keys()
    assert node in parts(node)


@pytest.mark.parametrize("text", ["2 +", "2 3", "+ 2", "(2", "two * 3", "2 ^ 3", "x"])
def test_what_is_no_expression_is_not_read(text: str) -> None:
    assert parse(tokens(text)) is None


def test_a_division_by_zero_has_no_value() -> None:
    found = tokens("2 / 0")
    node = parse(found)
    assert node is not None
    with pytest.raises(InexactError):
        value(node, {token.start: token.value for token in found})


def test_only_numbers_that_multiply_or_divide_are_factors() -> None:
    node = parse(tokens("2 + 3 * 4"))
    assert node is not None
    assert factors_in(node) == {4, 8}
