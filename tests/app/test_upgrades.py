"""Two replicas on one store are restarted one after the other, and nobody notices."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import pytest

from stepcache_proxy.bench.child import free_port
from tests.app.counting import CountingModel
from tests.app.running import OUTCOME
from tests.fakes import body_of
from tests.servers import ValkeyServer

CHAT = "/v1/chat/completions"
_CLIENTS = 4
_QUESTIONS = 25
_FEW = 40  # requests that are answered between two events
_PATIENCE_SECONDS = 60


@dataclass
class Replica:
    """One proxy as a process, which can be ended and started again."""

    command: list[str]
    folder: Path
    url: str
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Return when it accepts requests."""
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                self.command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self.folder,
                env={
                    "STEPCACHE_UPSTREAM__KIND": "openai",
                    "STEPCACHE_EMBEDDER__MODEL": "./no-such-folder",
                    "STEPCACHE_REUSE__BUDGET_MS": "20000",
                    "OMP_NUM_THREADS": "1",
                },
            )
        assert self.process.stdout is not None
        assert self.process.stdout.readline(), (self.folder / "log").read_text()

    def end(self) -> int:
        """Ask it to end, as an upgrade does; its exit code."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGTERM)
        return self.process.wait(_PATIENCE_SECONDS)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()


@dataclass
class Balancer:
    """Clients that take the other replica where one takes no connection."""

    replicas: tuple[Replica, Replica]
    model: CountingModel
    seen: list[tuple[int, str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def ask(self, number: int) -> None:
        """One request; a connection that is refused has cost nothing."""
        first = number % 2
        for replica in (self.replicas[first], self.replicas[1 - first]):
            try:
                answer = httpx.post(
                    replica.url + CHAT,
                    json=body_of(question(number % _QUESTIONS)),
                    trust_env=False,
                    timeout=_PATIENCE_SECONDS,
                )
            except httpx.ConnectError:
                continue
            except httpx.TransportError as fault:
                self.faults.append(f"{number}: {type(fault).__name__}")
                return
            self._note(number, answer)
            return
        self.faults.append(f"{number}: nobody there")

    def _note(self, number: int, answer: httpx.Response) -> None:
        if answer.status_code != 200:
            self.faults.append(f"{number}: {answer.status_code}")
            return
        text = answer.json()["choices"][0]["message"]["content"]
        if f"x = {number % _QUESTIONS + 2}" not in text:
            self.faults.append(f"{number}: {text}")
        self.seen.append((number, answer.headers[OUTCOME], text))

    def run(self, client: int) -> None:
        """Ask until it is over."""
        number = client
        while not self.is_over.is_set():
            self.ask(number)
            number += _CLIENTS

    def until_answered(self, more: int) -> None:
        """Return when ``more`` requests have been answered from now on."""
        least = len(self.seen) + more
        until(lambda: len(self.seen) >= least or self.faults)


def question(number: int) -> str:
    """An equation whose answer is ``number + 2``."""
    return f"Solve 3x + 4 = {3 * (number + 2) + 4} for x. Show your steps."


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextmanager
def balanced(
    model: CountingModel, store: str, folder: Path, workers: int
) -> Generator[Balancer]:
    """Two replicas of one store before one model."""
    replicas: list[Replica] = []
    with ExitStack() as stack:
        for name in ("first", "second"):
            place = folder / name
            place.mkdir()
            port = free_port()
            serve = [sys.executable, "-m", "stepcache_proxy", "serve"]
            options = [
                "--port",
                str(port),
                "--upstream",
                model.url,
                "--redis-url",
                store,
            ]
            more = ["--workers", str(workers)]
            url = f"http://127.0.0.1:{port}"
            replica = Replica([*serve, *options, *more], place, url)
            stack.callback(replica.kill)
            replica.start()
            replicas.append(replica)
        yield Balancer((replicas[0], replicas[1]), model)


@pytest.mark.parametrize(
    "workers", [pytest.param(1, id="one worker"), pytest.param(2, id="two workers")]
)
def test_a_rolling_restart_under_load_loses_no_request(
    tmp_path: Path, workers: int
) -> None:
    with (
        ValkeyServer(tmp_path) as store,
        CountingModel().serving() as model,
        balanced(model, store.url, tmp_path, workers) as clients,
        ThreadPoolExecutor(_CLIENTS) as pool,
    ):
        load = [pool.submit(clients.run, number) for number in range(_CLIENTS)]
        try:
            clients.until_answered(_FEW)
            for replica in clients.replicas:
                assert replica.end() == 0
                clients.until_answered(_FEW)
                replica.kill()
                replica.start()
                clients.until_answered(_FEW)
        finally:
            clients.is_over.set()
        for client in load:
            client.result()
        assert clients.faults == []
        for replica in clients.replicas:
            until(partial(knows_all, replica))


def test_a_request_under_way_is_answered_by_the_replica_that_ends(
    tmp_path: Path,
) -> None:
    with (
        ValkeyServer(tmp_path) as store,
        CountingModel().serving() as model,
        balanced(model, store.url, tmp_path, 1) as clients,
        ThreadPoolExecutor(2) as pool,
    ):
        first, second = clients.replicas
        model.may_answer.clear()
        asked = pool.submit(clients.ask, 0)
        until(lambda: model.questions)
        ended = pool.submit(first.end)
        until(lambda: refuses(first))
        assert not asked.done()
        model.may_answer.set()
        asked.result()
        assert ended.result() == 0
        assert clients.faults == []
        again = httpx.post(
            second.url + CHAT, json=body_of(question(0)), trust_env=False, timeout=60
        )
        assert again.headers[OUTCOME] == "exact"
        assert len(model.questions) == 1


def knows_all(replica: Replica) -> bool:
    """Whether it has every answer that was ever given, by itself."""
    return all(
        httpx.post(
            replica.url + CHAT,
            json=body_of(question(number)),
            headers={"cache-control": "only-if-cached", "x-stepcache-mode": "exact"},
            trust_env=False,
            timeout=_PATIENCE_SECONDS,
        ).status_code
        == 200
        for number in range(_QUESTIONS)
    )


def refuses(replica: Replica) -> bool:
    """Whether it takes no new connection any more."""
    try:
        httpx.get(replica.url + "/healthz", trust_env=False, timeout=5)
    except httpx.ConnectError:
        return True
    except httpx.TransportError:
        pass
    return False
