"""Fixtures of every test: the event loop, Hypothesis profiles, a real store server."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.servers import ValkeyServer, find_redis, redis_8_binary

settings.register_profile(
    "fast",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile("deep", settings.get_profile("fast"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The one event loop we run on."""
    return "asyncio"


@pytest.fixture(scope="session")
def valkey(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[ValkeyServer]:
    """A real Valkey that every store test shares; each uses its own namespace."""
    with ValkeyServer(tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[ValkeyServer]:
    """The Redis of the system, shared like ``valkey``; skips where there is none."""
    binary = find_redis()
    if binary is None:
        pytest.skip("no redis-server here: apt-get install redis-server")
    folder = tmp_path_factory.mktemp("redis")
    with ValkeyServer(folder, binary=binary) as server:
        yield server


@pytest.fixture(scope="session")
def redis_8(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[ValkeyServer]:
    """A Redis with vector sets, shared like ``valkey``; skips where there is none."""
    with ValkeyServer(
        tmp_path_factory.mktemp("redis-8"), binary=redis_8_binary()
    ) as server:
        yield server


@pytest.fixture
def own_redis_8(tmp_path: Path) -> Generator[ValkeyServer]:
    """A Redis with vector sets of one test."""
    with ValkeyServer(tmp_path, binary=redis_8_binary()) as server:
        yield server


@pytest.fixture
def own_valkey(tmp_path: Path) -> Generator[ValkeyServer]:
    """A real Valkey of one test, to be frozen, flushed and stopped."""
    with ValkeyServer(tmp_path) as server:
        yield server
