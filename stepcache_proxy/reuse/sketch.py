"""The words of a text, packed: is it worth comparing with another at all?

Two texts of which neither has half of its words in common with the other ask for
different things, whatever a model thinks of them: the gate would refuse the one as an
answer to the other. To know that is cheaper than an embedding, which a request that
nothing in the cache is like then need not wait for.
"""

import re
import struct
from zlib import crc32

from stepcache_proxy.reuse.constraints.tables import FUNCTION_WORDS

UNKNOWN = b""
"""The words of a text that has none to tell it by: it is near every other."""

_MAX_CHARS = 8_000
_MAX_WORDS = 128
_STEM = 5
_WORD = re.compile(r"[^\W\d_]{2,}")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\U0010ffff]")


def words_of(text: str) -> bytes:
    """Four bytes for each word that carries meaning, by its first five letters.

    Numbers and single letters do not count: the same words with others are near. A
    text that is written without spaces, or is long, is UNKNOWN.
    """
    if len(text) > _MAX_CHARS or _UNSPACED.search(text):
        return UNKNOWN
    said = set(_WORD.findall(text.lower()))
    words = {crc32(word[:_STEM].encode()) for word in said - FUNCTION_WORDS}
    if len(words) > _MAX_WORDS:
        return UNKNOWN
    return struct.pack(f"{len(words)}I", *words)


def hashes_in(words: bytes) -> set[int]:
    """The words as numbers of 32 bits."""
    return set(memoryview(words).cast("I"))


def are_near(one: bytes, other: bytes) -> bool:
    """Whether the text of fewer words shares half of them with the other."""
    left, right = hashes_in(one), hashes_in(other)
    return 2 * len(left & right) >= min(len(left), len(right))
