"""A scripted OpenAI server for the benchmark: right 72.5 % of the time, 45 tokens/s.

``python -m stepcache_proxy.bench.scripted --port P`` runs it in the foreground. It
continues a trailing assistant message as llama.cpp does, counts its own tokens in
``/metrics`` under llama.cpp's names, and its luck depends on the seed, the request
and how often this credential has asked the same before: every arm of the benchmark
meets the same answers.
"""

import argparse
import asyncio
import random
import re
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from pathlib import Path

import orjson
from aiohttp import web

from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.bench.scripted_answers import Asked, write
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object

MODEL_NAME = "scripted"
SHARE_RIGHT = 0.725
TOKENS_PER_SECOND = 45.0
_EVENTS = {"content-type": "text/event-stream"}
_TOKEN = re.compile(r"\s?[A-Za-z]{1,7}|\s?\d{1,3}|\s?[^\w\s]|\s+|\w")


def scripted_server(
    log: Path, *, seed: int = 0, tokens_per_second: float = TOKENS_PER_SECOND
) -> Child:
    """A scripted server to be started; it writes to ``log``."""
    port = free_port()
    options = ["--port", str(port), "--seed", str(seed)]
    return Child(
        name="the scripted upstream",
        command=[
            *(sys.executable, "-m", __name__, *options),
            *("--tokens-per-second", str(tokens_per_second)),
        ],
        port=port,
        ready_path="/health",
        log=log,
    )


def tokens_of(text: str) -> list[str]:
    """The text in pieces of about a word; joined they are the text."""
    return _TOKEN.findall(text)


@dataclass(slots=True)
class Script:
    """The model: what it is asked, how often, and what it has produced."""

    seed: int = 0
    tokens_per_second: float = TOKENS_PER_SECOND
    prompt_tokens: int = 0
    predicted_tokens: int = 0
    _attempts: Counter[bytes] = field(default_factory=Counter[bytes])
    _numbers: "count[int]" = field(default_factory=count)

    def answer(self, body: JsonObject, credential: str) -> str:
        """The text after what has been begun; another one at another attempt."""
        asked, prefix = _asked(body)
        told = orjson.dumps([self.seed, asked.text, asked.schema, prefix])
        key = blake2b(told + b"\0" + credential.encode(), digest_size=16).digest()
        attempt = self._attempts[key]
        self._attempts[key] += 1
        dice = random.Random(told + attempt.to_bytes(4, "big"))  # noqa: S311
        is_right = dice.random() < SHARE_RIGHT
        return write(asked, prefix, dice, is_right=is_right)

    def read_prompt(self, body: JsonObject) -> int:
        """Count the tokens of a prompt."""
        read = sum(len(tokens_of(text)) + 4 for _, text in _messages(body))
        self.prompt_tokens += read
        return read

    async def tokens(self, text: str) -> AsyncGenerator[str]:
        """The text token by token, at the model's pace, counted as produced."""
        started = time.monotonic()
        for number, token in enumerate(tokens_of(text), 1):
            due = started + number / self.tokens_per_second
            await asyncio.sleep(due - time.monotonic())
            self.predicted_tokens += 1
            yield token

    def head(self, kind: str) -> dict[str, Json]:
        """The envelope of an answer."""
        return {
            "id": f"chatcmpl-{next(self._numbers)}",
            "object": kind,
            "created": int(time.time()),
            "model": MODEL_NAME,
            "system_fingerprint": "scripted",
        }


def application(script: Script) -> web.Application:
    """The endpoints over one script."""

    async def chat(request: web.Request) -> web.StreamResponse:
        body = read_object(await request.read())
        if body is None or not _messages(body):
            error = {"message": "no messages", "type": "invalid_request_error"}
            return web.json_response({"error": error}, status=400)
        read = script.read_prompt(body)
        text = script.answer(body, request.headers.get("authorization", ""))
        if body.get("stream"):
            response = web.StreamResponse(headers=_EVENTS)
            with suppress(ConnectionResetError):  # the client has left
                await response.prepare(request)
                await _stream(response, script, body, read, text)
            return response
        told = [token async for token in script.tokens(text)]
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = script.head("chat.completion")
        return web.json_response(
            {**head, "choices": [choice], "usage": _usage(read, len(told))}
        )

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(
            text=f"llamacpp:prompt_tokens_total {script.prompt_tokens}\n"
            f"llamacpp:tokens_predicted_total {script.predicted_tokens}\n"
        )

    app = web.Application(handler_args={"handler_cancellation": True})
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", _models)
    app.router.add_get("/props", _props)
    app.router.add_get("/health", _health)
    app.router.add_get("/metrics", metrics)
    return app


async def _stream(
    response: web.StreamResponse, script: Script, body: JsonObject, read: int, text: str
) -> None:
    head = script.head("chat.completion.chunk")
    produced = 0
    await _send(response, head, [_choice({"role": "assistant", "content": None})])
    async for token in script.tokens(text):
        produced += 1
        await _send(response, head, [_choice({"content": token})])
    await _send(response, head, [_choice({}, "stop")])
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        usage: Mapping[str, Json] = {"usage": dict(_usage(read, produced))}
        await _send(response, {**head, **usage}, [])
    await response.write(b"data: [DONE]\n\n")


async def _send(
    response: web.StreamResponse, head: JsonObject, choices: list[Json]
) -> None:
    await response.write(
        b"data: " + orjson.dumps({**head, "choices": choices}) + b"\n\n"
    )


def _choice(delta: JsonObject, finish: str | None = None) -> Json:
    return {"index": 0, "delta": dict(delta), "finish_reason": finish}


def _usage(read: int, produced: int) -> dict[str, int]:
    return {
        "prompt_tokens": read,
        "completion_tokens": produced,
        "total_tokens": read + produced,
    }


async def _models(_: web.Request) -> web.Response:
    listed = [{"id": MODEL_NAME, "object": "model", "owned_by": "scripted"}]
    return web.json_response({"object": "list", "data": listed})


async def _props(_: web.Request) -> web.Response:
    return web.json_response({"default_generation_settings": {}})


async def _health(_: web.Request) -> web.Response:
    return web.Response()


def _messages(body: JsonObject) -> list[tuple[str, str]]:
    messages = body.get("messages")
    found: list[tuple[str, str]] = []
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict):
            content = message.get("content")
            text = content if isinstance(content, str) else ""
            found.append((str(message.get("role")), text))
    return found


def _asked(body: JsonObject) -> tuple[Asked, str]:
    """The question, and the begun answer that is to be continued."""
    messages = _messages(body)
    prefix = messages[-1][1] if messages[-1][0] == "assistant" else ""
    said = [text for role, text in messages if role == "user"]
    return Asked(said[-1] if said else "", _schema(body)), prefix


def _schema(body: JsonObject) -> JsonObject | None:
    wanted = body.get("response_format")
    wrapped = wanted.get("json_schema") if isinstance(wanted, dict) else None
    schema = wrapped.get("schema") if isinstance(wrapped, dict) else None
    return schema if isinstance(schema, dict) else None


def main() -> None:
    """Serve until SIGTERM."""
    options = argparse.ArgumentParser(prog="scripted", description=__doc__)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--tokens-per-second", type=float, default=TOKENS_PER_SECOND)
    args = options.parse_args()
    script = Script(args.seed, args.tokens_per_second)
    web.run_app(application(script), host="127.0.0.1", port=args.port, print=None)


if __name__ == "__main__":
    main()
