"""Several workers on one socket: started, watched, replaced, drained.

The parent serves nothing. It owns what the workers share: the listening socket, the
embedded store and the folder of the worker board. A worker is a fresh interpreter (no
fork: libraries with threads of their own do not survive one) and ends when the parent
does, however that ends.
"""

import asyncio
import logging
import multiprocessing
import signal
import socket
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import uvloop

from stepcache_proxy.adapters.embedded import EmbeddedValkey
from stepcache_proxy.adapters.logs import LOGGER, configure_logging
from stepcache_proxy.app.storage import EMBEDDED, Shared
from stepcache_proxy.app.worker import DRAIN_SECONDS, run_worker
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import StartError, StepcacheError

_PAUSE_SECONDS = 0.5  # before a worker that has ended is replaced
_END_SECONDS = DRAIN_SECONDS + 5.0

_log = logging.getLogger(LOGGER)


def supervise(
    settings: Settings, listener: socket.socket, on_ready: Callable[[], None]
) -> int:
    """Run ``server.workers`` workers until SIGTERM or SIGINT; the exit code.

    Calls ``on_ready`` once all of them accept requests. 0 if every worker has drained.
    Raises StartError or ConfigError if one of the first ones cannot start.
    """
    configure_logging(settings.log.format, settings.log.level)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_supervise(settings, listener, on_ready))


async def _supervise(
    settings: Settings, listener: socket.socket, on_ready: Callable[[], None]
) -> int:
    async with _shared(settings) as shared:
        crew = _Crew(settings, listener, shared, on_ready)
        return await crew.run()


@asynccontextmanager
async def _shared(settings: Settings) -> AsyncGenerator[Shared]:
    with _board_folder() as board:
        if settings.store.url != EMBEDDED:
            yield Shared(board=Path(board))
            return
        embedded = EmbeddedValkey(settings.store.data_dir)
        await embedded.start()
        try:
            yield Shared(store_url=embedded.url, board=Path(board))
        finally:
            await embedded.close()


def _board_folder() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="stepcache-")
    except OSError as error:
        msg = (
            "server.workers: workers share their figures in a folder for temporary "
            f"files ({error.strerror}); set TMPDIR to one that can be written"
        )
        raise StartError(msg) from error


@dataclass(frozen=True, slots=True)
class _Worker:
    """A child; ``ready`` brings None, why it cannot start, or its end."""

    process: SpawnProcess
    ready: Connection

    async def refusal(self) -> StepcacheError | None:
        """None once it accepts requests, else why it does not."""
        await _readable(self.ready.fileno())
        try:
            told: StepcacheError | None = self.ready.recv()
        except EOFError:
            return StartError("server.workers: a worker ended before it was ready")
        return told

    async def ended(self) -> int:
        """Its exit code, once it has ended."""
        await _readable(self.process.sentinel)
        self.process.join()
        self.ready.close()
        return self.process.exitcode or 0


@dataclass(slots=True)
class _Crew:
    """The places of the workers; each has a worker, or gets one again."""

    settings: Settings
    listener: socket.socket
    shared: Shared
    on_ready: Callable[[], None]
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)
    _working: set[_Worker] = field(default_factory=set[_Worker])
    _missing: int = 0

    async def run(self) -> int:
        """Until a signal comes; the exit code. Raises what a worker refuses with."""
        self._missing = self.settings.server.workers
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopped.set)
        try:
            await self._work()
        except BaseExceptionGroup as failed:
            first = failed.exceptions[0]
            raise first from first.__cause__
        finally:
            code = await self._drain()
        return code

    async def _work(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            places = [
                tasks.create_task(self._keep_manned()) for _ in range(self._missing)
            ]
            await self._stopped.wait()
            for place in places:
                place.cancel()

    async def _keep_manned(self) -> None:
        """One place: a worker, and another one whenever it ends. Never returns."""
        is_first = True
        while True:
            worker = self._start()
            refusal = await worker.refusal()
            if refusal is None:
                self._arrived(is_first=is_first)
                is_first = False
            code = await worker.ended()
            self._working.discard(worker)
            if refusal is not None and is_first:
                raise refusal
            _log.warning("a worker has ended (%d), another takes its place", code)
            await asyncio.sleep(_PAUSE_SECONDS)

    def _arrived(self, *, is_first: bool) -> None:
        self._missing -= is_first
        if is_first and not self._missing:
            self.on_ready()

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ready, tell = context.Pipe(duplex=False)
        process = context.Process(
            target=work,
            args=(self.settings, self.listener, self.shared, tell),
            name="stepcache-worker",
            daemon=True,
        )
        # A Ctrl-C reaches the whole group: until a worker serves, it is the parent's.
        # The tracker first: as it starts, it unblocks the signal.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        tell.close()
        worker = _Worker(process, ready)
        self._working.add(worker)
        return worker

    async def _drain(self) -> int:
        """Ask every worker to end, insist in the end; 0 if all went by themselves."""
        self.listener.close()
        workers = list(self._working)
        for worker in workers:
            worker.process.terminate()
        try:
            async with asyncio.timeout(_END_SECONDS):
                codes = {await worker.ended() for worker in workers}
        except TimeoutError:
            for worker in workers:
                worker.process.kill()
            return 1
        # A worker that had not begun to serve ends by the signal itself.
        return int(not codes <= {0, -signal.SIGTERM})


def work(
    settings: Settings, listener: socket.socket, shared: Shared, tell: Connection
) -> None:
    """The life of a worker; run in its own process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    assert parent is not None
    end = parent.sentinel
    try:
        run_worker(
            settings, listener, lambda: tell.send(None), shared=shared, parent=end
        )
    except StepcacheError as error:
        tell.send(error)


async def _readable(file: int) -> None:
    """Return when ``file`` has something to read, or its end."""
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_reader(file, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(file)
