"""A real vLLM is recognised, continued, refused by and left, as its users expect."""

import asyncio
import re
from collections.abc import AsyncGenerator

import httpx
import pytest

from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.errors import UpstreamStatusError
from stepcache_proxy.reuse.protocols import Delta, Prompt
from stepcache_proxy.wire.jsonvalue import Json
from tests.e2e.asking import CHAT, MODEL, chat, outcome, post, text_of
from tests.e2e.comparing import told
from tests.e2e.conftest import Proxied
from tests.e2e.counters import Model

pytestmark = pytest.mark.vllm

_RUNNING = re.compile(r"^vllm:num_requests_running\{[^}]*\} (\d+)", re.MULTILINE)
_LIST = "Name three sea birds, as a numbered list."


@pytest.fixture
async def upstream(model: Model) -> AsyncGenerator[HttpUpstream]:
    client = HttpUpstream(model.url)
    yield client
    await client.aclose()


def listing(prefix: str = "", **fields: Json) -> Prompt:
    body: dict[str, Json] = {
        "model": MODEL,
        "messages": [{"role": "user", "content": _LIST}],
        "temperature": 0,
        "max_tokens": 60,
        **fields,
    }
    return Prompt("chat", body, [], prefix)


async def answered(upstream: HttpUpstream, prompt: Prompt) -> str:
    parts = [part async for part in upstream.generate(prompt)]
    return "".join(part.text for part in parts if isinstance(part, Delta))


async def test_it_is_recognised(upstream: HttpUpstream) -> None:
    assert await upstream.kind() == "vllm"


async def test_its_own_answer_is_continued_where_it_was_cut(
    upstream: HttpUpstream,
) -> None:
    lines = (await answered(upstream, listing())).splitlines(keepends=True)
    assert [line[:3] for line in lines] == ["1. ", "2. ", "3. "]
    rest = (await answered(upstream, listing(lines[0]))).splitlines()
    assert [line[:3] for line in rest] == ["2. ", "3. "]


async def test_a_format_does_not_force_a_second_document(
    upstream: HttpUpstream,
) -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "integer"}}}
    wanted: Json = {
        "type": "json_schema",
        "json_schema": {"name": "n", "schema": schema},
    }
    text = await answered(upstream, listing('{"a": 1', response_format=wanted))
    assert not text.lstrip().startswith("{")


async def test_a_refusal_is_told(upstream: HttpUpstream) -> None:
    with pytest.raises(UpstreamStatusError) as caught:
        await answered(upstream, listing(model="no-such-model"))
    assert caught.value.upstream_status == 404


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"model": "no-such-model"}, id="unknown model"),
        pytest.param({"messages": []}, id="no messages"),
        pytest.param({"max_tokens": 5000}, id="more tokens than there are"),
        pytest.param({"tools": []}, id="empty tools"),
        pytest.param({"stream_options": {"include_usage": True}}, id="options alone"),
        pytest.param({"response_format": {"type": "json_schema"}}, id="no schema"),
    ],
)
def test_what_vllm_refuses_is_refused_in_its_words(
    fields: dict[str, object], proxied: Proxied
) -> None:
    body = chat("Hi", **fields)
    direct, answer = (
        client.post(CHAT, json=body)
        for client in (proxied.model.client, proxied.client)
    )
    assert direct.is_client_error
    assert told(answer) == told(direct)


def test_a_failing_step_is_regenerated_behind_those_that_stand(
    proxied: Proxied,
) -> None:
    schema = {"type": "object", "additionalProperties": False}

    def wanting(*names: str) -> dict[str, object]:
        members = {name: {"type": "string", "maxLength": 12} for name in names}
        demanded = {**schema, "properties": members, "required": list(names)}
        inner = {"name": "boat", "schema": demanded}
        return {"response_format": {"type": "json_schema", "json_schema": inner}}

    question = "Describe a small ferry as a JSON object."
    first = post(proxied.client, chat(question, **wanting("name", "colour")))
    assert outcome(first) == "miss"
    more = chat(question, **wanting("name", "colour", "captain"))
    patched = post(proxied.client, more)
    assert outcome(patched) == "patch"
    assert '"captain"' in text_of(patched)
    direct = proxied.model.client.post(CHAT, json=more)
    assert sorted(patched.json()) == sorted(direct.json())


@pytest.mark.parametrize("is_stream", [True, False])
async def test_a_client_that_leaves_stops_the_model(
    is_stream: bool, proxied: Proxied
) -> None:
    body = chat("Tell me a long story.", max_tokens=900, stream=is_stream)
    async with httpx.AsyncClient(base_url=proxied.url, trust_env=False) as client:
        asking = asyncio.get_running_loop().create_task(client.post(CHAT, json=body))
        await _until_running(proxied.model, 1)
        asking.cancel()
        await asyncio.wait([asking])
        async with asyncio.timeout(5):
            await _until_running(proxied.model, 0)


async def _until_running(model: Model, count: int) -> None:
    while True:
        figures = (await asyncio.to_thread(model.client.get, "/metrics")).text
        found = _RUNNING.search(figures)
        if found is not None and int(found[1]) == count:
            return
        await asyncio.sleep(0.02)
