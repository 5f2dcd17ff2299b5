"""An answer -> the JSON body or the stream that a miss would have given.

Every reply gets an id and a time of its own. A stream has a role chunk, several
content chunks of whole words, a finish chunk, a usage chunk only when asked, and
``[DONE]``. Engine timings of another call are never repeated.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import getrandbits

import orjson

from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.dialect import ChunkShape, StreamShape, WholeShape, filled
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
    """An id nobody has had; it guards nothing, so it need not be hard to guess."""
    return f"{_PREFIXES[endpoint]}{getrandbits(128):032x}"


def whole(
    answer: Answer,
    endpoint: str,
    *,
    id_: str,
    created: int,
    shape: WholeShape | None = None,
) -> bytes:
    """The JSON body of a reply that is not streamed.

    ``shape`` has the fields that an answer stored from a stream does not know of.
    """
    if answer.is_streamed and shape is not None:
        answer = _completed(answer, shape)
    choice: dict[str, Json] = {"index": 0}
    if endpoint == "chat":
        message = {"role": "assistant", "content": answer.content, **answer.message}
        choice["message"] = message
    else:
        choice["text"] = answer.text
    choice |= {**answer.choice, "finish_reason": answer.finish_reason}
    head = _ids(answer, endpoint, id_, created, is_stream=False)
    rest = _apart(answer.envelope, head)
    return orjson.dumps({**head, "choices": [choice], "usage": answer.usage, **rest})


def stream(
    answer: Answer,
    endpoint: str,
    *,
    id_: str,
    created: int,
    with_usage: bool,
    shape: StreamShape | None = None,
) -> list[bytes]:
    """The frames of a streamed reply, ``[DONE]`` included.

    Without a ``shape`` every chunk has every field that the answer knows of.
    """
    head = _ids(answer, endpoint, id_, created, is_stream=True)
    shape = shape or _repeating(answer, head)
    usage = _usage(answer)
    is_apart = with_usage and not shape.has_usage_on_finish
    told = {n: v for n, v in answer.envelope.items() if n in shape.last}
    chunks = [
        _chunk(answer, head, shape, kind, part)
        for kind, part in _parts(answer, endpoint, shape)
    ]
    if shape.has_usage_on_finish:
        chunks[-1] = {**chunks[-1], "usage": usage}
    if is_apart:
        chunks.append({**head, "choices": [], "usage": usage})
    chunks[-1] = {**chunks[-1], **told}
    return [*map(encode, chunks), DONE]


def pieces_of(text: str) -> list[str]:
    """The text in pieces of whole words, at least two where there are two words."""
    pieces = _PIECE.findall(text)
    first = _FIRST_WORD.match(text) if len(pieces) == 1 else None
    return [first[0], text[first.end() :]] if first else pieces


def _ids(
    answer: Answer, endpoint: str, id_: str, created: int, *, is_stream: bool
) -> JsonObject:
    return {
        "id": id_,
        "object": _OBJECTS[endpoint, is_stream],
        "created": created,
        "model": answer.model,
    }


def _completed(answer: Answer, shape: WholeShape) -> Answer:
    """An answer from a stream with the empty fields that it has when it is whole."""
    content = answer.content
    if content is None and answer.message.get("tool_calls"):
        content = shape.text_beside_calls
    return replace(
        answer,
        content=content,
        message={**shape.message, **answer.message},
        choice={**shape.choice, **_said(answer.choice)},
        envelope={**shape.envelope, **_said(answer.envelope)},
        usage={**shape.usage, **answer.usage},
    )


def _repeating(answer: Answer, head: JsonObject) -> StreamShape:
    """The shape of a server that nothing is known of."""
    rest = _apart(answer.envelope, head)
    envelope = rest if answer.is_streamed else _said(rest)
    # The choice of a whole body has fields that no chunk has.
    chunk = ChunkShape(envelope, answer.choice if answer.is_streamed else {})
    role_content = None if answer.content is None else ""
    last = frozenset(envelope)
    return StreamShape(chunk, chunk, chunk, last, role_content)


def _chunk(
    answer: Answer, head: JsonObject, shape: StreamShape, kind: str, part: JsonObject
) -> JsonObject:
    by_kind = {"role": shape.role, "text": shape.text, "finish": shape.finish}
    beside = filled(by_kind[kind], answer, is_finish=kind == "finish")
    choice: JsonObject = {"index": 0, **part, **beside.choice}
    return {**head, "choices": [choice], **beside.envelope}


def _usage(answer: Answer) -> JsonObject:
    """The usage as a stream has it: without what a whole body leaves empty."""
    return answer.usage if answer.is_streamed else _said(answer.usage)


def _said(fields: JsonObject) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def _apart(fields: JsonObject, known: JsonObject) -> JsonObject:
    return {name: value for name, value in fields.items() if name not in known}


def _parts(
    answer: Answer, endpoint: str, shape: StreamShape
) -> Iterator[tuple[str, JsonObject]]:
    """The kind of every chunk, and its choice less what is the same in each."""
    if endpoint == "completions":
        for piece in pieces_of(answer.text):
            yield "text", {"text": piece, "finish_reason": None}
        yield "finish", {"text": "", "finish_reason": answer.finish_reason}
        return
    role: JsonObject = {"role": "assistant", "content": shape.role_content}
    yield "role", {"delta": role, "finish_reason": None}
    for delta in _deltas(answer, shape):
        yield "text", {"delta": delta, "finish_reason": None}
    yield "finish", {"delta": {}, "finish_reason": answer.finish_reason}


def _deltas(answer: Answer, shape: StreamShape) -> Iterator[JsonObject]:
    message = answer.message
    for name, value in message.items():
        if name in _REASONING and isinstance(value, str):
            yield from ({name: piece} for piece in pieces_of(value))
        elif name not in ("role", "tool_calls") and value is not None:
            yield {name: value}
    calls = message.get("tool_calls")
    for index, call in enumerate(calls if isinstance(calls, list) else []):
        if isinstance(call, dict):
            for delta in _call_deltas(index, call):
                yield {**shape.beside_calls, **delta}
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
