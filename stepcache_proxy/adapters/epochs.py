"""Which weights stand behind a model name: a change starts a new epoch.

Three signs, each part of the token that goes into every partition:

* what the server says of itself: llama.cpp's ``/props`` (file, template, build), vLLM's
  ``/version`` and the root of each listed model. The same weights after a restart give
  the same token, so records survive it;
* ``system_fingerprint`` of its answers, where vLLM or llama.cpp changes it;
* a counter raised by every call through the proxy that loads, unloads or changes
  weights, adapters or properties.

Counters and last signs are kept in the store, shared by all workers.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b

import orjson

from stepcache_proxy.adapters.breaker import Breaker
from stepcache_proxy.adapters.store_client import Client, store_errors
from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.errors import StoreUnavailableError, UpstreamError
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object

_ASK_SECONDS = 2.0
_SERVER_FIELDS = ("model_path", "chat_template", "build_info", "version")
_MODEL_FIELDS = ("root", "parent", "meta")


@dataclass(slots=True)
class UpstreamEpochs:
    """The epoch of each model name behind one upstream.

    ``key`` is the store's hash for it, ``ttl_seconds`` its life, renewed by ``poll``.
    """

    upstream: HttpUpstream
    client: Client
    key: str
    ttl_seconds: int
    breaker: Breaker
    _server: JsonObject = field(default_factory=dict[str, Json])
    _models: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    _kept: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    _unwritten: dict[bytes, int] = field(default_factory=dict[bytes, int])
    _tokens: dict[str, str] = field(default_factory=dict[str, str])

    def of(self, model: str) -> str:
        """The token of the model's epoch; "" where nothing is known of it."""
        token = self._tokens.get(model)
        if token is None:
            if len(self._tokens) > 10_000:
                self._tokens.clear()
            token = self._tokens[model] = self._token(model)
        return token

    async def poll(self) -> None:
        """Look at the upstream and at the store; never raises."""
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                await self._look()
        except (UpstreamError, TimeoutError):
            pass
        await self._exchange()
        self._tokens.clear()

    async def note(self, model: str, fingerprint: Json) -> None:
        """An answer of ``model`` carried this fingerprint."""
        if not isinstance(fingerprint, str) or not self._is_fingerprinted():
            return
        name = _field(b"f:", model)
        said = blake2b(fingerprint.encode(), digest_size=8).hexdigest().encode()
        before = self._kept.get(name)
        if before == said:
            return
        self._kept[name] = said
        await self._write("HSET", self.key, name, said)
        if before is not None:
            await self._raise(_field(b"g:", model))

    async def invalidate(self) -> None:
        """Weights, adapters or properties were changed: nothing kept is right."""
        await self._raise(b"g")

    async def _raise(self, name: bytes) -> None:
        # First here, so that nothing old is served even if the store is away.
        self._unwritten[name] = self._unwritten.get(name, 0) + 1
        self._tokens.clear()
        await self._exchange()
        self._tokens.clear()

    async def _write_raises(self) -> None:
        """Tell the store what it could not be told before. Raises when it is away."""
        for name, count in list(self._unwritten.items()):
            await self._ask("HINCRBY", self.key, name, count)
            self._unwritten[name] -= count
            written = int(self._kept.get(name, b"0")) + count
            self._kept[name] = b"%d" % written
            if not self._unwritten[name]:
                del self._unwritten[name]

    async def _look(self) -> None:
        kind = await self.upstream.kind()
        if kind == "llamacpp":
            self._server = _chosen(await self._get(b"/props"), _SERVER_FIELDS)
        elif kind == "vllm":
            self._server = _chosen(await self._get(b"/version"), _SERVER_FIELDS)
        listed = (await self._get(b"/v1/models")).get("data")
        for model in listed if isinstance(listed, list) else ():
            name = model.get("id") if isinstance(model, dict) else None
            if isinstance(model, dict) and isinstance(name, str):
                self._models[name] = _chosen(model, _MODEL_FIELDS)

    async def _get(self, target: bytes) -> JsonObject:
        async with self.upstream.open("GET", target, []) as response:
            body = await response.read()
        return (read_object(body) if response.status == 200 else None) or {}

    async def _exchange(self) -> None:
        try:
            await self._write_raises()
            kept = await self._ask("HGETALL", self.key)
            if kept:
                await self._ask("EXPIRE", self.key, self.ttl_seconds)
        except StoreUnavailableError:
            return
        if isinstance(kept, dict):
            self._kept = dict(kept)

    async def _write(self, *command: str | bytes | int) -> None:
        with suppress(StoreUnavailableError):
            await self._ask(*command)
            await self._ask("EXPIRE", self.key, self.ttl_seconds)

    async def _ask(self, *command: str | bytes | int) -> object:
        async def ask() -> object:
            with store_errors():
                reply: object = await self.client.execute_command(*command)
            return reply

        return await self.breaker.run(ask)

    def _is_fingerprinted(self) -> bool:
        return bool(self._server)

    def _token(self, model: str) -> str:
        signs: list[Json] = [
            dict(self._server),
            self._models.get(model) or {},
            self._count(b"g"),
            self._count(_field(b"g:", model)),
        ]
        if not any(signs):
            return ""
        said = orjson.dumps(signs, option=orjson.OPT_SORT_KEYS)
        return blake2b(said, digest_size=8).hexdigest()

    def _count(self, name: bytes) -> int:
        value = self._kept.get(name, b"0")
        written = int(value) if value.isdigit() else 0
        return written + self._unwritten.get(name, 0)


def _field(prefix: bytes, model: str) -> bytes:
    return prefix + blake2b(model.encode(), digest_size=8).hexdigest().encode()


def _chosen(fields: Mapping[str, Json], names: tuple[str, ...]) -> JsonObject:
    return {name: fields[name] for name in names if fields.get(name) is not None}


CHANGING_PATHS = (
    "/lora-adapters",
    "/props",
    "/v1/load_lora_adapter",
    "/v1/unload_lora_adapter",
    "/models/load",
    "/models/unload",
    "/models",
    "/update_weights",
    "/start_weight_update",
    "/finish_weight_update",
    "/update_weight_version",
    "/collective_rpc",
    "/wake_up",
    "/sleep",
)
"""Paths of vLLM and llama.cpp that change what a model answers, when not read."""


def changes_answers(method: str, path: str) -> bool:
    """Whether a successful call of this path ends the epoch of every model."""
    return method in ("POST", "PUT", "PATCH", "DELETE") and path in CHANGING_PATHS
