"""The vectors of one partition as rows of a matrix, with exact search."""

from collections.abc import Sequence

import faiss
import numpy as np
import numpy.typing as npt

from stepcache_proxy.adapters.row_words import RowWords
from stepcache_proxy.reuse.model import RecordId
from stepcache_proxy.reuse.protocols import Vector
from stepcache_proxy.reuse.sketch import UNKNOWN

Floats = npt.NDArray[np.float32]
Hit = tuple[RecordId, float]

_FIRST_ROWS = 1  # a conversation is a partition of its own, and most hold one row
_MANY = 8_192  # rows; with more, copying them to make room would hold the loop up
_ROOM = 131_072  # rows, for those that have grown so many
_FEW = 64  # below that a matrix product beats the call into FAISS


def unit(vector: Vector) -> Floats | None:
    """``vector`` with length 1; None if it has no direction."""
    row = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(row))
    if row.ndim != 1 or not np.isfinite(length) or length == 0.0:
        return None
    return np.divide(row, np.float32(length))


def best_rows(matrix: Floats, query: Floats, k: int) -> list[int]:
    """Numbers of the ``k`` rows with the largest inner product, in no order."""
    if len(matrix) <= k:
        return list(range(len(matrix)))
    if len(matrix) < _FEW:
        best = np.argpartition(matrix @ query, -k)[-k:]
    else:
        metric = faiss.METRIC_INNER_PRODUCT
        best = faiss.knn(query[None], matrix, k, metric=metric)[1][0]
    return [int(row) for row in best if row >= 0]


class Rows:
    """Ids and their unit vectors, written by one thread, read by others, too.

    A removed row is filled with the last one, except while someone reads
    (``begin_read`` … ``end_read``): then rows stay where they are until the last
    reader has gone, and the removed ones count as dead. ``stamps`` grow with every
    write, so that a copy can tell what has changed since.
    """

    def __init__(self, dimension: int) -> None:
        self.matrix: Floats = np.zeros((_FIRST_ROWS, dimension), dtype=np.float32)
        self.stamps: npt.NDArray[np.int64] = np.zeros(_FIRST_ROWS, dtype=np.int64)
        self.ids: list[RecordId | None] = []
        self.newest_stamp = 0
        self._row_of: dict[RecordId, int] = {}
        self._dead: list[int] = []
        self._readers = 0
        self._words = RowWords()

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return int(self.matrix.shape[1])

    @property
    def dead(self) -> int:
        """Rows that were removed under a reader."""
        return len(self._dead)

    @property
    def used(self) -> Floats:
        """The rows in use, dead ones included; row ``n`` is of ``ids[n]``."""
        return self.matrix[: len(self.ids)]

    def put(self, id: RecordId, vector: Floats, words: bytes = UNKNOWN) -> None:
        """Add or replace one unit vector, with the words of its text."""
        row = self._row_of.get(id)
        if row is None:
            row = len(self.ids)
            self._make_room(row)
            self.ids.append(id)
            self._row_of[id] = row
        self.newest_stamp += 1
        self.matrix[row] = vector
        self.stamps[row] = self.newest_stamp
        self._words.put(row, words)

    def is_any_near(self, words: bytes) -> bool:
        """Whether any text here may be near one with these words (``are_near``)."""
        return len(self) > 0 and self._words.is_any_near(words)

    def remove(self, id: RecordId) -> None:
        """Forget one vector; unknown ids are fine."""
        row = self._row_of.pop(id, None)
        if row is None:
            return
        self.ids[row] = None
        self._dead.append(row)
        self._fill_dead()

    def stamp_of(self, id: RecordId) -> int | None:
        """When ``id`` was last written; None if it is not here."""
        row = self._row_of.get(id)
        return None if row is None else int(self.stamps[row])

    def best(self, ids: Sequence[RecordId | None], query: Floats, k: int) -> list[Hit]:
        """The ``k`` best of ``ids`` that are (still) here, with their cosine."""
        known = [id for id in dict.fromkeys(ids) if id is not None]
        kept = [id for id in known if id in self._row_of]
        if not kept:
            return []
        cosines = self.matrix[[self._row_of[id] for id in kept]] @ query
        hits = zip(kept, np.clip(cosines, -1.0, 1.0).tolist(), strict=True)
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]

    def begin_read(self) -> None:
        """Keep every row where it is."""
        self._readers += 1

    def end_read(self) -> None:
        """End a read; the last one lets rows move again."""
        self._readers -= 1
        self._fill_dead()

    def _fill_dead(self) -> None:
        if self._readers:
            return
        for row in sorted(self._dead, reverse=True):
            last = len(self.ids) - 1
            moved = self.ids[last]
            if row != last and moved is not None:
                self.matrix[row] = self.matrix[last]
                self.stamps[row] = self.stamps[last]
                self.ids[row] = moved
                self._row_of[moved] = row
            self.ids.pop()
            self._words.fill(row)
        self._dead.clear()

    def _make_room(self, row: int) -> None:
        if row < len(self.matrix):
            return
        room = 2 * row if row < _MANY else max(2 * row, _ROOM)
        # New arrays: a reader keeps the old ones. Zeros take memory when written to.
        matrix = np.zeros((room, self.dimension), dtype=np.float32)
        matrix[:row] = self.matrix
        self.matrix = matrix
        self.stamps = np.pad(self.stamps, (0, room - row))
