"""Numbers in words are read as people say them."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.word_problem.number_words import said_number, word_for


@pytest.mark.parametrize(
    ("words", "length", "value"),
    [
        pytest.param("seven pens", 1, 7, id="unit"),
        pytest.param("forty two pens", 2, 42, id="tens"),
        pytest.param("forty eleven", 1, 40, id="no such number"),
        pytest.param("three hundred and five", 4, 305, id="hundreds"),
        pytest.param("two thousand six hundred", 4, 2600, id="thousands"),
        pytest.param("hundred and then", 1, 100, id="a hundred"),
        pytest.param("pens", 0, 0, id="none"),
    ],
)
def test_a_number_is_said(words: str, length: int, value: int) -> None:
    assert said_number(words.split()) == (length, Fraction(value))


def test_every_word_is_read_back() -> None:
    for number in range(21):
        word = word_for(number)
        assert word is not None
        assert said_number([word]) == (1, Fraction(number))
    assert word_for(21) is None
