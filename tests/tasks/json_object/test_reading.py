"""Text is read as JSON strictly and within bounds, and written back unharmed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Reject, Unknown
from stepcache_proxy.tasks.json_object.reading import MAX_CHARS, Document, read, write

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def reread(text: str) -> str:
    document = read(text)
    assert isinstance(document, Document)
    return write(document.value)


@given(VALUES)
def test_a_value_survives_reading_and_writing(value: object) -> None:
    assert json.loads(reread(json.dumps(value))) == value


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert isinstance(read(text), Document | Reject | Unknown)


@pytest.mark.parametrize(
    "number", ["0.10", "1E5", "2.0", "-1.50e-3", "12345678901234567890123"]
)
def test_a_number_keeps_its_digits(number: str) -> None:
    assert reread(f"[{number}]") == f"[{number}]"


def test_text_beyond_ascii_is_written_as_itself() -> None:
    assert reread('{"caf\\u00e9": "\\ud83d\\ude00"}') == '{"café": "😀"}'


def test_a_lone_surrogate_stays_an_escape() -> None:
    assert reread('"\\ud800é"').encode() == b'"\\ud800\\u00e9"'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a": 1, "a": 1}', id="key-twice"),
        pytest.param('{"a": NaN}', id="nan"),
        pytest.param("-Infinity", id="infinity"),
        pytest.param('{"a": 1} {"a": 1}', id="two-values"),
        pytest.param('{"a": 1,}', id="comma"),
        pytest.param("{'a': 1}", id="single-quotes"),
        pytest.param('```json\n{"a": 1}\n```', id="fence"),
        pytest.param('{"a": "\n"}', id="raw-newline"),
        pytest.param("", id="empty"),
        pytest.param("[01]", id="leading-zero"),
    ],
)
def test_what_json_forbids_is_rejected(text: str) -> None:
    assert isinstance(read(text), Reject)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="brackets"),
        pytest.param('{"a":' * 101 + "1" + "}" * 101, id="depth-101"),
        pytest.param("[1e999999]", id="infinite"),
        pytest.param("9" * 5_000, id="digits"),
        pytest.param('"' + "x" * 10_000_000 + '"', id="ten-megabytes"),
    ],
)
def test_what_is_out_of_bounds_is_unknown(text: str) -> None:
    assert isinstance(read(text), Unknown)


def test_a_value_within_the_bounds_is_read() -> None:
    assert isinstance(read('"' + "x" * (MAX_CHARS - 2) + '"'), Document)
    assert isinstance(read("[" * 100 + "]" * 100), Document)


def test_a_container_shows_itself_briefly() -> None:
    document = read('{"a": ["' + "x" * 5_000 + '"]}')
    assert isinstance(document, Document)
    assert len(repr(document.value)) < 10
