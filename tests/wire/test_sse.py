"""A stream is cut into frames without loss, wherever the network cut it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.wire.sse import DONE, Frame, FrameSplitter, encode

TERMINATORS = (b"\n\n", b"\r\n\r\n", b"\r\r")
LINES = st.sampled_from(
    [
        b": keep-alive",
        b"data: {}",
        b'data:{"a":"\xc3\xa5"}',
        b"data",
        b"data: [DONE]",
        b"event: message",
        b"id: 1",
        b"\xff\xfe",
        b"",
    ]
)
ENDINGS = st.sampled_from([b"\n", b"\r\n", b"\r"])
STREAMS = st.lists(st.tuples(LINES, ENDINGS), max_size=20).map(
    lambda lines: b"".join(line + ending for line, ending in lines)
)


def split(*pieces: bytes) -> list[Frame]:
    splitter = FrameSplitter()
    frames = [frame for piece in pieces for frame in splitter.push(piece)]
    return frames + splitter.flush()


@given(STREAMS, st.data())
def test_every_cut_gives_the_same_frames(stream: bytes, cuts: st.DataObject) -> None:
    places = cuts.draw(st.lists(st.integers(0, len(stream)), max_size=8).map(sorted))
    edges = [0, *places, len(stream)]
    pieces = [stream[start:stop] for start, stop in pairwise(edges)]
    assert split(*pieces) == split(stream)


@given(STREAMS)
def test_byte_by_byte_nothing_is_lost(stream: bytes) -> None:
    frames = split(*(bytes([byte]) for byte in stream))
    assert b"".join(frame.raw for frame in frames) == stream


@pytest.mark.parametrize("end", TERMINATORS)
def test_a_frame_is_there_with_its_last_byte(end: bytes) -> None:
    splitter = FrameSplitter()
    assert [f.data for f in splitter.push(b"data: x" + end)] == ["x"]
    assert splitter.flush() == []


def test_mixed_line_endings_end_a_frame() -> None:
    frames = split(b"data: x\n\r\ndata: y\r\n\n")
    assert [frame.data for frame in frames] == ["x", "y"]


def test_data_lines_are_joined_and_other_fields_are_not_read() -> None:
    (frame,) = split(b"event: e\r\ndata: one\r\ndata:  two\r\nid: 3\r\n\r\n")
    assert frame.data == "one\n two"


def test_a_comment_has_no_data() -> None:
    (frame,) = split(b": ping\n\n")
    assert (frame.data, frame.json(), frame.is_done) == (None, None, False)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"data: [DONE]\n\n", id="with a space"),
        pytest.param(b"data:[DONE]\n\n", id="without"),
        pytest.param(b"data: [DONE]", id="never terminated"),
    ],
)
def test_the_end_of_a_stream_is_recognised(raw: bytes) -> None:
    (frame,) = split(raw)
    assert frame.is_done


@pytest.mark.parametrize("raw", [b"data: [1]\n\n", b"data: {\n\n", b"data: \xff\n\n"])
def test_what_is_no_object_reads_as_none(raw: bytes) -> None:
    (frame,) = split(raw)
    assert frame.json() is None
    assert not frame.is_done


def test_what_is_encoded_can_be_read() -> None:
    frames = split(encode({"a": ["å\n", 1, None]}) + DONE)
    assert frames[0].json() == {"a": ["å\n", 1, None]}
    assert frames[1].is_done


def test_a_frame_over_the_limit_passes_unread() -> None:
    splitter = FrameSplitter(max_bytes=10)
    big = b"data: " + b"x" * 50 + b"\n\n"
    stream = b"data: a\n\n" + big + b"data: b\n\n"
    frames = [f for byte in stream for f in splitter.push(bytes([byte]))]
    assert b"".join(frame.raw for frame in frames) == stream
    assert [frame.data for frame in frames if not frame.is_opaque] == ["a", "b"]
    assert all(len(frame.raw) <= 12 for frame in frames)


def test_a_whole_frame_over_the_limit_is_not_read_either() -> None:
    splitter = FrameSplitter(max_bytes=10)
    (frame,) = splitter.push(b"data: " + b"x" * 50 + b"\n\n")
    assert frame.is_opaque
    assert frame.data is None
