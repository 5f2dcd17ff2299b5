"""The index as the settings name it: in this process, or in the store."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from stepcache_proxy.adapters.faiss_index import FaissIndex
from stepcache_proxy.adapters.redis_index import RedisIndex
from stepcache_proxy.adapters.redis_index_upkeep import VectorSetUpkeep
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import IndexUnavailableError
from stepcache_proxy.reuse.protocols import VectorIndex


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index, and the upkeep of its sets if it is in the store."""

    index: VectorIndex
    sets: VectorSetUpkeep | None = None


@asynccontextmanager
async def open_index(
    settings: Settings, store: RedisStore
) -> AsyncGenerator[OpenIndex]:
    """The index. Raises StartError if the store cannot be one.

    A store that is away now is looked at when it is asked.
    """
    if settings.index.kind == "faiss":
        faiss = FaissIndex(max_records=settings.index.max_records)
        try:
            yield OpenIndex(faiss)
        finally:
            faiss.close()
        return
    index = RedisIndex(
        client=store.client,
        keys=store.keys,
        fingerprint=store.fingerprint,
        quantization=settings.index.quantization,
        width=settings.index.search_width,
        life_seconds=settings.store.max_ttl_s,
    )
    with suppress(IndexUnavailableError):
        await index.check()
    yield OpenIndex(index, VectorSetUpkeep(index, store))
