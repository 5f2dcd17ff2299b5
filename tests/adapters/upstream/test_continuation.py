"""A prompt with a prefix becomes a body that the server continues, format and all."""

import pytest

from stepcache_proxy.adapters.upstream.continuation import Manner, body_for
from stepcache_proxy.adapters.upstream.kinds import Kind
from stepcache_proxy.reuse.protocols import Prompt
from stepcache_proxy.wire.jsonvalue import Json

STEM = "1. First step"
USER: Json = {"role": "user", "content": "solve"}
SCHEMA: Json = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}


def chat_body(manner: Manner, kind: Kind = "openai", **fields: Json) -> dict[str, Json]:
    body: dict[str, Json] = {"model": "m", "messages": [USER], **fields}
    return dict(body_for(Prompt("chat", body, [], STEM), manner, kind, STEM))


@pytest.mark.parametrize(
    ("kind", "manner", "kept"),
    [
        pytest.param("llamacpp", Manner.CONTINUE, True, id="llama.cpp advances it"),
        pytest.param("vllm", Manner.CONTINUE, False, id="vLLM begins it anew"),
        pytest.param("llamacpp", Manner.INSTRUCT, False, id="instructed"),
        pytest.param("vllm", Manner.FULL, True, id="full answer"),
    ],
)
def test_a_format_goes_along_where_it_fits_the_rest(
    kind: Kind, manner: Manner, kept: bool
) -> None:
    body = chat_body(manner, kind, response_format=SCHEMA)
    assert ("response_format" in body) is kept


def test_a_grammar_of_the_user_is_never_continued() -> None:
    assert "grammar" not in chat_body(Manner.CONTINUE, "llamacpp", grammar="root ::=")


def test_an_instruction_stands_inside_the_last_user_message() -> None:
    messages = chat_body(Manner.INSTRUCT)["messages"]
    assert isinstance(messages, list)
    (message,) = messages
    assert isinstance(message, dict)
    said = message["content"]
    assert isinstance(said, str)
    assert said.startswith("solve\n\n")
    assert f"<answer_so_far>\n{STEM}\n</answer_so_far>" in said


@pytest.mark.parametrize(
    "last",
    [
        pytest.param({"role": "user", "content": [{"type": "text"}]}, id="parts"),
        pytest.param({"role": "system", "content": "x"}, id="no user message"),
    ],
)
def test_an_instruction_is_else_a_message_of_its_own(last: Json) -> None:
    messages = chat_body(Manner.INSTRUCT, messages=[last])["messages"]
    assert isinstance(messages, list)
    assert messages[0] == last
    assert len(messages) == 2


def test_limits_are_lowered_by_what_the_prefix_takes() -> None:
    body = chat_body(Manner.CONTINUE, "vllm", max_tokens=50, max_completion_tokens=2)
    assert body["max_tokens"] == 50 - len(STEM) // 4
    assert body["max_completion_tokens"] == 1


def test_a_completion_is_continued_by_its_prompt() -> None:
    body: dict[str, Json] = {"prompt": "Q: ", "max_tokens": 50}
    prompt = Prompt("completions", body, [], STEM)
    sent = body_for(prompt, Manner.CONTINUE, "openai", STEM)
    assert sent["prompt"] == "Q: " + STEM
    assert "continue_final_message" not in sent


def test_the_clients_stream_options_stay() -> None:
    body = chat_body(Manner.FULL, stream=False, stream_options={"odd": 1})
    assert body["stream"] is True
    assert body["stream_options"] == {"odd": 1, "include_usage": True}
