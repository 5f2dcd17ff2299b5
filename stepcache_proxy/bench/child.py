"""A server as a child process: started, waited for, stopped with certainty."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from stepcache_proxy.config.tree import PREFIX
from stepcache_proxy.errors import StartError

_LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A loopback port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(slots=True)
class Child:
    """One server on the loopback interface, in a process group of its own.

    A group of its own keeps a Ctrl-C in the terminal away from it, so that whoever
    started it decides when it stops. The proxy's settings in our own environment
    are not passed on: what runs here runs with the defaults and ``env``.
    """

    name: str
    command: Sequence[str]
    port: int
    ready_path: str
    log: Path
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    start_seconds: float = 60
    stop_seconds: float = 10
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address, without a trailing slash."""
        return f"http://{_LOOPBACK}:{self.port}"

    def start(self) -> Self:
        """Ready when ``ready_path`` answers 200; else StartError, nothing left."""
        try:
            with self.log.open("ab") as log, _signals_held_back():
                self._process = subprocess.Popen(  # noqa: S603 - a command of our own
                    self.command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=_environment() | dict(self.env),
                    start_new_session=True,
                )
            self._wait(time.monotonic() + self.start_seconds)
        except BaseException:
            self.stop()
            raise
        return self

    def _wait(self, deadline: float) -> None:
        assert self._process is not None
        with httpx.Client(base_url=self.url, trust_env=False, timeout=2) as client:
            while not _answers(client, self.ready_path):
                if self._process.poll() is not None:
                    msg = f"{self.name} ended at once: {self._last_line()}"
                    raise StartError(msg)
                if time.monotonic() > deadline:
                    msg = f"{self.name} is not ready after {self.start_seconds:g} s"
                    raise StartError(msg)
                time.sleep(0.05)

    def _last_line(self) -> str:
        lines = self.log.read_text(errors="replace").split("\n")
        return next(
            (line for line in reversed(lines) if line.strip()), "it said nothing"
        )

    def stop(self) -> None:
        """Ask it to end, insist after ``stop_seconds`` or on Ctrl-C."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(self.stop_seconds)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


@contextmanager
def _signals_held_back() -> Generator[None]:
    """A signal that comes inside is delivered afterwards.

    Else it could raise after the process was made and before anybody knows it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)


def _environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)}


def _answers(client: httpx.Client, path: str) -> bool:
    try:
        return client.get(path).is_success
    except httpx.TransportError:
        return False
