"""A follower's frames carry its own id and are otherwise the leader's, unchanged."""

import pytest

from stepcache_proxy.api.own_id import OwnId


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        pytest.param(
            b'data: {"id":"a","n":1}\n\n', b'data: {"id":"o","n":1}\n\n', id="compact"
        ),
        pytest.param(
            b'data: {"n": 1, "id" : "a"}\r\n\r\n',
            b'data: {"n": 1, "id" : "o"}\r\n\r\n',
            id="spaced",
        ),
        pytest.param(
            b'data: {"t":"\\"id\\":\\"a\\"","id":"a"}\n\n',
            b'data: {"t":"\\"id\\":\\"a\\"","id":"o"}\n\n',
            id="quoted in a text",
        ),
        pytest.param(b": ping\n\n", b": ping\n\n", id="comment"),
        pytest.param(b"data: [DONE]\n\n", b"data: [DONE]\n\n", id="end"),
        pytest.param(b'data: {"id":7}\n\n', b'data: {"id":7}\n\n', id="no text"),
        pytest.param(b"data: {nonsense\n\n", b"data: {nonsense\n\n", id="no json"),
    ],
)
def test_only_the_id_changes(frame: bytes, expected: bytes) -> None:
    assert OwnId("o").push(frame) == expected


def test_ids_of_other_things_stay() -> None:
    own = OwnId("o")
    assert own.push(b'data: {"id":"a"}\n\n') == b'data: {"id":"o"}\n\n'
    call = b'data: {"calls":[{"id":"call_1"}],"id":"a"}\n\n'
    assert own.push(call) == b'data: {"calls":[{"id":"call_1"}],"id":"o"}\n\n'


def test_an_id_with_signs_of_its_own_is_taken_as_it_is() -> None:
    own = OwnId("o")
    assert own.push(b'data: {"id":"a.*+("}\n\n') == b'data: {"id":"o"}\n\n'


def test_frames_that_come_together_get_the_id_each() -> None:
    frames = [b'data: {"id":"theirs","n":%d}\n\n' % number for number in range(3)]
    together = OwnId("mine").push(b"".join(frames))
    assert together == b"".join(frames).replace(b"theirs", b"mine")
