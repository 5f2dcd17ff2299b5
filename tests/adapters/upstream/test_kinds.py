"""The server says what it is; asked once, and again after a failure."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from stepcache_proxy.adapters.upstream.kinds import Kind, Kinds
from stepcache_proxy.adapters.upstream.link import link_to
from stepcache_proxy.adapters.upstream.transport import AiohttpTransport
from tests.http_servers import Answering, Routes, json_answer, serve

PROPS = {"default_generation_settings": {"n_ctx": 1}, "total_slots": 1}
KEY = [(b"authorization", b"Bearer k")]


def models(owner: str) -> Answering:
    return json_answer({"data": [{"id": "a", "owned_by": owner}]})


@asynccontextmanager
async def kinds_of(routes: Routes) -> AsyncGenerator[Kinds]:
    transport = AiohttpTransport()
    async with serve(routes) as url:
        yield Kinds(link_to(url, transport, 5, 5), "auto")
        await transport.aclose()


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        pytest.param({"/props": json_answer(PROPS)}, "llamacpp", id="props"),
        pytest.param({"/v1/models": models("vllm")}, "vllm", id="vllm"),
        pytest.param({"/v1/models": models("llamacpp")}, "llamacpp", id="llama.cpp"),
        pytest.param({"/v1/models": models("openai")}, "openai", id="another owner"),
        pytest.param({"/v1/models": json_answer({"data": 1})}, "openai", id="odd list"),
        pytest.param(
            {"/props": json_answer([]), "/v1/models": models("vllm")},
            "vllm",
            id="props of another server",
        ),
    ],
)
async def test_a_server_is_known_by_its_answers(
    routes: dict[str, Answering], expected: Kind
) -> None:
    async with kinds_of(Routes(routes)) as kinds:
        assert await kinds.kind(KEY) == expected
        asked = [len(app.seen) for app in routes.values()]
        assert await kinds.kind(KEY) == expected
        assert [len(app.seen) for app in routes.values()] == asked
    assert all(KEY[0] in seen.headers for app in routes.values() for seen in app.seen)


async def test_a_server_that_is_not_ready_is_asked_again() -> None:
    routes = Routes({"/v1/models": json_answer({"error": "loading"}, 503)})
    async with kinds_of(routes) as kinds:
        assert await kinds.kind(KEY) == "openai"
        routes.by_path = {"/v1/models": models("vllm")}
        assert await kinds.kind(KEY) == "vllm"
        routes.by_path = {"/props": json_answer(PROPS)}
        kinds.forget()
        assert await kinds.kind(KEY) == "llamacpp"


async def test_an_unreachable_server_counts_as_unknown_for_now() -> None:
    async with serve(Routes({})) as url:
        pass
    transport = AiohttpTransport()
    kinds = Kinds(link_to(url, transport, 5, 5), "auto")
    assert await kinds.kind(KEY) == "openai"
    await transport.aclose()


async def test_a_set_kind_is_not_asked_for() -> None:
    transport = AiohttpTransport()
    kinds = Kinds(link_to("http://127.0.0.1:9", transport, 5, 5), "vllm")
    kinds.forget()
    assert await kinds.kind(KEY) == "vllm"
