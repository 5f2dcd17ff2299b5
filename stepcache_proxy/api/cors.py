"""What the upstream allows a browser, on answers that the upstream did not give.

A page that may read a miss must be able to read a hit. The cache cannot know the
upstream's policy, so it repeats what the upstream last said to the same origin.
"""

from collections import OrderedDict

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stepcache_proxy.wire.headers import RawHeaders

_MOST_ORIGINS = 1_000
_ALLOWS = b"access-control-allow-origin"


class Cors:
    """ASGI middleware; remembers a bounded number of origins, oldest forgotten."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._said: OrderedDict[bytes, RawHeaders] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; only those of a page on another origin are looked at."""
        origin = _origin(scope) if scope["type"] == "http" else None
        if origin is None:
            await self._app(scope, receive, send)
            return

        async def send_allowed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = self._allowed(origin, message)
            await send(message)

        await self._app(scope, receive, send_allowed)

    def _allowed(self, origin: bytes, message: Message) -> Message:
        headers: list[tuple[bytes, bytes]] = list(message["headers"])
        said = [line for line in headers if _is_about(line)]
        if any(name.lower() == _ALLOWS for name, _ in said):
            self._said[origin] = said
            self._said.move_to_end(origin)
            if len(self._said) > _MOST_ORIGINS:
                self._said.popitem(last=False)
            return message
        return {**message, "headers": [*headers, *self._said.get(origin, ())]}


def _origin(scope: Scope) -> bytes | None:
    lines: RawHeaders = scope["headers"]
    return next((value for name, value in lines if name == b"origin"), None)


def _is_about(line: tuple[bytes, bytes]) -> bool:
    name, value = line[0].lower(), line[1].lower()
    return name.startswith(b"access-control-") or (
        name == b"vary" and value == b"origin"
    )
