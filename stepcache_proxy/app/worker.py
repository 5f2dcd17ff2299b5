"""One worker: parts, application and uvicorn on a socket, from ready to drained."""

import asyncio
import gc
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import uvicorn
import uvloop
from starlette.types import ASGIApp

from stepcache_proxy.adapters.logs import configure_logging, log_config
from stepcache_proxy.adapters.worker_board import keep_publishing
from stepcache_proxy.api.flights import Flights
from stepcache_proxy.app.application import create_app
from stepcache_proxy.app.parting import PartingServer
from stepcache_proxy.app.parts import Parts, open_parts
from stepcache_proxy.app.storage import ALONE, Shared
from stepcache_proxy.config import Settings

DRAIN_SECONDS = 30


def run_worker(
    settings: Settings,
    listener: socket.socket,
    on_ready: Callable[[], None],
    *,
    shared: Shared = ALONE,
    parent: int | None = None,
) -> None:
    """Serve on ``listener`` until SIGTERM or SIGINT, or until ``parent`` is readable.

    Calls ``on_ready`` once, when requests are accepted. Raises StartError and
    ConfigError.
    """
    # Before uvicorn does: opening the parts may have something to say.
    configure_logging(settings.log.format, settings.log.level)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, listener, on_ready, shared, parent))


async def _serve(
    settings: Settings,
    listener: socket.socket,
    on_ready: Callable[[], None],
    shared: Shared,
    parent: int | None,
) -> None:
    async with (
        open_parts(settings, shared=shared) as parts,
        _background(parts),
        Flights() as flights,
    ):
        server = PartingServer(_config(parts, flights), on_ready, parent)
        _settle_memory()
        await server.serve(sockets=[listener])


def _settle_memory() -> None:
    """Spare the collector of reference cycles what lives until the end.

    Collecting young objects every 700 allocations costs a tenth of a hit; a request
    leaves few cycles behind.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@asynccontextmanager
async def _background(parts: Parts) -> AsyncGenerator[None]:
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(parts.caretaker.run())]
        if parts.storage.listener is not None:
            running.append(tasks.create_task(parts.storage.listener.run()))
        if parts.board is not None:
            figures = (parts.board, parts.prometheus, parts.statistics)
            running.append(tasks.create_task(keep_publishing(*figures)))
        yield
        for task in running:
            task.cancel()
    if parts.board is not None:
        # What was counted since the last time stays when this worker has gone.
        parts.board.publish(parts.prometheus.export(), parts.statistics.export())


def _application(parts: Parts, flights: Flights) -> ASGIApp:
    app = create_app(parts, flights)
    return app if parts.tracing is None else parts.tracing.around(app)


def _config(parts: Parts, flights: Flights) -> uvicorn.Config:
    log = parts.settings.log
    return uvicorn.Config(
        _application(parts, flights),
        loop="none",
        http="httptools",
        ws="websockets-sansio",
        lifespan="off",
        access_log=False,
        proxy_headers=False,  # nobody here asks who the client is
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        log_config=log_config(log.format, log.level),
    )
