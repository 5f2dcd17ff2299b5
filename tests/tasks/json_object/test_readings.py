"""What was read lately is read the same, and nothing is taken for another."""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse import constraints
from stepcache_proxy.reuse.model import Accept, Reject
from stepcache_proxy.tasks.json_object.asking import asked
from stepcache_proxy.tasks.json_object.reading import BriefObject, Document, read
from stepcache_proxy.tasks.json_object.readings import (
    LONGEST_ANSWER,
    LONGEST_FORMAT,
    LONGEST_TEXT,
    Readings,
)
from stepcache_proxy.tasks.json_object.schema import CompiledSchema, SchemaShelf
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.tasks.json_object.asks import closed, under

TEXT = "Describe a wizard. Return only JSON with keys name, age."
ANY: JsonObject = {"response_format": {"type": "json_object"}}
ODD = st.text(alphabet='jsonkey withameg,:"()\n', max_size=60).map(
    lambda text: f"Return only JSON with keys {text}"
)


@given(ODD, st.sampled_from([{}, ANY, under(closed(name="string"))]))
def test_a_request_is_read_the_same_the_first_and_the_second_time(
    text: str, format: JsonObject
) -> None:
    readings = Readings()
    assert readings.asked(text, format) == asked(text, format)
    assert readings.asked(text, format) == asked(text, format)


@given(st.text(max_size=60))
def test_an_answer_is_read_the_same_the_first_and_the_second_time(text: str) -> None:
    readings = Readings()
    assert readings.read(text) == read(text)
    assert readings.read(text) == read(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"const": 1}, {"const": 1.0}, id="whole"),
        pytest.param({"const": 1}, {"const": True}, id="true"),
        pytest.param({"const": 0.0}, {"const": -0.0}, id="minus"),
        pytest.param(closed(a={}, b={}), closed(b={}, a={}), id="order"),
    ],
)
def test_formats_that_python_calls_equal_are_kept_apart(
    one: JsonObject, other: JsonObject
) -> None:
    readings = Readings()
    for schema in (one, other, one):
        found = readings.asked(TEXT, under(schema))
        assert repr(found) == repr(asked(TEXT, under(schema)))


def test_what_was_read_lately_is_kept() -> None:
    readings = Readings()
    assert readings.asked(TEXT, ANY) is readings.asked(TEXT, dict(ANY))
    assert readings.read("{}") is readings.read("{}")


@pytest.mark.parametrize(
    ("text", "format"),
    [
        pytest.param(TEXT + " " * LONGEST_TEXT, {}, id="text"),
        pytest.param(TEXT, under({"title": "x" * LONGEST_FORMAT}), id="format"),
        pytest.param(TEXT, under({"const": 2**70}), id="number"),
    ],
)
def test_what_is_long_or_cannot_be_written_is_read_anew(
    text: str, format: JsonObject
) -> None:
    readings = Readings()
    first, second = readings.asked(text, format), readings.asked(text, format)
    assert first == second == asked(text, format)
    assert first is not second


def test_a_long_answer_is_read_anew() -> None:
    readings, answer = Readings(), "{}" + " " * LONGEST_ANSWER
    assert readings.read(answer) == read(answer)
    assert readings.read(answer) is not readings.read(answer)


def _compiled(schema: JsonObject) -> CompiledSchema:
    compiled = SchemaShelf().compiled(schema)
    assert isinstance(compiled, CompiledSchema)
    return compiled


@pytest.mark.parametrize("padding", [0, LONGEST_ANSWER])
def test_each_schema_judges_for_itself(padding: int) -> None:
    readings, answer = Readings(), '{"name": "a"}' + " " * padding
    document = readings.read(answer)
    assert isinstance(document, Document)
    text, number = _compiled(closed(name="string")), _compiled(closed(name="number"))
    for _ in range(2):
        assert isinstance(readings.judged(answer, document, text), Accept)
        assert isinstance(readings.judged(answer, document, number), Reject)


def test_words_are_compared_and_grouped_as_without_a_memory() -> None:
    readings = Readings()
    asks = [
        asked(f"{words} Return only JSON with keys a, b.", {})
        for words in (
            "Describe a wizard.",
            "Please describe a wizard.",
            "Draw 2 elves.",
        )
    ]
    known = [ask for ask in asks if ask is not None]
    for _ in range(2):
        for one in known:
            assert readings.wording(one) == constraints.wording(one.words)
            for other in known:
                expected = constraints.difference(one.words, other.words)
                assert readings.difference(one, other) == expected


def test_what_was_not_asked_about_lately_is_forgotten() -> None:
    readings = Readings()
    schema = _compiled(closed(name="string"))
    answer = '{"name": "a"}'
    document = readings.read(answer)
    assert isinstance(document, Document)
    assert isinstance(document.value, BriefObject)
    readings.judged(answer, document, schema)
    old = weakref.ref(document.value)
    other = _compiled({})
    del document
    for number in range(300):
        value = readings.read(f"[{number}]")
        assert isinstance(value, Document)
        readings.judged(f"[{number}]", value, other)
    gc.collect()
    assert old() is None
