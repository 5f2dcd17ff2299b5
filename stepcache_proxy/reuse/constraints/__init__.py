"""The verbatim gate: do two texts ask for the same answer?"""

from stepcache_proxy.reuse.constraints.compare import difference
from stepcache_proxy.reuse.constraints.read import Constraints, describe, read
from stepcache_proxy.reuse.constraints.reasons import ConstraintReason
from stepcache_proxy.reuse.constraints.wording import wording

__all__ = [
    "ConstraintReason",
    "Constraints",
    "describe",
    "difference",
    "read",
    "wording",
]
