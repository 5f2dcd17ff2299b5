"""A large partition's vectors in cells, each around a centre (FAISS' IVF).

A search compares with the vectors in the nearest cells only. What was built never
changes, so any thread may search it. What was written after the snapshot is not in it
and is searched exactly; what was removed or replaced is recognised by its stamp and
passed over.
"""

import threading
from dataclasses import dataclass, replace

import faiss
import numpy as np
import numpy.typing as npt

from stepcache_proxy.adapters.vector_rows import Floats, Rows
from stepcache_proxy.reuse.model import RecordId

_CELLS = 4  # times the root of the rows: FAISS' own advice
_SEARCHED = 32  # cells; all of them, then nothing is missed, up to 128 rows
_MOST_COMPARED = 20_000  # vectors of a search, should a cell be very full: about 1 ms
_SAMPLE = 20  # rows for each cell, of which its centre is found
_ROUNDS = 4
_SLICE = 2_000  # rows added between two looks at the stop flag
_MOST_DEAD = 0.2
_MOST_GROWN = 1.5

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Which rows to take, with the stamp up to which that is complete.

    The vectors are not copied: no row may move before they have been (see ``Rows``).
    One that is replaced meanwhile has another stamp then.
    """

    matrix: Floats
    rows: Numbers
    ids: tuple[RecordId, ...]
    stamps: Numbers
    newest_stamp: int


@dataclass(frozen=True, slots=True)
class Cells:
    """Vectors in cells: number ``n`` was of ``ids[n]`` and had ``stamps[n]``.

    ``trained`` is how many rows there were when the centres were found.
    """

    index: faiss.Index
    ids: tuple[RecordId, ...]
    stamps: Numbers
    newest_stamp: int
    trained: int

    def search(self, query: Floats, k: int) -> list[tuple[RecordId, int]]:
        """About the ``k`` best members with their stamps, in no order."""
        found = self.index.search(query[None], k)[1][0]
        return [(self.ids[n], int(self.stamps[n])) for n in found if n >= 0]

    def writes_since(self, rows: Rows) -> int:
        """How many writes there were since; at least as many as there are new rows."""
        return rows.newest_stamp - self.newest_stamp

    def is_stale(self, rows: Rows) -> bool:
        """Whether it should be built anew rather than extended.

        That is when a fifth of it may be removed or replaced, or when the partition
        has outgrown its centres.
        """
        dead = len(self.ids) - (len(rows) - self.writes_since(rows))
        has_grown = len(rows) > _MOST_GROWN * self.trained
        return has_grown or dead > _MOST_DEAD * len(self.ids)


def snapshot(rows: Rows, since: int) -> Snapshot:
    """The rows written after ``since`` (0: all of them)."""
    written = np.flatnonzero(rows.stamps[: len(rows.ids)] > since)
    live = [(n, id) for n in written.tolist() if (id := rows.ids[n]) is not None]
    picked = np.fromiter((n for n, _ in live), np.int64, len(live))
    ids = tuple(id for _, id in live)
    return Snapshot(rows.matrix, picked, ids, rows.stamps[picked], rows.newest_stamp)


def build(new: Snapshot, old: Cells | None, stop: threading.Event) -> Cells | None:
    """The rows of ``old`` and ``new``; None if stopped.

    Takes about 20 µs of a processor for each of 100,000 rows without ``old``.
    """
    faiss.omp_set_num_threads(1)
    if old is None:
        return _filled(_trained(new, stop), new, stop)
    copy = replace(old, index=faiss.clone_index(old.index))
    return _filled(copy, new, stop)


def _filled(cells: Cells | None, new: Snapshot, stop: threading.Event) -> Cells | None:
    """The rows of ``new`` in cells that nobody searches yet, too."""
    if cells is None:
        return None
    for at in range(0, len(new.rows), _SLICE):
        if stop.is_set():
            return None
        cells.index.add(new.matrix[new.rows[at : at + _SLICE]])
    return replace(
        cells,
        ids=cells.ids + new.ids,
        stamps=np.concatenate([cells.stamps, new.stamps]),
        newest_stamp=new.newest_stamp,
    )


def _trained(new: Snapshot, stop: threading.Event) -> Cells | None:
    """Cells that have their centres and nothing else; None if stopped."""
    count, dimension = len(new.rows), new.matrix.shape[1]
    number = max(1, min(int(_CELLS * count**0.5), count // 4))
    size = min(count, _SAMPLE * number)
    sample = new.matrix[np.random.default_rng(1).choice(new.rows, size, replace=False)]
    # One round a call, to look at the flag between them.
    means = faiss.Kmeans(
        dimension, number, niter=1, spherical=True, min_points_per_centroid=1
    )
    for _ in range(_ROUNDS):
        if stop.is_set():
            return None
        means.train(sample, init_centroids=means.centroids)
    index = _empty(np.asarray(means.centroids, dtype=np.float32), sample)
    return Cells(index, (), np.zeros(0, dtype=np.int64), 0, count)


def _empty(centres: Floats, sample: Floats) -> faiss.Index:
    number, dimension = centres.shape
    nearest = faiss.IndexFlatIP(dimension)
    nearest.add(centres)
    # A byte a number finds the candidates; their cosines are then taken of the rows.
    index = faiss.IndexIVFScalarQuantizer(
        nearest,
        dimension,
        number,
        faiss.ScalarQuantizer.QT_8bit,
        faiss.METRIC_INNER_PRODUCT,
    )
    index.by_residual = False
    index.nprobe = _SEARCHED
    index.max_codes = _MOST_COMPARED
    index.train(sample)
    return index
