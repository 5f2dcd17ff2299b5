"""Calls that change what a model answers end its epoch before they are answered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Invalidating:
    """ASGI middleware: ``invalidate`` is awaited before a success is told.

    Nobody who has seen the change succeed can then be served an answer from before.
    """

    app: ASGIApp
    invalidate: Callable[[], Awaitable[None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one such call."""

        async def send_after(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                await self.invalidate()
            await send(message)

        await self.app(scope, receive, send_after)
