"""What goes on in the background: rebuild, upkeep, probes, figures.

Nothing here is on the path of a request, and nothing here ends the proxy: a part
that does not answer is tried again at the next turn.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from stepcache_proxy.adapters.breaker import Breaker
from stepcache_proxy.adapters.embedded import EmbeddedValkey
from stepcache_proxy.adapters.epochs import UpstreamEpochs
from stepcache_proxy.adapters.figures import Sizes
from stepcache_proxy.adapters.redis_index_upkeep import VectorSetUpkeep
from stepcache_proxy.adapters.store_keys import partition_of
from stepcache_proxy.adapters.upkeep import Upkeep
from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.errors import SeamError, StartError
from stepcache_proxy.reuse.events import SeamState
from stepcache_proxy.reuse.model import RecordId
from stepcache_proxy.reuse.protocols import Recorder, RecordStore, VectorIndex

_CHANGES_SECONDS = 0.25
_UPSTREAM_SECONDS = 2.0
_REVIVE_SECONDS = 2.0

_log = logging.getLogger("stepcache")


@dataclass(slots=True)
class Caretaker:
    """Keeps the index in step with the store and the figures up to date.

    ``sets`` where the index is in the store: then all replicas share it, and there is
    nothing to rebuild and no news to follow.
    ``run`` never returns; cancel it. ``sizes`` are the latest figures,
    ``is_upstream_up`` whether the upstream answered its last ping.
    """

    store: RecordStore
    upkeep: Upkeep
    index: VectorIndex
    upstream: HttpUpstream
    epochs: UpstreamEpochs
    store_breaker: Breaker
    recorder: Recorder
    janitor_seconds: float
    embedded: EmbeddedValkey
    sets: VectorSetUpkeep | None = None
    sizes: Sizes = field(default_factory=Sizes)
    is_upstream_up: bool = True
    _is_built: bool = False

    async def run(self) -> None:
        """Every background task, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.store_breaker.watch(self.upkeep.ping))
            if self.sets is None:
                tasks.create_task(self._keep_in_step())
            else:
                tasks.create_task(self.sets.run(self.janitor_seconds))
            tasks.create_task(self._keep_clean())
            tasks.create_task(self._keep_asking())
            tasks.create_task(self._keep_alive())

    async def rebuild(self) -> None:
        """Fill an index in this process from the store. Raises SeamError."""
        if self.sets is not None:
            return
        self._is_built = False
        # What happens during the scan is read as news afterwards, what was before it
        # is in the scan.
        await self.upkeep.changes()
        await self.index.clear()
        async for record, vector in self.store.scan():
            if vector is not None and not record.is_exact_only:
                at, id_ = record.partition, record.id
                await self.index.add(at, id_, vector, record.text)
        self._is_built = True

    async def _keep_in_step(self) -> None:
        while True:
            try:
                await self._follow_changes()
            except SeamError:
                self._is_built = False
            await asyncio.sleep(_CHANGES_SECONDS)

    async def _follow_changes(self) -> None:
        changes = await self.upkeep.changes()
        if changes.is_gap or not self._is_built:
            await self.rebuild()
            return
        for change in changes.added:
            at, id_ = change.partition, change.id
            await self.index.add(at, id_, change.vector, change.text)
        await self.forget(changes.removed)

    async def _keep_clean(self) -> None:
        while True:
            try:
                await self.forget(await self.upkeep.janitor())
                await self.measure()
            except SeamError:
                pass
            await asyncio.sleep(self.janitor_seconds)

    async def forget(self, ids: Sequence[RecordId]) -> None:
        """Take records that are gone out of the index."""
        if self.sets is not None:
            await self.sets.forget(ids)
            return
        for id_ in ids:
            partition = partition_of(id_)
            if partition is not None:
                await self.index.remove(partition, id_)

    async def measure(self) -> None:
        """Read the sizes anew. Raises SeamError."""
        self.sizes = Sizes(
            records=await self.upkeep.count(),
            index_vectors=self.index.size(),
            store_bytes=await self.upkeep.size_bytes(),
        )

    async def _keep_alive(self) -> None:
        """Bring the embedded store back if it has died by itself."""
        while True:
            try:
                if await self.embedded.revive():
                    _log.warning("the embedded store had died and was started again")
            except StartError as error:
                _log.warning("the embedded store does not come back: %s", error)
            await asyncio.sleep(_REVIVE_SECONDS)

    async def _keep_asking(self) -> None:
        while True:
            if await self.ask_upstream():
                await self.epochs.poll()
            await asyncio.sleep(_UPSTREAM_SECONDS)

    async def ask_upstream(self) -> bool:
        """Whether the upstream answers now, by any HTTP status."""
        is_up = await self.upstream.ping()
        if is_up != self.is_upstream_up:
            self.is_upstream_up = is_up
            self.recorder.record(SeamState("upstream", is_degraded=not is_up))
        return is_up
