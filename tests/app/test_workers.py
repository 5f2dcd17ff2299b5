"""Several workers behave as one proxy: one cache, one set of figures, one end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from stepcache_proxy.bench.child import free_port
from tests.app.counting import CountingModel
from tests.app.running import OUTCOME
from tests.fakes import body_of
from tests.servers import ValkeyServer

CHAT = "/v1/chat/completions"
SOLVE = "Solve 4x + 3 = 31 for x. Show your steps."
_PATIENCE_SECONDS = 60

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="finds the workers through /proc"
)


@dataclass(frozen=True, slots=True)
class Crew:
    """A running proxy with two workers."""

    parent: subprocess.Popen[str]
    url: str
    model: CountingModel
    asked: list[str] = field(default_factory=list)

    @property
    def workers(self) -> list[int]:
        """The processes that serve."""
        return [
            pid
            for pid in children(self.parent.pid)
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]

    def get(self, path: str) -> httpx.Response:
        """Over a connection of its own, so that any worker may answer."""
        return httpx.get(self.url + path, trust_env=False, timeout=10)

    def ask(self, text: str, headers: dict[str, str] | None = None) -> httpx.Response:
        """A chat request over a connection of its own."""
        self.asked.append(text)
        url, body = self.url + CHAT, body_of(text)
        return httpx.post(url, json=body, headers=headers, trust_env=False, timeout=60)

    def metric(self, name: str, **labels: str) -> float:
        """The sum of a series over the labels that are not given."""
        families = text_string_to_metric_families(self.get("/metrics").text)
        return sum(
            sample.value
            for family in families
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def knows_all(self, worker: int) -> bool:
        """Whether ``worker`` has counted every request so far, whoever answered it.

        In between the others run on, and publish.
        """
        try:
            with only(worker, self):
                counted = self.metric("stepcache_requests_total", endpoint="chat")
        except httpx.TimeoutException:
            return False  # it has not begun to serve
        return counted == len(self.asked)


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in listed.split()]


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def serving(upstream: str, *more: str) -> list[str]:
    """The command of a proxy with two workers."""
    serve = [sys.executable, "-m", "stepcache_proxy", "serve", "--workers", "2"]
    return [*serve, "--port", str(free_port()), "--upstream", upstream, *more]


@contextmanager
def running(model: CountingModel, folder: Path, *more: str) -> Generator[Crew]:
    with (folder / "log").open("w") as log:
        parent = subprocess.Popen(
            serving(model.url, *more),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=folder,
            env={
                "STEPCACHE_REUSE__BUDGET_MS": "20000",
                "STEPCACHE_UPSTREAM__KIND": "openai",
                "OMP_NUM_THREADS": "1",
            },
        )
    assert parent.stdout is not None
    try:
        line = parent.stdout.readline()
        assert line, (folder / "log").read_text()
        yield Crew(parent, line.split()[-1], model)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()


@contextmanager
def only(worker: int, crew: Crew) -> Generator[None]:
    """Every other worker stands still meanwhile."""
    others = [pid for pid in crew.workers if pid != worker]
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in others:
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory) -> Generator[Crew]:
    folder = tmp_path_factory.mktemp("crew")
    with (
        CountingModel().serving() as model,
        running(model, folder, "--data-dir", str(folder / "store")) as crew,
    ):
        yield crew


def test_both_workers_serve(crew: Crew) -> None:
    first, second = crew.workers
    for worker in (first, second):
        with only(worker, crew):
            assert crew.get("/healthz").status_code == 200


def test_a_record_of_one_worker_is_found_by_the_other(crew: Crew) -> None:
    first, second = crew.workers
    with only(first, crew):
        fresh = crew.ask(SOLVE)
    calls = len(crew.model.questions)
    with only(second, crew):
        again = crew.ask(SOLVE)
    assert fresh.headers[OUTCOME] == "miss"
    assert again.headers[OUTCOME] == "exact"
    assert again.json()["choices"] == fresh.json()["choices"]
    assert len(crew.model.questions) == calls


def test_an_answer_of_one_worker_is_reused_by_the_other(crew: Crew) -> None:
    first, second = crew.workers
    with only(first, crew):
        crew.ask("Solve 5x + 3 = 38 for x. Show your steps.")
    calls = len(crew.model.questions)
    reworded = "Please solve for x, showing your steps: 6x + 3 = 45."
    found: list[httpx.Response] = []

    def look() -> bool:
        found.append(crew.ask(reworded, {"cache-control": "only-if-cached"}))
        return found[-1].status_code == 200

    with only(second, crew):
        until(look)
    assert found[-1].headers[OUTCOME] == "reuse"
    assert "x = 7" in found[-1].json()["choices"][0]["message"]["content"]
    assert len(crew.model.questions) == calls


def test_a_vector_of_one_worker_is_in_the_index_of_the_other(crew: Crew) -> None:
    fresh = crew.ask("Which knots do sailors tie to fasten a boat?")
    near = body_of("Which knots do fishermen tie to fasten a ship?")

    def is_near() -> bool:
        # Only the index knows that the two are near each other.
        told = httpx.post(
            f"{crew.url}/stepcache/explain", json=near, trust_env=False, timeout=30
        ).json()
        return any(
            one["record"] == fresh.headers["x-stepcache-record"]
            and (one["similarity"] or 0) > 0
            for one in told["candidates"]
        )

    for worker in crew.workers:
        # The worker that answered makes the vector afterwards.
        until(is_near)
        with only(worker, crew):
            until(is_near)


def test_metrics_and_statistics_are_of_all_workers(crew: Crew) -> None:
    for worker in crew.workers:
        with only(worker, crew):
            crew.ask(SOLVE)
            crew.ask(SOLVE)
    first, second = crew.workers
    for worker in (first, second):
        until(lambda: crew.knows_all(first) and crew.knows_all(second))
        with only(worker, crew):
            stats = crew.get("/stepcache/stats").json()
            assert stats["workers"] == 2
            for outcome, count in stats["requests"]["by_outcome"].items():
                shown = crew.metric("stepcache_requests_total", outcome=outcome)
                assert shown == count


def test_identical_requests_at_once_are_one_call(crew: Crew) -> None:
    crew.model.may_answer.clear()
    calls = len(crew.model.questions)
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(crew.ask, "What is a fathom?") for _ in range(20)]
        until(lambda: crew.metric("stepcache_inflight_requests") == 20)
        crew.model.may_answer.set()
        answers = [one.result() for one in asked]
    assert len(crew.model.questions) == calls + 1
    assert {answer.status_code for answer in answers} == {200}
    assert (
        len({answer.json()["choices"][0]["message"]["content"] for answer in answers})
        == 1
    )
    outcomes = [answer.headers[OUTCOME] for answer in answers]
    assert outcomes.count("miss") == 1
    assert set(outcomes) <= {"miss", "coalesced", "exact"}


def test_a_worker_that_dies_is_replaced_and_what_it_counted_stays(crew: Crew) -> None:
    first, second = crew.workers
    with only(first, crew):
        crew.ask(SOLVE)
    until(lambda: crew.knows_all(second))
    os.kill(first, signal.SIGKILL)
    assert crew.ask(SOLVE).headers[OUTCOME] == "exact"
    until(lambda: len(crew.workers) == 2)
    (new,) = set(crew.workers) - {second}
    until(lambda: crew.knows_all(new))


@contextmanager
def quick(folder: Path, store: str) -> Generator[Crew]:
    """Without an embedder, which takes seconds to load."""
    config = folder / "config.yaml"
    config.write_text("embedder: {model: ./none}\n")
    with (
        CountingModel().serving() as model,
        running(model, folder, "--redis-url", store, "--config", str(config)) as crew,
    ):
        yield crew


def test_sigterm_drains_all_workers_and_ends_with_0(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    with quick(tmp_path, valkey.url) as crew, ThreadPoolExecutor(4) as pool:
        crew.model.may_answer.clear()
        asked = [pool.submit(crew.ask, f"What is a league, {n}?") for n in range(4)]
        until(lambda: len(crew.model.questions) == 4)
        workers = crew.workers
        crew.parent.send_signal(signal.SIGTERM)
        crew.model.may_answer.set()
        assert [one.result().status_code for one in asked] == [200] * 4
        out, _ = crew.parent.communicate()
    assert crew.parent.returncode == 0
    assert out == ""
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_workers_end_with_their_parent_however_it_ends(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    with quick(tmp_path, valkey.url) as crew:
        workers = crew.workers
        assert len(workers) == 2
        crew.parent.kill()
        crew.parent.wait()
        until(lambda: not any(map(is_running, workers)))


def is_running(pid: int) -> bool:
    """Whether it is there and not just waiting to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_ctrl_c_while_they_start_is_no_traceback(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    with (tmp_path / "log").open("w") as log:
        parent = subprocess.Popen(
            serving("http://127.0.0.1:9", "--redis-url", valkey.url),
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=tmp_path,
            env={"STEPCACHE_EMBEDDER__MODEL": "./none"},
            start_new_session=True,
        )
    try:
        # The second child beside multiprocessing's own is the first worker or so.
        until(lambda: len(children(parent.pid)) >= 3)
        os.killpg(parent.pid, signal.SIGINT)
        code = parent.wait()
    finally:
        parent.kill()
        parent.wait()
    assert code == 0
    assert (tmp_path / "log").read_text() == ""


def test_a_worker_that_cannot_start_is_one_line_and_the_code_of_its_fault(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        serving("http://127.0.0.1:9", "--redis-url", "redis://127.0.0.1:none/0"),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"STEPCACHE_EMBEDDER__MODEL": "./none"},
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("stepcache-proxy: store.url: ")
