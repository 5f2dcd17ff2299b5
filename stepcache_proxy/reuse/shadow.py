"""Shadow checks: was a served answer what the upstream would have said?

A sampled share of served answers is asked upstream again, in the background, and the
two are compared. What they show is an observation on the record (``bound.py``). Here is
only what can be said without asking anybody.
"""

import re
from collections import Counter
from typing import Literal

from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.model import Accept, Outcome, Reject, Unknown
from stepcache_proxy.reuse.protocols import Verifier

Result = Literal["right", "wrong", "unknown"]

MAX_CHARS = 20_000
_ALIKE_SHARE = 0.4
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")


def is_sampled(ask: Ask, served: Served, rate: float, draw: float) -> bool:
    """Whether this answer is asked for again; ``draw`` is uniform in [0, 1).

    Only what was reused or patched: an exact answer is the upstream's own. Never for
    a client that wanted no upstream call.
    """
    if served.outcome not in (Outcome.REUSE, Outcome.PATCH):
        return False
    return draw < rate and not ask.controls.only_if_cached


def compare(verifier: Verifier | None, served: str, fresh: str) -> Result:
    """What ``fresh``, the upstream's own answer, says of ``served``.

    A verifier that reads the served answer decides, whatever the upstream said: a
    model may be wrong where arithmetic is not. Otherwise the texts do: the same text
    is right; other numbers or mostly other words are wrong; the same numbers in partly
    other words are neither. Erring towards wrong costs a record its place, erring
    towards right would cost somebody a wrong answer.
    """
    match verifier.check_answer(served) if verifier else Unknown():
        case Accept():
            return "right"
        case Reject():
            return "wrong"
        case _:
            return _compared(served[:MAX_CHARS], fresh[:MAX_CHARS])


def _compared(served: str, fresh: str) -> Result:
    if _plain(served) == _plain(fresh):
        return "right"
    if set(_NUMBER.findall(served)) != set(_NUMBER.findall(fresh)):
        return "wrong"
    share = _shared_part(_words(served), _words(fresh))
    return "unknown" if share >= _ALIKE_SHARE else "wrong"


def _plain(text: str) -> str:
    """The text without case, white space and marks of emphasis at either end."""
    return " ".join(text.casefold().replace("*", "").split()).strip(" .!\"'`")


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def _shared_part(a: Counter[str], b: Counter[str]) -> float:
    """Words in common over words in either (Jaccard, with repetitions)."""
    either = sum((a | b).values())
    return sum((a & b).values()) / either if either else 0.0
