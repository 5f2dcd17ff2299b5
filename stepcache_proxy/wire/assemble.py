"""The frames of a stream, or a whole body -> one answer, every field kept."""

from collections.abc import Iterable, Mapping

from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object
from stepcache_proxy.wire.sse import Frame
from stepcache_proxy.wire.usual import Usual, usual

CHAT = "chat"

# Fields with a place of their own, and those that are true of one call only.
_ENVELOPE_APART = frozenset({"id", "created", "model", "choices", "usage"})
_OF_ONE_CALL = frozenset({"timings", "prompt_progress", "__verbose"})
_CHOICE_APART = frozenset({"index", "delta", "message", "text", "finish_reason"})
# Never sent in fragments: a repeated one says the same again.
_WHOLE_STRINGS = frozenset({"role", "id", "type", "name"})
# Fragments nest two deep; below this an object is taken as it is.
_MAX_DEPTH = 8


class StreamAssembler:
    """Reads the frames of one streamed answer as they pass.

    ``endpoint`` is ``chat`` or ``completions``. Nothing here raises: what cannot be
    read makes the answer incomplete.
    """

    def __init__(self, endpoint: str) -> None:
        self._is_chat = endpoint == CHAT
        self._text: list[str] = []
        self._has_content = False
        self._message: dict[str, Json] = {}
        self._tool_calls: dict[int, dict[str, Json]] = {}
        self._choice: dict[str, Json] = {}
        self._envelope: dict[str, Json] = {}
        self._model = ""
        self._usage: JsonObject = {}
        self._is_done = False
        self._is_readable = True
        self._usual: Usual | None = None
        self.finish_reason: str | None = None
        self.error: Json = None

    @property
    def text_so_far(self) -> str:
        """The text of every frame pushed."""
        return "".join(self._text)

    @property
    def is_complete(self) -> bool:
        """The finish chunk and ``[DONE]`` were seen, one choice, no error."""
        return (
            self._is_done
            and self._is_readable
            and self.error is None
            and self.finish_reason is not None
        )

    @property
    def usual(self) -> Usual | None:
        """What the frames pushed last have in common; None if they were no text.

        The same object for as long as frames differ in their text alone.
        """
        return self._usual

    def push(self, frame: Frame) -> str:
        """Read one frame; the new text in it."""
        if self._usual is not None and not frame.is_opaque:
            text = self._usual.text_in(frame.raw)
            if text is not None:
                self._text.append(text)
                return text
        self._usual = None
        if frame.is_opaque:
            self._is_readable = False
            return ""
        payload = frame.payload
        if payload is None:
            return ""
        if payload.startswith(b"[DONE]"):
            self._is_done = True
            return ""
        chunk = read_object(payload)
        if chunk is None:
            self._is_readable = False
            return ""
        text = self._read(chunk)
        if text and not chunk.get("usage"):
            self._usual = self._usual_of(frame, chunk)
        return text

    def finish(self) -> Answer | None:
        """The answer; None if the stream was not a complete one."""
        if not self.is_complete or self.finish_reason is None:
            return None
        message = dict(self._message)
        if self._tool_calls:
            message["tool_calls"] = [
                call for _, call in sorted(self._tool_calls.items())
            ]
        text = self.text_so_far
        has_content = bool(text) or (self._has_content and not self._tool_calls)
        return Answer(
            content=text if has_content else None,
            finish_reason=self.finish_reason,
            model=self._model,
            usage=self._usage,
            message=message,
            choice=self._choice,
            envelope=self._envelope,
            is_streamed=True,
        )

    def _usual_of(self, frame: Frame, chunk: JsonObject) -> Usual | None:
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return None
        return usual(frame.raw, choice, is_chat=self._is_chat)

    def _read(self, chunk: JsonObject) -> str:
        if chunk.get("error") is not None:
            self.error = chunk["error"]
            return ""
        self._model = _text(chunk.get("model")) or self._model
        usage = chunk.get("usage")
        if isinstance(usage, dict) and usage:
            self._usage = usage
        _keep(self._envelope, _envelope(chunk))
        choices = chunk.get("choices")
        if not isinstance(choices, list) or len(choices) > 1:
            self._is_readable = False
            return ""
        return self._read_choice(choices[0]) if choices else ""

    def _read_choice(self, choice: Json) -> str:
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            self._is_readable = False
            return ""
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        _keep(self._choice, _rest(choice, _CHOICE_APART))
        if not self._is_chat:
            return self._read_text(choice.get("text"))
        delta = choice.get("delta")
        if delta is None:
            return ""
        if not isinstance(delta, dict):
            self._is_readable = False
            return ""
        return self._read_delta(delta)

    def _read_delta(self, delta: JsonObject) -> str:
        for name, part in delta.items():
            if name == "content":
                continue
            if name == "tool_calls" and part is not None:
                self._read_tool_calls(part)
            else:
                _grow(self._message, name, part)
        return self._read_text(delta.get("content"))

    def _read_text(self, text: Json) -> str:
        if text is None:
            return ""
        if not isinstance(text, str):
            self._is_readable = False
            return ""
        self._has_content = True
        self._text.append(text)
        return text

    def _read_tool_calls(self, parts: Json) -> None:
        if not isinstance(parts, list):
            self._is_readable = False
            return
        for part in parts:
            index = part.get("index", 0) if isinstance(part, dict) else None
            if not isinstance(part, dict) or not isinstance(index, int):
                self._is_readable = False
                return
            call = self._tool_calls.setdefault(index, {})
            for name, piece in _rest(part, {"index"}).items():
                _grow(call, name, piece)


