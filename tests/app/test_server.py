"""The process starts once, says so once, and ends when it is asked to."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from stepcache_proxy.bench.child import free_port
from tests.servers import ValkeyServer


def command(port: int, store: str) -> list[str]:
    serve = [sys.executable, "-m", "stepcache_proxy", "serve", "--port", str(port)]
    return [*serve, "--upstream", "http://127.0.0.1:9", "--redis-url", store]


@contextmanager
def started(
    port: int, store: str, folder: Path, **variables: str
) -> Generator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(port, store),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={
            "STEPCACHE_EMBEDDER__MODEL": "./none",
            "OMP_NUM_THREADS": "1",
            **variables,
        },
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_it_says_where_it_is_and_ends_with_0_on_sigterm(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    port = free_port()
    with started(port, valkey.url, tmp_path) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split()[-1]
        answer = httpx.get(f"{url}/healthz", trust_env=False)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
    assert line == f"stepcache-proxy is ready at http://127.0.0.1:{port}\n"
    assert answer.status_code == 200
    assert process.returncode == 0
    assert out == ""
    assert "Traceback" not in err


def test_what_goes_wrong_at_the_start_is_told_in_the_format_that_is_set(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    as_json = {"STEPCACHE_LOG__FORMAT": "json"}
    with started(free_port(), valkey.url, tmp_path, **as_json) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate()
    told = [json.loads(line) for line in err.splitlines()]
    assert any("embedder" in json.dumps(line) for line in told)


def test_a_request_under_way_is_answered_before_the_end(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    port = free_port()
    with started(port, valkey.url, tmp_path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with socket.create_connection(("127.0.0.1", port)) as client:
            head = b"POST /stepcache/explain HTTP/1.1\r\nhost: localhost\r\n"
            head += b"content-length: 2\r\n"
            client.sendall(head + b"connection: close\r\n\r\n")
            process.send_signal(signal.SIGTERM)
            client.sendall(b"{}")
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        process.communicate()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert process.returncode == 0


def test_a_port_in_use_is_one_line_that_names_the_setting(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with started(port, valkey.url, tmp_path) as process:
            out, err = process.communicate()
    assert process.returncode == 1
    assert out == ""
    (line,) = err.splitlines()
    assert "server.port" in line
    assert str(port) in line
