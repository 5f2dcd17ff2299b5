"""An expression has one exact value, or none that we can read."""

from fractions import Fraction

import pytest
from hypothesis import given

from stepcache_proxy.tasks.arithmetic.reading import read
from stepcache_proxy.tasks.arithmetic.tokens import tokens
from tests.tasks.arithmetic.expressions import Written, written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("10 - 4 - 3", "3"),
        ("12 / 4 / 3", "1"),
        ("-3 + 5", "2"),
        ("2^3 + 1", "9"),
        (r"\frac{1}{2} + \frac{1}{3}", "5/6"),
        (r"\sqrt{16} / 2", "2"),
        ("15% of 80", "12"),
        ("2 1/2", "5/2"),
        ("4! + 1", "25"),
        ("3 crates * 12", "36"),
    ],
)
def test_an_expression_is_evaluated_in_its_order(text: str, value: str) -> None:
    found = read(tokens(text))
    assert found is not None
    assert (found.value.exact, found.end) == (Fraction(value), len(tokens(text)))


@pytest.mark.parametrize(
    "text", ["", "+", "1 / 0", "(1", "2^0.5", r"\sqrt{2}", "5 million", "9^999", "x"]
)
def test_what_has_no_value_is_not_read(text: str) -> None:
    assert read(tokens(text)) is None


@given(written())
def test_the_value_is_exact(expression: Written) -> None:
    found = read(tokens(expression.text))
    assert found is not None
    assert found.value.exact == expression.value
