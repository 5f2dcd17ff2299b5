"""What the two ways of running an embedding model have in common."""

from array import array

import numpy as np
import numpy.typing as npt

from stepcache_proxy.reuse.protocols import Vector

MOST_CHARACTERS_PER_TOKEN = 16  # above that a text is not even counted


def is_encodable(text: str) -> bool:
    """Whether no half of a surrogate pair is in ``text``; the tokenizer refuses it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def vector_of(row: npt.NDArray[np.float32]) -> Vector | None:
    """The row as a vector; None where the network gave no number."""
    return array("f", row.tobytes()) if np.isfinite(row).all() else None
