"""A real vLLM on the CPU, and a real proxy in front of it.

``scripts/test-vllm`` installs vLLM and names its folder; without it nothing here runs.
"""

import os
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.bench.proxy_server import proxy_server
from tests.e2e.conftest import Proxied
from tests.e2e.counters import Model

HOME = "TEST_VLLM"
URL = "TEST_VLLM_URL"
"""A server with the options below that runs already: it starts slowly."""
_OPTIONS = (
    # The name of the other end-to-end tests first: that is the one it answers with.
    *("--served-model-name", "SmolLM2-135M-Instruct", "smollm2"),
    # float32: the same greedy answer every time; 32: short prompts are cached, too.
    *("--dtype", "float32", "--block-size", "32", "--max-model-len", "1024"),
    *("--max-num-seqs", "8", "--max-num-batched-tokens", "1024", "--enforce-eager"),
    *("--enable-auto-tool-choice", "--tool-call-parser", "hermes"),
)
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    # One thread anywhere; one GiB for the prefix cache, not most of the memory.
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    # Else the first request with log-probabilities compiles C++ for many seconds.
    "TORCHDYNAMO_DISABLE": "1",
}


def vllm_server(home: Path, log: Path) -> Child:
    """A vLLM to be started; it writes to ``log``."""
    port = free_port()
    place = ("--host", "127.0.0.1", "--port", str(port))
    return Child(
        name="vLLM",
        command=[f"{home}/bin/vllm", "serve", f"{home}/model", *place, *_OPTIONS],
        port=port,
        ready_path="/health",
        log=log,
        env=_ENVIRONMENT,
        start_seconds=300,
        stop_seconds=30,
    )


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Generator[Model]:
    running = os.environ.get(URL)
    if running is not None:
        with httpx.Client(base_url=running, trust_env=False, timeout=120) as client:
            yield Model(client)
        return
    home = os.environ.get(HOME)
    if home is None:
        pytest.skip("no vLLM here: ./scripts/test-vllm")
    log = tmp_path_factory.mktemp("vllm") / "log"
    with (
        vllm_server(Path(home).resolve(), log) as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=120) as client,
    ):
        yield Model(client)


@pytest.fixture(scope="session")
def proxied(
    model: Model, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Proxied]:
    folder = tmp_path_factory.mktemp("proxy")
    server = proxy_server(model.url, data_dir=folder / "store", log=folder / "log")
    with (
        server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=120) as client,
    ):
        yield Proxied(client, model)
