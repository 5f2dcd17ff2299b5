"""Settings -> the running parts, each made once and closed in the end."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points

from stepcache_proxy.adapters.breaker import (
    Breaker,
    GuardedEmbedder,
    GuardedIndex,
    GuardedStore,
)
from stepcache_proxy.adapters.breaker import Limits as Patience
from stepcache_proxy.adapters.breaker import Seam as CacheSeam
from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.adapters.epochs import UpstreamEpochs
from stepcache_proxy.adapters.faiss_index import FaissIndex
from stepcache_proxy.adapters.figures import Sizes
from stepcache_proxy.adapters.logs import LogRecorder
from stepcache_proxy.adapters.prometheus import PrometheusRecorder
from stepcache_proxy.adapters.statistics import Recorders, Statistics
from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.app.background import Background
from stepcache_proxy.app.caretaker import Caretaker
from stepcache_proxy.app.storage import Storage, open_storage
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import ConfigError, EmbedderUnavailableError, SeamError
from stepcache_proxy.reuse.fresh import Settler
from stepcache_proxy.reuse.keep import Keeper
from stepcache_proxy.reuse.lookup import Searcher
from stepcache_proxy.reuse.model import TaskName
from stepcache_proxy.reuse.patch import Mender
from stepcache_proxy.reuse.pipeline import Pipeline
from stepcache_proxy.reuse.protocols import Spawn, Task
from stepcache_proxy.reuse.retrieve import Retriever

TASK_GROUP = "stepcache_proxy.tasks"
_LAST = "verbatim"  # understands everything, so it is asked last

_STORE_SECONDS = 0.25
_INDEX_SECONDS = 0.5
_EMBEDDER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that runs, wired; what ``create_app`` needs."""

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


@asynccontextmanager
async def open_parts(settings: Settings) -> AsyncGenerator[Parts]:
    """The parts, ready to serve; the store or the embedder may be degraded.

    Raises StartError and ConfigError.
    """
    tasks = load_tasks(settings)
    embedder = SentenceTransformerEmbedder(settings.embedder.model)
    async with (
        open_storage(settings, fingerprint=lambda: embedder.fingerprint) as storage,
        Background() as background,
    ):
        upstream = HttpUpstream(
            settings.upstream.root,
            settings.upstream.kind,
            timeout_s=settings.upstream.timeout_s,
            connect_timeout_s=settings.upstream.connect_timeout_s,
        )
        index = FaissIndex(max_records=settings.index.max_records)
        wiring = _Wiring(settings, tasks, embedder, storage, upstream, index)
        parts = _wire(wiring, background.spawn)
        try:
            await _warm_up(parts)
            yield parts
        finally:
            embedder.close()
            index.close()
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
    ordered = sorted(wanted, key=lambda name: (name == _LAST, name))
    return [points[name].load()() for name in ordered]


@dataclass(frozen=True, slots=True)
class _Wiring:
    """The parts that hold something open."""

    settings: Settings
    tasks: Sequence[Task]
    embedder: SentenceTransformerEmbedder
    storage: Storage
    upstream: HttpUpstream
    index: FaissIndex


def _wire(wiring: _Wiring, spawn: Spawn) -> Parts:
    settings, tasks, storage = wiring.settings, wiring.tasks, wiring.storage
    embedder, upstream = wiring.embedder, wiring.upstream
    names = [task.name for task in tasks]
    held: list[Caretaker] = []

    def sizes() -> Sizes:
        return held[0].sizes if held else Sizes()

    statistics = Statistics(clock=time.time, sizes=sizes)
    prometheus = PrometheusRecorder(names, sizes=sizes, quantiles=statistics.quantiles)
    recorders = Recorders(prometheus, statistics, LogRecorder())

    def breaker(seam: CacheSeam, seconds: float) -> Breaker:
        return Breaker(seam, Patience(seconds), time.monotonic, recorders)

    breakers = (
        breaker("store", _STORE_SECONDS),
        breaker("index", _INDEX_SECONDS),
        breaker("embedder", _EMBEDDER_SECONDS),
    )
    store = GuardedStore(storage.store, breakers[0])
    guarded_index = GuardedIndex(wiring.index, breakers[1])
    guarded_embedder = GuardedEmbedder(embedder, breakers[2])
    epochs = UpstreamEpochs(
        upstream,
        storage.store.client,
        storage.store.keys.epoch(settings.upstream.root),
        settings.store.max_ttl_s,
    )
    caretaker = Caretaker(
        store=store,
        upkeep=storage.upkeep,
        index=guarded_index,
        upstream=upstream,
        epochs=epochs,
        store_breaker=breakers[0],
        recorder=recorders,
        janitor_seconds=settings.index.janitor_s,
    )
    held.append(caretaker)
    clock, now = time.perf_counter, time.time
    retriever = Retriever(store, guarded_index, guarded_embedder, recorders, clock, now)
    keeper = Keeper(
        store,
        guarded_index,
        guarded_embedder,
        recorders,
        clock,
        now,
        spawn,
        settings.store.max_record_bytes,
    )
    mender = Mender(upstream, recorders, settings.reuse.max_repairs)
    searcher = Searcher(
        tasks, retriever, recorders, clock, settings.reuse.budget_ms / 1000
    )
    pipeline = Pipeline(
        searcher, mender, keeper, recorders, _corrected(settings, names), now
    )
    return Parts(
        settings=settings,
        upstream=upstream,
        storage=storage,
        embedder=embedder,
        breakers=breakers,
        recorders=recorders,
        statistics=statistics,
        prometheus=prometheus,
        caretaker=caretaker,
        epochs=epochs,
        pipeline=pipeline,
        settler=Settler(mender, keeper),
        tasks=tasks,
    )


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
    except EmbedderUnavailableError as error:
        parts.breakers[2].trip(str(error))
    try:
        await parts.storage.upkeep.ping()
        await parts.caretaker.rebuild()
        await parts.caretaker.measure()
    except SeamError as error:
        if error.seam == "store":
            parts.breakers[0].trip(str(error))
    if await parts.caretaker.ask_upstream():
        await parts.epochs.poll()
