"""A reply is read whole, streamed or not, with what its headers say."""

import json

import pytest
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from stepcache_proxy.bench.client import ChatClient, Reply, send
from stepcache_proxy.bench.workload import Ask
from stepcache_proxy.errors import StartError
from stepcache_proxy.wire.jsonvalue import Json
from tests.http_servers import serve

DECISION = {
    "x-stepcache-outcome": "patch",
    "x-stepcache-reason": "step:2",
    "x-stepcache-tokens": "generated=12, reused=140",
}


def ask(**more: Json) -> Ask:
    return Ask("a question", {"messages": [], **more})


class Model:
    """Answers every request with ``status``, ``headers`` and one text."""

    def __init__(
        self, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.headers = headers or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = json.loads(await Request(scope, receive).body())
        response: Response
        if body.get("stream"):
            frames = [
                {"choices": [{"delta": {"role": "assistant"}}]},
                {"choices": [{"delta": {"content": "x ="}}]},
                {"choices": [{"delta": {"content": " 4"}, "finish_reason": "stop"}]},
                {"choices": [], "usage": {"completion_tokens": 7}},
            ]
            lines = [f"data: {json.dumps(frame)}\n\n" for frame in frames]
            response = StreamingResponse(iter([*lines, "data: [DONE]\n\n"]))
        else:
            message = {"content": "x = 4"}
            whole = {
                "choices": [{"message": message}],
                "usage": {"completion_tokens": 7},
            }
            response = Response(json.dumps(whole), self.status)
        response.headers.update(self.headers)
        await response(scope, receive, send)


async def reply_of(model: Model, asked: Ask) -> Reply:
    async with serve(model) as url:
        with ChatClient(url, timeout=10) as client:
            return await to_thread.run_sync(send, client, asked)


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_text_and_tokens_are_those_of_the_body(stream: bool) -> None:
    reply = await reply_of(Model(), ask(stream=stream))
    assert reply.text == "x = 4"
    assert reply.tokens_generated == 7
    assert (reply.outcome, reply.reason, reply.tokens_reused) == ("", "", 0)
    assert 0 < reply.ttft_s <= reply.latency_s


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_a_connection_is_used_again(stream: bool) -> None:
    async with serve(Model()) as url:
        with ChatClient(url, timeout=10) as client:
            for _ in range(3):
                reply = await to_thread.run_sync(send, client, ask(stream=stream))
                assert reply.text == "x = 4"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_the_decision_is_read_from_the_headers(stream: bool) -> None:
    reply = await reply_of(Model(headers=DECISION), ask(stream=stream))
    assert (reply.outcome, reply.reason) == ("patch", "step:2")
    assert (reply.tokens_generated, reply.tokens_reused) == (12, 140)


async def test_an_error_of_the_server_names_the_request() -> None:
    async with serve(Model(status=503)) as url:
        with (
            ChatClient(url, timeout=10) as client,
            pytest.raises(StartError, match=r"a question: .* said 503"),
        ):
            await to_thread.run_sync(send, client, ask())


async def test_a_server_that_is_gone_is_a_start_error() -> None:
    async with serve(Model()) as url:
        pass
    with (
        ChatClient(url, timeout=10) as client,
        pytest.raises(StartError, match=r"a question: .* failed: ConnectionRefused"),
    ):
        await to_thread.run_sync(send, client, ask())
