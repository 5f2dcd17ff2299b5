"""Settings -> the running parts, each made once and closed in the end."""

import random
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import entry_points

from stepcache_proxy.adapters.breaker import (
    Breaker,
    GuardedEmbedder,
    GuardedIndex,
    GuardedLedger,
    GuardedStore,
)
from stepcache_proxy.adapters.breaker import Limits as Patience
from stepcache_proxy.adapters.breaker import Seam as CacheSeam
from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.adapters.epochs import UpstreamEpochs
from stepcache_proxy.adapters.figures import Sizes
from stepcache_proxy.adapters.logs import LogRecorder
from stepcache_proxy.adapters.prometheus import PrometheusRecorder
from stepcache_proxy.adapters.statistics import Recorders, Statistics
from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.adapters.worker_board import WorkerBoard
from stepcache_proxy.app.background import Background
from stepcache_proxy.app.caretaker import Caretaker
from stepcache_proxy.app.indexes import OpenIndex, open_index
from stepcache_proxy.app.shadow import InFlight, ShadowChecker
from stepcache_proxy.app.storage import ALONE, Shared, Storage, open_storage
from stepcache_proxy.app.tracing import Tracing, open_tracing
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import ConfigError, EmbedderUnavailableError, SeamError
from stepcache_proxy.reuse.fresh import Settler
from stepcache_proxy.reuse.keep import Keeper
from stepcache_proxy.reuse.lookup import Searcher
from stepcache_proxy.reuse.model import TaskName
from stepcache_proxy.reuse.patch import Mender
from stepcache_proxy.reuse.pipeline import Pipeline
from stepcache_proxy.reuse.protocols import Recorder, Spawn, Task
from stepcache_proxy.reuse.retrieve import Retriever

TASK_GROUP = "stepcache_proxy.tasks"
# What proves nothing is asked last; "verbatim" understands everything.
_UNPROVED = ("word_problem", "verbatim")
_LAST = _UNPROVED[-1]

