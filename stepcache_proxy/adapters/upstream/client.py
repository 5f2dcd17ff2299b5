"""One client of one model server: raw relays, small questions, generation."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing

import httpx
import orjson

from stepcache_proxy.adapters.upstream.continuation import PATHS, Manner, body_for
from stepcache_proxy.adapters.upstream.joint import Joint
from stepcache_proxy.adapters.upstream.kinds import Kind, Kinds, KindSetting
from stepcache_proxy.adapters.upstream.link import link_to
from stepcache_proxy.adapters.upstream.manners import Manners, names_continuation
from stepcache_proxy.adapters.upstream.reading import read_parts
from stepcache_proxy.adapters.upstream.response import UpstreamResponse
from stepcache_proxy.adapters.upstream.transport import AiohttpTransport
from stepcache_proxy.errors import UpstreamError, UpstreamStatusError
from stepcache_proxy.reuse.protocols import Delta, Finish, Prompt
from stepcache_proxy.wire.headers import RawHeaders, for_upstream

_PING_SECONDS = 2.0
_RECHECK_SECONDS = 10.0
_JSON = (b"content-type", b"application/json")


class HttpUpstream:
    """An OpenAI-compatible server.

    ``timeout_s`` is how long the server may be silent, before the answer's head or
    inside it; ``connect_timeout_s`` covers name, connection and TLS.
    """

    def __init__(
        self,
        root_url: str,
        kind: KindSetting = "auto",
        *,
        timeout_s: float = 600.0,
        connect_timeout_s: float = 5.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._transport = transport or AiohttpTransport()
        self._link = link_to(root_url, self._transport, timeout_s, connect_timeout_s)
        self._kinds = Kinds(self._link, kind)
        self._manners = Manners(self._link)

    def open(
        self,
        method: str,
        target: bytes,
        headers: RawHeaders,
        body: bytes | AsyncIterator[bytes] | None = None,
    ) -> AbstractAsyncContextManager[UpstreamResponse]:
        """One request sent as it is; leaving early makes the model stop.

        ``target`` is the raw path with its query, below the server's root. A body
        of bytes may be sent a second time if an idle connection turns out closed.
        Raises UpstreamError and UpstreamTimeoutError.
        """
        return self._link.open(method, target, headers, body)

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Delta | Finish]:
        """See ``Upstream.generate``; a prefix is continued as the server allows."""
        joint = Joint(prompt.prefix)
        kind = await self.kind(prompt.headers) if joint.stem else "openai"
        manner = await self._manners.choose(prompt, kind, joint.stem)
        try:
            async with aclosing(self._asked(prompt, manner, kind, joint)) as parts:
                async for part in parts:
                    yield part
        except UpstreamStatusError as refused:
            if manner is not Manner.CONTINUE or not names_continuation(refused):
                raise
        except UpstreamError:
            self._forget()
            raise
        else:
            return
        self._manners.remember(prompt, Manner.INSTRUCT)
        async with aclosing(self._asked(prompt, Manner.INSTRUCT, kind, joint)) as parts:
            async for part in parts:
                yield part

    async def kind(self, headers: RawHeaders = ()) -> Kind:
        """Which server this is; see ``Kinds.kind``."""
        return await self._kinds.kind(headers)

    @property
    def known_kind(self) -> Kind | None:
        """Which server this is, if it has told already; asks nobody."""
        return self._kinds.known

    async def models(self, headers: RawHeaders) -> tuple[int, bytes]:
        """``GET /v1/models`` with the client's headers: is its credential accepted?

        Raises UpstreamError where the server did not answer.
        """
        sent = for_upstream(headers, is_read=True, is_rebuilt=True)
        return await self._link.ask(
            "GET", b"/v1/models", sent, within_s=_RECHECK_SECONDS
        )

    async def ping(self) -> bool:
        """Whether the server answers at all; any status will do."""
        try:
            await self._link.ask("GET", b"/health", within_s=_PING_SECONDS)
        except UpstreamError:
            return False
        return True

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    def _forget(self) -> None:
        self._kinds.forget()
        self._manners.forget()

    async def _asked(
        self, prompt: Prompt, manner: Manner, kind: Kind, joint: Joint
    ) -> AsyncGenerator[Delta | Finish]:
        body = orjson.dumps(body_for(prompt, manner, kind, joint.stem))
        path = PATHS[prompt.endpoint]
        async with (
            self.open("POST", path, _json_headers(prompt), body) as response,
            aclosing(read_parts(response, prompt.endpoint, joint)) as parts,
        ):
            async for part in parts:
                yield part


def _json_headers(prompt: Prompt) -> RawHeaders:
    sent = for_upstream(prompt.headers, is_read=True, is_rebuilt=True)
    return [*((k, v) for k, v in sent if k.lower() != _JSON[0]), _JSON]
