"""One server: relays as they are, faults as ours, answers generated and continued."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import orjson
import pytest
from starlette.types import ASGIApp

from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.adapters.upstream.kinds import KindSetting
from stepcache_proxy.errors import (
    ConfigError,
    UpstreamError,
    UpstreamStatusError,
    UpstreamTimeoutError,
)
from stepcache_proxy.reuse.protocols import Delta, Finish, Prompt
from stepcache_proxy.wire.jsonvalue import Json
from tests.adapters.upstream.chunks import chat_chunk, chat_stream
from tests.http_servers import (
    Answering,
    InTurn,
    Routes,
    Wire,
    event_stream,
    json_answer,
    serve,
    serve_bytes,
)

CHAT = "/v1/chat/completions"
FIRST = "1. Subtract 3 from both sides.\n"
SECOND = "2. The solution is x = 4."
BODY: dict[str, Json] = {
    "model": "m",
    "messages": [{"role": "user", "content": "solve"}],
    "max_tokens": 100,
}


@asynccontextmanager
async def open_upstream(
    app: ASGIApp, kind: KindSetting = "openai", path: str = ""
) -> AsyncGenerator[HttpUpstream]:
    async with serve(app) as url:
        upstream = HttpUpstream(url + path, kind, timeout_s=5)
        try:
            yield upstream
        finally:
            await upstream.aclose()


async def generated(
    upstream: HttpUpstream, prefix: str = "", body: dict[str, Json] | None = None
) -> tuple[str, Finish]:
    prompt = Prompt("chat", body or BODY, [(b"authorization", b"Bearer k")], prefix)
    parts = [part async for part in upstream.generate(prompt)]
    *deltas, finish = parts
    assert isinstance(finish, Finish)
    return "".join(d.text for d in deltas if isinstance(d, Delta)), finish


def body_sent(app: Answering, index: int = -1) -> dict[str, Json]:
    body: dict[str, Json] = orjson.loads(app.seen[index].body)
    return body


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_the_root_may_end_in_v1(path: str) -> None:
    app = Answering()
    async with (
        open_upstream(app, path=path) as upstream,
        upstream.open("GET", b"/v1/models?a=b", []) as response,
    ):
        assert (response.status, await response.read()) == (200, b"ok")
    assert app.seen[0].target == b"/v1/models?a=b"


async def test_a_root_below_a_path_stays_there() -> None:
    app = Answering()
    async with (
        open_upstream(app, path="/deep/v1") as upstream,
        upstream.open("OPTIONS", b"*", []) as response,
    ):
        await response.read()
    assert app.seen[0].target == b"/deep/*"


@pytest.mark.parametrize("url", ["ftp://h", "h:80", "http://", "http://u:p@h"])
def test_an_address_that_cannot_be_used_is_a_setting_error(url: str) -> None:
    with pytest.raises(ConfigError, match=r"upstream\.url"):
        HttpUpstream(url)


async def test_a_silent_server_is_a_timeout_and_a_closed_one_an_error() -> None:
    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.until_closed()

    async with serve_bytes(meet) as url:
        upstream = HttpUpstream(url, "openai", timeout_s=0.05)
        with pytest.raises(UpstreamTimeoutError):
            await generated(upstream)
        await upstream.aclose()
    upstream = HttpUpstream(url, "openai")
    with pytest.raises(UpstreamError, match="unreachable"):
        await generated(upstream)
    assert not await upstream.ping()
    await upstream.aclose()


async def test_leaving_early_closes_the_connection() -> None:
    closed = asyncio.Event()

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(b"HTTP/1.1 200 OK\r\n\r\nfirst")
        await wire.until_closed()
        closed.set()

    async with serve_bytes(meet) as url:
        upstream = HttpUpstream(url, "openai")
        async with upstream.open("GET", b"/", []) as response:
            async for chunk in response.chunks():
                assert chunk == b"first"
                break
        await closed.wait()
        await upstream.aclose()


async def test_closing_the_generation_aborts_the_call() -> None:
    closed = asyncio.Event()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"

    async def meet(wire: Wire) -> None:
        await wire.request()
        await wire.answer(head, chat_chunk({"content": "x"}))
        await wire.until_closed()
        closed.set()

    async with serve_bytes(meet) as url:
        upstream = HttpUpstream(url, "openai")
        parts = upstream.generate(Prompt("chat", BODY, []))
        assert await anext(parts) == Delta("x")
        await parts.aclose()
        await closed.wait()
        await upstream.aclose()


async def test_cancelling_before_the_head_aborts_the_call() -> None:
    asked, closed = asyncio.Event(), asyncio.Event()

    async def meet(wire: Wire) -> None:
        await wire.request()
        asked.set()
        await wire.until_closed()
        closed.set()

    async with serve_bytes(meet) as url, asyncio.TaskGroup() as group:
        upstream = HttpUpstream(url, "openai")
        call = group.create_task(generated(upstream))
        await asked.wait()
        call.cancel()
        await closed.wait()
        await upstream.aclose()


async def test_a_full_answer_is_asked_for_as_a_stream_with_usage() -> None:
    app = chat_stream("a", "b")
    async with open_upstream(app) as upstream:
        text, finish = await generated(upstream)
    assert text == "ab"
    assert finish.answer.usage == {"prompt_tokens": 5, "completion_tokens": 2}
    assert finish.answer.message == {"role": "assistant"}
    streamed = {"stream": True, "stream_options": {"include_usage": True}}
    assert body_sent(app) == {**BODY, **streamed}
    headers = dict(app.seen[0].headers)
    assert headers[b"authorization"] == b"Bearer k"
    assert headers[b"accept-encoding"] == b"identity"
    assert headers[b"content-type"] == b"application/json"


@pytest.mark.parametrize("kind", ["vllm", "llamacpp"])
async def test_a_prefix_is_continued(kind: KindSetting) -> None:
    app = chat_stream("\n", SECOND)
    async with open_upstream(Routes({CHAT: app}), kind) as upstream:
        text, _ = await generated(upstream, FIRST)
    assert FIRST + text == FIRST + SECOND
    sent = body_sent(app)
    assert sent["continue_final_message"] is True
    assert sent["add_generation_prompt"] is False
    messages = sent["messages"]
    assert isinstance(messages, list)
    assert messages[-1] == {"role": "assistant", "content": FIRST.rstrip()}


async def test_a_refused_continuation_becomes_an_instruction_and_is_remembered() -> (
    None
):
    refused = json_answer({"error": {"message": "continue_final_message: no"}}, 400)
    answered = chat_stream(SECOND)
    app = InTurn([refused, answered, answered])
    async with open_upstream(Routes({CHAT: app}), "vllm") as upstream:
        for _ in range(2):
            text, _ = await generated(upstream, FIRST)
            assert text == SECOND
    for index in range(2):
        assert "continue_final_message" not in body_sent(answered, index)


async def test_another_refusal_is_the_clients_to_see() -> None:
    app = json_answer({"error": {"message": "too long"}}, 400)
    async with open_upstream(Routes({CHAT: app}), "vllm") as upstream:
        with pytest.raises(UpstreamStatusError) as caught:
            await generated(upstream, FIRST)
    assert caught.value.upstream_status == 400
    assert caught.value.body == app.parts[0]
    assert (b"content-type", b"application/json") in caught.value.headers
    assert len(app.seen) == 1


async def test_a_redirect_is_passed_on_and_not_followed() -> None:
    app = Answering(status=307, headers=[(b"location", b"/elsewhere")])
    async with open_upstream(app) as upstream:
        with pytest.raises(UpstreamStatusError) as caught:
            await generated(upstream)
    assert caught.value.upstream_status == 307


async def test_an_answer_that_is_not_streamed_loses_the_repeated_prefix() -> None:
    message = {"role": "assistant", "content": FIRST + SECOND}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    app = json_answer({"model": "m", "choices": [choice], "usage": {"a": 1}})
    async with open_upstream(Routes({CHAT: app}), "llamacpp") as upstream:
        text, finish = await generated(upstream, FIRST)
    assert text == SECOND
    assert (finish.answer.finish_reason, finish.answer.usage) == ("stop", {"a": 1})


async def test_a_stream_may_lack_its_last_line_feed() -> None:
    chunks = [chat_chunk({"content": "x"}), chat_chunk({}, "stop")]
    async with open_upstream(event_stream(*chunks, b"data: [DONE]")) as upstream:
        text, _ = await generated(upstream)
    assert text == "x"


async def test_text_filed_under_reasoning_is_taken_from_there() -> None:
    app = chat_stream(reasoning="\n" + SECOND)
    async with open_upstream(Routes({CHAT: app}), "vllm") as upstream:
        text, finish = await generated(upstream, FIRST)
    assert text == SECOND
    assert finish.answer.message == {"role": "assistant"}


async def test_real_reasoning_is_not_taken_for_text() -> None:
    app = chat_stream(reasoning="hm</think>")
    async with open_upstream(Routes({CHAT: app}), "vllm") as upstream:
        text, _ = await generated(upstream, FIRST)
    assert text == ""


@pytest.mark.parametrize(
    "app",
    [
        pytest.param(event_stream(chat_chunk({"content": "x"})), id="no end"),
        pytest.param(event_stream(b'data: {"error":{}}\n\n'), id="error inside"),
        pytest.param(Answering(parts=[b"<html>"]), id="no answer"),
    ],
)
async def test_an_answer_that_is_not_complete_is_an_error(app: Answering) -> None:
    async with open_upstream(app) as upstream:
        with pytest.raises(UpstreamError):
            await generated(upstream)


async def test_the_list_of_models_is_asked_with_the_clients_credential() -> None:
    app = json_answer({"error": "Unauthorized"}, 401)
    async with open_upstream(app) as upstream:
        answer = await upstream.models([(b"Authorization", b"k"), (b"host", b"proxy")])
        assert await upstream.ping()
    assert answer == (401, b'{"error":"Unauthorized"}')
    assert app.seen[0].target == b"/v1/models"
    assert (b"authorization", b"k") in app.seen[0].headers
