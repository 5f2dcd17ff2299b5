"""A problem is read as words and quantities; numbers in names are words."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.word_problem.question import Quantity, read_question


def quantities(text: str) -> list[Quantity]:
    question = read_question(text)
    return list(question.quantities) if question else []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("Ann has 3 pens and 1,200 cups", ["3", "1200"], id="digits"),
        pytest.param("Twenty-five of two hundred and six", ["25", "206"], id="words"),
        pytest.param("It costs $.05 or 0.5", ["1/20", "1/2"], id="decimals"),
        pytest.param("She ate 3/4 of 2 1/2 pies", ["3/4", "5/2"], id="fractions"),
        pytest.param("two thirds of them and one-half", ["2/3", "1/2"], id="in words"),
        pytest.param("2 hundred thousand", ["2", "100000"], id="scales stay apart"),
        pytest.param("a 30-minute show", ["30"], id="hyphen"),
        pytest.param("In 2 years", ["2"], id="a plain opening"),
        pytest.param("the iPhone 7 of Route 66", [], id="names"),
        pytest.param("on May 4 or 4 May", [], id="days of a month"),
        pytest.param("at 9:30 in 3D, 2nd of B2", [], id="glued to something"),
        pytest.param("from 3 - 5 pens", [], id="a range"),
        pytest.param("at -5 degrees", [], id="a negative number"),
    ],
)
def test_numbers_are_read_exactly(text: str, values: list[str]) -> None:
    assert [q.value for q in quantities(text)] == list(map(Fraction, values))


def test_a_quantity_knows_how_it_is_written() -> None:
    share, price, plain = quantities("20% of $7 for eight pens")
    assert share.is_percent
    assert price.is_money
    assert (plain.is_said, plain.noun) == (True, "pens")


def test_a_difference_is_told_from_an_amount() -> None:
    more, amount, times = quantities(
        "Ann has 5 more pens than Bo, who has 7, and 3 times more than Cy"
    )
    assert (more.is_difference, amount.is_difference) == (True, False)
    assert not times.is_difference


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        pytest.param("Ann, Bo and Cy have 3 pens", {3}, id="three names"),
        pytest.param("Ann and Bo have 3 pens", {2}, id="two names"),
        pytest.param("red, blue, grey, and green: 3", {4}, id="four colours"),
        pytest.param("pens and cups: 3", frozenset[int](), id="a pair of things"),
        pytest.param("a man and his wife have 3 pens", {2}, id="a pair of people"),
    ],
)
def test_lists_are_counted(text: str, counts: set[int]) -> None:
    question = read_question(text)
    assert question is not None
    assert question.counts == counts


def test_the_last_sentence_is_what_is_asked() -> None:
    question = read_question("Ann has 3 pens. How many pens has Mr. Li? ")
    assert question is not None
    assert question.last == ("how", "many", "pens", "has", "mr", "li")


def test_a_text_without_numbers_is_no_problem() -> None:
    assert read_question("How do I bake bread?") is None
    assert read_question("1 " * 100) is None
