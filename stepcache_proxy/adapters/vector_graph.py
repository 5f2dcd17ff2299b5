"""A nearest-neighbour graph (HNSW) over a copy of a large partition's rows.

A graph never changes once it is built, so any thread may search it. What was written
after the copy is not in it and is searched exactly; what was removed or replaced is
recognised by its stamp and passed over.
"""

import threading
from dataclasses import dataclass

import faiss
import numpy as np

from stepcache_proxy.adapters.vector_rows import Floats, Rows
from stepcache_proxy.reuse.model import RecordId

_LINKS = 32  # per node; FAISS' own advice for a few hundred dimensions
_BUILD_WIDTH = 80
_SEARCH_WIDTH = 128
_SLICE = 500  # rows added between two looks at the stop flag
_MOST_DEAD = 0.2


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Rows copied for a graph, with the stamp up to which the copy is complete."""

    vectors: Floats
    members: tuple[tuple[RecordId, int], ...]
    newest_stamp: int


@dataclass(frozen=True, slots=True)
class Graph:
    """A built graph: node ``n`` was ``members[n]`` (id and stamp)."""

    index: faiss.Index
    members: tuple[tuple[RecordId, int], ...]
    newest_stamp: int

    def search(self, query: Floats, k: int) -> list[tuple[RecordId, int]]:
        """About the ``k`` best members, in no order."""
        nodes = self.index.search(query[None], k)[1][0]
        return [self.members[node] for node in nodes if node >= 0]

    def is_stale(self, rows: Rows, fresh: int) -> bool:
        """Whether too many members are removed or replaced to go on with.

        ``fresh`` is how many rows were written since.
        """
        dead = len(self.members) - (len(rows) - fresh)
        return dead > _MOST_DEAD * len(self.members)


def count_since(rows: Rows, stamp: int) -> int:
    """How many rows were written after ``stamp``."""
    return int(np.count_nonzero(rows.stamps[: len(rows.ids)] > stamp))


def snapshot(rows: Rows, since: int) -> Snapshot:
    """Copy the rows written after ``since`` (0: all of them)."""
    picked = np.flatnonzero(rows.stamps[: len(rows.ids)] > since)
    live = [row for row in picked.tolist() if rows.ids[row] is not None]
    members = tuple(
        (id, int(rows.stamps[row])) for row in live if (id := rows.ids[row]) is not None
    )
    return Snapshot(rows.matrix[live], members, rows.newest_stamp)


def build(copy: Snapshot, old: Graph | None, stop: threading.Event) -> Graph | None:
    """A graph of ``old`` and ``copy``; None if stopped. Takes about 1 ms per row."""
    faiss.omp_set_num_threads(1)
    index = _empty(copy.vectors.shape[1]) if old is None else _clone(old.index)
    for at in range(0, len(copy.vectors), _SLICE):
        if stop.is_set():
            return None
        index.add(copy.vectors[at : at + _SLICE])
    members = copy.members if old is None else old.members + copy.members
    return Graph(index, members, copy.newest_stamp)


def _empty(dimension: int) -> faiss.Index:
    index = faiss.IndexHNSWFlat(dimension, _LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = _BUILD_WIDTH
    index.hnsw.efSearch = _SEARCH_WIDTH
    return index


def _clone(index: faiss.Index) -> faiss.Index:
    return faiss.clone_index(index)
