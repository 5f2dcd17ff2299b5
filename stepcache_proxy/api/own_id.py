"""Frames of an answer that somebody else caused, under an id of the reader's own."""

import re

from stepcache_proxy.wire.sse import Frame, FrameSplitter


class OwnId:
    """Puts ``id_`` in place of the stream's id; every other byte stays.

    The stream's id is the one of its first frame that has one. Ids of tool calls are
    others and stay.
    """

    def __init__(self, id_: str) -> None:
        self._field = rb'\1"' + id_.encode() + b'"'
        self._theirs: re.Pattern[bytes] | None = None

    def push(self, frames: bytes) -> bytes:
        """Whole frames with the reader's id in each."""
        splitter = FrameSplitter()
        cut = (*splitter.push(frames), *splitter.flush())
        return b"".join(self._owned(frame.raw) for frame in cut)

    def _owned(self, frame: bytes) -> bytes:
        if self._theirs is None:
            self._theirs = _id_field(frame)
        if self._theirs is None:
            return frame
        return self._theirs.sub(self._field, frame, count=1)


def _id_field(frame: bytes) -> re.Pattern[bytes] | None:
    chunk = Frame(frame).json()
    id_ = chunk.get("id") if chunk else None
    if not isinstance(id_, str) or not id_:
        return None
    return re.compile(rb'("id"\s*:\s*)"' + re.escape(id_.encode()) + b'"')
