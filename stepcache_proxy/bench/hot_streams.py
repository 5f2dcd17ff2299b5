"""Very many streams at once: do they all end well, and what does a chunk wait?"""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import pairwise

from stepcache_proxy.bench.figures import quantile
from stepcache_proxy.bench.hot_asks import Asks
from stepcache_proxy.bench.hot_client import Connection, connect, request
from stepcache_proxy.bench.hot_servers import SLOW_EVENTS, SLOW_SECONDS
from stepcache_proxy.errors import StartError
from stepcache_proxy.wire.jsonvalue import JsonObject

_LEAST_EVENTS = SLOW_EVENTS + 2


async def many_streams(
    targets: Mapping[str, int], asks: Asks, number: int
) -> JsonObject:
    """Failures, and by how much chunks came late at the 99th percentile, in ms.

    Every stream has the same pace; a gap between two arrivals that is longer than it
    is what the proxy (or the machine under this load) has added.
    """
    result: dict[str, JsonObject] = {}
    for name in ("direct", "proxy"):
        port = targets[name]
        raw = [request(a.path, port, a.body) for a in asks.slow_stream(number)]
        lines = await asyncio.gather(*(connect(port) for _ in raw))
        pairs = zip(lines, raw, strict=True)
        gaps = await asyncio.gather(*(_gaps(line, body) for line, body in pairs))
        for line in lines:
            line.close()
        late = [max(0.0, gap - SLOW_SECONDS) for found in gaps for gap in found]
        result[name] = {
            "streams": number,
            "failures": sum(not found for found in gaps),
            "p99_late_ms": round(quantile(late, 0.99) * 1e3, 1) if late else None,
        }
    return dict(result)


async def _gaps(line: Connection, raw: bytes) -> Sequence[float]:
    """Seconds between the arrivals of one stream; empty if it failed."""
    try:
        answer = await line.ask(raw)
    except StartError:
        return ()
    if not answer.is_ok or answer.events < _LEAST_EVENTS:
        return ()
    return [later - earlier for earlier, later in pairwise(line.arrivals)]
