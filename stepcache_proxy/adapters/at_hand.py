"""What the store would find for a request, told without asking it."""

from collections.abc import Sequence

from stepcache_proxy.adapters.recent import Recent
from stepcache_proxy.adapters.record_format import expires_at
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.reuse.model import CanonicalRequest, Record, RecordId
from stepcache_proxy.reuse.protocols import Found


def at_hand(
    recent: Recent, keys: Keys, request: CanonicalRequest, now: float
) -> Found | None:
    """The records of the request's template; None where the store has to be asked.

    It is asked where it may have the request's own record, or one of the same question.
    ``now`` is in seconds since the epoch.
    """
    may_hold = recent.directory.may_hold
    own, question = keys.record(request.id), keys.question(request.question)
    if own is None or may_hold(own.encode()) or may_hold(question.encode()):
        return None
    for name in keys.templates(request):
        key = name.encode()
        if not may_hold(key):
            continue
        ids = recent.listed(key)
        records = None if ids is None else _all_kept(recent, ids, now)
        if records is None:
            return None
        if records:
            return Found(records)
    return Found()


def _all_kept(
    recent: Recent, ids: Sequence[RecordId], now: float
) -> tuple[Record, ...] | None:
    """The records, if every one is kept and none is over."""
    records = tuple(filter(None, map(recent.get, ids)))
    if len(records) < len(ids) or any(expires_at(record) <= now for record in records):
        return None
    return records
