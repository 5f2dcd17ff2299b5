"""A stored answer takes every form as its server would have given it."""

from collections.abc import Mapping

import orjson
import pytest

from stepcache_proxy.wire import replay
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.assemble import StreamAssembler, read_whole
from stepcache_proxy.wire.dialect import Dialects
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from stepcache_proxy.wire.sse import DONE, FrameSplitter, encode

IDS: JsonObject = {"id": "i", "created": 5, "model": "m"}
PRINT = "build-1"
CHAT_NULLS = (
    *("service_tier", "prompt_logprobs", "prompt_token_ids", "prompt_text"),
    *("kv_transfer_params", "ec_transfer_params", "metrics"),
)
TOKENS: JsonObject = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def nulls(*names: str) -> dict[str, Json]:
    return dict.fromkeys(names)


def vllm_whole(text: str = "one two", stop: Json = None) -> bytes:
    fields = ("refusal", "annotations", "audio", "function_call", "reasoning")
    message = {"role": "assistant", "content": text, **nulls(*fields)}
    beside = nulls("logprobs", "token_ids", "routed_experts")
    choice: JsonObject = {
        "index": 0,
        "message": message,
        "finish_reason": "stop",
        "stop_reason": stop,
        **beside,
    }
    details = nulls("prompt_tokens_details", "completion_tokens_details")
    return orjson.dumps(
        {
            **IDS,
            **nulls(*CHAT_NULLS),
            "object": "chat.completion",
            "system_fingerprint": PRINT,
            "choices": [choice],
            "usage": {**TOKENS, **details},
        }
    )


def vllm_stream(stop: Json = None, *, usage: bool = True) -> list[bytes]:
    def chunk(
        delta: Mapping[str, Json], beside: Mapping[str, Json], **rest: Json
    ) -> JsonObject:
        choice: JsonObject = {"index": 0, "delta": delta, "finish_reason": None}
        return {**IDS, "object": "chat.completion.chunk", **rest} | {
            "choices": [{**choice, "logprobs": None, **beside}]
        }

    prompt = nulls("prompt_token_ids", "prompt_text")
    end: dict[str, Json] = {"finish_reason": "stop", "stop_reason": stop}
    told: dict[str, Json] = {"system_fingerprint": PRINT}
    counted = {**IDS, "object": "chat.completion.chunk", "choices": [], **told}
    chunks: list[JsonObject] = [
        chunk({"role": "assistant", "content": ""}, {}, **prompt),
        chunk({"content": "one "}, nulls("token_ids")),
        chunk({"content": "two"}, nulls("token_ids")),
        chunk({}, {**end, "token_ids": None}, **({} if usage else told)),
        *([{**counted, "usage": TOKENS}] if usage else []),
    ]
    return [*map(encode, chunks), DONE]


def from_stream(frames: list[bytes]) -> Answer:
    assembler = StreamAssembler("chat")
    for frame in FrameSplitter().push(b"".join(frames)):
        assembler.push(frame)
    answer = assembler.finish()
    assert answer is not None
    return answer


def from_whole(raw: bytes) -> Answer:
    answer = read_whole("chat", raw)
    assert answer is not None
    return answer


def taught() -> Dialects:
    """Dialects of an unknown server that has answered once in each form."""
    dialects = Dialects.unknown()
    raw = vllm_whole(stop="a")
    dialects.learn("chat", from_whole(raw), raw)
    frames = vllm_stream(stop="b")
    dialects.learn("chat", from_stream(frames), b"".join(frames))
    return dialects


KNOWING = [
    pytest.param(Dialects(lambda: "vllm"), id="known"),
    pytest.param(taught(), id="learned"),
]


def whole(answer: Answer, dialects: Dialects) -> Json:
    shape = dialects.whole("chat")
    raw = replay.whole(answer, "chat", id_="i", created=5, shape=shape)
    told: Json = orjson.loads(raw)
    return told


def stream(answer: Answer, dialects: Dialects, *, usage: bool = True) -> list[Json]:
    frames = replay.stream(
        answer,
        "chat",
        id_="i",
        created=5,
        with_usage=usage,
        shape=dialects.stream("chat"),
    )
    return read(frames)


