"""A client that did not ask for usage gets the stream that it would have had."""

from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.api.usage_chunk import UsageStripper, with_usage_asked
from stepcache_proxy.wire.jsonvalue import Json
from stepcache_proxy.wire.sse import FrameSplitter, encode
from tests.api.proxy import DONE, delta, finish, frame, usage


def stripped(stream: bytes) -> tuple[bytes, bytes]:
    """What a client that asked gets, and one that did not."""
    splitter, stripper = FrameSplitter(), UsageStripper()
    frames = [*splitter.push(stream), *splitter.flush()]
    pieces = [piece for f in frames for piece in stripper.push(f)] + stripper.flush()
    return b"".join(p.raw for p in pieces), b"".join(p.plain for p in pieces)


@pytest.mark.parametrize(
    ("stream", "plain"),
    [
        pytest.param(
            [delta("a", usage=None), finish(usage=None), usage(), DONE],
            [delta("a"), finish(), DONE],
            id="as vllm",
        ),
        pytest.param(
            [delta("a"), finish(), usage(timings={"n": 1}), DONE],
            [delta("a"), finish(timings={"n": 1}), DONE],
            id="timings go back to the finish chunk",
        ),
        pytest.param(
            [delta("a"), finish(), usage(system_fingerprint="f"), DONE],
            [delta("a"), finish(system_fingerprint="f"), DONE],
            id="the fingerprint, too",
        ),
        pytest.param(
            [finish(timings={"n": 1}), usage(timings={"n": 2}), DONE],
            [finish(timings={"n": 1}), DONE],
            id="what the finish chunk has, it keeps",
        ),
        pytest.param(
            [delta("a"), finish(usage={"n": 1}), DONE],
            [delta("a"), finish(usage={"n": 1}), DONE],
            id="usage on the finish chunk is nobody's extra",
        ),
        pytest.param(
            [delta("a"), finish(), b": ping\n\n", usage(), DONE],
            [delta("a"), finish(), b": ping\n\n", DONE],
            id="a comment between",
        ),
        pytest.param([delta("a"), finish()], [delta("a"), finish()], id="no end"),
        pytest.param([usage(), DONE], [DONE], id="usage alone"),
        pytest.param(
            [b'data: {"choices": [1], "x": 1, "usage" : null}\n\n'],
            [b'data: {"choices": [1], "x": 1}\n\n'],
            id="spaces",
        ),
        pytest.param(
            [delta('say ,"usage":null, twice', usage=None)],
            [delta('say ,"usage":null, twice')],
            id="the words in a text",
        ),
        pytest.param(
            [frame({"error": {"message": "busy"}})],
            [frame({"error": {"message": "busy"}})],
            id="an error",
        ),
    ],
)
def test_the_usage_is_taken_out_and_nothing_else(
    stream: list[bytes], plain: list[bytes]
) -> None:
    assert stripped(b"".join(stream)) == (b"".join(stream), b"".join(plain))


@given(st.lists(st.sampled_from([delta("a"), finish(), usage(), DONE, b": x\n\n"])))
def test_whoever_asked_gets_every_byte(parts: list[bytes]) -> None:
    raw, plain = stripped(b"".join(parts))
    assert raw == b"".join(parts)
    assert b'"prompt_tokens"' not in plain


@given(st.lists(st.integers(0, 120), max_size=4))
def test_no_order_is_changed(cuts: list[int]) -> None:
    stream = delta("a") + delta("b") + finish() + usage() + DONE
    splitter, stripper = FrameSplitter(), UsageStripper()
    plain = b""
    for start, stop in pairwise([0, *sorted(cuts), len(stream)]):
        for f in splitter.push(stream[start:stop]):
            plain += b"".join(piece.plain for piece in stripper.push(f))
    assert plain == delta("a") + delta("b") + finish() + DONE


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(
            b'{"stream":true}',
            b'{"stream_options":{"include_usage":true},"stream":true}',
            id="put in front",
        ),
        pytest.param(
            b' \n{ "a" : 1.0, "b": "\\u00e5" }',
            b' \n{"stream_options":{"include_usage":true}, "a" : 1.0, "b": "\\u00e5" }',
            id="nothing else is touched",
        ),
        pytest.param(b"{ }", b'{"stream_options":{"include_usage":true} }', id="empty"),
    ],
)
def test_a_body_without_options_gets_one_field_more(
    raw: bytes, expected: bytes
) -> None:
    assert with_usage_asked(raw, orjson.loads(raw)) == expected


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False, "x": 1}, "odd"])
def test_a_body_with_options_asks_for_usage_once(options: Json) -> None:
    body: dict[str, Json] = {"a": 1, "stream_options": options}
    sent = orjson.loads(with_usage_asked(orjson.dumps(body), body))
    kept = options if isinstance(options, dict) else {}
    assert sent == {"a": 1, "stream_options": {**kept, "include_usage": True}}


def test_a_text_that_speaks_of_the_last_chunk_is_read_as_what_it_is() -> None:
    said = '"finish_reason":null "usage"'
    talking = encode({"choices": [{"index": 0, "delta": {"content": said}}]})
    last = encode({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stripper = UsageStripper()
    frames = FrameSplitter().push(talking + last)
    pieces = [piece for each in frames for piece in stripper.push(each)]
    assert b"".join(piece.raw for piece in pieces) == talking + last
    assert [piece.plain for piece in stripper.flush()] == [last]
