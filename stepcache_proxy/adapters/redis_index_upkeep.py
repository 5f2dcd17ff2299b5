"""Upkeep of vector sets: what has no record leaves, what has no vector is added.

Nothing is needed for a right answer: a vector without its record is dropped when it is
found. This bounds what such vectors cost, and finds what the sets lack after a change
of ``index.kind``, an import, or when the server has evicted a set.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode

from stepcache_proxy.adapters.redis_index import (
    RedisIndex,
    element_of,
    id_of_element,
    index_errors,
    raise_unless_full,
)
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.store_keys import partition_of, vector_kind
from stepcache_proxy.adapters.vector_rows import Floats, unit
from stepcache_proxy.errors import SeamError
from stepcache_proxy.reuse.model import PartitionKey, RecordId

_BATCH = 500
_ADDED_AT_ONCE = 20  # each takes milliseconds, and a pipeline is answered in order
_SAMPLE = 16  # members of each set that are looked at in passing
_SCANS = 10  # steps of SCAN a look
_SCAN_KEYS = 2_000  # keys a step
_LEASE_SECONDS = 60
_FILLED_SECONDS = 86_400

_Missing = tuple[PartitionKey, RecordId, Floats]


@dataclass(slots=True)
class _Round:
    """One walk over all sets of all nodes, in steps."""

    nodes: "list[Redis | ClusterNode]"
    cursor: int = 0
    counted: int = 0


@dataclass(slots=True)
class VectorSetUpkeep:
    """Keeps the sets of ``index`` in step with the records of ``store``."""

    index: RedisIndex
    store: RedisStore
    _round: _Round | None = None
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, seconds: float) -> None:
        """Look and fill every ``seconds``, until cancelled."""
        while True:
            try:
                await self.look()
                await self.fill()
            except SeamError:
                pass
            await asyncio.sleep(seconds)

    async def forget(self, ids: Sequence[RecordId]) -> None:
        """Take records that are gone out of their sets. Raises SeamError."""
        for at in range(0, len(ids), _BATCH):
            pipe = self.index.client.pipeline(transaction=False)
            for id in ids[at : at + _BATCH]:
                partition = partition_of(id)
                if partition is not None:
                    key = self.index.keys.vectors(partition, self.index.kind)
                    pipe.execute_command("VREM", key, element_of(partition, id))
            with index_errors():
                await pipe.execute()

    async def look(self) -> bool:
        """Look at some of the sets; whether this was the last step of a round.

        Counts vectors, and drops those without a record among some of each set.
        """
        async with self._looking:
            return await self._look()

    async def _look(self) -> bool:
        for _ in range(_SCANS):
            if self._round is None:
                self._round = _Round(await self._nodes())
            await self._step(self._round)
            if not self._round.nodes:
                self.index.counted = self._round.counted
                self._round = None
                return True
            self.index.counted = max(self.index.counted, self._round.counted)
        return False

    async def fill(self) -> None:
        """Add every vector that a record has and its set lacks, once a day.

        One replica does it; another takes over if that one ends.
        """
        key = self.index.keys.filled(self.index.kind)
        lease = ("EX", _LEASE_SECONDS)
        if await self._ask("SET", key, self.store.origin, "NX", *lease) is None:
            return
        batch: list[_Missing] = []
        with index_errors():
            async for record, vector in self.store.scan():
                row = None if vector is None else unit(vector)
                if row is not None and not record.is_exact_only:
                    batch.append((record.partition, record.id, row))
                if len(batch) == _BATCH:
                    await self._add_missing(batch)
                    batch = []
                    await self._ask("SET", key, self.store.origin, *lease)
            await self._add_missing(batch)
        await self._ask("SET", key, "done", "EX", _FILLED_SECONDS)

    async def _nodes(self) -> "list[Redis | ClusterNode]":
        client = self.index.client
        if not isinstance(client, RedisCluster):
            return [client]
        with index_errors():
            await client.initialize()
        return list(client.get_primaries())

    async def _step(self, round: _Round) -> None:
        pattern = self.index.keys.all_vectors(self.index.kind)
        options = ("MATCH", pattern, "COUNT", _SCAN_KEYS)
        with index_errors():
            node = round.nodes[-1]
            reply: object = await node.execute_command("SCAN", round.cursor, *options)
        cursor, keys = reply if isinstance(reply, list | tuple) else (0, [])
        for at in range(0, len(keys), _BATCH):
            round.counted += await self._tend(keys[at : at + _BATCH])
        round.cursor = int(cursor)
        if not round.cursor:
            round.nodes.pop()

    async def _tend(self, keys: Sequence[bytes]) -> int:
        """Drop sampled vectors without a record; how many vectors there were."""
        pipe = self.index.client.pipeline(transaction=False)
        for key in keys:
            pipe.execute_command("VCARD", key)
            pipe.execute_command("VRANDMEMBER", key, _SAMPLE)
        with index_errors():
            replies: list[object] = await pipe.execute(raise_on_error=False)
        sampled: list[RecordId] = []
        for key, names in zip(keys, replies[1::2], strict=True):
            partition = self.index.keys.vectors_partition(key)
            members = names if isinstance(names, list) else []
            sampled += [id_of_element(partition, name) for name in members]
        await self.forget(await self._dead(sampled))
        return sum(count for count in replies[::2] if isinstance(count, int))

    async def _dead(self, ids: Sequence[RecordId]) -> list[RecordId]:
        known = [(id, key) for id in ids if (key := self.index.keys.record(id))]
        pipe = self.index.client.pipeline(transaction=False)
        for _, key in known:
            pipe.execute_command("EXISTS", key)
        with index_errors():
            replies: list[object] = await pipe.execute()
        return [id for (id, _), n in zip(known, replies, strict=True) if n == 0]

    async def _add_missing(self, batch: Sequence[_Missing]) -> None:
        pipe = self.index.client.pipeline(transaction=False)
        for partition, id, _ in batch:
            key = self.index.keys.vectors(partition, self.index.kind)
            pipe.execute_command("VISMEMBER", key, element_of(partition, id))
        replies: list[object] = await pipe.execute()
        pairs = zip(batch, replies, strict=True)
        missing = [one for one, is_there in pairs if not is_there]
        for at in range(0, len(missing), _ADDED_AT_ONCE):
            some = missing[at : at + _ADDED_AT_ONCE]
            pipe = self.index.client.pipeline(transaction=False)
            for one in some:
                self.index.queue_add(pipe.execute_command, *one)
            for reply in await pipe.execute(raise_on_error=False):
                raise_unless_full(reply)
            await self.forget(await self._dead([id for _, id, _ in some]))

    async def _ask(self, *command: str | bytes | int) -> object:
        with index_errors():
            reply: object = await self.index.client.execute_command(*command)
        return reply


async def ask_for_fill(store: RedisStore) -> None:
    """Let a replica look for vectors that the sets lack. Raises SeamError."""
    fingerprint = store.fingerprint()
    kinds = [vector_kind(fingerprint, of) for of in ("none", "q8", "bin")]
    with index_errors():
        for kind in kinds:
            await store.client.execute_command("UNLINK", store.keys.filled(kind))
