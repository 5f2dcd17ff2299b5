"""The usage chunk that the proxy asks for on behalf of a client that did not.

The body goes out with ``stream_options.include_usage`` put in, nothing else moved.
On the way back the client gets the stream that it would have had: no usage chunk, no
``"usage": null``, and what the server moved to the usage chunk (llama.cpp's timings,
vLLM's fingerprint) back on the finish chunk.
"""

import re

import orjson

from stepcache_proxy.api.flights import Piece
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from stepcache_proxy.wire.sse import Frame, encode

_NULL_USAGE = re.compile(rb',\s*"usage"\s*:\s*null(?=\s*[,}])')
_APART = frozenset({"id", "object", "created", "model", "choices", "usage"})


def with_usage_asked(raw: bytes, body: JsonObject) -> bytes:
    """The request body, asking for the usage chunk; ``body`` is ``raw`` parsed."""
    options = body.get("stream_options")
    if options is None and "stream_options" not in body:
        start = raw.index(b"{") + 1
        is_empty = raw[start:].lstrip()[:1] == b"}"
        insert = b'"stream_options":{"include_usage":true}'
        return raw[:start] + insert + (b"" if is_empty else b",") + raw[start:]
    given = options if isinstance(options, dict) else {}
    asked: JsonObject = {**given, "include_usage": True}
    return orjson.dumps({**body, "stream_options": asked})


class UsageStripper:
    """Frames of a stream with usage -> pieces for both kinds of client.

    The finish chunk is held back for the plain client until the next frame has shown
    what belongs on it.
    """

    def __init__(self) -> None:
        self._finish: Frame | None = None

    def passes(self, frame: Frame) -> bool:
        """Whether a frame is the same for both kinds of client and may go on at once.

        True of all but a few frames of a stream, which then need no ``push``.
        """
        raw = frame.raw
        return self._finish is None and b'"usage"' not in raw and not _may_be_last(raw)

    def push(self, frame: Frame) -> list[Piece]:
        """The pieces that ``frame`` completes."""
        held, self._finish = self._finish, None
        chunk = frame.json() if _may_be_last(frame.raw) else None
        if chunk is not None and _is_usage(chunk):
            plain = _merged(held, chunk) if held else b""
            return [Piece(frame.raw, plain)]
        before = [Piece(b"", _plain(held.raw))] if held else []
        if chunk is not None and _is_finish(chunk):
            self._finish = frame
            return [*before, Piece(frame.raw, b"")]
        return [*before, Piece(frame.raw, _plain(frame.raw))]

    def flush(self) -> list[Piece]:
        """What is held when the stream ends."""
        held, self._finish = self._finish, None
        return [Piece(b"", _plain(held.raw))] if held else []


def _may_be_last(raw: bytes) -> bool:
    """Whether a frame may be the finish or the usage chunk; most need no reading.

    Inside of a text the quotes of these names would be escaped.
    """
    if b'"choices"' not in raw:
        return False
    is_open = b'"finish_reason":null' in raw or b'"finish_reason": null' in raw
    return not is_open or b'"usage"' in raw


def _plain(raw: bytes) -> bytes:
    return _NULL_USAGE.sub(b"", raw) if b'"usage"' in raw else raw


def _is_usage(chunk: JsonObject) -> bool:
    return chunk.get("choices") == [] and isinstance(chunk.get("usage"), dict)


def _is_finish(chunk: JsonObject) -> bool:
    choices = chunk.get("choices")
    if not isinstance(choices, list) or not choices:
        return False
    first: Json = choices[0]
    # A finish chunk that carries usage (completions of llama.cpp) is nobody's extra.
    is_last = isinstance(first, dict) and first.get("finish_reason") is not None
    return is_last and not chunk.get("usage")


def _merged(finish: Frame, usage_chunk: JsonObject) -> bytes:
    """The finish chunk with what the server has put on the usage chunk instead."""
    chunk = finish.json()
    moved = {
        name: value
        for name, value in usage_chunk.items()
        if name not in _APART and chunk is not None and name not in chunk
    }
    if chunk is None or not moved:
        return _plain(finish.raw)
    kept = {name: value for name, value in chunk.items() if name != "usage"}
    return encode({**kept, **moved})
