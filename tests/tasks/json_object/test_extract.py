"""One object is taken out of fences and prose; where two could be meant, none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.json_object.extract import extract

OBJECT = '{"a": {"b": [1.50, "}"]}}'


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(OBJECT, id="bare"),
        pytest.param(f"```json\n{OBJECT}\n```", id="fence"),
        pytest.param(
            f"Here it is:\n{OBJECT}\nI hope this helps {{smile}}.", id="prose"
        ),
        pytest.param(f"{OBJECT}\nAgain:\n{OBJECT}", id="the-same-twice"),
        pytest.param(f"As [1] says: {OBJECT}", id="citation"),
    ],
)
def test_the_single_object_is_found_as_it_was_written(answer: str) -> None:
    found = extract(answer)
    assert found is not None
    assert found.text == OBJECT


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param('{"a": 1} or {"a": 2}', id="two"),
        pytest.param('x {"a": 1, "town": {"b": 2}', id="truncated-outer"),
        pytest.param('x {"a": 1, "a": 2}', id="key-twice"),
        pytest.param('x {"a": NaN}', id="nan"),
        pytest.param("No object here.", id="none"),
        pytest.param("x " + '{"a":' * 2_000, id="deep"),
        pytest.param("x " + '{"a": 1}' * 20, id="many"),
        pytest.param("{ x " * 5_000, id="many-braces"),
        pytest.param("{" * 1_000_000, id="only-braces"),
        pytest.param('x {"a": "' + "y" * 2_000_000 + '"}', id="too-long"),
    ],
)
def test_where_it_is_not_certain_nothing_is_taken(answer: str) -> None:
    assert extract(answer) is None


def test_an_array_is_looked_for_where_one_is_demanded() -> None:
    found = extract('Here: [{"a": 1}]', "[")
    assert found is not None
    assert found.value == [{"a": 1}]


@given(st.text(alphabet='{}[]",:1a \n`', max_size=60))
def test_what_is_taken_is_json_and_part_of_the_answer(answer: str) -> None:
    found = extract(answer)
    if found is not None:
        assert found.text in answer
        assert json.loads(found.text) == found.value
