"""Who asks: tenant from credential, and whether the upstream still accepts it."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from stepcache_proxy.api.seams import RawUpstream
from stepcache_proxy.errors import UpstreamError
from stepcache_proxy.wire.headers import RawHeaders

_CREDENTIALS = ("authorization", "api-key", "x-api-key")
_MOST_TENANTS = 100_000

Standing = Literal["accepted", "rejected", "unreachable"]


@dataclass(frozen=True, slots=True)
class TenantSource:
    """``credential``, ``header:NAME`` or ``none``, as ``tenant.from`` says."""

    setting: str

    def tenant_of(self, headers: Mapping[str, str]) -> str:
        """A hash of what tells tenants apart; the same in every deployment."""
        if self.setting == "none":
            return "shared"
        named = self.setting.removeprefix("header:").lower()
        # Without the header named nobody shares with anybody but by credential.
        by_name = self.setting != "credential" and named in headers
        names = (named,) if by_name else _CREDENTIALS
        said = "\0".join(f"{name}={headers.get(name, '')}" for name in names)
        # A domain of its own, so that the hash is of use nowhere else.
        return blake2b(
            said.encode(), digest_size=16, person=b"stepcache-tenant"
        ).hexdigest()


class Credentials:
    """When the upstream last accepted each credential, in seconds of ``clock``.

    Bounded; whoever is forgotten is simply checked again.
    """

    def __init__(
        self, upstream: RawUpstream, clock: Callable[[], float], recheck_seconds: float
    ) -> None:
        self._upstream = upstream
        self._clock = clock
        self._recheck_seconds = recheck_seconds
        self._accepted: OrderedDict[str, float] = OrderedDict()

    def note(self, headers: Mapping[str, str], status: int) -> None:
        """The upstream has answered a request with this credential so."""
        key = credential_of(headers)
        if status in (401, 403):
            self._accepted.pop(key, None)
        elif 200 <= status < 300:
            self._accepted[key] = self._clock()
            self._accepted.move_to_end(key)
            if len(self._accepted) > _MOST_TENANTS:
                self._accepted.popitem(last=False)

    async def check(self, headers: Mapping[str, str], raw: RawHeaders) -> Standing:
        """Whether a cached answer may be given to this credential now.

        Asks the upstream for its models if it has not accepted the credential for
        ``recheck_seconds``; an upstream that cannot be asked is "unreachable".
        """
        seen = self._accepted.get(credential_of(headers))
        if seen is not None and self._clock() - seen <= self._recheck_seconds:
            return "accepted"
        try:
            status, _ = await self._upstream.models(raw)
        except UpstreamError:
            return "unreachable"
        self.note(headers, status)
        return "rejected" if status in (401, 403) else "accepted"


def credential_of(headers: Mapping[str, str]) -> str:
    """A hash of the credential a request carries, whatever tells tenants apart."""
    said = "\0".join(headers.get(name, "") for name in _CREDENTIALS)
    return blake2b(said.encode(), digest_size=16).hexdigest()
