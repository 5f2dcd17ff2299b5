"""The fields that a server puts beside an answer, in each form that it gives.

A record holds one form of an answer: a whole body or a stream. To give the other one
as the server would have, its empty fields must be known: which are there, and on which
chunk. ``KNOWN`` holds what vLLM and llama.cpp were seen to send; ``Dialects`` reads
the same from the first real answers that pass, so that other servers and versions are
met, too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object
from stepcache_proxy.wire.sse import FrameSplitter

_NOTHING: JsonObject = {}
_IDS = frozenset({"id", "object", "created", "model", "choices", "usage"})
_OF_ONE_CALL = frozenset({"timings", "prompt_progress", "__verbose"})
_CHOICE_APART = frozenset({"index", "delta", "message", "text", "finish_reason"})
_MESSAGE_APART = frozenset({"role", "content", "tool_calls"})
_REASONING = ("reasoning", "reasoning_content")


@dataclass(frozen=True, slots=True)
class WholeShape:
    """The empty fields of a body that is not streamed, at each of its levels.

    ``text_beside_calls`` is the content of an answer that is a tool call.
    """

    envelope: JsonObject = field(default_factory=dict[str, Json])
    choice: JsonObject = field(default_factory=dict[str, Json])
    message: JsonObject = field(default_factory=dict[str, Json])
    usage: JsonObject = field(default_factory=dict[str, Json])
    text_beside_calls: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkShape:
    """The fields beside the delta of one kind of chunk.

    What is empty is sent as it is here; names in ``told`` have the answer's value.
    """

    envelope: JsonObject = field(default_factory=dict[str, Json])
    choice: JsonObject = field(default_factory=dict[str, Json])
    told: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StreamShape:
    """The chunks of a stream.

    ``last`` names what is told on the last chunk only: the usage chunk, or without
    it the finish chunk. ``beside_calls`` stands in every delta of a tool call.
    """

    role: ChunkShape = ChunkShape()
    text: ChunkShape = ChunkShape()
    finish: ChunkShape = ChunkShape()
    last: frozenset[str] = frozenset()
    role_content: str | None = ""
    beside_calls: JsonObject = field(default_factory=dict[str, Json])
    has_usage_on_finish: bool = False


def _nulls(*names: str) -> JsonObject:
    return dict.fromkeys(names)


_VLLM_ENVELOPE = (
    *("service_tier", "system_fingerprint"),
    *("kv_transfer_params", "ec_transfer_params", "metrics"),
)
_VLLM_PROMPT = ("prompt_logprobs", "prompt_token_ids")
_VLLM_CHOICE = ("logprobs", "stop_reason", "token_ids", "routed_experts")
_VLLM_MESSAGE = ("refusal", "annotations", "audio", "function_call", "reasoning")
_VLLM_USAGE = _nulls("prompt_tokens_details", "completion_tokens_details")
_FINGERPRINT = frozenset({"system_fingerprint"})
_VLLM_COMPLETION = ChunkShape(
    choice=_nulls("logprobs", "stop_reason", "prompt_token_ids", "token_ids")
)
_LLAMACPP_CHUNK = ChunkShape(told=_FINGERPRINT)

KNOWN_WHOLE: Mapping[tuple[str, str], WholeShape] = {
    ("vllm", "chat"): WholeShape(
        envelope=_nulls(*_VLLM_ENVELOPE, *_VLLM_PROMPT, "prompt_text"),
        choice=_nulls(*_VLLM_CHOICE),
        message=_nulls(*_VLLM_MESSAGE),
        usage=_VLLM_USAGE,
        text_beside_calls="",
    ),
    ("vllm", "completions"): WholeShape(
        envelope=_nulls(*_VLLM_ENVELOPE),
        choice=_nulls(*_VLLM_CHOICE, *_VLLM_PROMPT),
        usage=_VLLM_USAGE,
    ),
}
"""What vLLM 0.32 was seen to send whole, by kind of server and endpoint."""

KNOWN_STREAM: Mapping[tuple[str, str], StreamShape] = {
    ("vllm", "chat"): StreamShape(
        role=ChunkShape(_nulls("prompt_token_ids", "prompt_text"), _nulls("logprobs")),
        text=ChunkShape(choice=_nulls("logprobs", "token_ids")),
        finish=ChunkShape(choice=_nulls("logprobs", "stop_reason", "token_ids")),
        last=_FINGERPRINT,
        beside_calls=_nulls("content"),
    ),
    ("vllm", "completions"): StreamShape(
        text=_VLLM_COMPLETION, finish=_VLLM_COMPLETION, last=_FINGERPRINT
    ),
    ("llamacpp", "chat"): StreamShape(
        *(_LLAMACPP_CHUNK, _LLAMACPP_CHUNK, _LLAMACPP_CHUNK),
        last=_FINGERPRINT,
        role_content=None,
    ),
    ("llamacpp", "completions"): StreamShape(
        *(_LLAMACPP_CHUNK, _LLAMACPP_CHUNK, _LLAMACPP_CHUNK), has_usage_on_finish=True
    ),
}
"""What vLLM 0.32 and llama.cpp b11549 were seen to stream."""


@dataclass(slots=True)
class Dialects:
    """The shapes of one server; ``kind`` tells which it is, None if it is not known.

    A server that cannot be asked just now is still the one it was.
    """

    kind: Callable[[], str | None]
    _kind: str | None = None
    _wholes: dict[str, WholeShape] = field(default_factory=dict[str, WholeShape])
    _streams: dict[str, StreamShape] = field(default_factory=dict[str, StreamShape])
    _read: dict[tuple[str, bool], Json] = field(
        default_factory=dict[tuple[str, bool], Json]
    )

    @staticmethod
    def unknown() -> "Dialects":
        """Those of a server that tells nothing of itself but its answers."""
        return Dialects(lambda: None)

    def whole(self, endpoint: str) -> WholeShape | None:
        """The shape of a body that is not streamed; None if it is not known."""
        return self._wholes.get(endpoint) or KNOWN_WHOLE.get(self._key(endpoint))

    def stream(self, endpoint: str) -> StreamShape | None:
        """The shape of a stream; None if it is not known."""
        return self._streams.get(endpoint) or KNOWN_STREAM.get(self._key(endpoint))

    def is_telling(self, endpoint: str, answer: Answer) -> bool:
        """Whether there is a shape to learn from this answer.

        That is the first plain one of a build: an unusual one has unusual fields.
        """
        is_plain = answer.finish_reason == "stop" and bool(answer.text)
        odd = (*_REASONING, "tool_calls", "refusal", "audio")
        if not is_plain or any(answer.message.get(name) for name in odd):
            return False
        build = answer.envelope.get("system_fingerprint")
        key = endpoint, answer.is_streamed
        return key not in self._read or self._read[key] != build

    def learn(self, endpoint: str, answer: Answer, raw: bytes) -> None:
        """Take the shape from ``raw``, the bytes that ``answer`` was read from."""
        build = answer.envelope.get("system_fingerprint")
        self._read[endpoint, answer.is_streamed] = build
        if answer.is_streamed:
            known = self.stream(endpoint) or StreamShape()
            self._streams[endpoint] = _stream_shape(known, raw)
        else:
            before = self.whole(endpoint) or WholeShape()
            self._wholes[endpoint] = _whole_shape(before, raw)

    def _key(self, endpoint: str) -> tuple[str, str]:
        self._kind = self.kind() or self._kind
        return self._kind or "", endpoint


def filled(shape: ChunkShape, answer: Answer, *, is_finish: bool) -> ChunkShape:
    """The shape with the answer's own values where the chunk has them."""
    told = {n: v for n, v in answer.envelope.items() if n in shape.told}
    choice = dict(shape.choice)
    if is_finish:
        choice |= {n: v for n, v in answer.choice.items() if n in choice and v}
    return replace(shape, envelope={**shape.envelope, **told}, choice=choice)


