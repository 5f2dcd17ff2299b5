"""A body that comes again is not read again, and what is kept has its bounds."""

import orjson
import pytest

from stepcache_proxy.api import known as module
from stepcache_proxy.api.known import KnownBodies
from stepcache_proxy.reuse.canonical import Scope, canonicalise


def body(text: str) -> bytes:
    return orjson.dumps({"model": "m", "messages": [{"role": "user", "content": text}]})


def test_the_same_bytes_are_read_once() -> None:
    bodies = KnownBodies()
    first = bodies.read(body("one"))
    assert bodies.read(body("one")) is first
    assert bodies.read(body("two")) is not first
    assert first.body == orjson.loads(body("one"))


@pytest.mark.parametrize(
    "raw",
    [b"", b"no json", b"[]", b'{"a": NaN}', b"\xff", b"[" * 5000 + b"]" * 5000],
    ids=["empty", "no JSON", "no object", "NaN", "no text", "deep"],
)
def test_what_cannot_be_read_stays_unread(raw: bytes) -> None:
    bodies = KnownBodies()
    assert bodies.read(raw).body is None
    assert bodies.read(raw).body is None


def test_the_bodies_that_came_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BODIES", 2)
    bodies = KnownBodies()
    one, two = bodies.read(body("one")), bodies.read(body("two"))
    assert bodies.read(body("one")) is one
    bodies.read(body("three"))
    assert bodies.read(body("one")) is one
    assert bodies.read(body("two")) is not two


def test_a_large_body_is_not_kept() -> None:
    bodies = KnownBodies()
    raw = body("x" * 20_000)
    assert bodies.read(raw) is not bodies.read(raw)


def test_forms_for_many_scopes_are_bounded() -> None:
    read = KnownBodies().read(body("one"))
    assert read.body is not None
    for number in range(100):
        scope = Scope(tenant=str(number), upstream="u", namespace="")
        request = canonicalise("chat", read.body, scope)
        assert request is not None
        read.keep(scope, request)
        assert read.requests[scope] is request
    assert len(read.requests) <= 16
