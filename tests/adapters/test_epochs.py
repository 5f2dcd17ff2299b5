"""A changed model behind the same name starts a new epoch, a restart does not."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import token_hex

import orjson
import pytest
from redis.asyncio import Redis
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from stepcache_proxy.adapters.breaker import Breaker, Limits
from stepcache_proxy.adapters.epochs import UpstreamEpochs, changes_answers
from stepcache_proxy.adapters.upstream import HttpUpstream
from tests.fakes import Recording
from tests.http_servers import serve
from tests.servers import ValkeyServer


class Weights:
    """A server that says which file it serves, as llama.cpp does."""

    def __init__(self) -> None:
        self.file = "small.gguf"
        self.root = "base"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/props":
            told: object = {
                "model_path": self.file,
                "default_generation_settings": {},
            }
        else:
            told = {"data": [{"id": "m", "root": self.root, "created": token_hex(4)}]}
        await Response(orjson.dumps(told))(scope, receive, send)


@asynccontextmanager
async def epochs_of(
    weights: Weights, valkey: ValkeyServer, key: str
) -> AsyncGenerator[UpstreamEpochs]:
    async with serve(weights) as url:
        upstream = HttpUpstream(url)
        client: Redis = Redis.from_url(valkey.url, socket_timeout=0.3)
        guard = Breaker("store", Limits(0.3), time.monotonic, Recording())
        try:
            epochs = UpstreamEpochs(upstream, client, key, 60, guard)
            await epochs.poll()
            yield epochs
        finally:
            await client.aclose()
            await upstream.aclose()


@pytest.fixture
def key() -> str:
    return f"test:{{book}}:epoch:{token_hex(8)}"


async def test_the_same_weights_give_the_same_token_after_a_restart(
    valkey: ValkeyServer, key: str
) -> None:
    weights = Weights()
    async with epochs_of(weights, valkey, key) as before:
        token = before.of("m")
    async with epochs_of(weights, valkey, key) as after:
        assert after.of("m") == token != ""


@pytest.mark.parametrize("attribute", ["file", "root"])
async def test_other_weights_give_another_token(
    valkey: ValkeyServer, key: str, attribute: str
) -> None:
    weights = Weights()
    async with epochs_of(weights, valkey, key) as epochs:
        before = epochs.of("m")
        setattr(weights, attribute, "another")
        await epochs.poll()
        assert epochs.of("m") != before
        setattr(weights, attribute, getattr(Weights(), attribute))
        await epochs.poll()
        assert epochs.of("m") == before


async def test_a_changed_fingerprint_ends_the_epoch_of_its_model_alone(
    valkey: ValkeyServer, key: str
) -> None:
    async with epochs_of(Weights(), valkey, key) as epochs:
        await epochs.note("m", "build-1")
        m, other = epochs.of("m"), epochs.of("other")
        await epochs.note("m", "build-1")
        assert epochs.of("m") == m
        await epochs.note("m", "build-2")
        assert epochs.of("m") != m
        assert epochs.of("other") == other


async def test_an_invalidation_is_seen_by_another_worker(
    valkey: ValkeyServer, key: str
) -> None:
    weights = Weights()
    async with (
        epochs_of(weights, valkey, key) as one,
        epochs_of(weights, valkey, key) as two,
    ):
        before = one.of("m")
        assert two.of("m") == before
        await one.invalidate()
        await two.poll()
        assert one.of("m") == two.of("m") != before


async def test_an_invalidation_holds_without_a_store(
    own_valkey: ValkeyServer, key: str
) -> None:
    async with epochs_of(Weights(), own_valkey, key) as epochs:
        before = epochs.of("m")
        own_valkey.freeze()
        try:
            await epochs.invalidate()
        finally:
            own_valkey.thaw()
        during = epochs.of("m")
        await epochs.poll()
        # A store that was only slow may count it twice: never is it the old epoch.
        assert before not in (during, epochs.of("m"))


async def test_an_upstream_that_is_gone_keeps_its_last_token(
    valkey: ValkeyServer, key: str
) -> None:
    async with epochs_of(Weights(), valkey, key) as epochs:
        before = epochs.of("m")
        epochs.upstream = HttpUpstream("http://127.0.0.1:9", connect_timeout_s=0.2)
        await epochs.poll()
        await epochs.upstream.aclose()
        assert epochs.of("m") == before


@pytest.mark.parametrize(
    ("method", "path", "changes"),
    [
        pytest.param("POST", "/lora-adapters", True, id="adapters"),
        pytest.param("GET", "/lora-adapters", False, id="reading-adapters"),
        pytest.param("POST", "/v1/unload_lora_adapter", True, id="vllm-unload"),
        pytest.param("POST", "/v1/embeddings", False, id="embeddings"),
    ],
)
def test_only_calls_that_change_answers_count(
    method: str, path: str, *, changes: bool
) -> None:
    assert changes_answers(method, path) is changes
