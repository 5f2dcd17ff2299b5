"""Words bring constants along; some things cannot be had in parts."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.word_problem.question import read_question
from stepcache_proxy.tasks.word_problem.wording import (
    is_continuous,
    may_be_unsaid,
    stands_behind,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("7", "3 pens a week", id="week"),
        pytest.param("12", "2 dozen eggs", id="dozen"),
        pytest.param("100", "20% of them", id="percent"),
        pytest.param("2", "5 twice", id="twice"),
        pytest.param("3", "Ann, Bo and Cy have 5", id="a list"),
    ],
)
def test_a_word_stands_behind_a_constant(value: str, text: str) -> None:
    question, plain = read_question(text), read_question("Ann has 5 pens")
    assert question is not None
    assert plain is not None
    assert stands_behind(Fraction(value), question)
    assert not stands_behind(Fraction(value), plain)


def test_small_whole_numbers_may_be_unsaid_counts() -> None:
    assert may_be_unsaid(Fraction(3))
    assert not may_be_unsaid(Fraction(30))
    assert not may_be_unsaid(Fraction(1, 2))


def test_hours_have_parts_and_people_have_none() -> None:
    assert is_continuous("hours")
    assert not is_continuous("people")
