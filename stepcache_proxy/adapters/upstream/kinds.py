"""Which server this is: asked once, remembered, asked again after a failure."""

import asyncio
from typing import Literal

from stepcache_proxy.adapters.upstream.link import Link
from stepcache_proxy.errors import UpstreamError
from stepcache_proxy.wire.headers import RawHeaders
from stepcache_proxy.wire.jsonvalue import JsonObject, read_object

Kind = Literal["vllm", "llamacpp", "openai"]
KindSetting = Literal["auto", "vllm", "llamacpp", "openai"]

_ASK_SECONDS = 2.0
_OWNERS: dict[str, Kind] = {"vllm": "vllm", "llamacpp": "llamacpp"}


class Kinds:
    """The kind of one server."""

    def __init__(self, link: Link, setting: KindSetting) -> None:
        self._link = link
        self._setting = setting
        self._known: Kind | None = None if setting == "auto" else setting
        self._asking = asyncio.Lock()

    async def kind(self, headers: RawHeaders) -> Kind:
        """The kind, found out with the credential in ``headers`` if need be.

        Takes at most a few seconds, once. An unreachable or unready server counts
        as ``openai`` for this call only.
        """
        if self._known is not None:
            return self._known
        async with self._asking:
            if self._known is None:
                try:
                    self._known = await self._found(headers)
                except UpstreamError:
                    return "openai"
        return self._known or "openai"

    @property
    def known(self) -> Kind | None:
        """The kind as it was found; None as long as it was not."""
        return self._known

    def forget(self) -> None:
        """After a failure another server may answer under this address."""
        if self._setting == "auto":
            self._known = None

    async def _found(self, headers: RawHeaders) -> Kind | None:
        """None if the server was not in a state to tell."""
        props = await self._get(b"/props", headers)
        if props is not None and "default_generation_settings" in props:
            return "llamacpp"
        models = await self._get(b"/v1/models", headers)
        return None if models is None else _owner_kind(models)

    async def _get(self, target: bytes, headers: RawHeaders) -> JsonObject | None:
        status, body = await self._link.ask(
            "GET", target, headers, within_s=_ASK_SECONDS
        )
        return read_object(body) if status == 200 else None


def _owner_kind(models: JsonObject) -> Kind:
    listed = models.get("data")
    for model in listed if isinstance(listed, list) else ():
        owner = model.get("owned_by") if isinstance(model, dict) else None
        if isinstance(owner, str) and owner in _OWNERS:
            return _OWNERS[owner]
    return "openai"
