"""What cannot be given back from text, or is unread, is passed through by name."""

import pytest
from hypothesis import given

from stepcache_proxy.reuse.canonical import IGNORED
from stepcache_proxy.reuse.eligible import NOT_CACHEABLE, is_sampled, reason_against
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import body_of
from tests.strategies import json_values

FORBIDDEN: dict[str, Json] = {"n": 2, "n_cmpl": 2, "best_of": 3}
ALLOWED: list[tuple[str, Json]] = [
    ("n", 1),
    ("n", 1.0),
    ("best_of", 1),
    ("logprobs", False),
    ("top_logprobs", 0),
    ("echo", False),
    ("suffix", ""),
    ("continue_final_message", False),
    ("verbose", False),
    ("modalities", ["text"]),
    ("modalities", "audio"),
    ("stream_options", {"include_usage": True}),
    ("stream_options", {"continuous_usage_stats": False}),
    ("stream_options", []),
    ("stream", True),
    ("stream", False),
    ("field_of_2031", 1),
]


@pytest.mark.parametrize("field", sorted(NOT_CACHEABLE))
def test_a_forbidden_field_is_named(field: str) -> None:
    body = body_of("a", **{field: FORBIDDEN.get(field, True)})
    assert reason_against("chat", body) == f"param:{field}"
    assert reason_against("completions", body) == f"param:{field}"


@pytest.mark.parametrize("field", [*sorted(NOT_CACHEABLE), "stream", "modalities"])
def test_null_is_absent(field: str) -> None:
    assert reason_against("chat", body_of("a", **{field: None})) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [pytest.param(f, v, id=f"{f}={v}") for f, v in ALLOWED],
)
def test_what_changes_no_form_is_eligible(field: str, value: Json) -> None:
    assert reason_against("chat", body_of("a", **{field: value})) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("n", True, id="n=true"),
        pytest.param("n", "1", id="n in quotes"),
        pytest.param("logprobs", 0, id="logprobs=0 asks for the chosen ones"),
        pytest.param("modalities", ["text", "audio"], id="audio out"),
        pytest.param("stream_options", {"continuous_usage_stats": True}, id="usage"),
        pytest.param("stream", 1, id="a form that servers read differently"),
        pytest.param("stream", "true", id="stream in quotes"),
    ],
)
def test_a_strange_value_is_not_eligible(field: str, value: Json) -> None:
    assert reason_against("chat", body_of("a", **{field: value})) == f"param:{field}"


@given(json_values)
def test_an_ignored_field_never_forbids(value: Json) -> None:
    fields = dict.fromkeys(IGNORED - {"stream", "stream_options"}, value)
    assert reason_against("chat", body_of("a", **fields)) is None


DATA: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
BARE: Json = {"type": "image_url", "image_url": "data:image/png;base64,AA"}
REMOTE: Json = {"type": "image_url", "image_url": {"url": "http://a.test/cat.png"}}


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        pytest.param([{"type": "text", "text": "a"}], None, id="text"),
        pytest.param([DATA], None, id="picture in the request"),
        pytest.param([BARE], None, id="picture as a string"),
        pytest.param([REMOTE], "content:image_url", id="picture elsewhere"),
        pytest.param(
            [{"type": "text", "text": "a"}, {"type": "input_audio"}],
            "content:input_audio",
            id="audio",
        ),
        pytest.param([{"type": "file"}], "content:file", id="file"),
        pytest.param([{"type": "hologram"}], "content:part", id="unknown"),
        pytest.param([{"type": 3}], "content:part", id="no name"),
        pytest.param(["a"], "content:part", id="no part"),
        pytest.param([{"type": "image_url"}], "content:image_url", id="no picture"),
    ],
)
def test_a_part_that_may_change_by_itself_is_named(
    parts: list[Json], reason: str | None
) -> None:
    earlier: Json = [
        {"role": "user", "content": parts},
        {"role": "user", "content": ""},
    ]
    assert reason_against("chat", body_of(messages=earlier)) == reason
    assert reason_against("completions", body_of(messages=earlier)) is None


def test_a_half_written_answer_is_not_ours() -> None:
    messages: Json = [{"role": "assistant", "content": "So"}]
    assert reason_against("chat", body_of(messages=messages)) == "param:messages"


def test_a_prompt_is_eligible() -> None:
    assert reason_against("completions", {"prompt": "a"}) is None


@pytest.mark.parametrize(
    ("fields", "sampled"),
    [
        pytest.param({"temperature": 0}, False, id="0"),
        pytest.param({"temperature": 0.0}, False, id="0.0"),
        pytest.param({"temperature": 0.01}, True, id="above 0"),
        pytest.param({"temperature": None}, True, id="null"),
        pytest.param({"temperature": "0"}, True, id="in quotes"),
        pytest.param({}, True, id="absent"),
    ],
)
def test_only_a_stated_zero_is_greedy(fields: dict[str, Json], sampled: bool) -> None:
    assert is_sampled(fields) is sampled
