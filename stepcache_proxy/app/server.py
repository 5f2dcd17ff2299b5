"""The server process: socket, parts, application, uvicorn, and a clean end."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Generator
from types import FrameType

import uvicorn
import uvloop

from stepcache_proxy.adapters.logs import log_config
from stepcache_proxy.api.flights import Flights
from stepcache_proxy.app.application import create_app
from stepcache_proxy.app.parts import Parts, open_parts
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import StartError

_BACKLOG = 2048
_DRAIN_SECONDS = 30


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; the exit code. Raises StartError, ConfigError."""
    listener = _listen(settings.server.host, settings.server.port)
    with listener, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(settings, listener))


async def _serve(settings: Settings, listener: socket.socket) -> int:
    async with open_parts(settings) as parts, asyncio.TaskGroup() as background:
        care = background.create_task(parts.caretaker.run())
        async with Flights() as flights:
            server = _server(parts, flights)
            await server.serve(sockets=[listener])
        care.cancel()
    return 0


def _server(parts: Parts, flights: Flights) -> "_Server":
    settings = parts.settings
    config = uvicorn.Config(
        create_app(parts, flights),
        loop="none",
        http="httptools",
        ws="websockets-sansio",
        lifespan="off",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        log_config=log_config(settings.log.format, settings.log.level),
    )
    return _Server(config, _ready_line(settings))


def _ready_line(settings: Settings) -> str:
    host = settings.server.host
    shown = f"[{host}]" if ":" in host else host
    return f"stepcache-proxy is ready at http://{shown}:{settings.server.port}\n"


class _Server(uvicorn.Server):
    """uvicorn that says when it is ready, and ends with 0 on SIGTERM."""

    def __init__(self, config: uvicorn.Config, ready_line: str) -> None:
        super().__init__(config)
        self._ready_line = ready_line

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, then say so once."""
        await super().startup(sockets)
        sys.stdout.write(self._ready_line)
        sys.stdout.flush()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Drain on the first signal, leave on the second; uvicorn would raise again."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come."""
        super().handle_exit(sig, frame)


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket; StartError in one line if the address is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        msg = f"server.port: cannot listen on {host}:{port}: {error.strerror}"
        raise StartError(msg) from error
    return listener
