"""What the proxied endpoints need of the upstream, beside ``Upstream.generate``."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from stepcache_proxy.wire.headers import RawHeaders
from stepcache_proxy.wire.jsonvalue import Json


class RawResponse(Protocol):
    """The head of an upstream response, its body still to come."""

    @property
    def status(self) -> int:
        """The status code."""
        ...

    @property
    def headers(self) -> RawHeaders:
        """Every header line as sent."""
        ...

    def chunks(self) -> AsyncGenerator[bytes]:
        """The raw body as it arrives. Raises UpstreamError."""
        ...


class RawUpstream(Protocol):
    """Sends bytes, gives bytes."""

    def open(
        self,
        method: str,
        target: bytes,
        headers: RawHeaders,
        body: bytes | AsyncIterator[bytes] | None,
    ) -> AbstractAsyncContextManager[RawResponse]:
        """A request; leaving the context aborts it. Raises UpstreamError."""
        ...

    async def models(self, headers: RawHeaders) -> tuple[int, bytes]:
        """``GET /v1/models`` with these headers. Raises UpstreamError."""
        ...


class Epochs(Protocol):
    """Which weights stand behind a model name."""

    def of(self, model: str) -> str:
        """A token that changes when the weights do."""
        ...

    async def note(self, model: str, fingerprint: Json) -> None:
        """An answer of ``model`` carried this ``system_fingerprint``. Never raises."""
        ...