def read(frames: list[bytes]) -> list[Json]:
    assert frames[-1] == DONE
    return [orjson.loads(frame.removeprefix(b"data: ")) for frame in frames[:-1]]


@pytest.mark.parametrize("dialects", KNOWING)
@pytest.mark.parametrize("stop", [None, "x"])
def test_a_streamed_answer_is_given_whole_with_every_null(
    dialects: Dialects, stop: Json
) -> None:
    answer = from_stream(vllm_stream(stop))
    assert whole(answer, dialects) == orjson.loads(vllm_whole(stop=stop))


@pytest.mark.parametrize("dialects", KNOWING)
@pytest.mark.parametrize("stop", [None, "x"])
@pytest.mark.parametrize("usage", [True, False])
def test_a_whole_answer_is_streamed_with_each_field_on_its_chunk(
    dialects: Dialects, stop: Json, usage: bool
) -> None:
    answer = from_whole(vllm_whole(stop=stop))
    sent = stream(answer, dialects, usage=usage)
    assert sent == read(vllm_stream(stop, usage=usage))


@pytest.mark.parametrize("dialects", KNOWING)
@pytest.mark.parametrize("usage", [True, False])
def test_a_streamed_answer_is_streamed_again_as_it_was(
    dialects: Dialects, usage: bool
) -> None:
    answer = from_stream(vllm_stream())
    assert stream(answer, dialects, usage=usage) == read(vllm_stream(usage=usage))


def test_a_server_that_has_gone_silent_is_still_the_one_it_was() -> None:
    kinds: list[str | None] = ["vllm", None]
    dialects = Dialects(lambda: kinds.pop(0))
    assert dialects.whole("chat") is not None
    assert dialects.whole("chat") is not None


def test_only_the_first_plain_answer_of_a_build_is_telling() -> None:
    dialects, raw = Dialects.unknown(), vllm_whole()
    answer = from_whole(raw)
    assert dialects.is_telling("chat", answer)
    dialects.learn("chat", answer, raw)
    assert not dialects.is_telling("chat", answer)
    assert dialects.is_telling("completions", answer)
    assert dialects.is_telling("chat", from_stream(vllm_stream()))
    newer = from_whole(raw.replace(PRINT.encode(), b"build-2"))
    assert dialects.is_telling("chat", newer)


@pytest.mark.parametrize(
    "message",
    [
        {"reasoning": "let me see"},
        {"tool_calls": [{"id": "c"}]},
        {"refusal": "no"},
    ],
)
def test_an_unusual_answer_teaches_nothing(message: dict[str, Json]) -> None:
    answer = Answer("a", "stop", "m", {}, message)
    assert not Dialects.unknown().is_telling("chat", answer)


def test_usage_on_the_finish_chunk_stays_there() -> None:
    dialects = Dialects(lambda: "llamacpp")
    answer = Answer(
        "one two", "stop", "m", TOKENS, envelope={"system_fingerprint": "f"}
    )
    for with_usage in (True, False):
        shape = dialects.stream("completions")
        given = {"id_": "i", "created": 5}
        frames = replay.stream(
            answer,
            "completions",
            with_usage=with_usage,
            shape=shape,
            **given,  # type: ignore[arg-type]
        )
        chunks = [orjson.loads(frame[6:]) for frame in frames[:-1]]
        assert [chunk.get("usage") for chunk in chunks] == [None, None, TOKENS]
        assert {chunk["system_fingerprint"] for chunk in chunks} == {"f"}


def test_a_tool_call_has_the_content_of_its_form() -> None:
    call: Json = {"id": "c", "type": "function", "function": {"name": "f"}}
    answer = Answer(
        None, "tool_calls", "m", {}, {"tool_calls": [call]}, is_streamed=True
    )
    told = whole(answer, Dialects(lambda: "vllm"))
    assert isinstance(told, dict)
    assert told["choices"][0]["message"]["content"] == ""
