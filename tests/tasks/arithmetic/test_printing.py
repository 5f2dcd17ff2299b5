"""Exact values are written as people write them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.arithmetic.printing import show, show_rounded


@pytest.mark.parametrize(
    ("value", "shown"),
    [("3", "3"), ("-3", "-3"), ("0.3", "0.3"), ("-1/8", "-0.125"), ("1/3", "1/3")],
)
def test_a_value_is_written_plainly(value: str, shown: str) -> None:
    assert show(Fraction(value)) == shown


@given(st.fractions(max_denominator=10**6))
def test_what_is_written_is_the_value(value: Fraction) -> None:
    assert Fraction(show(value)) == value


@given(st.fractions(max_denominator=10**6))
def test_a_rounded_value_is_near(value: Fraction) -> None:
    assert abs(Fraction(show_rounded(value)) - value) <= Fraction(1, 20_000)
