"""Export, import and purge, straight on the store (no server, no upstream)."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.adapters.redis_index_upkeep import ask_for_fill
from stepcache_proxy.adapters.upkeep import Selection
from stepcache_proxy.app.storage import Storage, open_storage
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import StartError, StoreUnavailableError
from stepcache_proxy.reuse.model import RecordId


async def export_records(settings: Settings, path: str) -> int:
    """Write every live record to ``path``, one JSON object a line; how many."""
    count = 0
    async with _storage(settings) as storage:
        with Path(path).open("wb") as file:  # noqa: ASYNC230  nobody else waits here
            async for line in storage.upkeep.export_lines():
                file.write(line + b"\n")
                count += 1
    return count


async def import_records(settings: Settings, path: str) -> int:
    """Store the records of an export for the rest of their lives; how many."""
    count = 0
    async with _storage(settings) as storage:
        with Path(path).open("rb") as file:  # noqa: ASYNC230  nobody else waits here
            for line in file:
                count += await storage.upkeep.import_line(line.rstrip(b"\n"))
        await ask_for_fill(storage.store)
    return count


async def purge_records(
    settings: Settings,
    *,
    namespace: str | None,
    model: str | None,
    record: str | None,
    all_records: bool,
    dry_run: bool,
) -> dict[str, int]:
    """Remove the records that fit all that is given; how many matched and went."""
    selection = Selection(
        record=None if record is None else RecordId(record),
        model=model,
        namespace=namespace,
        is_all=all_records,
    )
    async with _storage(settings) as storage:
        purged = await storage.upkeep.purge(selection, is_dry_run=dry_run)
    return {"matched": purged.matched, "removed": purged.removed}


@asynccontextmanager
async def _storage(settings: Settings) -> AsyncGenerator[Storage]:
    embedder = SentenceTransformerEmbedder(
        settings.embedder.model, settings.embedder.exports
    )
    async with open_storage(
        settings, fingerprint=lambda: embedder.fingerprint
    ) as storage:
        try:
            await storage.upkeep.ping()
            yield storage
        except StoreUnavailableError as error:
            msg = f"store.url: the store does not answer ({error}); is it running?"
            raise StartError(msg) from error
