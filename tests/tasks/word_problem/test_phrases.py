"""A share or a multiple of a number is one quantity, with how it is worked out."""

import pytest

from stepcache_proxy.tasks.word_problem.phrases import product_at
from stepcache_proxy.tasks.word_problem.question import read_question


@pytest.mark.parametrize(
    ("text", "product"),
    [
        pytest.param("half of 40 pens", "1/2 * 40 = 20", id="half"),
        pytest.param("1.2 times of ten pens", "1.2 * 10 = 12", id="multiple"),
        pytest.param("3/4 of 20 pens", "3/4 * 20 = 15", id="fraction"),
        pytest.param("20% of 50 pens", "20% * 50 = 10", id="percent"),
    ],
)
def test_a_product_is_read(text: str, product: str) -> None:
    question = read_question(text)
    assert question is not None
    found = product_at(question.items, 0)
    assert found is not None
    assert (found[0].product, found[0].noun) == (product, "pens")
    assert question.items[found[1]] == "pens"


@pytest.mark.parametrize(
    "text", ["half the 40 pens", "$3 of 40 pens", "1/3 of 40 pens", "3 of my 4 pens"]
)
def test_other_words_make_no_product(text: str) -> None:
    question = read_question(text)
    assert question is not None
    assert product_at(question.items, 0) is None
