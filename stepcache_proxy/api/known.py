"""Bodies read lately, so that one that comes again is not read again."""

from collections import OrderedDict
from dataclasses import dataclass, field

from stepcache_proxy.reuse.canonical import Scope
from stepcache_proxy.reuse.model import CanonicalRequest
from stepcache_proxy.wire.jsonvalue import JsonObject, is_readable, read_object

_MOST_BODIES = 256
_LARGEST = 4 * 1024  # bytes; what is larger is read anew
_MOST_SCOPES = 16  # of one body: tenants, namespaces, epochs


@dataclass(frozen=True, slots=True)
class ReadBody:
    """What was read of a body; ``requests`` are its canonical forms by who asked."""

    body: JsonObject | None
    requests: dict[Scope, CanonicalRequest] = field(
        default_factory=dict[Scope, CanonicalRequest]
    )

    def keep(self, scope: Scope, request: CanonicalRequest) -> None:
        """Remember the canonical form for ``scope``."""
        if len(self.requests) >= _MOST_SCOPES:
            self.requests.clear()
        self.requests[scope] = request


@dataclass(slots=True)
class KnownBodies:
    """The bodies that came last, by their bytes; nobody may change what was read."""

    _read: OrderedDict[bytes, ReadBody] = field(
        default_factory=OrderedDict[bytes, ReadBody]
    )

    def read(self, raw: bytes) -> ReadBody:
        """What is in ``raw``, read now or before."""
        known = self._read.get(raw)
        if known is not None:
            self._read.move_to_end(raw)
            return known
        known = ReadBody(read_object(raw) if is_readable(raw) else None)
        if len(raw) <= _LARGEST:
            self._read[raw] = known
            if len(self._read) > _MOST_BODIES:
                self._read.popitem(last=False)
        return known
