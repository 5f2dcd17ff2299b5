"""Bytes of strangers are one JSON object or nothing."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.wire.jsonvalue import Json, is_readable, read_object
from tests.strategies import json_values, names


@given(st.dictionaries(names, json_values))
def test_an_object_is_read(value: dict[str, Json]) -> None:
    assert read_object(orjson.dumps(value)) == value


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b"1", b"null", b"{", b'{"a":NaN}', b"\xff"]
)
def test_anything_else_is_nothing(body: bytes) -> None:
    assert read_object(body) is None


@given(st.binary())
def test_reading_never_fails(body: bytes) -> None:
    value = read_object(body)
    assert value is None or isinstance(value, dict)


def test_a_small_text_that_is_a_large_tree_is_not_read() -> None:
    assert is_readable(b'{"x": [1, 2, {"y": []}]}')
    assert not is_readable(b"[" * 100_001)
    assert not is_readable(b"[" + b"1," * 2_000_001 + b"1]")
