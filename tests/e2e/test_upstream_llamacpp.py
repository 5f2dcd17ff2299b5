"""A real llama.cpp server is recognised, continued and relayed."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import orjson
import pytest

from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.adapters.upstream.continuation import Manner
from stepcache_proxy.bench.llama_server import llama_server
from stepcache_proxy.errors import UpstreamStatusError
from stepcache_proxy.reuse.protocols import Delta, Finish, Prompt
from stepcache_proxy.wire.jsonvalue import Json
from stepcache_proxy.wire.sse import FrameSplitter

COUNTING = "1. one\n2. two\n3. three\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    pytest.importorskip("xllamacpp")
    log = tmp_path_factory.mktemp("llama") / "log"
    assert isinstance(log, Path)
    with llama_server(log) as running:
        yield running.url


@pytest.fixture
async def upstream(server: str) -> AsyncGenerator[HttpUpstream]:
    client = HttpUpstream(server + "/v1")
    yield client
    await client.aclose()


def chat(prefix: str = "", **fields: Json) -> Prompt:
    question = "Count from 1 to 6, one number a line, like '1. one'."
    body: dict[str, Json] = {
        "model": "any",
        "messages": [{"role": "user", "content": question}],
        "temperature": 0,
        "max_tokens": 40,
        **fields,
    }
    return Prompt("chat", body, [], prefix)


async def answered(upstream: HttpUpstream, prompt: Prompt) -> tuple[str, Finish]:
    *deltas, finish = [part async for part in upstream.generate(prompt)]
    assert isinstance(finish, Finish)
    return "".join(d.text for d in deltas if isinstance(d, Delta)), finish


async def test_it_is_recognised(upstream: HttpUpstream) -> None:
    assert await upstream.ping()
    assert await upstream.kind() == "llamacpp"


async def test_a_verified_prefix_is_continued(upstream: HttpUpstream) -> None:
    text, finish = await answered(upstream, chat(COUNTING))
    assert text.startswith("4. ")
    assert finish.answer.usage["prompt_tokens"]
    assert "timings" not in finish.answer.envelope


@pytest.mark.parametrize("ending", ["", "\n"])
async def test_the_separator_is_there_once(upstream: HttpUpstream, ending: str) -> None:
    prefix = COUNTING.rstrip() + ending
    text, _ = await answered(upstream, chat(prefix))
    assert (prefix + text).startswith(COUNTING + "4. ")


async def test_a_schema_goes_on_inside_a_begun_object(upstream: HttpUpstream) -> None:
    properties: Json = {"name": {"const": "Bob"}, "age": {"type": "integer"}}
    schema: Json = {
        "type": "object",
        "properties": properties,
        "required": ["name", "age"],
        "additionalProperties": False,
    }
    demanded: Json = {"type": "json_schema", "json_schema": {"schema": schema}}
    prefix = '{"name": "Bob",'
    text, _ = await answered(upstream, chat(prefix, response_format=demanded))
    assert orjson.loads(prefix + text)["name"] == "Bob"


async def test_a_completion_is_continued(upstream: HttpUpstream) -> None:
    body: dict[str, Json] = {"prompt": "1. one\n2. two\n", "max_tokens": 8}
    prompt = Prompt("completions", {**body, "temperature": 0}, [], "3. three\n")
    text, finish = await answered(upstream, prompt)
    assert text.startswith("4")
    assert finish.answer.finish_reason == "length"


async def test_an_instruction_is_understood_by_the_server(
    upstream: HttpUpstream,
) -> None:
    prompt = chat(COUNTING)
    upstream._manners.remember(prompt, Manner.INSTRUCT)
    _, finish = await answered(upstream, prompt)
    assert finish.answer.finish_reason == "stop"


async def test_an_error_is_kept_as_it_came(upstream: HttpUpstream) -> None:
    with pytest.raises(UpstreamStatusError) as caught:
        await answered(upstream, chat(messages="none"))
    assert caught.value.upstream_status == 400
    assert b'"error"' in caught.value.body


async def test_streams_one_after_the_other_meet_no_closed_connection(
    upstream: HttpUpstream,
) -> None:
    # The server closes the connection after every stream, without saying so before.
    body = orjson.dumps({**chat(max_tokens=1).body, "stream": True})
    headers = [(b"content-type", b"application/json")]
    for _ in range(25):
        splitter = FrameSplitter()
        target = b"/v1/chat/completions"
        async with upstream.open("POST", target, headers, body) as response:
            frames = [
                frame
                async for chunk in response.chunks()
                for frame in splitter.push(chunk)
            ]
        assert frames[-1].is_done
