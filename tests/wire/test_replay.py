"""A replayed answer has the form of a fresh one and says the same."""

from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.wire import replay
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.assemble import StreamAssembler, read_whole
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from stepcache_proxy.wire.sse import DONE, FrameSplitter
from tests.fakes import answer
from tests.strategies import answers, prose, texts


def streamed(
    given: Answer, endpoint: str = "chat", *, usage: bool = True
) -> list[bytes]:
    return replay.stream(given, endpoint, id_="i", created=5, with_usage=usage)


def whole(given: Answer, endpoint: str = "chat") -> bytes:
    return replay.whole(given, endpoint, id_="i", created=5)


def assembled(frames: list[bytes], endpoint: str = "chat") -> Answer:
    assembler = StreamAssembler(endpoint)
    for frame in FrameSplitter().push(b"".join(frames)):
        assembler.push(frame)
    read = assembler.finish()
    assert read is not None
    return read


def chunks(frames: list[bytes]) -> list[dict[str, Json]]:
    assert frames[-1] == DONE
    return [orjson.loads(frame.removeprefix(b"data: ")) for frame in frames[:-1]]


def choices(frames: list[bytes]) -> list[dict[str, Json]]:
    found = [chunk["choices"] for chunk in chunks(frames)]
    return [choice[0] for choice in found if isinstance(choice, list) and choice]


def deltas(frames: list[bytes]) -> list[JsonObject]:
    found = [choice["delta"] for choice in choices(frames)]
    return [delta for delta in found if isinstance(delta, dict)]


@given(answers())
def test_a_whole_reply_reads_back_as_the_answer(given: Answer) -> None:
    assert read_whole("chat", whole(given)) == given


@given(answers())
def test_a_streamed_reply_reads_back_as_the_answer(given: Answer) -> None:
    envelope = {**given.envelope, "object": "chat.completion.chunk"}
    expected = replace(given, envelope=envelope, is_streamed=True)
    read = assembled(streamed(given))
    assert read == expected
    assert assembled(streamed(read)) == expected


@given(answers())
def test_a_streamed_answer_is_given_whole(given: Answer) -> None:
    read = read_whole("chat", whole(assembled(streamed(given))))
    assert read == given


@given(prose.filter(bool))
def test_a_completion_reads_back_both_ways(text: str) -> None:
    given = replace(answer(text), message={}, envelope={"object": "text_completion"})
    assert read_whole("completions", whole(given, "completions")) == given
    frames = streamed(given, "completions")
    assert assembled(frames, "completions") == replace(given, is_streamed=True)


@given(texts)
def test_the_pieces_join_to_the_text(text: str) -> None:
    assert "".join(replay.pieces_of(text)) == text
    assert "" not in replay.pieces_of(text)


@given(prose.filter(lambda text: len(text.split()) > 1))
def test_two_words_make_two_pieces(text: str) -> None:
    assert len(replay.pieces_of(text)) > 1


@pytest.mark.parametrize("text", ["a b", "a\nb", " a\tb ", "\n\n**a** b"])
def test_white_space_of_any_kind_parts_words(text: str) -> None:
    assert len(replay.pieces_of(text)) == 2


def test_one_word_is_one_piece() -> None:
    assert replay.pieces_of("  word ") == ["  word "]
    assert replay.pieces_of("") == []


@given(answers())
def test_only_the_first_chunk_has_no_text(given: Answer) -> None:
    first, *rest = deltas(streamed(given))
    assert first == {
        "role": "assistant",
        "content": None if given.content is None else "",
    }
    assert all(delta.get("content") != "" for delta in rest)
    assert rest[-1] == {}


def test_the_story_of_a_stream() -> None:
    frames = streamed(answer("one two"))
    assert [delta.get("content") for delta in deltas(frames)] == [
        "",
        "one ",
        "two",
        None,
    ]
    assert [choice["finish_reason"] for choice in choices(frames)] == [
        *[None] * 3,
        "stop",
    ]
    heads = [
        {name: chunk[name] for name in ("id", "created", "model", "object")}
        for chunk in chunks(frames)
    ]
    assert (
        heads
        == [
            {"id": "i", "created": 5, "model": "m-1", "object": "chat.completion.chunk"}
        ]
        * 5
    )


def test_the_usage_chunk_comes_only_when_asked() -> None:
    given = answer("one two")
    with_usage = chunks(streamed(given))
    assert (with_usage[-1]["choices"], with_usage[-1]["usage"]) == ([], given.usage)
    assert all("usage" not in chunk for chunk in chunks(streamed(given, usage=False)))


def test_null_fields_of_a_whole_answer_are_not_streamed() -> None:
    given = replace(answer("a"), envelope={"kv": None, "tier": "x"}, choice={"stop": 1})
    chunk = chunks(streamed(given))[0]
    assert "kv" not in chunk
    assert chunk["tier"] == "x"
    assert "stop" not in choices(streamed(given))[0]
    body = orjson.loads(whole(given))
    assert body["kv"] is None
    assert body["choices"][0]["stop"] == 1


def test_fields_of_a_streamed_choice_are_streamed_again() -> None:
    given = replace(answer("a"), choice={"stop_reason": None}, is_streamed=True)
    assert all("stop_reason" in choice for choice in choices(streamed(given)))


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            {"id": "c", "type": "custom", "custom": {"input": "a"}}, id="custom"
        ),
        pytest.param({"id": "c", "function": {"name": "f"}}, id="no arguments"),
        pytest.param(
            {"id": "c", "function": {"name": "f", "arguments": {"a": 1}}},
            id="an object",
        ),
    ],
)
def test_an_unusual_tool_call_is_kept(call: Json) -> None:
    given = replace(answer(None, finish="tool_calls"), message={"tool_calls": [call]})
    assert assembled(streamed(given)).message["tool_calls"] == [call]


@pytest.mark.parametrize("calls", [None, [], "f", ["f"]])
def test_what_is_no_tool_call_is_not_streamed(calls: Json) -> None:
    given = replace(answer("a"), message={"tool_calls": calls})
    assert all("tool_calls" not in delta for delta in deltas(streamed(given)))


def test_arguments_come_after_the_name() -> None:
    function: Json = {"name": "f", "arguments": '{"a":1}'}
    call: Json = {"id": "c", "type": "function", "function": function}
    given = replace(answer(None), message={"tool_calls": [call]})
    first, second = (
        d["tool_calls"] for d in deltas(streamed(given)) if "tool_calls" in d
    )
    assert first == [
        {
            "id": "c",
            "type": "function",
            "function": {"name": "f", "arguments": ""},
            "index": 0,
        }
    ]
    assert second == [{"index": 0, "function": {"arguments": '{"a":1}'}}]


def test_reasoning_comes_before_the_text_in_pieces() -> None:
    message: dict[str, Json] = {"reasoning": "let me", "reasoning_content": None}
    sent = deltas(streamed(replace(answer("a"), message=message)))
    assert sent[1:4] == [{"reasoning": "let "}, {"reasoning": "me"}, {"content": "a"}]


@given(st.sampled_from(["chat", "completions"]), st.integers(2, 20))
def test_an_id_is_nobody_elses(endpoint: str, count: int) -> None:
    ids = {replay.new_id(endpoint) for _ in range(count)}
    assert len(ids) == count
    start = {"chat": "chatcmpl-", "completions": "cmpl-"}[endpoint]
    assert all(id_.startswith(start) for id_ in ids)
