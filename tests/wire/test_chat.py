"""Requests of the shapes we know are understood, all others are left alone."""

import pytest

from stepcache_proxy.wire.chat import (
    is_text_content,
    is_well_formed,
    text_of,
    wants_stream,
    wants_usage,
)
from stepcache_proxy.wire.jsonvalue import Json

USER: Json = {"role": "user", "content": "a"}
TEXT: Json = {"type": "text", "text": "a"}


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [
        pytest.param("chat", {"model": "m", "messages": [USER]}, id="chat"),
        pytest.param("chat", {"messages": [USER]}, id="no model"),
        pytest.param("completions", {"prompt": "a"}, id="prompt"),
        pytest.param("completions", {"prompt": [1, 2]}, id="tokens"),
    ],
)
def test_a_known_shape_is_well_formed(endpoint: str, body: dict[str, Json]) -> None:
    assert is_well_formed(endpoint, body)


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [
        pytest.param("chat", {"model": 3, "messages": [USER]}, id="model is a number"),
        pytest.param("chat", {}, id="no messages"),
        pytest.param("chat", {"messages": []}, id="empty messages"),
        pytest.param("chat", {"messages": "a"}, id="messages is a string"),
        pytest.param("chat", {"messages": ["a"]}, id="message is a string"),
        pytest.param("chat", {"messages": [{"content": "a"}]}, id="no role"),
        pytest.param("completions", {}, id="no prompt"),
        pytest.param("completions", {"prompt": 3}, id="prompt is a number"),
    ],
)
def test_another_shape_is_the_upstreams(endpoint: str, body: dict[str, Json]) -> None:
    assert not is_well_formed(endpoint, body)


@pytest.mark.parametrize(
    ("content", "is_text", "text"),
    [
        pytest.param(None, True, "", id="null"),
        pytest.param("a", True, "a", id="string"),
        pytest.param([TEXT, TEXT], True, "a\n\na", id="parts"),
        pytest.param([], True, "", id="no parts"),
        pytest.param([TEXT, {"type": "file"}], False, "a", id="a file beside"),
        pytest.param([{"type": "text", "text": 3}], False, "", id="text is a number"),
        pytest.param(["a"], False, "", id="part is a string"),
        pytest.param(3, False, "", id="number"),
    ],
)
def test_the_text_of_a_content(content: Json, is_text: bool, text: str) -> None:
    assert is_text_content(content) is is_text
    assert text_of(content) == text


@pytest.mark.parametrize("value", [None, False, 1, "true"])
def test_only_true_asks_for_a_stream(value: Json) -> None:
    assert wants_stream({"stream": True})
    assert not wants_stream({"stream": value})


@pytest.mark.parametrize("value", [None, False, 1, "true"])
def test_only_true_asks_for_usage(value: Json) -> None:
    assert wants_usage({"stream_options": {"include_usage": True}})
    assert not wants_usage({"stream_options": {"include_usage": value}})
    assert not wants_usage({"stream_options": value})
