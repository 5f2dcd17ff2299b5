"""Only what is missing or wrong is asked for again, and merged with what stands."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.json_object.repairing import MAX_KEPT_CHARS
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.tasks.json_object.asks import bound, closed, under

TEXT = "Describe a town."
TOWN = closed(name="string", river="string", people={"type": "integer"})


def repair(text: str, fields: JsonObject, rejected: str) -> Repair:
    made = bound(text, fields).repair((), rejected, "the reason")
    assert made is not None
    return made


def asked_schema(made: Repair) -> Mapping[str, Json]:
    assert made.format is not None
    demanded = made.format["response_format"]
    assert isinstance(demanded, Mapping)
    wrapped = demanded["json_schema"]
    assert isinstance(wrapped, Mapping)
    assert wrapped["name"]
    schema = wrapped["schema"]
    assert isinstance(schema, Mapping)
    return schema


@pytest.mark.parametrize(
    ("rejected", "wanted"),
    [
        pytest.param('{"name": "Lund", "people": 5}', ["river"], id="missing"),
        pytest.param(
            '{"name": "Lund", "river": 3.5, "people": "many"}', ["people"], id="wrong"
        ),
        pytest.param('{"name": "Lund", "x": 1}', ["river", "people"], id="extra"),
        pytest.param('So: {"people": "7"}', ["name", "river"], id="prose"),
    ],
)
def test_only_missing_and_wrong_members_are_asked_for(
    rejected: str, wanted: list[str]
) -> None:
    made = repair(TEXT, under(TOWN), rejected)
    schema = asked_schema(made)
    assert not made.is_whole
    assert schema["required"] == wanted
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == wanted  # type: ignore[arg-type]
    assert made.prompt is not None
    assert made.prompt.startswith(TEXT)
    assert all(f'"{name}"' in made.prompt for name in wanted)


def test_a_reply_is_merged_in_the_requested_order() -> None:
    made = repair(TEXT, under(TOWN), '{"people": 7.0, "name": "Lund", "x": 1}')
    merged = made.merge('```json\n{"river": "Höje å", "name": "no"}\n```')
    assert merged == '{"name": "Lund", "river": "Höje å", "people": 7}'
    assert isinstance(bound(TEXT, under(TOWN)).check_answer(merged), Accept)


@pytest.mark.parametrize("reply", ["", "no", "[1]", '{"name": "x"}', '{"river": '])
def test_a_useless_reply_merges_to_nothing(reply: str) -> None:
    assert repair(TEXT, under(TOWN), '{"name": "Lund"}').merge(reply) is None


def test_numbers_that_stand_keep_their_digits() -> None:
    schema = closed(area="number", river="string")
    made = repair(TEXT, under(schema), '{"area": 26.10}')
    assert made.prompt is not None
    assert '{"area": 26.10}' in made.prompt
    assert made.merge('{"river": "a"}') == '{"area": 26.10, "river": "a"}'


def test_a_wrong_optional_member_is_asked_for_again() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "river": {"type": "string"}},
        "required": ["name"],
    }
    made = repair(TEXT, under(schema), '{"name": "Lund", "river": [], "more": 1}')
    assert asked_schema(made)["required"] == ["river"]
    merged = made.merge('{"river": "a"}')
    assert merged == '{"name": "Lund", "river": "a", "more": 1}'


def test_definitions_go_along() -> None:
    schema: JsonObject = {
        **closed(name="string", river={"$ref": "#/$defs/r"}),
        "$defs": {"r": closed(length="number")},
    }
    sub = asked_schema(repair(TEXT, under(schema), '{"name": "Lund"}'))
    assert sub["$defs"] == schema["$defs"]


def test_keys_in_words_get_a_schema_of_their_own() -> None:
    text = "Describe a town. Return only JSON with keys name, river."
    made = repair(text, {}, '{"name": "Lund", "river": null}')
    assert asked_schema(made)["properties"] == {"river": {}}
    assert made.merge('{"river": "a"}') == '{"name": "Lund", "river": "a"}'


@pytest.mark.parametrize(
    ("schema", "rejected"),
    [
        pytest.param(TOWN, "I cannot say.", id="no-object"),
        pytest.param(TOWN, '{"x": 1}', id="nothing-stands"),
        pytest.param({"type": "array", "items": {"type": "null"}}, "[1]", id="array"),
        pytest.param(
            {**TOWN, "anyOf": [{"required": ["x"]}]}, '{"name": "a"}', id="branches"
        ),
        pytest.param(
            closed(a="string", b={"$ref": "#/properties/a"}), '{"a": "x"}', id="ref"
        ),
        pytest.param(
            closed(a="string", b={"$id": "x", "type": "null"}),
            '{"a": "x"}',
            id="own-id",
        ),
        pytest.param(
            closed(a="string", b={"allOf": [{"$dynamicRef": "#x"}]}),
            '{"a": "x"}',
            id="dynamic",
        ),
        pytest.param({**TOWN, "required": ["z"]}, '{"name": "a"}', id="undescribed"),
        pytest.param(TOWN, '{"name": "' + "x" * MAX_KEPT_CHARS + '"}', id="long"),
        pytest.param(
            closed(a="string", b={"pattern": r"(a)\1"}),
            '{"a": "x", "b": "y"}',
            id="not-judged",
        ),
        pytest.param({**TOWN, "type": "array"}, '{"name": "a"}', id="contradiction"),
    ],
)
def test_else_the_whole_is_asked_for_again_with_the_reason(
    schema: JsonObject, rejected: str
) -> None:
    made = repair(TEXT, under(schema), rejected)
    assert made.is_whole
    assert made.format is None
    assert made.prompt is not None
    assert made.prompt.startswith(TEXT)
    assert "the reason" in made.prompt
    assert made.merge('Here: {"a": 1}') in {'{"a": 1}', None}


MEMBERS = st.dictionaries(
    st.sampled_from(["name", "river", "people", "x"]),
    st.text() | st.integers() | st.none() | st.lists(st.integers(), max_size=2),
)


VERIFIER = bound(TEXT, under(TOWN))


@given(MEMBERS, MEMBERS)
def test_a_merge_is_an_object_and_keeps_what_stood(
    first: dict[str, object], second: dict[str, object]
) -> None:
    made = VERIFIER.repair((), json.dumps(first), "r")
    assert made is not None
    merged = made.merge(json.dumps(second))
    if merged is not None and not made.is_whole:
        whole = json.loads(merged)
        assert set(whole) <= {"name", "river", "people"}
        if isinstance(first.get("name"), str):
            assert whole["name"] == first["name"]
