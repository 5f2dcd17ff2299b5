"""An answer is read whole, field for field, from frames or a body, or not at all."""

from collections.abc import Mapping

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.assemble import StreamAssembler, read_whole
from stepcache_proxy.wire.jsonvalue import Json
from stepcache_proxy.wire.sse import DONE, Frame, FrameSplitter, encode

HEAD: dict[str, Json] = {
    "id": "c1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "system_fingerprint": "f",
}
ENVELOPE = {"object": "chat.completion.chunk", "system_fingerprint": "f"}


def chunk(delta: Mapping[str, Json], finish: str | None = None, **rest: Json) -> bytes:
    choice: dict[str, Json] = {"index": 0, "delta": delta, "finish_reason": finish}
    return encode({**HEAD, "choices": [choice], **rest})


def assembled(*frames: bytes, endpoint: str = "chat") -> StreamAssembler:
    assembler = StreamAssembler(endpoint)
    splitter = FrameSplitter()
    for frame in splitter.push(b"".join(frames)):
        assembler.push(frame)
    return assembler


def answer_of(*frames: bytes, endpoint: str = "chat") -> Answer:
    answer = assembled(*frames, endpoint=endpoint).finish()
    assert answer is not None
    return answer


ROLE = chunk({"role": "assistant", "content": ""})
STOP = chunk({}, "stop")


def test_a_plain_stream_is_an_answer() -> None:
    usage: dict[str, Json] = {"prompt_tokens": 3, "completion_tokens": 2}
    answer = answer_of(
        b": keep-alive\n\n",
        ROLE,
        chunk({"content": "Hé"}),
        chunk({"content": "llo"}),
        STOP,
        encode({**HEAD, "choices": [], "usage": usage}),
        DONE,
    )
    assert answer == Answer(
        content="Héllo",
        finish_reason="stop",
        model="m",
        usage=usage,
        message={"role": "assistant"},
        envelope=ENVELOPE,
        is_streamed=True,
    )


@given(st.lists(st.text(max_size=5), max_size=8))
def test_the_pieces_pushed_join_to_the_text(texts: list[str]) -> None:
    assembler = StreamAssembler("chat")
    new = [assembler.push(Frame(chunk({"content": text}))) for text in texts]
    assert new == texts
    assert assembler.text_so_far == "".join(texts)


def test_a_null_is_kept_until_there_is_more() -> None:
    first = chunk({"role": "assistant", "refusal": None, "audio": None})
    answer = answer_of(first, chunk({"refusal": "no"}), STOP, DONE)
    assert answer.message == {"role": "assistant", "refusal": "no", "audio": None}


def test_a_choice_may_come_without_a_delta() -> None:
    bare: Json = {"index": 0, "delta": None, "finish_reason": "stop"}
    answer = answer_of(chunk({"content": "x"}), encode({"choices": [bare]}), DONE)
    assert answer.content == "x"


def test_the_finish_chunk_may_carry_text_and_usage() -> None:
    usage: dict[str, Json] = {"completion_tokens": 2}
    answer = answer_of(ROLE, chunk({"content": "x"}, "length", usage=usage), DONE)
    assert (answer.content, answer.finish_reason) == ("x", "length")
    assert answer.usage == usage


def test_the_last_of_continuous_usage_counts() -> None:
    first = chunk({"content": "x"}, usage={"completion_tokens": 1})
    last = chunk({}, "stop", usage={"completion_tokens": 2})
    assert answer_of(first, last, DONE).completion_tokens == 2


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "refusal"])
def test_text_beside_the_content_keeps_its_name(name: str) -> None:
    answer = answer_of(
        chunk({"role": "assistant", "content": None}),
        chunk({name: "let "}),
        chunk({name: "me", "content": None}),
        chunk({"content": "4"}),
        STOP,
        DONE,
    )
    assert answer.content == "4"
    assert answer.message == {"role": "assistant", name: "let me"}


def test_fragments_of_tool_calls_are_merged_by_index() -> None:
    def part(index: int, **fields: Json) -> bytes:
        return chunk({"tool_calls": [{"index": index, **fields}]})

    answer = answer_of(
        ROLE,
        part(1, id="b", type="function", function={"name": "g", "arguments": ""}),
        part(0, id="a", type="function", function={"name": "f", "arguments": '{"x"'}),
        part(0, id="a", function={"name": "f", "arguments": ": 1}"}),
        part(1, function={"arguments": "{}"}),
        chunk({}, "tool_calls"),
        DONE,
    )
    assert answer.content is None
    assert answer.message["tool_calls"] == [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "f", "arguments": '{"x": 1}'},
        },
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]


