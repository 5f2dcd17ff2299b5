"""A schema is compiled once, judged by its draft, never fetched, always bounded."""

import json
import socket
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.json_object.keywords import key_of
from stepcache_proxy.tasks.json_object.reading import Document, read
from stepcache_proxy.tasks.json_object.schema import (
    CompiledSchema,
    InvalidSchema,
    Schema,
    SchemaShelf,
)
from tests.tasks.json_object.asks import closed
from tests.tasks.json_object.test_reading import VALUES

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"


def judged(schema: Schema, text: str) -> Verdict:
    compiled = SchemaShelf().compiled(schema)
    assert isinstance(compiled, CompiledSchema)
    document = read(text)
    assert isinstance(document, Document)
    return compiled.check(document.value, len(text))


@pytest.mark.parametrize(
    ("schema", "text", "is_valid"),
    [
        pytest.param({"type": "integer"}, "3.0", True, id="3.0-is-an-integer-now"),
        pytest.param(
            {"$schema": DRAFT_4, "type": "integer"}, "3.0", False, id="in-draft-4-not"
        ),
        pytest.param(
            {"$schema": DRAFT_4, "minimum": 1, "exclusiveMinimum": True},
            "1",
            False,
            id="draft-4-exclusive",
        ),
        pytest.param(
            {"$schema": DRAFT_7, "$ref": "#/definitions/a", "definitions": {"a": {}}},
            "1",
            True,
            id="definitions",
        ),
        pytest.param(
            {"$schema": DRAFT_2019, "dependentRequired": {"a": ["b"]}},
            '{"a": 1}',
            False,
            id="2019-dependent",
        ),
        pytest.param({"prefixItems": [{"type": "null"}]}, "[1]", False, id="2020"),
        pytest.param({"multipleOf": 0.01}, "0.07", True, id="decimal-multiple"),
        pytest.param({"multipleOf": 0.01}, "0.075", False, id="no-multiple"),
        pytest.param({"multipleOf": 0.1}, "9" * 4000, True, id="large-multiple"),
        pytest.param({"multipleOf": 1e-300}, "1e300", True, id="far-multiple"),
        pytest.param({"uniqueItems": True}, "[1, true, 1.5]", True, id="true-is-not-1"),
        pytest.param({"uniqueItems": True}, "[1, 1.0]", False, id="1-is-1.0"),
        pytest.param(
            {"uniqueItems": True}, '[{"a":1,"b":2},{"b":2,"a":1}]', False, id="objects"
        ),
        pytest.param({"enum": [1, "a"]}, "true", False, id="enum-true-is-not-1"),
        pytest.param({"enum": [1, "a"]}, "1.0", True, id="enum-1.0"),
        pytest.param({"const": {"a": [1]}}, '{"a": [1]}', True, id="const"),
        pytest.param({"const": None}, "0", False, id="const-null"),
        pytest.param({"format": "date"}, '"2024-13-01"', False, id="format"),
        pytest.param({"format": "date"}, "7", True, id="format-of-a-number"),
        pytest.param({"pattern": "^a"}, '"b"', False, id="pattern"),
        pytest.param({"pattern": "^a"}, "1", True, id="pattern-of-a-number"),
        pytest.param(
            {"patternProperties": {"^n_": {"type": "number"}}},
            '{"n_a": "x"}',
            False,
            id="pattern-properties",
        ),
        pytest.param(
            {"patternProperties": {"^n_": {}}, "additionalProperties": False},
            '{"n_a": 1, "m": 2}',
            False,
            id="beside-pattern-properties",
        ),
        pytest.param(
            {"additionalProperties": {"type": "string"}}, '{"a": 1}', False, id="extras"
        ),
        pytest.param({"patternProperties": {"a": {}}}, "[]", True, id="not-an-object"),
        pytest.param({"additionalProperties": False}, "[]", True, id="no-members"),
        pytest.param(
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            '{"a": 1, "b": 2}',
            False,
            id="unevaluated",
        ),
        pytest.param(False, "1", False, id="false"),
        pytest.param(True, "1", True, id="true"),
        pytest.param(
            {"$id": "http://a.example/x", "$ref": "y", "$defs": {"y": {"$id": "y"}}},
            "1",
            True,
            id="own-id",
        ),
    ],
)
def test_a_value_is_judged_by_the_draft(
    schema: Schema, text: str, is_valid: bool
) -> None:
    assert isinstance(judged(schema, text), Accept if is_valid else Reject)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to open a socket fails the test."""

    def refuse(*_: object, **__: object) -> NoReturn:
        pytest.fail("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": "http://127.0.0.1:9/s.json"}, id="remote"),
        pytest.param({"$ref": "file:///etc/passwd"}, id="file"),
        pytest.param(
            {"$id": "http://a.example/x", "$ref": "other.json"}, id="relative-to-id"
        ),
        pytest.param({"$dynamicRef": "http://127.0.0.1:9/s#a"}, id="dynamic"),
        pytest.param({"$ref": DRAFT_7}, id="meta-schema"),
        pytest.param({"$schema": "http://127.0.0.1:9/draft"}, id="unknown-draft"),
    ],
)
def test_nothing_is_fetched_and_the_verdict_is_unknown(schema: Schema) -> None:
    assert isinstance(judged(schema, '{"a": 1}'), Unknown)


def branching(depth: int) -> Schema:
    """Five ways at each of ``depth`` turns, none of which leads anywhere."""
    turns = {
        f"t{i}": {"anyOf": [{"$ref": f"#/$defs/t{i + 1}"}] * 5} for i in range(depth)
    }
    return {"$ref": "#/$defs/t0", "$defs": {**turns, f"t{depth}": {"type": "null"}}}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param({"$ref": "#"}, "{}", id="refers-to-itself"),
        pytest.param(
            {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            },
            "{}",
            id="cycle",
        ),
        pytest.param({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, "{}", id="fork"),
        pytest.param(branching(30), "1", id="exponential"),
        pytest.param({"$ref": "#/title", "title": "x"}, "{}", id="ref-to-a-title"),
        pytest.param({"$ref": "#/nowhere"}, "{}", id="ref-to-nowhere"),
        pytest.param({"pattern": r"(a)\1"}, '"aa"', id="back-reference"),
        pytest.param({"format": "iri"}, '"http://é"', id="format-without-tables"),
        pytest.param(
            {"items": {"$schema": DRAFT_7, "pattern": "(a+)+$"}}, '["b"]', id="drafts"
        ),
        pytest.param(
            {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
            '{"b": 1}',
            id="unevaluated-beside-patterns",
        ),
        pytest.param({"title": "x" * 200_000}, "{}", id="large-schema"),
        pytest.param(
            {"anyOf": [{"const": n} for n in range(9_000)]}, "{}", id="wide-schema"
        ),
        pytest.param(
            {"enum": ["x" * 100_000]}, '"' + "y" * 100_000 + '"', id="both-large"
        ),
    ],
)
def test_what_cannot_be_judged_is_unknown(schema: Schema, text: str) -> None:
    assert isinstance(judged(schema, text), Unknown)


def test_a_schema_nested_too_deep_is_not_understood() -> None:
    schema: Schema = {}
    for _ in range(200):
        schema = {"items": schema}
    assert isinstance(judged(schema, "[]"), Unknown)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "text"}, id="unknown-type"),
        pytest.param({"required": "a"}, id="required-is-a-list"),
        pytest.param({"properties": {"a": 3}}, id="property-is-a-number"),
        pytest.param({"$schema": DRAFT_4, "enum": []}, id="draft-4-empty-enum"),
        pytest.param({"multipleOf": 0}, id="multiple-of-zero"),
    ],
)
def test_a_wrong_schema_is_told(schema: Schema) -> None:
    assert isinstance(SchemaShelf().compiled(schema), InvalidSchema)


def test_the_same_draft_named_again_inside_is_fine() -> None:
    schema: Schema = {"$schema": DRAFT_7, "items": {"$schema": DRAFT_7, "type": "null"}}
    assert isinstance(judged(schema, "[null]"), Accept)
    assert isinstance(judged(schema, "[1]"), Reject)


def test_a_reason_names_the_place_and_is_short() -> None:
    inner = closed(names={"type": "array", "items": {"type": "string"}})
    verdict = judged(closed(town=inner), '{"town": {"names": ["a", 2]}}')
    assert isinstance(verdict, Reject)
    assert verdict.reason.startswith("/town/names/1: ")
    long = judged({"maxLength": 1}, json.dumps("y" * 50_000))
    assert isinstance(long, Reject)
    assert len(long.reason) <= 200


def test_a_schema_is_compiled_once() -> None:
    shelf = SchemaShelf()
    assert shelf.compiled({"type": "null"}) is shelf.compiled({"type": "null"})
    assert len(shelf) == 1


def test_the_shelf_forgets_the_least_used_in_number_and_bytes() -> None:
    few = SchemaShelf(most=2)
    first = few.compiled({"minimum": 0})
    few.compiled({"minimum": 1})
    assert few.compiled({"minimum": 0}) is first
    few.compiled({"minimum": 2})
    assert few.compiled({"minimum": 0}) is first
    assert len(few) == 2

    small = SchemaShelf(most_bytes=100)
    for letter in "abcdef":
        small.compiled({"title": letter * 40})
    assert len(small) == 1


def test_integers_with_equal_hashes_are_told_apart() -> None:
    same_hash = [n * (2**61 - 1) for n in range(1, 50)]
    keys = [key_of(number) for number in same_hash]
    assert len(set(keys)) == len(keys)
    assert len({hash(key) for key in keys}) > 40


SCHEMAS = st.recursive(
    st.booleans()
    | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", "integer", 3]),
            "pattern": st.text(max_size=6),
            "format": st.sampled_from(["date", "uri", "regex", ""]),
            "enum": st.lists(VALUES, max_size=3),
            "minimum": st.integers(),
            "$ref": st.sampled_from(["#", "#/properties/a", "http://x/", "%", "#/"]),
            "required": st.lists(st.sampled_from("ab"), max_size=2),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "patternProperties": st.dictionaries(st.text(max_size=3), inner),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "not": inner,
            "$defs": st.dictionaries(st.sampled_from("ab"), inner, max_size=1),
            "unevaluatedProperties": inner,
        },
    ),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_no_schema_and_no_value_raise(schema: Schema, value: object) -> None:
    compiled = SchemaShelf().compiled(schema)
    document = read(json.dumps(value))
    if isinstance(compiled, CompiledSchema) and isinstance(document, Document):
        verdict = compiled.check(document.value, 10)
        assert isinstance(verdict, Accept | Reject | Unknown)
