"""Spans, where the settings name a collector and the packages for them are there."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol

from starlette.types import ASGIApp

from stepcache_proxy.config.tree import TracingSettings
from stepcache_proxy.errors import ConfigError
from stepcache_proxy.reuse.protocols import Recorder


class Tracing(Protocol):
    """What ``adapters/tracing.py`` offers, known without importing it."""

    @property
    def recorder(self) -> Recorder:
        """Turns events into spans."""
        ...

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application with a span around every request."""
        ...

    def close(self) -> None:
        """Send what waits; blocks."""
        ...


@asynccontextmanager
async def open_tracing(settings: TracingSettings) -> AsyncGenerator[Tracing | None]:
    """Spans to the collector; None without one. ConfigError without the packages."""
    if settings.endpoint is None:
        yield None
        return
    tracing = _load(settings.endpoint, settings.sample)
    try:
        yield tracing
    finally:
        await asyncio.to_thread(tracing.close)


def _load(endpoint: str, sample: float) -> Tracing:
    try:
        # Here, not above: whoever traces nothing needs none of it.
        from stepcache_proxy.adapters.tracing import (  # noqa: PLC0415
            Tracing as OpenTelemetry,
        )
    except ImportError as missing:
        msg = "tracing.endpoint: pip install 'stepcache-proxy[tracing]'"
        raise ConfigError(msg) from missing
    return OpenTelemetry(endpoint, sample)
