"""Real servers on the loopback interface, for tests."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from stepcache_proxy.adapters.embedded import find_server


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ValkeyServer:
    """A real Valkey in a folder of its own, stopped at the end of the ``with``."""

    def __init__(
        self, folder: Path, *options: str, config: Path | None = None
    ) -> None:
        self.folder = folder
        self.config = [] if config is None else [config]
        self.port = free_port()
        self.options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [find_server(), *self.config, "--port", str(self.port)]
            + ["--bind", "127.0.0.1", "--dir", str(self.folder)]
            + ["--save", "", *self.options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        self._wait_until_it_listens()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        self.thaw()
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """Stop answering, with every connection left open."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def _wait_until_it_listens(self) -> None:
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        message = "the store of the tests did not start"
        raise RuntimeError(message)