_STORE_SECONDS = 0.25
_INDEX_SECONDS = 0.5
_EMBEDDER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that runs, wired; what ``create_app`` needs.

    ``board`` shows our figures to the other workers; None where there are none.
    """

    settings: Settings
    upstream: HttpUpstream
    storage: Storage
    embedder: SentenceTransformerEmbedder
    breakers: Sequence[Breaker]
    recorders: Recorders
    statistics: Statistics
    prometheus: PrometheusRecorder
    caretaker: Caretaker
    epochs: UpstreamEpochs
    pipeline: Pipeline
    settler: Settler
    tasks: Sequence[Task]
    board: WorkerBoard | None
    shadow: ShadowChecker
    tracing: Tracing | None = None


@asynccontextmanager
async def open_parts(
    settings: Settings, *, shared: Shared = ALONE
) -> AsyncGenerator[Parts]:
    """The parts, ready to serve; the store or the embedder may be degraded.

    Raises StartError and ConfigError.
    """
    tasks = load_tasks(settings)
    embedder = SentenceTransformerEmbedder(
        settings.embedder.model, settings.embedder.exports
    )
    async with (
        open_storage(
            settings, fingerprint=lambda: embedder.fingerprint, shared=shared
        ) as storage,
        open_index(settings, storage.store) as index,
        open_tracing(settings.tracing) as tracing,
        Background() as background,
    ):
        upstream = HttpUpstream(
            settings.upstream.root,
            settings.upstream.kind,
            timeout_s=settings.upstream.timeout_s,
            connect_timeout_s=settings.upstream.connect_timeout_s,
        )
        board = None if shared.board is None else WorkerBoard(shared.board)
        wiring = _Wiring(
            settings, tasks, embedder, storage, upstream, index, board, tracing
        )
        parts = _wire(wiring, background.spawn)
        try:
            await _warm_up(parts)
            yield parts
        finally:
            embedder.close()
            await upstream.aclose()


def load_tasks(settings: Settings) -> list[Task]:
    """The enabled tasks by their entry points, ``verbatim`` last."""
    points = {point.name: point for point in entry_points(group=TASK_GROUP)}
    unknown = sorted(set(settings.tasks) - set(points))
    if unknown:
        msg = f"tasks.{unknown[0]}: no installed package has a task of this name"
        raise ConfigError(msg)
    wanted = [
        name
        for name in points
        if name not in settings.tasks or settings.tasks[name].enabled
    ]
    ordered = sorted(wanted, key=lambda name: (_rank(name), name))
    return [points[name].load()() for name in ordered]


def _rank(name: str) -> int:
    return _UNPROVED.index(name) + 1 if name in _UNPROVED else 0


@dataclass(frozen=True, slots=True)
class _Wiring:
    """The parts that hold something open."""

    settings: Settings
    tasks: Sequence[Task]
    embedder: SentenceTransformerEmbedder
    storage: Storage
    upstream: HttpUpstream
    index: OpenIndex
    board: WorkerBoard | None
    tracing: Tracing | None


@dataclass(slots=True)
class _Watchers:
    """Who hears of every event; ``sizes`` are asked of the caretaker once it is."""

    tasks: Sequence[TaskName]
    board: WorkerBoard | None
    spans: Sequence[Recorder] = ()
    caretaker: Caretaker | None = None

    def __post_init__(self) -> None:
        board = self.board
        self.statistics = Statistics(
            clock=time.time,
            sizes=self.sizes,
            peers=tuple if board is None else board.statistics,
        )
        self.prometheus = PrometheusRecorder(
            self.tasks,
            sizes=self.sizes,
            quantiles=self.statistics.quantiles,
            peers=tuple if board is None else board.metrics,
        )
        self.in_flight = InFlight()
        self.recorders = Recorders(
            self.prometheus,
            self.statistics,
            LogRecorder(),
            self.in_flight,
            *self.spans,
        )

    in_flight: InFlight = field(init=False)
    statistics: Statistics = field(init=False)
    prometheus: PrometheusRecorder = field(init=False)
    recorders: Recorders = field(init=False)

    def sizes(self) -> Sizes:
        """The latest figures."""
        return Sizes() if self.caretaker is None else self.caretaker.sizes


@dataclass(frozen=True, slots=True)
class _Guarded:
    """The parts of the cache behind their breakers, in the order of ``breakers``."""

    store: GuardedStore
    index: GuardedIndex
    embedder: GuardedEmbedder
    breakers: tuple[Breaker, Breaker, Breaker]


def _guard(wiring: _Wiring, recorder: Recorder) -> _Guarded:
    def breaker(seam: CacheSeam, seconds: float) -> Breaker:
        return Breaker(seam, Patience(seconds), time.monotonic, recorder)

    store = breaker("store", _STORE_SECONDS)
    index = breaker("index", _INDEX_SECONDS)
    embedder = breaker("embedder", _EMBEDDER_SECONDS)
    return _Guarded(
        GuardedStore(wiring.storage.store, store),
        GuardedIndex(wiring.index.index, index),
        GuardedEmbedder(wiring.embedder, embedder),
        (store, index, embedder),
    )


def _wire(wiring: _Wiring, spawn: Spawn) -> Parts:
    names = [task.name for task in wiring.tasks]
    tracing = wiring.tracing
    spans = () if tracing is None else (tracing.recorder,)
    watchers = _Watchers(names, wiring.board, spans)
    guarded = _guard(wiring, watchers.recorders)
    epochs = _epochs(wiring, guarded.breakers[0])
    caretaker = Caretaker(
        store=guarded.store,
        upkeep=wiring.storage.upkeep,
        index=guarded.index,
        upstream=wiring.upstream,
        epochs=epochs,
        store_breaker=guarded.breakers[0],
        recorder=watchers.recorders,
        janitor_seconds=wiring.settings.index.janitor_s,
        embedded=wiring.storage.embedded,
        sets=wiring.index.sets,
    )
    watchers.caretaker = caretaker
    pipeline = _pipeline(wiring, guarded, watchers.recorders, spawn)
    return Parts(
        settings=wiring.settings,
        upstream=wiring.upstream,
        storage=wiring.storage,
        embedder=wiring.embedder,
        breakers=guarded.breakers,
        recorders=watchers.recorders,
        statistics=watchers.statistics,
        prometheus=watchers.prometheus,
        caretaker=caretaker,
        epochs=epochs,
        pipeline=pipeline,
        settler=Settler(pipeline.mender, pipeline.keeper),
        tasks=wiring.tasks,
        board=wiring.board,
        shadow=_shadow(wiring, guarded.breakers[0], watchers, spawn),
        tracing=tracing,
    )


def _shadow(
    wiring: _Wiring, breaker: Breaker, watchers: _Watchers, spawn: Spawn
) -> ShadowChecker:
    return ShadowChecker(
        rate=wiring.settings.shadow.rate,
        tasks=wiring.tasks,
        upstream=wiring.upstream,
        ledger=GuardedLedger(wiring.storage.store, breaker),
        recorder=watchers.recorders,
        spawn=spawn,
        draw=random.random,
        is_idle=lambda: watchers.in_flight.count <= 0,
    )


def _epochs(wiring: _Wiring, breaker: Breaker) -> UpstreamEpochs:
    store, settings = wiring.storage.store, wiring.settings
    key = store.keys.epoch(settings.upstream.root)
    ttl = settings.store.max_ttl_s
    return UpstreamEpochs(wiring.upstream, store.client, key, ttl, breaker)


def _pipeline(
    wiring: _Wiring, guarded: _Guarded, recorder: Recorder, spawn: Spawn
) -> Pipeline:
    settings, tasks, reuse = wiring.settings, wiring.tasks, wiring.settings.reuse
    seams = (guarded.store, guarded.index, guarded.embedder)
    clock, now = time.perf_counter, time.time
    retriever = Retriever(*seams, recorder, clock, now)
    size = settings.store.max_record_bytes
    keeper = Keeper(*seams, recorder, clock, now, spawn, size)
    mender = Mender(wiring.upstream, recorder, reuse.max_repairs)
    budget = reuse.budget_ms / 1000
    searcher = Searcher(
        tasks, retriever, recorder, clock, budget, reuse.derive, reuse.max_error
    )
    corrected = _corrected(settings, [task.name for task in tasks])
    return Pipeline(searcher, mender, keeper, recorder, corrected, now, reuse.patch)


def _corrected(settings: Settings, names: Sequence[TaskName]) -> frozenset[TaskName]:
    """The tasks whose fresh answers are held; nothing is ever proved verbatim."""
    return frozenset(
        name
        for name in names
        if name != _LAST
        and (name not in settings.tasks or settings.tasks[name].correct)
    )


async def _warm_up(parts: Parts) -> None:
    """Load the model and the index; whatever is not there now may come later."""
    try:
        await parts.embedder.load()
        # The first text takes several times as long as the next ones.
        await parts.embedder.embed("What is a semaphore?")
    except EmbedderUnavailableError as error:
        parts.breakers[2].trip(str(error))
    try:
        await parts.storage.upkeep.ping()
        # First the position in the news, so that nothing put meanwhile is missed.
        await parts.storage.upkeep.changes()
        await parts.caretaker.rebuild()
        await parts.caretaker.measure()
    except SeamError as error:
        if error.seam == "store":
            parts.breakers[0].trip(str(error))
    if await parts.caretaker.ask_upstream():
        await parts.epochs.poll()
