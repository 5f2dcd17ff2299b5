"""The command ``serve``: a listening socket, one worker or several, a clean end."""

import socket
import sys

from stepcache_proxy.app.worker import run_worker
from stepcache_proxy.app.workers import supervise
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import StartError

_BACKLOG = 2048


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; the exit code. Raises StartError, ConfigError."""

    def say_ready() -> None:
        sys.stdout.write(ready_line(settings))
        sys.stdout.flush()

    with _listen(settings.server.host, settings.server.port) as listener:
        if settings.server.workers > 1:
            return supervise(settings, listener, say_ready)
        run_worker(settings, listener, say_ready)
        return 0


def ready_line(settings: Settings) -> str:
    """What is said once, when every worker accepts requests."""
    host = settings.server.host
    shown = f"[{host}]" if ":" in host else host
    return f"stepcache-proxy is ready at http://{shown}:{settings.server.port}\n"


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
