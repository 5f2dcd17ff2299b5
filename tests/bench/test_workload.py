"""What is right is judged without the proxy, and strictly."""

from fractions import Fraction

import pytest

from stepcache_proxy.bench.workload import demo_workload, fits, solves
from stepcache_proxy.wire.jsonvalue import JsonObject

FOUR = solves("x", Fraction(4))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("x = 4", id="bare"),
        pytest.param("2x = 8\nSo x = 4.", id="last line"),
        pytest.param("x = 21. No, wait:\n**x = 4**", id="the last statement counts"),
        pytest.param("Hence $x = 8/2$.", id="a fraction in dollars"),
        pytest.param("x=4.0", id="a decimal"),
        pytest.param(r"\( x = 4 \)", id="brackets of LaTeX"),
    ],
)
def test_a_right_final_statement_is_right(answer: str) -> None:
    assert FOUR(answer)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("", id="nothing"),
        pytest.param("The answer is 4.", id="no statement"),
        pytest.param("x = 4\nx = 5", id="a later statement is wrong"),
        pytest.param("x = 4 + 1", id="a sum"),
        pytest.param("x = 4x", id="a multiple of itself"),
        pytest.param("2x = 4", id="another left side"),
        pytest.param("max = 4", id="the end of a word"),
        pytest.param("y = 4", id="another variable"),
        pytest.param("x = -4", id="another sign"),
        pytest.param("x = −4", id="another sign in Unicode"),
        pytest.param("x = 4/0", id="no number"),
        pytest.param("x = " + "4" * 50_000, id="a number without end"),
    ],
)
def test_any_other_final_statement_is_wrong(answer: str) -> None:
    assert not FOUR(answer)


SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        pytest.param('{"n": 1}', True, id="valid"),
        pytest.param('{"n": "1"}', False, id="another type"),
        pytest.param("{}", False, id="a member is missing"),
        pytest.param('{"n": 1, "m": 2}', False, id="a member too many"),
        pytest.param('Here: {"n": 1}', False, id="words around it"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_json_is_right_if_it_is_valid_and_alone(answer: str, is_right: bool) -> None:
    assert fits(SCHEMA)(answer) is is_right


def test_every_request_of_the_demo_is_greedy_and_bounded() -> None:
    for ask in demo_workload():
        assert ask.body["temperature"] == 0
        assert ask.body["max_tokens"] == 160


def test_names_tell_the_requests_of_the_demo_apart() -> None:
    names = [ask.name for ask in demo_workload()]
    assert len(set(names)) == len(names) == 12


def test_the_demo_repeats_a_request_with_its_members_in_another_order() -> None:
    asks = {ask.name: ask.body for ask in demo_workload()}
    first, again = (
        asks["JSON by a schema"],
        asks["JSON again, members in another order"],
    )
    assert first == again
    assert list(first) != list(again)
