"""The store is the embedded one in its folder, or the one that was named."""

import time
from dataclasses import replace
from pathlib import Path

from stepcache_proxy.app.storage import open_storage
from tests.adapters.samples import record
from tests.app.running import settings_of


async def test_the_embedded_store_keeps_records_in_its_folder(tmp_path: Path) -> None:
    settings = settings_of("http://h", "embedded", store__data_dir=str(tmp_path / "s"))
    kept = record("a", created=time.time())
    async with open_storage(settings, fingerprint=lambda: "f") as storage:
        await storage.store.put(kept, None)
    async with open_storage(settings, fingerprint=lambda: "f") as storage:
        (found,) = await storage.store.get([kept.id])
        assert await storage.upkeep.count() == 1
    assert found == replace(kept, generation=1)
