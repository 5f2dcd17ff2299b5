"""A scripted OpenAI-compatible server: deterministic answers, faults on request.

``python -m loadtest.upstream --port P`` runs it in the foreground. A question with
"please fail" is a 503, one with "please drop" is broken off in the middle.
"""

import argparse
import asyncio
import json
import time
from dataclasses import dataclass
from itertools import count

from aiohttp import web

from loadtest.answers import members, plain_text, worked_text

MODEL = "scripted"
FAIL, DROP = "please fail", "please drop"
_PIECE = 12  # characters of a delta
_SECONDS_A_PIECE = 0.004
_numbers = count()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as far as the script reads it."""

    body: dict[str, object]
    credential: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """All turns."""
        messages = self.body.get("messages")
        return messages if isinstance(messages, list) else []

    @property
    def prefix(self) -> str:
        """The begun answer that is to be continued."""
        last = self.messages[-1]
        return last["content"] if last["role"] == "assistant" else ""

    @property
    def question(self) -> str:
        """The last thing the user said, whatever has been added behind it."""
        said = [m["content"] for m in self.messages if m["role"] == "user"]
        return said[-1] if said else ""

    @property
    def schema(self) -> dict[str, object] | None:
        """The demanded schema, if there is one."""
        wanted = self.body.get("response_format")
        inner = wanted.get("json_schema") if isinstance(wanted, dict) else None
        schema = inner.get("schema") if isinstance(inner, dict) else None
        return schema if isinstance(schema, dict) else None

    def text(self) -> str:
        """The answer, less the prefix where that is a part of it."""
        whole = self._whole()
        return whole.removeprefix(self.prefix)

    def _whole(self) -> str:
        if self.schema is not None:
            is_first = len(self.messages) == 1 and "\n" not in self.question
            told = members(
                self.credential, self.question, self.schema, is_first=is_first
            )
            return json.dumps(told)
        worked = worked_text(self.credential, self.question)
        return worked or plain_text(self.credential, self.question)


async def chat(request: web.Request) -> web.StreamResponse:
    """``POST /v1/chat/completions``."""
    credential = request.headers.get("authorization", "")
    asked = Asked(await request.json(), credential)
    if FAIL in asked.question:
        error = {"message": "scripted fault", "type": "server_error", "code": 503}
        return web.json_response({"error": error}, status=503)
    if asked.body.get("stream"):
        return await _streamed(request, asked)
    text = asked.text()
    await asyncio.sleep(_SECONDS_A_PIECE * len(text) / _PIECE)
    if DROP in asked.question:
        assert request.transport is not None
        request.transport.abort()
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = _head("chat.completion")
    return web.json_response({**head, "choices": [choice], "usage": _usage(text)})


async def _streamed(request: web.Request, asked: Asked) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    head, text = _head("chat.completion.chunk"), asked.text()
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    deltas = [{"role": "assistant", "content": ""}, *({"content": p} for p in pieces)]
    for number, delta in enumerate(deltas):
        await _send(response, head, [_choice(delta, None)])
        await asyncio.sleep(_SECONDS_A_PIECE)
        if DROP in asked.question and number == len(deltas) // 2:
            assert request.transport is not None
            request.transport.abort()
            return response
    await _send(response, head, [_choice({}, "stop")])
    options = asked.body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        await _send(response, {**head, "usage": _usage(text)}, [])
    await response.write(b"data: [DONE]\n\n")
    return response


async def _send(
    response: web.StreamResponse, head: dict[str, object], choices: list[object]
) -> None:
    line = json.dumps({**head, "choices": choices})
    await response.write(f"data: {line}\n\n".encode())


def _choice(delta: dict[str, str], finish: str | None) -> object:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _head(kind: str) -> dict[str, object]:
    id_ = f"chatcmpl-{next(_numbers)}"
    return {"id": id_, "object": kind, "created": int(time.time()), "model": MODEL}


def _usage(text: str) -> dict[str, int]:
    tokens = max(1, len(text) // 4)
    return {
        "prompt_tokens": 20,
        "completion_tokens": tokens,
        "total_tokens": 20 + tokens,
    }


async def models(_: web.Request) -> web.Response:
    """``GET /v1/models``, for any credential."""
    listed = [{"id": MODEL, "object": "model", "owned_by": "loadtest"}]
    return web.json_response({"object": "list", "data": listed})


async def health(_: web.Request) -> web.Response:
    """``GET /health``."""
    return web.Response()


def main() -> None:
    """Serve until SIGTERM."""
    options = argparse.ArgumentParser(prog="loadtest.upstream", description=__doc__)
    options.add_argument("--port", type=int, required=True)
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", models)
    app.router.add_get("/health", health)
    web.run_app(app, host="127.0.0.1", port=options.parse_args().port, print=None)


if __name__ == "__main__":
    main()
