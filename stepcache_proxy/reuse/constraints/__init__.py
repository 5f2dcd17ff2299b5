"""The verbatim gate: do two texts ask for the same answer?"""

from stepcache_proxy.reuse.constraints.read import Constraints, describe
from stepcache_proxy.reuse.constraints.reader import Reader, difference, read, wording
from stepcache_proxy.reuse.constraints.reasons import ConstraintReason

__all__ = [
    "ConstraintReason",
    "Constraints",
    "Reader",
    "describe",
    "difference",
    "read",
    "wording",
]