def test_fields_of_choice_and_envelope_are_kept_and_null_replaces_nothing() -> None:
    choice: dict[str, Json] = {
        "index": 0,
        "delta": {},
        "finish_reason": "stop",
        "stop_reason": 7,
        "token_ids": None,
    }
    answer = answer_of(
        encode({**HEAD, "choices": [choice], "service_tier": "s", "timings": {"a": 1}}),
        encode(
            {**HEAD, "choices": [], "service_tier": None, "system_fingerprint": None}
        ),
        DONE,
    )
    assert answer.choice == {"stop_reason": 7, "token_ids": None}
    assert answer.envelope == {**ENVELOPE, "service_tier": "s"}


def test_a_completion_is_read_from_its_text() -> None:
    def piece(text: str, finish: str | None = None) -> bytes:
        choice: dict[str, Json] = {"index": 0, "text": text, "finish_reason": finish}
        return encode({"model": "m", "choices": [choice]})

    answer = answer_of(piece("a"), piece("b", "stop"), DONE, endpoint="completions")
    assert (answer.content, answer.message) == ("ab", {})


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param([ROLE, chunk({"content": "x"}), DONE], id="no finish chunk"),
        pytest.param([ROLE, chunk({"content": "x"}, ""), DONE], id="empty finish"),
        pytest.param([ROLE, STOP], id="no end"),
        pytest.param([encode({"error": {"message": "x"}}), STOP, DONE], id="error"),
        pytest.param([encode({**HEAD, "error": "x"}), STOP, DONE], id="error text"),
        pytest.param([b"data: {\n\n", STOP, DONE], id="no JSON"),
        pytest.param([b"data: [1]\n\n", STOP, DONE], id="no object"),
        pytest.param([encode({"choices": {}}), STOP, DONE], id="choices no list"),
        pytest.param([encode({"choices": [1]}), STOP, DONE], id="choice no object"),
        pytest.param([encode({"choices": [{}, {}]}), STOP, DONE], id="two choices"),
        pytest.param([encode({"choices": [{"index": 1}]}), STOP, DONE], id="index 1"),
        pytest.param([encode({"choices": [{"delta": 1}]}), STOP, DONE], id="delta"),
        pytest.param([chunk({"content": ["x"]}), STOP, DONE], id="content parts"),
        pytest.param([chunk({"tool_calls": {}}), STOP, DONE], id="calls no list"),
        pytest.param([chunk({"tool_calls": [1]}), STOP, DONE], id="call no object"),
    ],
)
def test_what_cannot_be_read_whole_is_no_answer(frames: list[bytes]) -> None:
    assembler = assembled(*frames)
    assert not assembler.is_complete
    assert assembler.finish() is None


def test_a_part_of_an_oversized_frame_makes_the_answer_incomplete() -> None:
    assembler = assembled(STOP, DONE)
    assembler.push(Frame(b"data: x", is_opaque=True))
    assert assembler.finish() is None


def test_fragments_nested_without_end_do_no_harm() -> None:
    deep = b'{"a":' * 500 + b"1" + b"}" * 500
    raw = b'data: {"choices":[{"index":0,"delta":{"odd":' + deep + b"}}]}\n\n"
    assert answer_of(raw, raw, STOP, DONE).message["odd"]


WHOLE: dict[str, Json] = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "4", "refusal": None},
            "finish_reason": "stop",
            "logprobs": None,
        }
    ],
    "usage": {"completion_tokens": 1},
    "service_tier": None,
}


def test_a_whole_body_is_an_answer() -> None:
    assert read_whole("chat", orjson.dumps(WHOLE)) == Answer(
        content="4",
        finish_reason="stop",
        model="m",
        usage={"completion_tokens": 1},
        message={"role": "assistant", "refusal": None},
        choice={"logprobs": None},
        envelope={"object": "chat.completion", "service_tier": None},
    )


def test_a_whole_completion_is_an_answer() -> None:
    body = b'{"choices":[{"index":0,"text":"ab","finish_reason":"length"}]}'
    answer = read_whole("completions", body)
    assert answer is not None
    assert (answer.content, answer.finish_reason) == ("ab", "length")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"error":{"message":"x"}}', id="error"),
        pytest.param(b'{"choices":[]}', id="no choice"),
        pytest.param(b'{"choices":[{},{}]}', id="two choices"),
        pytest.param(b'{"choices":[1]}', id="choice no object"),
        pytest.param(b'{"choices":[{"message":{"content":"x"}}]}', id="no finish"),
        pytest.param(
            b'{"choices":[{"message":1,"finish_reason":"stop"}]}', id="message"
        ),
        pytest.param(
            b'{"choices":[{"message":{"content":[]},"finish_reason":"stop"}]}',
            id="content parts",
        ),
    ],
)
def test_a_body_that_holds_no_single_answer_is_none(body: bytes) -> None:
    assert read_whole("chat", body) is None
