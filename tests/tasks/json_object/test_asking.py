"""The shapes of vLLM and llama.cpp are understood; anything else is not."""

import json

import pytest

from stepcache_proxy.tasks.json_object.asking import Asked, asked
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.tasks.json_object.asks import closed, under

TOWN = closed(name="string", river="string")
PLAIN = "Describe a town."


def understood(text: str, fields: JsonObject) -> Asked:
    ask = asked(text, fields)
    assert ask is not None
    return ask


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(under(TOWN), id="json_schema"),
        pytest.param(
            {"response_format": {"type": "json_object", "schema": TOWN}}, id="llama.cpp"
        ),
        pytest.param({"structured_outputs": {"json": TOWN}}, id="structured_outputs"),
        pytest.param(
            {"structured_outputs": {"json": json.dumps(TOWN), "regex": None}}, id="text"
        ),
        pytest.param({"guided_json": TOWN, "grammar": None}, id="guided_json"),
        pytest.param({"json_schema": TOWN}, id="top-level"),
        pytest.param({"json_schema": TOWN, "guided_json": TOWN}, id="twice-the-same"),
    ],
)
def test_a_demanded_schema_is_read(fields: JsonObject) -> None:
    ask = understood(PLAIN, fields)
    assert ask.schema == TOWN
    assert ask.names == ("name", "river")
    assert ask.words == PLAIN


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"response_format": {"type": "json_object"}}, id="json_object"),
        pytest.param({"structured_outputs": {"json_object": True}}, id="vllm"),
    ],
)
def test_any_object_may_be_demanded(fields: JsonObject) -> None:
    ask = understood(PLAIN, fields)
    assert (ask.schema, ask.keys, ask.names) == (None, None, ())


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"guided_regex": "a+"}, id="regex"),
        pytest.param({"guided_choice": ["a"]}, id="choice"),
        pytest.param({"grammar": "root ::= x"}, id="grammar"),
        pytest.param({"structured_outputs": {"regex": "a"}}, id="structured-regex"),
        pytest.param(
            {"structured_outputs": {"json": TOWN, "regex": "a"}}, id="json-and-regex"
        ),
        pytest.param({"structured_outputs": "json"}, id="structured-text"),
        pytest.param({"response_format": {"type": "structural_tag"}}, id="tag"),
        pytest.param({"response_format": {"type": "json_schema"}}, id="no-schema"),
        pytest.param(
            {"response_format": {"type": "json_schema", "schema": TOWN}}, id="misplaced"
        ),
        pytest.param({"response_format": "json"}, id="format-text"),
        pytest.param(under(TOWN, name=3), id="name-is-a-number"),  # type: ignore[arg-type]
        pytest.param({"json_schema": [1]}, id="schema-is-a-list"),
        pytest.param({"guided_json": "{"}, id="schema-is-broken-text"),
        pytest.param({"guided_json": "[" * 100_000}, id="schema-is-deep-text"),
        pytest.param({"json_schema": TOWN, "guided_json": {}}, id="two-demands"),
        pytest.param({"something_new": 1, **under(TOWN)}, id="unknown-field"),
    ],
)
def test_another_shape_is_not_understood(fields: JsonObject) -> None:
    assert asked(f"{PLAIN} Return JSON with keys a, b.", fields) is None


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="none"),
        pytest.param({"response_format": {"type": "text"}}, id="text"),
        pytest.param({"response_format": None}, id="null"),
        pytest.param({"structured_outputs": {"backend": "x"}}, id="only-a-hint"),
    ],
)
def test_without_a_format_the_words_can_demand_json(fields: JsonObject) -> None:
    ask = understood(f"{PLAIN} Return only JSON with keys name, river.", fields)
    assert ask.names == ("name", "river")
    assert ask.words == PLAIN
    assert asked(PLAIN, fields) is None


def test_keys_in_the_words_add_to_json_object() -> None:
    fields: JsonObject = {"response_format": {"type": "json_object"}}
    text = "Describe a town as JSON. Keys: name, river."
    assert understood(text, fields).names == ("name", "river")


def test_keys_of_something_else_are_not_demanded() -> None:
    fields: JsonObject = {"response_format": {"type": "json_object"}}
    text = "Sum this up as JSON. A lock with keys red, blue and green was found."
    assert understood(text, fields).keys is None


def test_keys_that_a_schema_has_are_no_words_others_are() -> None:
    same = understood(f"{PLAIN} Keys: name, river.", under(TOWN))
    assert same.words == f"{PLAIN} … ."
    other = understood(f"{PLAIN} Keys: name, mayor.", under(TOWN))
    assert other.words == f"{PLAIN} Keys: name, mayor."
    assert other.keys is None


@pytest.mark.parametrize("schema", [True, {"type": "array"}, {"properties": 3}])
def test_a_schema_without_members_names_none(schema: Json) -> None:
    assert understood(PLAIN, under(schema)).names == ()


def test_name_and_description_are_what_the_schema_is_called() -> None:
    labels = {
        understood(PLAIN, fields).label
        for fields in (
            under(TOWN, "a"),
            under(TOWN, "b"),
            under(TOWN, "a", description="c"),
        )
    }
    assert len(labels) == 3
