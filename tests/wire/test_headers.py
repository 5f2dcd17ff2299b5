"""Headers go on as they are, less those of one connection and our own."""

import pytest

from stepcache_proxy.wire.headers import (
    for_client,
    for_event_stream,
    for_upstream,
    is_encoded,
    is_event_stream,
    value,
    values,
    with_ours,
)

KEPT = [(b"Set-Cookie", b"a=1"), (b"set-cookie", b"b=2"), (b"X-Odd", b"\xff ")]
HOP_BY_HOP = [
    (b"Connection", b"X-Hop, close"),
    (b"x-hop", b"1"),
    (b"Keep-Alive", b"timeout=5"),
    (b"Transfer-Encoding", b"chunked"),
    (b"TE", b"trailers"),
    (b"Trailer", b"x"),
    (b"Upgrade", b"h2c"),
    (b"Proxy-Authorization", b"Basic x"),
    (b"Proxy-Authenticate", b"Basic"),
    (b"Proxy-Connection", b"close"),
]


def test_hop_by_hop_headers_go_neither_way() -> None:
    assert for_client([*HOP_BY_HOP, *KEPT]) == KEPT
    assert for_upstream([*HOP_BY_HOP, *KEPT]) == KEPT


def test_our_controls_do_not_reach_the_upstream() -> None:
    controls = [
        (b"Cache-Control", b"no-store"),
        (b"X-Stepcache-Mode", b"exact"),
        (b"x-stepcache-anything", b"1"),
        (b"Host", b"proxy"),
        (b"Expect", b"100-continue"),
    ]
    assert for_upstream([*controls, *KEPT]) == KEPT


def test_marks_of_a_proxy_behind_us_do_not_reach_the_client() -> None:
    assert for_client([(b"X-Stepcache-Outcome", b"exact"), *KEPT]) == KEPT


def test_an_answer_to_be_read_is_asked_for_uncompressed() -> None:
    sent = for_upstream([(b"Accept-Encoding", b"gzip, br")], is_read=True)
    assert sent == [(b"accept-encoding", b"identity")]
    asked = [(b"Accept-Encoding", b"gzip")]
    assert for_upstream(asked) == asked


def test_a_rebuilt_body_loses_the_old_ones_length_and_coding() -> None:
    about = [(b"Content-Length", b"3"), (b"Content-Encoding", b"gzip")]
    assert for_upstream([*about, *KEPT], is_rebuilt=True) == KEPT
    assert for_client([*about, *KEPT], is_rebuilt=True) == KEPT
    assert for_client(about) == about


def test_a_length_beside_chunks_is_not_believed() -> None:
    both = [(b"Content-Length", b"3"), (b"Transfer-Encoding", b"chunked")]
    assert for_upstream(both) == []


def test_ours_replace_theirs_of_the_same_name() -> None:
    ours = [(b"cache-status", b"stepcache; hit")]
    theirs = [(b"Cache-Status", b"a"), (b"x", b"1"), (b"cache-status", b"b")]
    assert with_ours(theirs, ours) == [(b"x", b"1"), *ours]


def test_a_stream_is_marked_against_buffering_once() -> None:
    marked = for_event_stream([(b"Cache-Control", b"no-transform")])
    assert marked == [
        (b"Cache-Control", b"no-transform"),
        (b"x-accel-buffering", b"no"),
    ]
    assert for_event_stream(marked) == marked


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param(b"text/event-stream", True, id="plain"),
        pytest.param(b"Text/Event-Stream ; charset=utf-8", True, id="parameters"),
        pytest.param(b"application/json", False, id="json"),
        pytest.param(b"text/event-stream-not", False, id="longer"),
    ],
)
def test_an_event_stream_is_told_by_its_type(kind: bytes, expected: bool) -> None:
    assert is_event_stream([(b"Content-Type", kind)]) is expected


def test_a_coded_body_is_told_by_its_coding() -> None:
    assert is_encoded([(b"Content-Encoding", b"gzip")])
    assert not is_encoded([(b"Content-Encoding", b" Identity")])
    assert not is_encoded([])


def test_every_value_can_be_read() -> None:
    assert values(KEPT, b"set-cookie") == ["a=1", "b=2"]
    assert value(KEPT, b"set-cookie") == "a=1"
    assert value(KEPT, b"absent") is None
