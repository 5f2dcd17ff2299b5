"""The ``date`` of responses that are our own; the upstream's keep the upstream's."""

import time
from email.utils import formatdate
from functools import lru_cache

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


def date_header() -> tuple[bytes, bytes]:
    """The header for a response made now (RFC 9110, section 6.6.1)."""
    return (b"date", _date_of(int(time.time())).encode())


@lru_cache(maxsize=1)
def _date_of(second: int) -> str:
    return formatdate(second, usegmt=True)


class Dated:
    """ASGI middleware: every response of the app says when it was made."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a date."""

        async def send_dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("date", _date_of(int(time.time())))
            await send(message)

        await self._app(scope, receive, send_dated)
