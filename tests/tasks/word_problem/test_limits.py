"""Words that speak of limits and choices make other numbers another problem."""

import pytest

from stepcache_proxy.tasks.word_problem.limits import may_turn
from stepcache_proxy.tasks.word_problem.question import read_question


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        pytest.param("Ann has 3 pens. How many pens has she?", False, id="plain"),
        pytest.param("Ann pays $3. What is the total cost?", False, id="what"),
        pytest.param("Ann pays $3. Calculate the total.", False, id="order"),
        pytest.param("Bo has 5 more than 3 pens. How many?", False, id="difference"),
        pytest.param("Over 40 pens are free. How much is it?", True, id="a word"),
        pytest.param("Ann buys over 40 pens. How much is it?", True, id="over"),
        pytest.param("For 40 or more pens. How much is it?", True, id="or more"),
        pytest.param("It takes more than 40 pens. How much is it?", True, id="more"),
        pytest.param("Ann has 3 pens. Who has more?", True, id="who"),
        pytest.param("Ann has 3 pens. Is that enough?", True, id="whether"),
        pytest.param("Ann has 3 hours. What time is it?", True, id="time of day"),
        pytest.param("Ann has at least 3 pens. How many?", True, id="at least"),
    ],
)
def test_limits_are_told_from_amounts(text: str, turns: bool) -> None:
    question = read_question(text)
    assert question is not None
    assert may_turn(question) is turns
