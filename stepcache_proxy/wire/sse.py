"""Bytes of an event stream -> frames, losslessly; objects -> frames."""

import re
from typing import NamedTuple

import orjson

from stepcache_proxy.wire.jsonvalue import JsonObject, read_object

MAX_FRAME_BYTES = 16 * 1024 * 1024
DONE = b"data: [DONE]\n\n"

# A blank line, recognised by its last byte alone, so that no cut of the stream can
# move a frame's end and no frame waits for the byte after it.
_FRAME_END = re.compile(rb"\n\r?\n|\r\r")
_LINE_FEEDS = b"\n\n"
# So much may be looked at again with the bytes that follow it.
_FEW_BYTES = 4096


# No dataclass: one of these is made for every token of every stream.
class Frame(NamedTuple):
    """One event with its terminator, exactly as it came.

    ``is_opaque``: a part of a frame over the size limit, not to be read.
    """

    raw: bytes
    is_opaque: bool = False

    @property
    def payload(self) -> bytes | None:
        """The ``data`` lines joined by line feeds; None for comments."""
        if self.is_opaque:
            return None
        lines = [_value(line) for line in self.raw.splitlines() if _is_data(line)]
        return b"\n".join(lines) if lines else None

    @property
    def data(self) -> str | None:
        """The payload as text; bytes that are no UTF-8 are replaced."""
        payload = self.payload
        return None if payload is None else payload.decode(errors="replace")

    @property
    def is_done(self) -> bool:
        """Whether this is the ``[DONE]`` that ends a stream."""
        payload = self.payload
        return payload is not None and payload.startswith(b"[DONE]")

    def json(self) -> JsonObject | None:
        """The object in the payload; None for anything else."""
        payload = self.payload
        return None if payload is None else read_object(payload)


class FrameSplitter:
    """Cuts a stream into frames; joined, their ``raw`` is what was pushed.

    Where the pushed pieces were cut makes no difference, except that a frame over
    ``max_bytes`` comes as opaque pieces instead of filling the memory.
    """

    def __init__(self, max_bytes: int = MAX_FRAME_BYTES) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._is_oversized = False

    def push(self, data: bytes) -> list[Frame]:
        """Every frame that ``data`` completes."""
        if len(self._held) < _FEW_BYTES and not self._is_oversized:
            whole = bytes(self._held) + data
            if b"\r" not in whole and len(whole) <= self._max_bytes:
                return self._split(whole)
        return self._search(data)

    def _split(self, whole: bytes) -> list[Frame]:
        """The frames of a stream that has line feeds alone, as nearly all have."""
        *events, rest = whole.split(_LINE_FEEDS)
        self._held[:] = rest
        return [Frame(event + _LINE_FEEDS) for event in events]

    def _search(self, data: bytes) -> list[Frame]:
        held = self._held
        searched = max(0, len(held) - 2)
        held += data
        frames: list[Frame] = []
        start = 0
        while end := _FRAME_END.search(held, max(start, searched)):
            frames.append(self._cut(bytes(held[start : end.end()])))
            start = end.end()
        del held[:start]
        if len(held) > self._max_bytes:
            self._is_oversized = True
            # Two bytes stay, lest a terminator be cut in half.
            frames.append(Frame(bytes(held[:-2]), is_opaque=True))
            del held[:-2]
        return frames

    def flush(self) -> list[Frame]:
        """What is left of a stream that ended without a terminator."""
        held, self._held = bytes(self._held), bytearray()
        return [self._cut(held)] if held else []

    def _cut(self, raw: bytes) -> Frame:
        is_opaque = self._is_oversized or len(raw) > self._max_bytes
        self._is_oversized = False
        return Frame(raw, is_opaque=is_opaque)


def encode(value: JsonObject) -> bytes:
    """A frame with one line of data."""
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _is_data(line: bytes) -> bool:
    return line.startswith(b"data:") or line == b"data"


def _value(line: bytes) -> bytes:
    return line[5:].removeprefix(b" ")
