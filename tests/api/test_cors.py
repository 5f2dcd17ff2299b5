"""A page that may read a miss may read a hit, and no page may read more."""

from starlette.types import Message, Receive, Scope, Send

from stepcache_proxy.api.cors import Cors

ALLOWED = [
    (b"access-control-allow-origin", b"https://a.example"),
    (b"vary", b"Origin"),
]


class Upstream:
    """Answers with the headers it is given."""

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.headers}
        await send(start)
        await send({"type": "http.response.body", "body": b""})


async def headers_of(app: Cors, origin: bytes | None) -> list[tuple[bytes, bytes]]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    lines = [] if origin is None else [(b"origin", origin)]
    await app({"type": "http", "headers": lines}, receive, send)
    return list(sent[0]["headers"])


async def test_a_hit_repeats_what_a_miss_allowed_the_same_origin() -> None:
    upstream = Upstream()
    app = Cors(upstream)
    upstream.headers = ALLOWED
    assert await headers_of(app, b"https://a.example") == ALLOWED
    upstream.headers = [(b"age", b"3")]
    hit = await headers_of(app, b"https://a.example")
    assert hit == [(b"age", b"3"), *ALLOWED]


async def test_another_origin_is_allowed_nothing() -> None:
    upstream = Upstream()
    app = Cors(upstream)
    upstream.headers = ALLOWED
    await headers_of(app, b"https://a.example")
    upstream.headers = []
    assert await headers_of(app, b"https://b.example") == []
    assert await headers_of(app, None) == []


async def test_origins_are_forgotten_past_the_bound() -> None:
    upstream = Upstream()
    app = Cors(upstream)
    upstream.headers = ALLOWED
    for number in range(1_001):
        await headers_of(app, b"https://%d.example" % number)
    upstream.headers = []
    assert await headers_of(app, b"https://0.example") == []
    assert await headers_of(app, b"https://1000.example") == ALLOWED
