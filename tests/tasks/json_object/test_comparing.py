"""An old answer is judged by validation only where validation can see the change."""

import pytest

from stepcache_proxy.tasks.json_object.asking import Asked, asked
from stepcache_proxy.tasks.json_object.comparing import is_judged_by_validation
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.tasks.json_object.asks import closed, under

TEXT = "Describe a town."


def ask(schema: Json, name: str = "answer") -> Asked:
    made = asked(TEXT, under(schema, name))
    assert made is not None
    return made


def one(**keywords: Json) -> JsonObject:
    return closed(name="string", other=keywords)


def opened(schema: JsonObject, **changes: Json) -> JsonObject:
    return {**schema, "additionalProperties": True, **changes}


TOWN = closed(name="string", mayor="string")
SEEN = [
    pytest.param(TOWN, closed(mayor="string", name="string"), id="order"),
    pytest.param(TOWN, closed(name="string", mayor="string", river="string"), id="one"),
    pytest.param(TOWN, closed(name="string"), id="one-less-and-closed"),
    pytest.param(
        closed(firstName="string", x="string"),
        closed(first_name="string", x="string"),
        id="style",
    ),
    pytest.param(one(type="string"), one(type="integer"), id="type"),
    pytest.param(one(enum=["a", "b", "c"]), one(enum=["c", "a"]), id="fewer-choices"),
    pytest.param(one(type="string"), one(type="string", enum=["a"]), id="choices"),
    pytest.param(one(type="string"), one(type="string", const="a"), id="const"),
    pytest.param(one(type="string"), one(type="string", format="date"), id="format"),
    pytest.param(one(minItems=2), one(minItems=3), id="at-least-more"),
    pytest.param(
        one(minItems=2, description="x"), one(minItems=3, description="x"), id="beside"
    ),
    pytest.param(
        {"properties": {"aB": {}, "c": {}}, "type": "object"},
        {"properties": {"a_b": {}, "c": {}}, "required": ["a_b"]}
        | {"additionalProperties": False},
        id="style-of-an-optional-member",
    ),
    pytest.param(one(maxLength=9), one(maxLength=8), id="at-most-less"),
    pytest.param(
        one(items={"type": "string"}), one(items={"type": "null"}), id="items"
    ),
    pytest.param(opened(TOWN), TOWN, id="closed-now"),
    pytest.param(
        {**TOWN, "$defs": {"a": {"type": "null"}}},
        {**TOWN, "$defs": {"a": {"type": "array"}, "b": {}}},
        id="definitions",
    ),
]
NOT_SEEN = [
    pytest.param(one(description="a"), one(description="b"), id="description"),
    pytest.param(
        one(type="string"), one(type="string", description="b"), id="described"
    ),
    pytest.param({**TOWN, "title": "A"}, {**TOWN, "title": "B"}, id="title"),
    pytest.param(one(enum=["a", "b"]), one(enum=["a", "b", "c"]), id="more-choices"),
    pytest.param(one(enum=["a"]), one(type="string"), id="choices-gone"),
    pytest.param(one(maximum=5), one(maximum=10), id="wider-scale"),
    pytest.param(one(maximum=10), one(maximum=5), id="narrower-scale"),
    pytest.param(one(type="number"), one(type="number", minimum=0), id="scale"),
    pytest.param(one(maxItems=3), one(maxItems=5), id="at-most-more"),
    pytest.param(one(minLength=5), one(minLength=3), id="at-least-less"),
    pytest.param(one(format="date"), one(format="time"), id="other-format"),
    pytest.param(one(pattern="a"), one(type="string"), id="pattern-gone"),
    pytest.param(one(default=1), one(default=2), id="default"),
    pytest.param(one(default=1), one(default=True), id="true-is-not-1"),
    pytest.param(opened(TOWN), opened(closed(name="string")), id="one-less-but-open"),
    pytest.param(
        TOWN,
        {**closed(name="string", mayor="string", x="null"), "required": ["name"]},
        id="one-more-but-optional",
    ),
    pytest.param(closed(value="string"), closed(colour="string"), id="none-in-common"),
    pytest.param(TOWN, {**TOWN, "additionalProperties": {"type": "null"}}, id="extras"),
    pytest.param(TOWN, {**TOWN, "not": {"required": ["x"]}}, id="other-keyword"),
    pytest.param(TOWN, True, id="true"),
    pytest.param(closed(a=True, b="null"), closed(a=False, b="null"), id="booleans"),
    pytest.param(one(anyOf=[{"type": "null"}]), one(anyOf=[]), id="branches"),
]


@pytest.mark.parametrize(("old", "new"), SEEN)
def test_what_validation_sees_is_left_to_it(old: Json, new: Json) -> None:
    assert is_judged_by_validation(ask(new), ask(old))


@pytest.mark.parametrize(("old", "new"), NOT_SEEN)
def test_what_validation_cannot_see_is_refused(old: Json, new: Json) -> None:
    assert not is_judged_by_validation(ask(new), ask(old))


def test_another_name_of_the_schema_is_refused() -> None:
    assert not is_judged_by_validation(ask(TOWN, "b"), ask(TOWN, "a"))


def test_a_changed_note_is_refused_under_a_schema_too() -> None:
    def noted(note: str) -> Asked:
        keys = f"{TEXT} Return only JSON with keys name, mayor ({note})."
        made = asked(keys, under(TOWN))
        assert made is not None
        return made

    assert is_judged_by_validation(noted("a woman"), noted("a woman"))
    assert not is_judged_by_validation(noted("a woman"), noted("a man"))


def test_a_schema_and_none_are_not_compared() -> None:
    free = asked(TEXT, {"response_format": {"type": "json_object"}})
    assert free is not None
    assert is_judged_by_validation(free, free)
    town = asked(TEXT, {"json_schema": TOWN})
    assert town is not None
    assert not is_judged_by_validation(free, town)
    assert not is_judged_by_validation(town, free)


@pytest.mark.parametrize(
    ("old", "new", "is_seen"),
    [
        pytest.param("name, age", "age, name", True, id="order"),
        pytest.param("name, age", "name, age, town", True, id="one-more"),
        pytest.param("firstName, age", "first_name, age", True, id="style"),
        pytest.param("name, age, town", "name, age", False, id="one-less"),
        pytest.param("name, age", "title, year", False, id="others"),
        pytest.param("name, age (years)", "name, age (days)", False, id="note"),
        pytest.param("name, age", "name, age (or null)", False, id="null"),
    ],
)
def test_keys_in_words_are_compared(old: str, new: str, is_seen: bool) -> None:
    before = asked(f"Return only JSON with keys {old}.", {})
    after = asked(f"Return only JSON with keys {new}.", {})
    assert before is not None
    assert after is not None
    assert is_judged_by_validation(after, before) is is_seen
