"""Chat requests of the end-to-end tests, and what their answers say."""

import time
from collections.abc import Iterator, Mapping

import httpx
import orjson
import pytest

CHAT = "/v1/chat/completions"
MODEL = "SmolLM2-135M-Instruct"


def chat(text: str, **fields: object) -> dict[str, object]:
    """A deterministic chat request."""
    return {
        "model": MODEL,
        "messages": [{"role": "user", "content": text}],
        "temperature": 0,
        "max_tokens": 160,
        **fields,
    }


def post(
    client: httpx.Client, body: Mapping[str, object], namespace: str = "shared"
) -> httpx.Response:
    """The response to a chat request, from a part of the cache of its own."""
    headers = {"x-stepcache-namespace": namespace}
    response = client.post(CHAT, json=body, headers=headers)
    assert response.status_code == 200, response.text
    return response


def until_found(
    client: httpx.Client, body: Mapping[str, object], namespace: str = "shared"
) -> None:
    """Return when the index has caught up, so that ``body`` finds a candidate.

    A record is found by its meaning a moment after it was stored; how long that is
    depends on how busy the machine is.
    """
    headers = {"x-stepcache-namespace": namespace}
    for _ in range(400):
        told = client.post("/stepcache/explain", json=body, headers=headers).json()
        if told["candidates"]:
            return
        time.sleep(0.05)
    pytest.fail("the record was not found by a similar request")


def outcome(response: httpx.Response) -> str:
    """What the proxy says it did."""
    return str(response.headers["x-stepcache-outcome"])


def text_of(response: httpx.Response) -> str:
    """The whole text of an answer, streamed or not."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return "".join(_deltas(response.text))
    return str(response.json()["choices"][0]["message"]["content"])


def _deltas(stream: str) -> Iterator[str]:
    for line in stream.splitlines():
        if line.startswith("data: {"):
            for choice in orjson.loads(line[6:])["choices"]:
                yield choice["delta"].get("content") or ""
