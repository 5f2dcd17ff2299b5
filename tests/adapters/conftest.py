"""Stores of every kind, each started once for all tests that ask for it."""

import shutil
from collections.abc import Generator

import pytest

from tests.adapters.store_places import StorePlace, cluster_of_three, tls_and_acl
from tests.servers import ValkeyServer


@pytest.fixture(scope="session")
def valkey_place(valkey: ValkeyServer) -> StorePlace:
    return StorePlace(valkey.url)


@pytest.fixture(scope="session")
def redis_place(redis_server: ValkeyServer) -> StorePlace:
    return StorePlace(redis_server.url)


@pytest.fixture(scope="session")
def redis_tls_acl_place(
    redis_server: ValkeyServer, tmp_path_factory: pytest.TempPathFactory
) -> Generator[StorePlace]:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate: apt-get install openssl")
    with tls_and_acl(tmp_path_factory.mktemp("tls"), redis_server.binary) as place:
        yield place


@pytest.fixture(scope="session")
def cluster_place(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[StorePlace]:
    with cluster_of_three(tmp_path_factory.mktemp("cluster")) as place:
        yield place
