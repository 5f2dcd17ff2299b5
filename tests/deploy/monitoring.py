"""A proxy under a small load, watched by a real Prometheus with our own rules."""

import json
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import httpx
import yaml

from loadtest.asks import Ask, asks
from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.bench.proxy_server import proxy_server
from stepcache_proxy.wire.jsonvalue import Json
from tests.deploy.tools import ROOT, tool

FOLDER = ROOT / "config" / "prometheus"
DASHBOARD = ROOT / "config" / "grafana" / "dashboards" / "stepcache.json"
CHAT = "/v1/chat/completions"
HOW = "apt-get install prometheus"

_REQUESTS = 80
_PATIENCE_SECONDS = 40

Sample = tuple[Mapping[str, str], float]


@dataclass(frozen=True, slots=True)
class Monitored:
    """The end of a load: the proxy and what Prometheus knows of it."""

    proxy: httpx.Client
    prometheus: httpx.Client

    def query(self, expression: str) -> list[Sample]:
        """The labels and the value of every sample now; an error is a failed test."""
        response = self.prometheus.get("/api/v1/query", params={"query": expression})
        told = response.json()
        assert told["status"] == "success", (expression, told)
        result = told["data"]["result"]
        if told["data"]["resultType"] == "scalar":
            return [({}, float(result[1]))]
        return [(one["metric"], float(one["value"][1])) for one in result]

    def number(self, expression: str) -> float:
        """The one value of an expression."""
        ((_, value),) = self.query(expression)
        return value

    def stats(self, *path: str) -> Json:
        """What ``/stepcache/stats`` says there."""
        told: Json = self.proxy.get("/stepcache/stats").json()
        for name in path:
            assert isinstance(told, Mapping)
            told = told[name]
        return told

    def figure(self, *path: str) -> float:
        """One number of ``/stepcache/stats``."""
        told = self.stats(*path)
        assert isinstance(told, int | float)
        return told


@contextmanager
def monitored(folder: Path) -> Generator[Monitored]:
    """Everything started, loaded and scraped; stopped at the end."""
    program = tool("prometheus", HOW)
    with (
        scripted_model(folder / "model.log") as model,
        proxy_server(
            model.url,
            data_dir=folder / "store",
            log=folder / "proxy.log",
            settings={"reuse.budget_ms": "20000", "index.janitor_s": "1"},
        ) as proxy,
        _prometheus(program, folder, proxy) as prometheus,
        _client(proxy.url) as to_proxy,
        _client(prometheus.url) as to_prometheus,
    ):
        seen = Monitored(to_proxy, to_prometheus)
        # Counters have to be seen at 0 before they can be seen to grow.
        _until(lambda: seen.query("stepcache_requests_total"))
        _load(to_proxy)
        total = seen.figure("requests", "total")
        _until(lambda: seen.number("sum(stepcache_requests_total)") == total)
        _until(lambda: seen.number("max(stepcache_records)") > 0)
        now = seen.number("time()")
        # The rules have to be evaluated once more, over what has been seen by now.
        _until(lambda: seen.number(f"timestamp({rules()[-1][0]})") > now)
        yield seen


def scripted_model(log: Path) -> Child:
    """The scripted model server of the load test, to be started."""
    port = free_port()
    return Child(
        name="the scripted model",
        command=[sys.executable, "-m", "loadtest.upstream", "--port", str(port)],
        port=port,
        ready_path="/health",
        log=log,
        env={"PYTHONPATH": str(ROOT)},
    )


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, trust_env=False, timeout=30)


def _prometheus(program: str, folder: Path, proxy: Child) -> Child:
    port = free_port()
    config = folder / "prometheus.yml"
    config.write_text(json.dumps(_impatient(f"127.0.0.1:{proxy.port}")))
    return Child(
        name="Prometheus",
        command=[
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'series'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        port=port,
        ready_path="/-/ready",
        log=folder / "prometheus.log",
    )


def _impatient(target: str) -> dict[str, object]:
    """Our own configuration, with another target and shorter intervals."""
    config: dict[str, object] = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    names = config["rule_files"]
    assert isinstance(names, list)
    (job,) = yaml.safe_load(json.dumps(config["scrape_configs"]))
    (place,) = job["static_configs"]
    return {
        **config,
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(FOLDER / name) for name in names],
        "scrape_configs": [{**job, "static_configs": [{**place, "targets": [target]}]}],
    }


def _load(client: httpx.Client) -> None:
    """Some of the load test's requests, then each again, and one bypass."""
    wanted = list(islice(_whole(asks(7)), _REQUESTS))
    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):
            statuses = pool.map(lambda ask: _send(client, ask), wanted)
            assert set(statuses) == {200}
    first = wanted[0]
    _send(client, Ask("plain", first.credential, {**first.body, "n": 2}, bool))


def _whole(every: Iterator[Ask]) -> Iterator[Ask]:
    return (ask for ask in every if ask.fault is None and not ask.leaves_early)


def _send(client: httpx.Client, ask: Ask) -> int:
    headers = {"authorization": ask.credential}
    return client.post(CHAT, json=ask.body, headers=headers).status_code


def _until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "Prometheus did not see it in time"
        time.sleep(0.2)


def rules() -> list[tuple[str, str]]:
    """Name and expression of every recording rule."""
    return [(rule["record"], rule["expr"]) for rule in _rules("rules.yml")]


def alerts() -> list[tuple[str, str]]:
    """Name and condition of every alert."""
    return [(rule["alert"], rule["expr"]) for rule in _rules("alerts.yml")]


def _rules(name: str) -> Iterator[dict[str, str]]:
    for group in yaml.safe_load((FOLDER / name).read_text())["groups"]:
        yield from group["rules"]


def panels() -> list[tuple[str, str]]:
    """Title and query of every panel of the dashboard."""
    board = json.loads(DASHBOARD.read_text())
    return [
        (f"{panel['title']} {target['refId']}", target["expr"])
        for panel in board["panels"]
        for target in panel.get("targets", [])
    ]