def read_whole(endpoint: str, body: bytes) -> Answer | None:
    """The answer in a body that is not streamed; None if there is not exactly one."""
    envelope = read_object(body)
    if envelope is None or envelope.get("error") is not None:
        return None
    choices = envelope.get("choices")
    if not isinstance(choices, list) or len(choices) != 1:
        return None
    choice = choices[0]
    if not isinstance(choice, dict):
        return None
    return _whole(endpoint, envelope, choice)


def _whole(endpoint: str, envelope: JsonObject, choice: JsonObject) -> Answer | None:
    reason = choice.get("finish_reason")
    message = choice.get("message", {}) if endpoint == CHAT else {}
    if not isinstance(reason, str) or not reason or not isinstance(message, dict):
        return None
    content = message.get("content") if endpoint == CHAT else choice.get("text")
    if not isinstance(content, str | None):
        return None
    usage = envelope.get("usage")
    return Answer(
        content=content,
        finish_reason=reason,
        model=_text(envelope.get("model")),
        usage=usage if isinstance(usage, dict) else {},
        message=_rest(message, {"content"}),
        choice=_rest(choice, _CHOICE_APART),
        envelope=_envelope(envelope),
    )


def _grow(whole: dict[str, Json], name: str, part: Json, depth: int = 0) -> None:
    """Add a fragment: strings are joined, objects merged, else the last one stays."""
    have = whole.get(name)
    if part is None:
        whole.setdefault(name, None)
    elif isinstance(part, dict) and depth < _MAX_DEPTH:
        merged = dict(have) if isinstance(have, dict) else {}
        for inner, piece in part.items():
            _grow(merged, inner, piece, depth + 1)
        whole[name] = merged
    elif isinstance(part, str) and isinstance(have, str):
        whole[name] = have if name in _WHOLE_STRINGS and have else have + part
    else:
        whole[name] = part


def _keep(whole: dict[str, Json], parts: JsonObject) -> None:
    """Take every field; null replaces nothing."""
    for name, part in parts.items():
        if part is not None or name not in whole:
            whole[name] = part


def _envelope(chunk: JsonObject) -> dict[str, Json]:
    return _rest(chunk, _ENVELOPE_APART | _OF_ONE_CALL)


def _rest(fields: Mapping[str, Json], apart: Iterable[str]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if name not in apart}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
