"""Upkeep of the Redis store: expiry, eviction, news for indexes, purge, export.

Two sorted sets list every record by its end and by its last use. They are a
convenience: records end by themselves, and a scan never trusts the sets.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from stepcache_proxy.adapters import store_scripts
from stepcache_proxy.adapters.record_format import (
    decode_line,
    decode_record,
    decode_vector,
    encode_line,
    expires_at,
)
from stepcache_proxy.adapters.redis_store import FEED_LENGTH, RedisStore
from stepcache_proxy.adapters.store_client import store_errors
from stepcache_proxy.adapters.upkeep import Change, Changes, Purged, Selection
from stepcache_proxy.reuse.model import RecordId

_BATCH = 500
_PROBE_MS = 1000  # life of the key that shows whether the store can be written
_LONGEST_SWEEP = 20_000  # ids per call of janitor, so that it ends


@dataclass(slots=True)
class _Position:
    """The last entry of the feed that was read; None before the first."""

    entry: bytes | None = None
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class RedisUpkeep:
    """Upkeep of ``store``; ``max_records`` bounds what eviction leaves."""

    store: RedisStore
    max_records: int = 100_000
    position: _Position = field(default_factory=_Position)

    async def ping(self) -> None:
        """Return if the store takes what it is told to; StoreUnavailableError if not.

        A write, so that a full or read-only store is noticed, too.
        """
        await self._ask("SET", self.store.keys.probe, "1", "PX", _PROBE_MS)

    async def janitor(self) -> list[RecordId]:
        """Write uses down, forget what has expired, evict what is over the bound."""
        await self._write_uses()
        return await self._sweep_expired() + await self._evict()

    async def changes(self) -> Changes:
        """What other processes put and removed since the last call.

        The first call only takes the position. ``is_gap`` after a flush of the
        store, or when more happened than the feed holds.
        """
        if not self.position.is_set:
            await self._take_position()
            return Changes()
        entries = await self._read_feed()
        if entries is None:
            await self._take_position()
            return Changes(is_gap=True)
        signs = {id: sign for sign, id, origin in entries if origin != self._origin}
        added = [id for id, sign in signs.items() if sign == b"+"]
        return Changes(
            added=tuple(await self._vectors(added)),
            removed=tuple(id for id, sign in signs.items() if sign == b"-"),
        )

    async def count(self) -> int:
        """How many live records there are."""
        now = int(self.store.clock() * 1000)
        reply = await self._ask("ZCOUNT", self.store.keys.expiry, f"({now}", "+inf")
        return reply if isinstance(reply, int) else 0

    async def size_bytes(self) -> int:
        """Memory of the server, in bytes; of all nodes of a cluster."""
        reply = await self._ask("INFO", "memory")
        nodes = reply if isinstance(reply, dict) else {}
        if "used_memory" in nodes:
            nodes = {"": nodes}
        sizes = [n.get("used_memory") for n in nodes.values() if isinstance(n, dict)]
        return sum(size for size in sizes if isinstance(size, int))

    async def purge(self, selection: Selection, *, is_dry_run: bool) -> Purged:
        """Remove the selected records with all their keys, in batches."""
        # Chosen first, removed then: a scan may miss or repeat keys while it deletes.
        chosen = await self._choose(selection)
        if is_dry_run:
            return Purged(matched=len(chosen), removed=0)
        if selection == Selection(is_all=True):
            count = await self._empty()
        else:
            count = 0
            for at in range(0, len(chosen), _BATCH):
                count += await self.store.delete(chosen[at : at + _BATCH])
        return Purged(matched=len(chosen), removed=count, ids=tuple(chosen))

    async def export_lines(self) -> AsyncGenerator[bytes]:
        """Every live record as one JSON line, without the line end."""
        async for record, vector in self.store.scan_stored():
            left = int(expires_at(record) - self.store.clock())
            line = encode_line(record, vector, left)
            if line is not None:
                yield line

    async def import_line(self, line: bytes) -> bool:
        """Store an exported record for the rest of its life; False if it was not."""
        read = decode_line(line)
        return read is not None and await self.store.put_stored(*read)

    async def _empty(self) -> int:
        """Remove every key of every record; how many records there were.

        The feed goes too: every process, this one included, then sees a gap. What is
        known of upstreams stays.
        """
        keys: list[bytes] = []
        everything = self.store.keys.everything
        with store_errors():
            found = self.store.client.scan_iter(match=everything, count=1000)
            keys = [key async for key in found if b"}:epoch:" not in key]
        count = 0
        for at in range(0, len(keys), _BATCH):
            batch = keys[at : at + _BATCH]
            pipe = self.store.client.pipeline(transaction=False)
            for key in batch:
                pipe.execute_command("UNLINK", key)
            with store_errors():
                replies: list[int] = await pipe.execute()
            self.store.recent.forget(None)
            gone = zip(batch, replies, strict=True)
            count += sum(n for key, n in gone if self.store.keys.id_of(key))
        return count

    async def _choose(self, selection: Selection) -> list[RecordId]:
        if selection.record is not None and self.store.keys.record(selection.record):
            exists = await self._ask(
                "EXISTS", self.store.keys.record(selection.record) or ""
            )
            if not exists:
                return []
        chosen: dict[RecordId, None] = {}
        async for ids, rows in self.store.scan_fields("m", "n"):
            for id, (model, namespace) in zip(ids, rows, strict=True):
                if selection.takes(id, _text(model), _text(namespace)):
                    chosen[id] = None
        return list(chosen)

    async def _write_uses(self) -> None:
        uses = dict(self.store.uses)
        if not uses:
            return
        scores = [x for id, at in uses.items() for x in (int(at * 1000), id)]
        # Only ids that are still listed: a late use must not revive a removed one.
        await self._ask("ZADD", self.store.keys.used, "XX", "GT", *scores)
        for id, at in uses.items():
            if self.store.uses.get(id) == at:
                del self.store.uses[id]

    async def _sweep_expired(self) -> list[RecordId]:
        keys, swept = self.store.keys, list[RecordId]()
        while len(swept) < _LONGEST_SWEEP:
            with store_errors():
                reply: object = await self.store.client.eval(
                    store_scripts.SWEEP,
                    3,
                    *(keys.expiry, keys.used, keys.feed),
                    *(str(int(self.store.clock() * 1000)), str(_BATCH)),
                    *(self._origin.decode(), str(FEED_LENGTH)),
                    str(self.store.max_ttl_seconds * 1000),
                )
            ids = _ids(reply)
            swept += ids
            if len(ids) < _BATCH:
                break
        return swept

    async def _evict(self) -> list[RecordId]:
        evicted: list[RecordId] = []
        total = await self._ask("ZCARD", self.store.keys.used)
        over = (total if isinstance(total, int) else 0) - self.max_records
        while over > len(evicted) and len(evicted) < _LONGEST_SWEEP:
            last = min(over - len(evicted), _BATCH) - 1
            ids = _ids(await self._ask("ZRANGE", self.store.keys.used, 0, last))
            if not ids:
                break
            await self.store.delete(ids)
            evicted += ids
        return evicted

    async def _take_position(self) -> None:
        reply = await self._ask("XREVRANGE", self.store.keys.feed, "+", "-", "COUNT", 1)
        newest = reply if isinstance(reply, list) else []
        self.position.entry = newest[0][0] if newest else None
        self.position.is_set = True

    async def _read_feed(self) -> list[tuple[bytes, RecordId, bytes]] | None:
        """News since the position; None if the position is no longer in the feed."""
        news: list[tuple[bytes, RecordId, bytes]] = []
        while len(news) <= FEED_LENGTH:
            at = self.position.entry
            # From the last entry read, inclusive: if it is gone, so may others be.
            start = b"-" if at is None else at
            reply = await self._ask(
                "XRANGE", self.store.keys.feed, start, "+", "COUNT", _BATCH
            )
            entries = reply if isinstance(reply, list) else []
            if at is not None and (not entries or entries[0][0] != at):
                return None
            fresh = entries if at is None else entries[1:]
            news += [n for _, fields in fresh if (n := _news(fields))]
            if not fresh:
                break
            self.position.entry = fresh[-1][0]
        return news

    async def _vectors(self, ids: Sequence[RecordId]) -> list[Change]:
        found: list[Change] = []
        for at in range(0, len(ids), _BATCH):
            pipe = self.store.client.pipeline(transaction=False)
            for id in ids[at : at + _BATCH]:
                key = self.store.keys.record(id) or ""
                pipe.execute_command("HMGET", key, "rec", "vec")
            with store_errors():
                replies: list[object] = await pipe.execute(raise_on_error=False)
            found += [change for reply in replies if (change := self._change(reply))]
        return found

    def _change(self, reply: object) -> Change | None:
        if not isinstance(reply, list) or None in reply:
            return None
        record = decode_record(reply[0])
        vector = decode_vector(reply[1], self.store.fingerprint())
        if record is None or vector is None:
            return None
        return Change(record.partition, record.id, vector, record.text)

    async def _ask(self, *command: str | bytes | int) -> object:
        with store_errors():
            reply: object = await self.store.client.execute_command(*command)
        return reply

    @property
    def _origin(self) -> bytes:
        return self.store.origin.encode()


def _news(fields: object) -> tuple[bytes, RecordId, bytes] | None:
    if not isinstance(fields, dict):
        return None
    for sign in (b"+", b"-"):
        if sign in fields:
            id = RecordId(fields[sign].decode(errors="replace"))
            return sign, id, fields.get(b"by", b"")
    return None


def _ids(reply: object) -> list[RecordId]:
    members = reply if isinstance(reply, list) else []
    return [RecordId(member.decode(errors="replace")) for member in members]


def _text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")
