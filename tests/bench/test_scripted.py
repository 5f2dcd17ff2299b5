"""The scripted upstream is a plausible model: paced, continued, seeded, counted."""

import json
import random
from collections.abc import AsyncGenerator
from fractions import Fraction

import httpx
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from stepcache_proxy.bench.perturb import evaluation, warm_up
from stepcache_proxy.bench.scripted import (
    SHARE_RIGHT,
    Script,
    application,
    tokens_of,
)
from stepcache_proxy.bench.scripted_algebra import read_equation
from stepcache_proxy.bench.scripted_answers import Asked, write
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

EQUATION = "Solve 3x + 4 = 19 for x. Show your steps."
FAST = 1e6


def body(text: str = EQUATION, *, begun: str = "", **fields: Json) -> JsonObject:
    messages: list[Json] = [{"role": "user", "content": text}]
    if begun:
        messages.append({"role": "assistant", "content": begun})
    return {"model": "m", "messages": messages, **fields}


def right(text: str, prefix: str = "") -> str:
    return write(Asked(text), prefix, random.Random(1), is_right=True)


def test_it_is_right_nearly_three_times_in_four() -> None:
    script = Script()
    items = [item for seed in range(8) for item in (*evaluation(seed), *warm_up())]
    verdicts = [
        item.ask.check is not None and item.ask.check(script.answer(item.ask.body, "a"))
        for item in items
    ]
    assert abs(sum(verdicts) / len(verdicts) - SHARE_RIGHT) < 0.04


def test_a_right_answer_is_right_and_a_wrong_one_is_wrong() -> None:
    for item in (*evaluation(42), *warm_up()):
        assert item.ask.check is not None
        for is_right in (True, False):
            script = Script()
            asked = Asked(item.ask.name, _schema(item.ask.body))
            text = write(asked, "", random.Random(3), is_right=is_right)
            assert item.ask.check(text) is is_right, (script, text)


def _schema(asked: JsonObject) -> JsonObject | None:
    wanted = asked.get("response_format")
    wrapped = wanted.get("json_schema") if isinstance(wanted, dict) else None
    schema = wrapped.get("schema") if isinstance(wrapped, dict) else None
    return schema if isinstance(schema, dict) else None


def test_the_same_request_gets_the_same_first_answer_for_every_credential() -> None:
    script = Script()
    assert script.answer(body(), "a") == script.answer(body(), "b")


def test_another_attempt_may_be_another_answer() -> None:
    script = Script()
    assert len({script.answer(body(), "a") for _ in range(30)}) > 1


def test_another_seed_has_other_luck() -> None:
    answers = {Script(seed).answer(body(), "a") for seed in range(30)}
    assert len(answers) > 1


@pytest.mark.parametrize("lines", [1, 2])
def test_a_begun_answer_is_continued_where_it_stops(lines: int) -> None:
    whole = right(EQUATION)
    prefix = "".join(whole.splitlines(keepends=True)[:lines])
    assert prefix + right(EQUATION, prefix) == whole


def test_the_tokens_of_a_text_are_the_text() -> None:
    text = right(EQUATION) + '{"a": [1, 22333]}\n\tübel'
    assert "".join(tokens_of(text)) == text


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("Solve 2x + 3 = 13 for x.", 5),
        ("Solve 3(x + 2) = 21 for x.", 5),
        ("Given 6y - 4 = 2y + 12, what is y?", 4),
        ("Solve n/4 + 3 = 8.", 20),
        ("Solve 9 - 2x = 3.", 3),
        ("Solve 25 = 6t + 1 for t.", 4),
        ("Solve 0.5x + 1.5 = 4.", 5),
    ],
)
def test_equations_of_every_shape_are_read(text: str, root: int) -> None:
    sides = read_equation(text)
    assert sides is not None
    gap = sides.left.a - sides.right.a
    assert (sides.right.b - sides.left.b) / gap == Fraction(root)


@pytest.mark.parametrize("text", ["No equation.", "a = b", "x = ", "2 = 2", "x*/ = 3"])
def test_what_is_no_equation_is_none(text: str) -> None:
    assert read_equation(text) is None


@pytest.fixture
async def script() -> Script:
    return Script(tokens_per_second=FAST)


@pytest.fixture
async def client(script: Script) -> AsyncGenerator[httpx.AsyncClient]:
    server = TestServer(application(script))
    await server.start_server()
    root = str(server.make_url("/"))
    async with httpx.AsyncClient(base_url=root, trust_env=False) as client:
        yield client
    await server.close()


async def test_usage_and_metrics_count_the_same_tokens(
    client: httpx.AsyncClient, script: Script
) -> None:
    response = await client.post("/v1/chat/completions", json=body())
    usage = response.json()["usage"]
    metrics = (await client.get("/metrics")).text
    assert f"llamacpp:tokens_predicted_total {usage['completion_tokens']}" in metrics
    assert f"llamacpp:prompt_tokens_total {usage['prompt_tokens']}" in metrics
    assert script.predicted_tokens == usage["completion_tokens"] > 20


async def test_a_stream_says_the_same_as_a_whole_answer(
    client: httpx.AsyncClient,
) -> None:
    options: Json = {"include_usage": True}
    streamed = await client.post(
        "/v1/chat/completions",
        json=body(stream=True, stream_options=options),
        headers={"authorization": "a"},
    )
    whole = await client.post("/v1/chat/completions", json=body())
    lines = [line[6:] for line in streamed.text.split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    events = [json.loads(line) for line in lines]
    assert events.pop()["usage"] == whole.json()["usage"]
    deltas = [event["choices"][0]["delta"].get("content") or "" for event in events]
    assert "".join(deltas) == whole.json()["choices"][0]["message"]["content"]


async def test_it_is_taken_for_a_server_that_continues(
    client: httpx.AsyncClient,
) -> None:
    assert "default_generation_settings" in (await client.get("/props")).json()
    assert (await client.get("/v1/models")).json()["data"]
    assert (await client.get("/health")).status_code == 200


async def test_a_request_without_messages_is_refused(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/chat/completions", json={"messages": []})
    assert response.status_code == 400


def test_an_application_is_made_for_one_script() -> None:
    assert isinstance(application(Script()), web.Application)
