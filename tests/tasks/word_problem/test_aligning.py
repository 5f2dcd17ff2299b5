"""Problems are aligned only if all words are the same in the same order."""

import pytest

from stepcache_proxy.tasks.word_problem.aligning import aligned, outline
from stepcache_proxy.tasks.word_problem.question import Question, read_question


def question(text: str) -> Question:
    read = read_question(text)
    assert read is not None
    return read


def pairs(given: str, asked: str) -> list[tuple[str, str]] | None:
    slots = aligned(question(given), question(asked))
    if slots is None:
        return None
    return [(str(slot.given.value), str(slot.asked.value)) for slot in slots]


@pytest.mark.parametrize(
    ("given", "asked", "slots"),
    [
        pytest.param("has 1 pen", "has 3 pens", [("1", "3")], id="plural"),
        pytest.param("an 8 foot wall", "a 6 foot wall", [("8", "6")], id="article"),
        pytest.param(
            "10% of them", "1/10 of them", [("10", "10")], id="percent as a fraction"
        ),
        pytest.param("1/5 of it", "30% of it", [("1/5", "3/10")], id="and back"),
        pytest.param(
            "has 5 pens", "has 0.5 times of ten pens", [("5", "5")], id="a product"
        ),
        pytest.param("20% of 50 pens", "30% of 50 pens", [("20", "30"), ("50", "50")]),
        pytest.param("has 3 pens", "has 3 cups", None, id="another noun"),
        pytest.param("has 3 pens", "has 3 pens left", None, id="one word more"),
        pytest.param("has 3 pens left", "has 3 pens", None, id="one word less"),
        pytest.param("has 3 or 4 pens", "has 3 pens", None, id="one number less"),
        pytest.param("pays $3", "pays 3", None, id="money"),
        pytest.param("10% more", "0.1 more", None, id="a decimal is no share"),
        pytest.param("friend has 3", "friends has 3", None, id="plural far away"),
    ],
)
def test_quantities_are_paired_in_place(
    given: str, asked: str, slots: list[tuple[str, str]] | None
) -> None:
    assert pairs(given, asked) == slots
    if slots is not None:
        assert outline(question(given)) == outline(question(asked))
