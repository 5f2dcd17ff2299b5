"""The words of each row's text, searched for one that is near, in microseconds.

A Bloom filter of 256 bits a row picks the few rows whose words are then compared. It
makes texts look nearer than they are, never farther.
"""

import numpy as np
import numpy.typing as npt

from stepcache_proxy.reuse.sketch import UNKNOWN, are_near, hashes_in

_BITS = 256
_PARTS = _BITS // 64
_MOST_COMPARED = 64  # rows; where more look near, one of them will be

Bits = npt.NDArray[np.uint64]


class RowWords:
    """Row ``n`` has the words that were last put or moved there."""

    def __init__(self) -> None:
        self._bits: Bits = np.zeros((_PARTS, 1), dtype=np.uint64)
        self._words: list[bytes] = []

    def put(self, row: int, words: bytes) -> None:
        """Set the words of a row, which may be the one after the last."""
        if row == len(self._words):
            self._words.append(UNKNOWN)
        if row == self._bits.shape[1]:
            self._bits = np.pad(self._bits, ((0, 0), (0, row)))
        self._words[row] = words
        self._bits[:, row] = _bits_of(hashes_in(words))

    def fill(self, row: int) -> None:
        """Drop a row and put the last one in its place."""
        last = self._words.pop()
        if row < len(self._words):
            self._words[row] = last
            self._bits[:, row] = self._bits[:, len(self._words)]

    def is_any_near(self, words: bytes) -> bool:
        """Whether any row's text is near one with these words (``are_near``)."""
        asked = hashes_in(words)
        bits, here = _bits_of(asked), self._bits[:, : len(self._words)]
        own = int(np.bitwise_count(bits).sum())
        shared = np.bitwise_count(here & bits[:, None]).sum(axis=0, dtype=np.int16)
        fewer = np.minimum(np.bitwise_count(here).sum(axis=0, dtype=np.int16), own)
        # Two words of the text may share a bit, and so a word in common be counted out.
        may_be_near = 2 * (shared + len(asked) - own) >= fewer
        rows = np.flatnonzero(may_be_near)
        if len(rows) > _MOST_COMPARED:
            return True
        return any(are_near(words, self._words[row]) for row in rows.tolist())


def _bits_of(hashes: set[int]) -> Bits:
    bits = 0
    for each in hashes:
        bits |= 1 << each % _BITS
    return np.frombuffer(bits.to_bytes(_BITS // 8, "little"), dtype=np.uint64)
