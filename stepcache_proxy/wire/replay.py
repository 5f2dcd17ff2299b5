"""An answer -> the JSON body or the stream that a miss would have given.

Every reply gets an id and a time of its own. A stream has a role chunk, several
content chunks of whole words, a finish chunk, a usage chunk only when asked, and
``[DONE]``. Engine timings of another call are never repeated.
"""

import re
from collections.abc import Iterator
from secrets import token_hex

import orjson

from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from stepcache_proxy.wire.sse import DONE, encode

_WORDS_A_PIECE = 8
_PIECE = re.compile(rf"(?:\S+\s*|\s+){{1,{_WORDS_A_PIECE}}}")
_FIRST_WORD = re.compile(r"\s*\S+\s+(?=\S)")
_REASONING = ("reasoning_content", "reasoning")
_PREFIXES = {"chat": "chatcmpl-", "completions": "cmpl-"}
_OBJECTS = {
    ("chat", False): "chat.completion",
    ("chat", True): "chat.completion.chunk",
    ("completions", False): "text_completion",
    ("completions", True): "text_completion",
}


def new_id(endpoint: str) -> str:
    """An id nobody has had."""
    return _PREFIXES[endpoint] + token_hex(16)


def whole(answer: Answer, endpoint: str, *, id_: str, created: int) -> bytes:
    """The JSON body of a reply that is not streamed."""
    choice: dict[str, Json] = {**answer.choice, "index": 0}
    if endpoint == "chat":
        message = {"role": "assistant", "content": answer.content, **answer.message}
        choice["message"] = message
    else:
        choice["text"] = answer.text
    choice["finish_reason"] = answer.finish_reason
    head = _head(answer, endpoint, id_, created, is_stream=False)
    return orjson.dumps({**head, "choices": [choice], "usage": answer.usage})


def stream(
    answer: Answer, endpoint: str, *, id_: str, created: int, with_usage: bool
) -> list[bytes]:
    """The frames of a streamed reply, ``[DONE]`` included."""
    head = _head(answer, endpoint, id_, created, is_stream=True)
    extras = _extras(answer, endpoint)
    frames = [
        encode({**head, "choices": [{"index": 0, **part, **extras}]})
        for part in _parts(answer, endpoint)
    ]
    if with_usage:
        frames.append(encode({**head, "choices": [], "usage": answer.usage}))
    return [*frames, DONE]


def pieces_of(text: str) -> list[str]:
    """The text in pieces of whole words, at least two where there are two words."""
    pieces = _PIECE.findall(text)
    first = _FIRST_WORD.match(text) if len(pieces) == 1 else None
    return [first[0], text[first.end() :]] if first else pieces


def _head(
    answer: Answer, endpoint: str, id_: str, created: int, *, is_stream: bool
) -> dict[str, Json]:
    fields: JsonObject = answer.envelope
    if is_stream and not answer.is_streamed:
        fields = {name: value for name, value in fields.items() if value is not None}
    return {
        **fields,
        "id": id_,
        "object": _OBJECTS[endpoint, is_stream],
        "created": created,
        "model": answer.model,
    }


def _extras(answer: Answer, endpoint: str) -> JsonObject:
    """Fields of the choice that a chunk carries, too.

    Of a whole one that is only ``logprobs`` (null in what is cached), and only on the
    older endpoint.
    """
    if answer.is_streamed:
        return answer.choice
    is_carried = endpoint == "completions" and "logprobs" in answer.choice
    return {"logprobs": answer.choice["logprobs"]} if is_carried else {}


def _parts(answer: Answer, endpoint: str) -> Iterator[JsonObject]:
    """The choices of all chunks, less what is the same in each."""
    if endpoint == "completions":
        for piece in pieces_of(answer.text):
            yield {"text": piece, "finish_reason": None}
        yield {"text": "", "finish_reason": answer.finish_reason}
        return
    for delta in _deltas(answer):
        yield {"delta": delta, "finish_reason": None}
    yield {"delta": {}, "finish_reason": answer.finish_reason}


def _deltas(answer: Answer) -> Iterator[JsonObject]:
    yield {"role": "assistant", "content": None if answer.content is None else ""}
    message = answer.message
    for name, value in message.items():
        if name in _REASONING and isinstance(value, str):
            yield from ({name: piece} for piece in pieces_of(value))
        elif name not in ("role", "tool_calls") and value is not None:
            yield {name: value}
    calls = message.get("tool_calls")
    for index, call in enumerate(calls if isinstance(calls, list) else []):
        if isinstance(call, dict):
            yield from _call_deltas(index, call)
    yield from ({"content": piece} for piece in pieces_of(answer.text))


def _call_deltas(index: int, call: JsonObject) -> Iterator[JsonObject]:
    """Id and name first, then the arguments, as both servers send them."""
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(arguments, str):
        yield {"tool_calls": [{**call, "index": index}]}
        return
    first: JsonObject = {
        **call,
        "index": index,
        "function": {**function, "arguments": ""},
    }
    yield {"tool_calls": [first]}
    rest: JsonObject = {"index": index, "function": {"arguments": arguments}}
    yield {"tool_calls": [rest]}
