"""The store as the settings name it: embedded, or a server somewhere."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from stepcache_proxy.adapters.embedded import EmbeddedValkey
from stepcache_proxy.adapters.recent import ChangeListener, Recent
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import (
    close_client,
    open_client,
    open_listener,
)
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.config import Settings

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Storage:
    """A store and its upkeep over one client; ``embedded`` runs only if it is ours.

    ``listener`` keeps what the store remembers of its records true while it runs.
    """

    store: RedisStore
    upkeep: RedisUpkeep
    embedded: EmbeddedValkey
    listener: ChangeListener | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """What the workers of one proxy share.

    ``store_url`` is the embedded store that their parent has started, ``board`` the
    folder where they show each other their figures.
    """

    store_url: str | None = None
    board: Path | None = None


ALONE = Shared()


@asynccontextmanager
async def open_storage(
    settings: Settings, *, fingerprint: Callable[[], str], shared: Shared = ALONE
) -> AsyncGenerator[Storage]:
    """The store, started first if it is embedded. Raises StartError, ConfigError."""
    embedded = EmbeddedValkey(settings.store.data_dir)
    url = shared.store_url or settings.store.url
    if url == EMBEDDED:
        await embedded.start()
        url = embedded.url
    ca = settings.store.tls_ca_file
    ca_file = None if ca is None else str(ca)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(embedded.close)
        client = open_client(url, tls_ca_file=ca_file)
        stack.push_async_callback(close_client, client)
        store = RedisStore(
            client=client,
            keys=Keys(settings.store.namespace),
            clock=time.time,
            fingerprint=fingerprint,
            max_ttl_seconds=settings.store.max_ttl_s,
            recent=Recent(settings.store.recent_records),
        )
        listening = open_listener(url, tls_ca_file=ca_file)
        listener = None
        if listening is not None and settings.store.recent_records:
            stack.push_async_callback(close_client, listening)
            listener = ChangeListener(listening, store.keys, store.recent)
        upkeep = RedisUpkeep(store, settings.index.max_records)
        yield Storage(store, upkeep, embedded, listener)
