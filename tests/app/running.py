"""The whole application in this process, before a model server that plays a script."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from stepcache_proxy.api.flights import Flights
from stepcache_proxy.app.application import create_app
from stepcache_proxy.app.parts import Parts, open_parts
from stepcache_proxy.config import Settings, load
from stepcache_proxy.wire.jsonvalue import Json
from tests.api.proxy import CHAT, Model
from tests.fakes import body_of
from tests.http_servers import serve, serve_bytes

OUTCOME = "x-stepcache-outcome"


def settings_of(url: str, store: str, **more: Json) -> Settings:
    """Settings for a server at ``url``, without an embedder; ``a__b`` is ``a.b``."""
    given: dict[str, Json] = {
        "upstream.url": url,
        "upstream.kind": "openai",
        "store.url": store,
        "embedder.model": "./no-such-folder",
        "index.janitor_s": 0.1,
        "reuse.budget_ms": 20_000,
    }
    dotted = {name.replace("__", "."): value for name, value in more.items()}
    return load({**given, **dotted})


@dataclass(frozen=True, slots=True)
class App:
    """The application with its parts; the caretaker does not run by itself."""

    client: httpx.AsyncClient
    parts: Parts
    model: Model

    async def ask(self, text: str = "q", **fields: Json) -> httpx.Response:
        """The response to a chat request."""
        return await self.client.post(CHAT, json=body_of(text, **fields))


@asynccontextmanager
async def running(model: Model, store: str, **more: Json) -> AsyncGenerator[App]:
    """The application over the store at ``store``."""
    async with (
        serve_bytes(model.meet) as url,
        running_before(model, url, store, **more) as app,
    ):
        yield app


@asynccontextmanager
async def running_before(
    model: Model, url: str, store: str, **more: Json
) -> AsyncGenerator[App]:
    """The same before a model that is served at ``url``: replicas share one."""
    async with (
        open_parts(settings_of(url, store, **more)) as parts,
        Flights() as flights,
        serve(create_app(parts, flights)) as address,
        httpx.AsyncClient(base_url=address, trust_env=False) as client,
    ):
        yield App(client, parts, model)
