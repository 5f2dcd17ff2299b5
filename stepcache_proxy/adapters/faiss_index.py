"""Nearest vectors inside a partition, exact when it is small, by cells when large.

Rows are written on the event loop only. A small search runs there too, for it takes
microseconds, and so does one by cells: a third of a millisecond, no less by way of a
thread. A large exact one runs in a worker thread and its results are scored
again from the rows as they are then, so that an id never comes with another one's
cosine.
"""

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import faiss
import numpy as np

from stepcache_proxy.adapters.vector_cells import Cells, build, snapshot
from stepcache_proxy.adapters.vector_rows import Floats, Rows, best_rows, unit
from stepcache_proxy.errors import IndexUnavailableError
from stepcache_proxy.reuse.model import PartitionKey, RecordId
from stepcache_proxy.reuse.protocols import Vector
from stepcache_proxy.reuse.sketch import words_of

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Where one way of searching gives way to the next, in vectors of a partition."""

    inline: int = 2_000  # up to here on the event loop
    exact: int = 20_000  # up to here exactly, beyond by cells (IVF)
    fresh: int = 1_000  # written after the cells were built; then they are extended


@dataclass(slots=True)
class _Part:
    rows: Rows
    cells: Cells | None = None
    is_building: bool = False


class FaissIndex:
    """VectorIndex in this process, for one event loop.

    Holds at most ``max_records`` vectors over all partitions; the one that was
    longest neither written nor found goes first.
    """

    def __init__(self, *, max_records: int, sizes: Sizes | None = None) -> None:
        self._max_records = max_records
        self._sizes = sizes or Sizes()
        self._parts: dict[PartitionKey, _Part] = {}
        self._by_use: OrderedDict[tuple[PartitionKey, RecordId], None] = OrderedDict()
        self._stop = threading.Event()
        self._searcher = _one_thread("index-search")
        self._builder = _one_thread("index-build")
        faiss.omp_set_num_threads(1)

    async def add(
        self, partition: PartitionKey, id: RecordId, vector: Vector, text: str = ""
    ) -> None:
        """Add or replace one vector; one without direction is not added."""
        row = unit(vector)
        if row is None:
            return
        part = self._parts.get(partition)
        if part is None:
            part = self._parts[partition] = _Part(Rows(len(row)))
        if part.rows.dimension != len(row):
            message = "a vector has another dimension than its partition"
            raise IndexUnavailableError(message)
        with _index_errors():
            part.rows.put(id, row, words_of(text))
        self._mark_used(partition, id)
        while len(self._by_use) > self._max_records:
            oldest_partition, oldest = next(iter(self._by_use))
            await self.remove(oldest_partition, oldest)
        self._grow_cells(partition, part)

    async def nearest(
        self, partition: PartitionKey, vector: Vector, k: int
    ) -> list[tuple[RecordId, float]]:
        """At most ``k`` ids with their cosine, best first."""
        part, query = self._parts.get(partition), unit(vector)
        if part is None or query is None or len(query) != part.rows.dimension:
            return []
        if k < 1:
            return []
        with _index_errors():
            if len(part.rows) <= self._sizes.inline:
                ids = _exact(part.rows, part.rows.used, query, k)
            elif part.cells is not None and self._are_cells_better(part, part.cells):
                ids = _by_cells(part.rows, part.cells, query, k)
            else:
                ids = await self._search_in_thread(part, query, k)
            hits = part.rows.best(ids, query, k)
        for id, _ in hits:
            self._mark_used(partition, id)
        return hits

    async def remove(self, partition: PartitionKey, id: RecordId) -> None:
        """Forget one vector; unknown ids are fine."""
        part = self._parts.get(partition)
        if part is None:
            return
        part.rows.remove(id)
        self._by_use.pop((partition, id), None)
        self._grow_cells(partition, part)
        if not len(part.rows):
            del self._parts[partition]

    async def clear(self) -> None:
        """Forget everything."""
        self._parts.clear()
        self._by_use.clear()

    async def holds(self, partition: PartitionKey, text: str = "") -> bool:
        """Whether a partition may hold a text that is worth comparing with.

        A large one always may: to look at the words of each would take its own time.
        """
        part = self._parts.get(partition)
        if part is None or len(part.rows) > self._sizes.exact:
            return part is not None
        return part.rows.is_any_near(words_of(text))

    def size(self, partition: PartitionKey | None = None) -> int:
        """How many vectors there are, in a partition or in all."""
        if partition is None:
            return len(self._by_use)
        part = self._parts.get(partition)
        return 0 if part is None else len(part.rows)

    def close(self) -> None:
        """End the worker threads soon."""
        self._stop.set()
        self._searcher.shutdown(wait=False, cancel_futures=True)
        self._builder.shutdown(wait=False, cancel_futures=True)

    def _mark_used(self, partition: PartitionKey, id: RecordId) -> None:
        self._by_use[partition, id] = None
        self._by_use.move_to_end((partition, id))

    async def _search_in_thread(
        self, part: _Part, query: Floats, k: int
    ) -> list[RecordId | None]:
        rows, matrix = part.rows, part.rows.used
        loop = asyncio.get_running_loop()
        rows.begin_read()
        # Ended when the thread is done, not when a client that left stops waiting.
        search = loop.run_in_executor(self._searcher, _exact, rows, matrix, query, k)
        search.add_done_callback(lambda _: rows.end_read())
        return await asyncio.shield(search)

    def _are_cells_better(self, part: _Part, cells: Cells) -> bool:
        is_large = len(part.rows) > self._sizes.exact
        return is_large and cells.writes_since(part.rows) <= 2 * self._sizes.fresh

    def _grow_cells(self, partition: PartitionKey, part: _Part) -> None:
        """Start to build or extend the cells of a large partition, if it is time."""
        if len(part.rows) <= self._sizes.exact // 2:
            part.cells = None
        if part.is_building or len(part.rows) <= self._sizes.exact:
            return
        old = part.cells
        if old is not None and old.is_stale(part.rows):
            old = None
        elif old is not None and old.writes_since(part.rows) < self._sizes.fresh:
            return
        new = snapshot(part.rows, old.newest_stamp if old else 0)
        part.is_building = True
        building = asyncio.get_running_loop().run_in_executor(
            self._builder, build, new, old, self._stop
        )
        part.rows.begin_read()
        building.add_done_callback(lambda done: self._install(partition, part, done))

    def _install(
        self, partition: PartitionKey, part: _Part, done: "asyncio.Future[Cells | None]"
    ) -> None:
        part.is_building = False
        part.rows.end_read()
        if done.cancelled() or self._stop.is_set():
            return
        error = done.exception()
        if error is not None:
            kind = type(error).__name__
            _log.warning("the cells of the index were not built: %s", kind)
            return
        part.cells = done.result()
        # Much may have been written meanwhile; but not if the part was cleared.
        if self._parts.get(partition) is part:
            self._grow_cells(partition, part)


def _one_thread(name: str) -> ThreadPoolExecutor:
    # OpenMP counts its threads per calling thread, hence the initializer.
    return ThreadPoolExecutor(1, name, faiss.omp_set_num_threads, (1,))


def _exact(rows: Rows, matrix: Floats, query: Floats, k: int) -> list[RecordId | None]:
    return [rows.ids[row] for row in best_rows(matrix, query, k + rows.dead)]


def _by_cells(rows: Rows, cells: Cells, query: Floats, k: int) -> list[RecordId | None]:
    """The best in the cells that still are what they were, and the best fresh rows."""
    nodes = cells.search(query, 2 * k + 16)
    ids: list[RecordId | None] = [
        id for id, stamp in nodes if rows.stamp_of(id) == stamp
    ]
    fresh = np.flatnonzero(rows.stamps[: len(rows.ids)] > cells.newest_stamp)
    best = best_rows(rows.matrix[fresh], query, k + rows.dead)
    return ids + [rows.ids[int(fresh[row])] for row in best]


@contextmanager
def _index_errors() -> Generator[None]:
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        raise IndexUnavailableError(type(error).__name__) from error
