"""What a task or a verifier does beside its protocol, looked at once for each class.

``isinstance`` of a runtime protocol looks at every attribute anew each time, slowly on
Python 3.11, and a request asks for several roles of several parts.
"""

from functools import cache
from typing import TypeGuard

from stepcache_proxy.reuse.protocols import (
    Gating,
    Grouping,
    Kindred,
    Reworking,
    Task,
    Verifier,
)


def is_grouping(task: Task) -> TypeGuard[Grouping]:
    """Whether the task makes template keys of its own."""
    return _has(type(task), "group")


def is_kindred(task: Task) -> TypeGuard[Kindred]:
    """Whether several groups of the task may lend each other steps."""
    return _has(type(task), "kin")


def is_gating(task: Task) -> TypeGuard[Gating]:
    """Whether the task's comparison refuses a donor asked in other words."""
    return _has(type(task), "is_whole_gate")


def is_reworking(verifier: Verifier) -> TypeGuard[Reworking]:
    """Whether the verifier proves nothing, but works answers anew."""
    return _has(type(verifier), "rework")


@cache
def _has(kind: type, name: str) -> bool:
    return hasattr(kind, name)
