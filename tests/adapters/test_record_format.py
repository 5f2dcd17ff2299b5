"""What was stored comes back unchanged, and nothing else comes back at all."""

from array import array
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.record_format import (
    decode_line,
    decode_record,
    decode_vector,
    encode_line,
    encode_record,
    encode_vector,
    expires_at,
)
from stepcache_proxy.reuse.model import Answer, Provenance, Record
from tests.adapters.samples import record

words = st.text(st.characters(codec="utf-8"), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner),
    max_leaves=8,
)
json_objects = st.dictionaries(words, json_values, max_size=4)
answers = st.builds(
    Answer,
    content=st.none() | words,
    finish_reason=words,
    model=words,
    usage=json_objects,
    message=json_objects,
    choice=json_objects,
    envelope=json_objects,
    is_streamed=st.booleans(),
)
records = st.builds(
    replace,
    st.just(record()),
    text=words,
    format=json_objects,
    answer=answers,
    parameters=st.dictionaries(words, words, max_size=3),
    steps=st.lists(words, max_size=4).map(tuple),
    task=st.none() | words,
    is_proved=st.booleans(),
    is_exact_only=st.booleans(),
    provenance=st.sampled_from(Provenance),
    created=st.floats(0, 4e9),
    ttl_seconds=st.integers(1, 2_592_000),
)


def stored(of: Record) -> bytes:
    raw = encode_record(of)
    assert raw is not None
    return raw


@given(records)
def test_a_record_comes_back_unchanged(before: Record) -> None:
    assert decode_record(stored(before)) == before


@given(records, st.binary(max_size=12))
def test_an_exported_record_comes_back_unchanged(before: Record, vector: bytes) -> None:
    line = encode_line(before, vector, 5)
    assert line is not None
    assert b"\n" not in line
    assert decode_line(line) == (before, vector)


@given(st.lists(words, max_size=6))
def test_steps_of_an_answer_are_kept_as_lengths(steps: list[str]) -> None:
    whole = replace(record().answer, content="".join(steps))
    before = replace(record(), answer=whole, steps=tuple(steps))
    raw = stored(before)
    assert decode_record(raw) == before
    assert raw.count(b'"steps":["') == 0


def test_a_record_of_an_older_version_is_read() -> None:
    line = encode_line(record(), b"", 5)
    assert line is not None
    older = line.replace(b'"steps":[5,4]', b'"steps":["One. ","Two."]')
    assert older != line
    assert decode_line(older) == (record(), b"")


def test_the_generation_of_the_store_wins() -> None:
    after = decode_record(stored(record()), generation=7)
    assert after is not None
    assert after.generation == 7


@given(st.data())
def test_a_record_with_a_changed_byte_is_unreadable(data: st.DataObject) -> None:
    raw = bytearray(stored(record()))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    assert decode_record(bytes(raw)) is None


@given(st.integers(0, len(stored(record())) - 1))
def test_a_cut_record_is_unreadable(length: int) -> None:
    assert decode_record(stored(record())[:length]) is None


@given(st.binary(max_size=200))
def test_foreign_bytes_are_unreadable(raw: bytes) -> None:
    assert decode_record(raw) is None
    assert decode_line(raw) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b'"format":1', b'"format":2', id="another version"),
        pytest.param(b'"is_proved":true', b'"is_proved":1', id="a number for a bool"),
        pytest.param(b'"ttl_seconds":600', b'"ttl_seconds":true', id="a bool"),
        pytest.param(b'"created":1', b'"created":"1"', id="text for a time"),
        pytest.param(b'"steps":[5,4]', b'"steps":[5,5]', id="steps beyond the answer"),
        pytest.param(b'"steps":[5,4]', b'"steps":[5]', id="steps of a part of it"),
        pytest.param(b'"steps":[5,4]', b'"steps":[-1,10]', id="a negative length"),
        pytest.param(
            b'"steps":[5,4]', b'"steps":["One. ",4]', id="a text and a length"
        ),
        pytest.param(b'"provenance":"fresh"', b'"provenance":"x"', id="provenance"),
        pytest.param(b'"task":"verbatim"', b'"task":[]', id="a list for a task"),
        pytest.param(b'"text":', b'"words":', id="a field is missing"),
        pytest.param(b'"vector":""', b'"vector":"*"', id="a vector not in base64"),
        pytest.param(b'"vector":""', b'"vector":null', id="no vector text"),
        pytest.param(b'"record":{', b'"record":1,"x":{', id="no record"),
    ],
)
def test_a_line_of_another_shape_is_unreadable(old: bytes, new: bytes) -> None:
    line = encode_line(record(), b"", 5)
    assert line is not None
    assert decode_line(line) is not None
    assert old in line
    assert decode_line(line.replace(old, new)) is None


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("\ud800", id="half a character"),
        pytest.param(2**70, id="a number beyond 64 bits"),
    ],
)
def test_what_json_cannot_hold_has_no_stored_form(value: str | int) -> None:
    assert encode_record(replace(record(), format={"x": value})) is None


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=8))
def test_a_vector_comes_back_unchanged(floats: list[float]) -> None:
    raw = encode_vector(floats, "model-a")
    assert decode_vector(raw, "model-a") == array("f", floats)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(encode_vector([1.0], "model-b"), id="another model"),
        pytest.param(encode_vector([1.0], "model-a")[:-1], id="cut"),
        pytest.param(encode_vector([], "model-a"), id="no numbers"),
    ],
)
def test_a_foreign_vector_is_unreadable(raw: bytes) -> None:
    assert decode_vector(raw, "model-a") is None


def test_a_record_ends_after_its_ttl() -> None:
    assert expires_at(record(created=100.5, ttl_seconds=10)) == 110.5
