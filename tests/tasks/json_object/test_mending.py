"""Mends change how a value is written, never what it says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.json_object.mending import Mends, pointed
from stepcache_proxy.tasks.json_object.reading import Document, read, write
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.tasks.json_object.asks import closed
from tests.tasks.json_object.test_reading import VALUES


def mended(schema: JsonObject, text: str, *, is_fresh: bool = True) -> str:
    document = read(text)
    assert isinstance(document, Document)
    return write(Mends(schema, is_fresh=is_fresh).mended(document.value))


def one(**keywords: Json) -> JsonObject:
    return closed(a=keywords)


PERSON: JsonObject = {
    "type": "object",
    "properties": {"who": {"anyOf": [{"$ref": "#/$defs/p"}, {"type": "null"}]}},
    "$defs": {"p": closed(age="integer")},
}


@pytest.mark.parametrize(
    ("schema", "before", "after"),
    [
        pytest.param(one(type="integer"), '{"a": "30"}', '{"a": 30}', id="integer"),
        pytest.param(one(type="integer"), '{"a": 3.0}', '{"a": 3}', id="whole"),
        pytest.param(one(type="number"), '{"a": "1.50"}', '{"a": 1.50}', id="number"),
        pytest.param(one(type="string"), '{"a": 30}', '{"a": "30"}', id="text"),
        pytest.param(one(type="string"), '{"a": 1.50}', '{"a": "1.50"}', id="digits"),
        pytest.param(one(type="boolean"), '{"a": "true"}', '{"a": true}', id="boolean"),
        pytest.param(
            one(type=["integer", "null"]), '{"a": "7"}', '{"a": 7}', id="types"
        ),
        pytest.param(
            one(anyOf=[{"type": "integer"}, {"type": "null"}]),
            '{"a": "7"}',
            '{"a": 7}',
            id="optional",
        ),
        pytest.param(
            one(type="array", items={"type": "integer"}),
            '{"a": ["1", 2]}',
            '{"a": [1, 2]}',
            id="items",
        ),
        pytest.param(PERSON, '{"who": {"age": "5"}}', '{"who": {"age": 5}}', id="ref"),
        pytest.param(
            closed(a="null", b="null"),
            '{"b": null, "x": 1, "a": null}',
            '{"a": null, "b": null}',
            id="extras-and-order",
        ),
        pytest.param(one(const="v1"), "{}", '{"a": "v1"}', id="const"),
        pytest.param(one(enum=[4]), "{}", '{"a": 4}', id="single-choice"),
        pytest.param(one(default=[]), "{}", '{"a": []}', id="default"),
    ],
)
def test_what_means_the_same_is_mended(
    schema: JsonObject, before: str, after: str
) -> None:
    assert mended(schema, before) == after


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param(one(type="integer"), '{"a": "01234"}', id="leading-zero"),
        pytest.param(one(type="integer"), '{"a": "30 km"}', id="unit"),
        pytest.param(one(type="integer"), '{"a": "٣"}', id="other-digits"),
        pytest.param(one(type="integer"), '{"a": 3.5}', id="fraction"),
        pytest.param(one(type="integer"), '{"a": 1e300}', id="beyond-exact"),
        pytest.param(one(type="boolean"), '{"a": 1}', id="one-is-not-true"),
        pytest.param(one(type="boolean"), '{"a": "yes"}', id="yes"),
        pytest.param(one(type="string"), '{"a": true}', id="true-is-no-text"),
        pytest.param(one(type="string"), '{"a": null}', id="null"),
        pytest.param(one(const="v2"), '{"a": "v1"}', id="const-is-not-overwritten"),
        pytest.param(one(enum=["a", "b"]), "{}", id="a-choice-is-left"),
        pytest.param({"properties": {"a": {"const": 1}}}, "{}", id="not-required"),
        pytest.param({"properties": {"a": {}}}, '{"a": 1, "b": 2}', id="open"),
        pytest.param(
            {**closed(a="null"), "anyOf": [{"type": "object"}, {"type": "object"}]},
            '{"a": null, "b": 1}',
            id="branches",
        ),
        pytest.param({"$ref": "http://x/"}, '{"a": "1"}', id="remote"),
        pytest.param({"$ref": "#"}, '{"a": "1"}', id="cycle"),
    ],
)
def test_what_could_mean_something_else_is_left(schema: JsonObject, text: str) -> None:
    assert mended(schema, text) == text


def test_a_default_is_filled_only_in_an_answer_to_this_schema() -> None:
    assert mended(one(default=1), "{}", is_fresh=False) == "{}"


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("#", True),
        ("#/a~1b/c", True),
        ("#/nowhere", False),
        ("#/a~1b/c/d", False),
        ("#a", False),
        ("x#/a", False),
        ("#/a%2Fb", False),
    ],
)
def test_only_plain_local_references_are_followed(ref: str, found: bool) -> None:
    assert (pointed({"a/b": {"c": {}}}, ref) is not None) is found


TYPES = st.sampled_from(["integer", "number", "string", "boolean", "null"])


@given(VALUES, TYPES)
def test_no_mend_changes_what_is_said(value: object, kind: str) -> None:
    text = json.dumps({"a": value})
    before, after = json.loads(text)["a"], json.loads(mended(one(type=kind), text))["a"]
    same_text = str(after).lower() == str(before).lower()
    same_number = (
        isinstance(before, float | str)
        and isinstance(after, float | int)
        and float(before) == after
    )
    assert after == before or same_text or same_number or json.loads(after) == before
