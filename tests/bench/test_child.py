"""A server that was started is ready, and is gone when it was stopped."""

import sys
from pathlib import Path

import httpx
import pytest

from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.errors import StartError

SERVER = """
import os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Ready(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/ready" else 404)
        self.end_headers()
        self.wfile.write(repr(sorted(os.environ)).encode())
if len(sys.argv) > 2:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Ready).serve_forever()
"""


def server(log: Path, *more: str, program: str = SERVER, **env: str) -> Child:
    port = free_port()
    return Child(
        name="the server",
        command=[sys.executable, "-c", program, str(port), *more],
        port=port,
        ready_path="/ready",
        log=log,
        env=env,
        start_seconds=30,
        stop_seconds=0.2 if more else 10,
    )


def test_it_answers_inside_and_is_gone_outside(tmp_path: Path) -> None:
    with server(tmp_path / "log") as child:
        assert httpx.get(f"{child.url}/ready", trust_env=False).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{child.url}/ready", trust_env=False)


def test_one_that_will_not_end_is_ended(tmp_path: Path) -> None:
    with server(tmp_path / "log", "stubborn") as child:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{child.url}/ready", trust_env=False)


def test_one_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    broken = server(tmp_path / "log", program="import sys; sys.exit('no such model')")
    with pytest.raises(StartError, match="the server ended at once: no such model"):
        broken.start()


def test_one_that_fails_without_a_word_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="said nothing"):
        server(tmp_path / "log", program="").start()


def test_one_that_is_never_ready_is_stopped(tmp_path: Path) -> None:
    child = server(tmp_path / "log")
    child.ready_path, child.start_seconds = "/never", 0.3
    with pytest.raises(StartError, match="is not ready after"):
        child.start()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{child.url}/ready", trust_env=False)


def test_stopping_twice_is_fine(tmp_path: Path) -> None:
    child = server(tmp_path / "log").start()
    child.stop()
    child.stop()


def test_settings_around_us_are_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPCACHE_REUSE__MODE", "off")
    with server(tmp_path / "log", STEPCACHE_STORE__TTL_S="7") as child:
        names = httpx.get(f"{child.url}/ready", trust_env=False).text
    assert "STEPCACHE_STORE__TTL_S" in names
    assert "STEPCACHE_REUSE__MODE" not in names
