"""A real llama.cpp server on a small model, and a real proxy in front of it."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.llama_server import llama_server
from stepcache_proxy.bench.proxy_server import proxy_server
from tests.e2e.counters import Model


@dataclass(frozen=True, slots=True)
class Proxied:
    """The proxy and the model server behind it."""

    client: httpx.Client
    model: Model

    @property
    def url(self) -> str:
        """The address of the proxy."""
        return str(self.client.base_url).rstrip("/")


def patient_proxy(upstream: str, folder: Path) -> Child:
    """A proxy to be started, whose lookups a busy machine cannot turn into misses."""
    server = proxy_server(upstream, data_dir=folder / "store", log=folder / "log")
    server.env = {**server.env, "STEPCACHE_REUSE__BUDGET_MS": "20000"}
    return server


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Generator[Model]:
    """llama.cpp's own server, one thread, started once."""
    log = tmp_path_factory.mktemp("model") / "log"
    with (
        llama_server(log) as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client,
    ):
        yield Model(client)


@pytest.fixture(scope="session")
def proxied(
    model: Model, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Proxied]:
    """A proxy with default settings and an empty store, shared by all tests."""
    folder: Path = tmp_path_factory.mktemp("proxy")
    server = patient_proxy(model.url, folder)
    with (
        server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client,
    ):
        yield Proxied(client, model)
