"""A server that ends without cutting off what is on its way to it.

uvicorn closes a connection at once if it has no request on it. A client may just have
sent one: it would have to guess whether it was answered.
"""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Generator
from types import FrameType
from typing import cast

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LINGER_SECONDS = 0.5
_LOOK_SECONDS = 0.02


class PartingServer(uvicorn.Server):
    """uvicorn that says when it is ready, and returns on a signal.

    From the signal on it takes no connection, and each one that it has ends with its
    next answer; a connection without a request may still bring one for a moment.
    """

    def __init__(
        self, config: uvicorn.Config, on_ready: Callable[[], None], parent: int | None
    ) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._parent = parent
        app = cast("ASGIApp", config.app)
        config.app = LastAnswers(app, lambda: self.should_exit)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, then say so once."""
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the door, wait for what is inside, then end as uvicorn does."""
        await asyncio.sleep(0)  # takes the connections that are at the door
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while self.server_state.connections and not self.force_exit:  # noqa: ASYNC110 -- uvicorn tells nobody
                    await asyncio.sleep(_LOOK_SECONDS)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Drain on the first signal, leave on the second; uvicorn would raise again."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        if self._parent is not None:
            loop.add_reader(self._parent, self._lose_parent, self._parent)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come."""
        super().handle_exit(sig, frame)

    def _lose_parent(self, parent: int) -> None:
        asyncio.get_running_loop().remove_reader(parent)
        self.handle_exit(signal.SIGTERM, None)


class LastAnswers:
    """ASGI middleware: once ``is_parting``, an answer is the last on its connection."""

    def __init__(self, app: ASGIApp, is_parting: Callable[[], bool]) -> None:
        self._app = app
        self._is_parting = is_parting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and say so."""

        async def send_last(message: Message) -> None:
            if message["type"] == "http.response.start" and self._is_parting():
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        await self._app(scope, receive, send_last)
