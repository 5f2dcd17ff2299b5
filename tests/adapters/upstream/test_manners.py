"""Whether a server really continues a message is looked at, without generating."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import orjson
import pytest

from stepcache_proxy.adapters.upstream.continuation import Manner
from stepcache_proxy.adapters.upstream.kinds import Kind
from stepcache_proxy.adapters.upstream.link import link_to
from stepcache_proxy.adapters.upstream.manners import Manners, names_continuation
from stepcache_proxy.adapters.upstream.transport import AiohttpTransport
from stepcache_proxy.errors import UpstreamStatusError
from stepcache_proxy.reuse.protocols import Prompt
from tests.http_servers import Answering, Routes, json_answer, serve

STEM = "1. First step"
PROMPT = Prompt("chat", {"model": "m", "messages": []}, [], STEM + "\n")


@asynccontextmanager
async def manners_of(routes: dict[str, Answering]) -> AsyncGenerator[Manners]:
    transport = AiohttpTransport()
    async with serve(Routes(routes)) as url:
        yield Manners(link_to(url, transport, 5, 5))
        await transport.aclose()


def rendered(text: str) -> Answering:
    return json_answer({"prompt": text})


@pytest.mark.parametrize(
    ("app", "expected"),
    [
        pytest.param(rendered("<a>" + STEM), Manner.CONTINUE, id="open turn"),
        pytest.param(rendered("<a>" + STEM + "\n"), Manner.CONTINUE, id="line feed"),
        pytest.param(rendered(STEM + "<end>"), Manner.INSTRUCT, id="closed turn"),
        pytest.param(json_answer({}, 404), Manner.CONTINUE, id="does not tell"),
        pytest.param(json_answer({"echo": 1}), Manner.CONTINUE, id="tells otherwise"),
    ],
)
async def test_a_template_of_llama_cpp_is_looked_at_once(
    app: Answering, expected: Manner
) -> None:
    async with manners_of({"/apply-template": app}) as manners:
        for _ in range(2):
            assert await manners.choose(PROMPT, "llamacpp", STEM) is expected
    assert len(app.seen) == 1
    asked = orjson.loads(app.seen[0].body)
    assert asked["messages"][-1] == {"role": "assistant", "content": STEM}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(STEM, Manner.CONTINUE, id="open turn"),
        pytest.param("<a>", Manner.INSTRUCT, id="message dropped"),
    ],
)
async def test_a_template_of_vllm_is_looked_at_by_its_tokens(
    text: str, expected: Manner
) -> None:
    routes = {
        "/tokenize": json_answer({"tokens": [1, 2]}),
        "/detokenize": rendered(text),
    }
    async with manners_of(routes) as manners:
        assert await manners.choose(PROMPT, "vllm", STEM) is expected
    assert orjson.loads(routes["/detokenize"].seen[0].body)["tokens"] == [1, 2]


@pytest.mark.parametrize(
    ("endpoint", "kind", "stem", "expected"),
    [
        pytest.param("chat", "openai", STEM, Manner.INSTRUCT, id="unknown server"),
        pytest.param("chat", "vllm", "", Manner.FULL, id="no prefix"),
        pytest.param("completions", "openai", STEM, Manner.CONTINUE, id="a prompt"),
    ],
)
async def test_some_manners_need_no_look(
    endpoint: str, kind: Kind, stem: str, expected: Manner
) -> None:
    prompt = Prompt(endpoint, PROMPT.body, [], stem)
    async with manners_of({}) as manners:
        assert await manners.choose(prompt, kind, stem) is expected


async def test_what_use_has_taught_is_remembered_until_a_failure() -> None:
    app = rendered(STEM)
    async with manners_of({"/apply-template": app}) as manners:
        manners.remember(PROMPT, Manner.INSTRUCT)
        assert await manners.choose(PROMPT, "llamacpp", STEM) is Manner.INSTRUCT
        manners.forget()
        assert await manners.choose(PROMPT, "llamacpp", STEM) is Manner.CONTINUE


async def test_a_server_that_is_gone_is_not_judged() -> None:
    async with serve(Routes({})) as url:
        pass
    transport = AiohttpTransport()
    manners = Manners(link_to(url, transport, 5, 5))
    assert await manners.choose(PROMPT, "llamacpp", STEM) is Manner.CONTINUE
    await transport.aclose()


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        pytest.param(400, b"add_generation_prompt", True, id="flag"),
        pytest.param(400, b"Assistant response prefill is ...", True, id="prefill"),
        pytest.param(400, b"maximum context length", False, id="another fault"),
        pytest.param(401, b"prefill", False, id="another status"),
    ],
)
def test_a_refusal_is_told_by_what_it_names(
    status: int, body: bytes, expected: bool
) -> None:
    assert names_continuation(UpstreamStatusError(status, [], body)) is expected
