"""Sums of facts by family and key, in a shape that adds up over several workers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.constraints.reasons import ConstraintReason

# family -> key (label values joined by commas) -> numbers that add up place by place
State = Mapping[str, Mapping[str, Sequence[float]]]
Families = dict[str, dict[str, list[float]]]

SEAMS = ("store", "index", "embedder", "upstream")
QUANTILES = (0.5, 0.95, 0.99)

# Kinds that tasks report beside those of the verbatim gate.
_PLAIN = (
    "constraint:keys", "constraint:form", "constraint:task", "quarantine", "step",
    "differs", "integrity", "budget", "bound", "mode", "degraded",
)  # fmt: skip
SKIP_KINDS = (*(reason.value for reason in ConstraintReason), *_PLAIN, "other")
_KNOWN_KINDS = frozenset(SKIP_KINDS)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is now: live records, vectors in the index, bytes of the store."""

    records: int = 0
    index_vectors: int = 0
    store_bytes: int = 0


def skip_kind(reason: str) -> str:
    """The kind of a skip out of SKIP_KINDS, never a client's own words."""
    if reason in _KNOWN_KINDS:
        return reason
    kind = reason.partition(":")[0]
    return kind if kind in _KNOWN_KINDS else "other"


def add_up(states: Iterable[State]) -> Families:
    """All states as one: numbers of the same family, key and place are added."""
    total: Families = {}
    for state in states:
        for family, rows in state.items():
            _add_rows(total.setdefault(family, {}), rows)
    return total


def _add_rows(
    rows: dict[str, list[float]], more: Mapping[str, Sequence[float]]
) -> None:
    for key, numbers in more.items():
        mine = rows.get(key)
        if mine is None:
            rows[key] = list(numbers)
        else:
            mine[:] = [a + b for a, b in zip(mine, numbers, strict=False)]