def _whole_shape(before: WholeShape, raw: bytes) -> WholeShape:
    body = read_object(raw) or {}
    choice = _choice(body)
    message = choice.get("message")
    usage = body.get("usage")
    return WholeShape(
        envelope=_empty(body, _IDS | _OF_ONE_CALL),
        choice=_blank(choice),
        message=_empty(_object(message), _MESSAGE_APART),
        usage=_empty(_object(usage), ()),
        text_beside_calls=before.text_beside_calls,
    )


def _stream_shape(before: StreamShape, raw: bytes) -> StreamShape:
    shapes: dict[str, ChunkShape] = {}
    last = frozenset[str]()
    role_content, has_usage_on_finish = before.role_content, False
    for chunk in _chunks(raw):
        choice = _choice(chunk)
        kind = _kind_of(choice)
        if kind == "role":
            content = _object(choice.get("delta")).get("content")
            role_content = None if content is None else ""
        has_usage_on_finish |= kind == "finish" and bool(chunk.get("usage"))
        last = _told(chunk)
        shapes.setdefault(kind, _chunk_shape(chunk, choice, kind))
    everywhere = shapes.get("text", ChunkShape()).told
    finish = shapes.get("finish", ChunkShape())
    return StreamShape(
        role=shapes.get("role", ChunkShape()),
        text=shapes.get("text", ChunkShape()),
        finish=replace(finish, told=finish.told & everywhere),
        last=last,
        role_content=role_content,
        beside_calls=before.beside_calls,
        has_usage_on_finish=has_usage_on_finish,
    )


def _chunk_shape(chunk: JsonObject, choice: JsonObject, kind: str) -> ChunkShape:
    is_last = kind == "finish"
    beside = _blank(choice) if is_last else _empty(choice, _CHOICE_APART)
    envelope = _empty(chunk, _IDS | _OF_ONE_CALL)
    return ChunkShape(envelope, beside, _told(chunk))


def _blank(choice: JsonObject) -> JsonObject:
    """The fields of a choice: a value is this answer's own, another has null there."""
    fields = {n: v for n, v in choice.items() if n not in _CHOICE_APART}
    return {n: v if _is_empty(v) else None for n, v in fields.items()}


def _told(chunk: JsonObject) -> frozenset[str]:
    apart = _IDS | _OF_ONE_CALL
    return frozenset(n for n, v in chunk.items() if n not in apart and not _is_empty(v))


def _chunks(raw: bytes) -> Iterator[JsonObject]:
    splitter = FrameSplitter()
    for frame in (*splitter.push(raw), *splitter.flush()):
        chunk = frame.json()
        if chunk is not None:
            yield chunk


def _kind_of(choice: JsonObject) -> str:
    if not choice:
        return "usage"
    if choice.get("finish_reason"):
        return "finish"
    return "role" if _object(choice.get("delta")).get("role") else "text"


def _choice(body: JsonObject) -> JsonObject:
    choices = body.get("choices")
    return _object(choices[0]) if isinstance(choices, list) and choices else _NOTHING


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else _NOTHING


def _is_empty(value: Json) -> bool:
    return value is None or value in ("", [], {})


def _empty(fields: JsonObject, apart: Iterable[str]) -> JsonObject:
    return {n: v for n, v in fields.items() if n not in apart and _is_empty(v)}
