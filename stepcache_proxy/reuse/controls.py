"""What one client may ask of the cache, read strictly from its headers.

A client can only be stricter than the operator: a laxer mode or a lower floor is
ignored, a value that cannot be read is a 400 that names the header.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from stepcache_proxy.errors import InvalidRequestError
from stepcache_proxy.reuse.model import Mode

MODE = "x-stepcache-mode"
NAMESPACE = "x-stepcache-namespace"
TTL = "x-stepcache-ttl"
MIN_SIMILARITY = "x-stepcache-min-similarity"
CACHE_CONTROL = "cache-control"

_STRICTNESS = (Mode.VERIFIED, Mode.EXACT, Mode.OFF)
_NAMESPACE = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the operator allows: mode, lifetimes in seconds, similarity floor."""

    mode: Mode = Mode.VERIFIED
    ttl_seconds: int = 86_400
    max_ttl_seconds: int = 2_592_000
    min_similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Controls:
    """The limits as one request has tightened them.

    ``is_floor_raised`` tells that the client set a floor of its own, which then
    holds for candidates of the template tier, too.
    """

    mode: Mode
    ttl_seconds: int
    min_similarity: float
    namespace: str = ""
    may_serve: bool = True
    may_store: bool = True
    only_if_cached: bool = False
    max_age_seconds: int | None = None
    is_floor_raised: bool = False


def read_controls(headers: Mapping[str, str], limits: Limits) -> Controls:
    """The controls in ``headers`` (lower-case names); InvalidRequestError names one."""
    directives = _directives(headers.get(CACHE_CONTROL, ""))
    floor = _similarity(headers.get(MIN_SIMILARITY))
    raised = floor is not None and floor > limits.min_similarity
    return Controls(
        mode=_mode(headers.get(MODE), limits.mode),
        ttl_seconds=_ttl(headers.get(TTL), limits),
        min_similarity=floor if floor is not None and raised else limits.min_similarity,
        namespace=_namespace(headers.get(NAMESPACE)),
        may_serve="no-cache" not in directives,
        may_store="no-store" not in directives,
        only_if_cached="only-if-cached" in directives,
        max_age_seconds=_max_age(directives),
        is_floor_raised=raised,
    )


def _mode(value: str | None, allowed: Mode) -> Mode:
    if value is None:
        return allowed
    try:
        asked = Mode(value.strip().lower())
    except ValueError:
        raise _malformed(MODE, "off, exact or verified") from None
    return max(asked, allowed, key=_STRICTNESS.index)


def _ttl(value: str | None, limits: Limits) -> int:
    if value is None:
        return min(limits.ttl_seconds, limits.max_ttl_seconds)
    seconds = _whole(value)
    if seconds is None or not 1 <= seconds <= limits.max_ttl_seconds:
        raise _malformed(TTL, f"a whole number from 1 to {limits.max_ttl_seconds}")
    return seconds


def _similarity(value: str | None) -> float | None:
    if value is None:
        return None
    if re.fullmatch(r"\s*[01](\.[0-9]{1,9})?\s*", value) and float(value) <= 1.0:
        return float(value)
    raise _malformed(MIN_SIMILARITY, "a number from 0 to 1")


def _namespace(value: str | None) -> str:
    if value is None:
        return ""
    if _NAMESPACE.fullmatch(value):
        return value
    raise _malformed(NAMESPACE, "1 to 64 letters, digits, '.', '_' or '-'")


def _directives(header: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for part in header.split(","):
        name, _, value = part.strip().partition("=")
        found[name.strip().lower()] = value.strip()
    return found


def _max_age(directives: Mapping[str, str]) -> int | None:
    if "max-age" not in directives:
        return None
    # RFC 9111 section 5.2 lets a client send the quoted form, too.
    quoted = re.fullmatch(r'"(.*)"', directives["max-age"])
    seconds = _whole(quoted[1] if quoted else directives["max-age"])
    if seconds is None:
        raise _malformed(CACHE_CONTROL, "max-age with a whole number of seconds")
    return seconds


def _whole(value: str) -> int | None:
    return int(value) if re.fullmatch(r"\s*[0-9]{1,10}\s*", value) else None


def _malformed(header: str, wanted: str) -> InvalidRequestError:
    return InvalidRequestError(f"The header {header} must be {wanted}.", param=header)
