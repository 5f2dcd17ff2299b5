"""The decision about a request -> the response headers that tell it."""

import re
from dataclasses import dataclass
from math import isnan

from stepcache_proxy.reuse.model import Outcome

Header = tuple[bytes, bytes]

_LONGEST_REASON = 96
# Also the alphabet of an RFC 8941 token, so a reason can stand in cache-status.
_REASON = re.compile(r"[a-z][a-z0-9-]*(?::[A-Za-z0-9!#$%&'*+.^_`|~:/-]+)?")
_KIND = re.compile(r"[a-z][a-z0-9-]*")
_FOREIGN = re.compile(r"[^A-Za-z0-9!#$%&'*+.^_`|~:/-]")

_OUTCOMES = {o: (b"x-stepcache-outcome", o.value.encode()) for o in Outcome}
_SERVED = frozenset({Outcome.EXACT, Outcome.REUSE})
_WITHOUT_STEPS = frozenset({Outcome.EXACT, Outcome.MISS, Outcome.BYPASS})
_FORWARDED = {
    Outcome.MISS: (b"stepcache; fwd=miss", b""),
    Outcome.SKIP: (b"stepcache; fwd=miss", b"; detail=skip"),
    Outcome.PATCH: (b"stepcache; fwd=partial", b"; detail=patch"),
    Outcome.COALESCED: (b"stepcache; fwd=miss; collapsed", b""),
}


@dataclass(frozen=True, slots=True)
class DecisionHeaders:
    """What is known about a decision when its headers go out.

    ``steps`` are kept, derived and patched; ``tokens`` generated and reused, None
    where nobody counted (a bypass). ``record`` was served or stored. ``is_stored``
    says that the answer became a record, ``is_collapsed`` that the upstream's call
    was shared. ``is_stream_open``: an answer of the upstream is still coming in, so
    totals, record and ``stored`` are left out whatever is given; it means nothing
    on ``exact`` and ``reuse``, where all of it is known.
    """

    outcome: Outcome
    reason: str
    similarity: float | None = None
    record: str | None = None
    steps: tuple[int, int, int] | None = None
    tokens: tuple[int, int] | None = None
    fallback: str | None = None
    age_seconds: float = 0.0
    ttl_seconds: float | None = None
    is_stored: bool = False
    is_collapsed: bool = False
    is_stream_open: bool = False


def decision_headers(decision: DecisionHeaders) -> list[Header]:
    """The headers of the contract for ``decision``, safe to send whatever is in it."""
    reason = reason_token(decision.reason)
    headers = [
        _OUTCOMES[decision.outcome],
        (b"x-stepcache-reason", reason),
        (b"cache-status", _cache_status(decision, reason)),
    ]
    headers += _similarity(decision)
    if decision.steps is not None and decision.outcome not in _WITHOUT_STEPS:
        headers.append(
            (b"x-stepcache-steps", b"kept=%d, derived=%d, patched=%d" % decision.steps)
        )
    if decision.outcome in _SERVED or not decision.is_stream_open:
        headers += _totals(decision)
    if decision.fallback is not None:
        task = _FOREIGN.sub("_", decision.fallback).encode()
        headers.append((b"x-stepcache-fallback", task))
    if decision.outcome in _SERVED:
        headers.append((b"age", b"%d" % max(decision.age_seconds, 0)))
    return headers


def reason_token(reason: str) -> bytes:
    """``reason`` as one bounded ASCII token; what cannot stand in a header becomes _.

    Reasons carry field names that clients chose (``differs:<field>``).
    """
    if len(reason) <= _LONGEST_REASON and _REASON.fullmatch(reason):
        return reason.encode()
    kind, colon, rest = reason[:_LONGEST_REASON].partition(":")
    if not _KIND.fullmatch(kind):
        kind, colon, rest = "unknown", ":", reason[:_LONGEST_REASON]
    if not colon:
        return kind.encode()
    return f"{kind}:{_FOREIGN.sub('_', rest) or '_'}".encode()


def _similarity(decision: DecisionHeaders) -> list[Header]:
    value = decision.similarity
    if value is None or isnan(value) or decision.outcome is Outcome.EXACT:
        return []
    if decision.reason == "no-candidate":
        return []
    return [(b"x-stepcache-similarity", b"%.4f" % min(max(value, -0.9999), 1.0))]


def _totals(decision: DecisionHeaders) -> list[Header]:
    headers: list[Header] = []
    if decision.record is not None:
        headers.append((b"x-stepcache-record", decision.record.encode()))
    if decision.tokens is not None:
        headers.append(
            (b"x-stepcache-tokens", b"generated=%d, reused=%d" % decision.tokens)
        )
    return headers


def _cache_status(decision: DecisionHeaders, reason: bytes) -> bytes:
    """One list member of RFC 9211."""
    if decision.outcome in _SERVED:
        return _hit(decision)
    if decision.outcome is Outcome.BYPASS:
        return b"stepcache; fwd=bypass; detail=" + reason
    status, detail = _FORWARDED[decision.outcome]
    if decision.is_collapsed and decision.outcome is not Outcome.COALESCED:
        status += b"; collapsed"
    if decision.is_stored and not decision.is_stream_open:
        status += b"; stored"
    return status + detail


def _hit(decision: DecisionHeaders) -> bytes:
    detail = decision.outcome.value.encode()
    if decision.ttl_seconds is None:
        return b"stepcache; hit; detail=" + detail
    return b"stepcache; hit; ttl=%d; detail=%s" % (max(decision.ttl_seconds, 0), detail)
