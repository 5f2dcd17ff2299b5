"""A malformed control header is a 400 on paths that are not cached, too."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest

from stepcache_proxy.api.strict import StrictControls
from stepcache_proxy.reuse.controls import Limits
from stepcache_proxy.reuse.events import Answered, RequestStarted
from stepcache_proxy.reuse.model import Outcome
from tests.fakes import Recording
from tests.http_servers import Answering, serve


@asynccontextmanager
async def strict(
    app: Answering, recording: Recording
) -> AsyncGenerator[httpx.AsyncClient]:
    guarded = StrictControls(app, Limits(), recording, lambda: 0.0)
    async with (
        serve(guarded) as url,
        httpx.AsyncClient(base_url=url, trust_env=False) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x-stepcache-mode", "sometimes"),
        ("x-stepcache-ttl", "0"),
        ("x-stepcache-namespace", "a/b"),
        ("x-stepcache-min-similarity", "2"),
        ("cache-control", "max-age="),
    ],
)
async def test_it_never_reaches_the_app(name: str, content: str) -> None:
    app, recording = Answering(), Recording()
    async with strict(app, recording) as client:
        answer = await client.post("/v1/embeddings", headers={name: content})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == name
    assert answer.headers["x-stepcache-outcome"] == "bypass"
    assert answer.headers["x-stepcache-reason"] == f"param:{name}"
    assert app.seen == []
    started, told = recording.events
    assert isinstance(started, RequestStarted)
    assert isinstance(told, Answered)
    assert (told.outcome, told.status, told.endpoint) == (Outcome.BYPASS, 400, "other")


async def test_sound_ones_go_through() -> None:
    app, recording = Answering(), Recording()
    headers = {"cache-control": "no-cache, max-age=0", "x-stepcache-ttl": "5"}
    async with strict(app, recording) as client:
        assert (await client.get("/v1/models", headers=headers)).content == b"ok"
    assert recording.events == []
