"""The final answer of a text is found by its mark, else it is the last number."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.bench.final_answer import (
    final_answer,
    is_same_answer,
    number_in,
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("He has 3 + 4 = 7 left.\n#### 7", "7", id="hashes"),
        pytest.param(
            r"So the sum is \(\boxed{\frac{3}{4}}\).", r"\frac{3}{4}", id="box"
        ),
        pytest.param("Work: 2.\nAnswer: x = 5.", "x = 5", id="answer"),
        pytest.param("The final answer is: $12$ m", "$12$ m", id="final answer"),
        pytest.param("Some words\nA: 1,200", "1,200", id="letter"),
        pytest.param(r"\boxed{3}. No, wait: \boxed{4}", "4", id="the last box"),
        pytest.param("She pays 20 and then 35.5 dollars.", "35.5", id="last number"),
        pytest.param("Nothing to count here.", None, id="none"),
        pytest.param("", None, id="empty"),
    ],
)
def test_the_final_answer_is_found(text: str, answer: str | None) -> None:
    assert final_answer(text) == answer


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1,200", "1200"),
        ("$7.50", "7.5"),
        (r"\frac{1}{2}", "0.5"),
        ("x = 5", "5"),
        ("2 1/2", "5/2"),
        ("225 minutes", "225"),
        ("−3", "-3"),
        (r"\text{Monday}", "monday"),
        (r"90^\circ", "90"),
    ],
)
def test_the_same_answer_may_be_written_otherwise(a: str, b: str) -> None:
    assert is_same_answer(a, b)
    assert is_same_answer(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [("5", "6"), ("5", None), (None, None), ("Monday", "Tuesday"), ("1/2", "2")],
)
def test_different_answers_are_told_apart(a: str | None, b: str | None) -> None:
    assert not is_same_answer(a, b)


@given(st.fractions(max_denominator=10**6))
def test_a_fraction_is_read_exactly(value: Fraction) -> None:
    assert number_in(f"x = {value}") == value


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    final_answer(text)
    number_in(text)
