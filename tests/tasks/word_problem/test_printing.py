"""A number is printed exactly, the way the number before it was."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.word_problem.printing import decimal, printed
from stepcache_proxy.tasks.word_problem.tokens import tokens


@pytest.mark.parametrize(
    ("number", "like", "shown"),
    [
        pytest.param("12", "7", "12", id="integer"),
        pytest.param("5/2", "7", "2.5", id="decimal"),
        pytest.param("5/2", "7.00", "2.50", id="as many decimals"),
        pytest.param("3", "0.05", "3", id="no empty decimals"),
        pytest.param("12000", "7,000", "12,000", id="thousands"),
        pytest.param("12000", "7", "12000", id="no thousands"),
        pytest.param("3", "Seven", "Three", id="words"),
        pytest.param("31", "seven", "31", id="too long a word"),
        pytest.param("1/3", "7", None, id="no end"),
        pytest.param("1/8", "7", None, id="too many decimals"),
        pytest.param("-1", "7", None, id="negative"),
        pytest.param("5/2", "seven", None, id="no word"),
    ],
)
def test_a_number_is_printed_like_another(
    number: str, like: str, shown: str | None
) -> None:
    (token,) = tokens(like)
    assert printed(Fraction(number), token) == shown


@given(st.fractions(0, 10_000), st.integers(0, 4))
def test_a_decimal_says_exactly_its_number(number: Fraction, places: int) -> None:
    shown = decimal(number, places)
    assert shown is None or Fraction(shown) == number
