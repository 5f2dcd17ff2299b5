"""The official Python client cannot tell the proxy from the model server."""

from collections.abc import Generator

import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam
from pydantic import BaseModel

from tests.e2e.asking import MODEL
from tests.e2e.conftest import Proxied


class Boat(BaseModel):
    """What ``parse`` is to give."""

    sails: bool
    decks: int


def connected(url: str, namespace: str = "direct") -> openai.OpenAI:
    return openai.OpenAI(
        default_headers={"x-stepcache-namespace": namespace},
        base_url=f"{url}/v1",
        api_key="a key of this client",
        max_retries=0,
        timeout=60,
    )


@pytest.fixture
def client(
    proxied: Proxied, request: pytest.FixtureRequest
) -> Generator[openai.OpenAI]:
    """The client, pointed at the proxy, each test with a part of the cache."""
    with connected(proxied.url, request.node.originalname) as client:
        yield client


def user(text: str) -> list[ChatCompletionUserMessageParam]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize("time", ["first", "again"])
def test_a_chat_is_answered(client: openai.OpenAI, time: str) -> None:
    raw = client.chat.completions.with_raw_response.create(
        model=MODEL,
        messages=user("Is a lagoon deep? One word."),
        temperature=0,
        max_tokens=64,
        stop=["."],
    )
    answer = raw.parse()
    expected = "miss" if time == "first" else "exact"
    assert raw.headers["x-stepcache-outcome"] == expected
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.completion_tokens > 0


@pytest.mark.parametrize("time", ["first", "again"])
def test_a_stream_is_read_to_its_usage(client: openai.OpenAI, time: str) -> None:
    with client.chat.completions.create(
        model=MODEL,
        messages=user("Is a fjord narrow? One word."),
        temperature=0,
        max_tokens=64,
        stop=["."],
        stream=True,
        stream_options={"include_usage": True},
    ) as stream:
        expected = "miss" if time == "first" else "exact"
        assert stream.response.headers["x-stepcache-outcome"] == expected
        chunks = list(stream)
    said = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(said)
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None


@pytest.mark.parametrize("time", ["first", "again"])
def test_a_model_class_is_parsed(client: openai.OpenAI, time: str) -> None:
    answer = client.chat.completions.parse(
        model=MODEL,
        messages=user(f"Describe a ferry, {time} of all."),
        temperature=0,
        max_tokens=64,
        response_format=Boat,
    )
    assert isinstance(answer.choices[0].message.parsed, Boat)


def test_the_models_are_the_servers(client: openai.OpenAI, proxied: Proxied) -> None:
    with connected(proxied.model.url) as direct:
        assert client.models.list().data == direct.models.list().data


def refusal(client: openai.OpenAI) -> openai.APIStatusError:
    with pytest.raises(openai.APIStatusError) as told:
        client.embeddings.create(model=MODEL, input="tide")
    return told.value


def test_an_error_is_the_servers_own(client: openai.OpenAI, proxied: Proxied) -> None:
    told = refusal(client)
    with connected(proxied.model.url) as direct:
        told_directly = refusal(direct)
    assert told.status_code == told_directly.status_code
    assert told.body == told_directly.body


@pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "streamed"])
def test_an_older_completion_is_answered(
    client: openai.OpenAI, is_stream: bool
) -> None:
    answer = client.completions.create(
        model=MODEL,
        prompt="The tide is",
        temperature=0,
        max_tokens=48,
        stop=["."],
        stream=is_stream,
    )
    chunks = [answer] if isinstance(answer, openai.types.Completion) else list(answer)
    assert "".join(chunk.choices[0].text for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"
