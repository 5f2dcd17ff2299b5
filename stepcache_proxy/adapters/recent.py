"""What was read lately, kept in this process for as long as nothing touched it.

The store tells of every change to its keys (client-side caching as Redis 6 and Valkey
have it: ``CLIENT TRACKING`` with ``BCAST``), a purge by another replica or an expiry
included. Until such news has come, or when the line to the store is silent, nothing is
kept: every read then goes to the store. Once every key has been seen, it is also known
which keys there are not.
"""

import asyncio
import contextlib
import logging
import math
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from redis._parsers.base import AsyncPushNotificationsParser
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from stepcache_proxy.adapters.directory import Directory
from stepcache_proxy.adapters.store_client import store_errors
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.reuse.model import Record, RecordId

MOST_BYTES = 32 * 1024 * 1024
_LARGEST = 256 * 1024  # bytes of a record that is kept
_PING_SECONDS = 0.5
_AGAIN_SECONDS = 2.0
_HEARD_MS = 1000  # life of the key whose change shows that news come
_SCAN_BATCH = 1000  # keys looked at by the server at once
_MOST_KEYS = 1_000_000  # beyond it too many absent keys would look like present ones

_log = logging.getLogger("stepcache")


@dataclass(slots=True)
class Recent:
    """At most ``most`` records, the least used leaving first; none while not open.

    As many templates are kept with the ids they list. ``directory`` has every key of
    which there was news. Whoever reads the store takes ``turn`` before it asks and
    hands it back with what came: what was changed in between is not kept.
    """

    most: int
    is_open: bool = False
    turn: int = 0
    directory: Directory = field(default_factory=Directory)
    _lists: OrderedDict[bytes, tuple[RecordId, ...]] = field(
        default_factory=OrderedDict[bytes, tuple[RecordId, ...]]
    )
    _records: OrderedDict[RecordId, tuple[Record, bytes, int]] = field(
        default_factory=OrderedDict[RecordId, tuple[Record, bytes, int]]
    )
    _ids: dict[bytes, RecordId] = field(default_factory=dict[bytes, RecordId])
    _bytes: int = 0

    def get(self, id: RecordId) -> Record | None:
        """The record, if it is kept."""
        kept = self._records.get(id)
        if kept is None:
            return None
        self._records.move_to_end(id)
        return kept[0]

    def keep(self, key: bytes, record: Record, size: int, turn: int) -> None:
        """Keep a record of ``size`` bytes that was read in ``turn``."""
        if not self.is_open or turn != self.turn or size > _LARGEST:
            return
        self.drop([key])
        self._records[record.id] = record, key, size
        self._ids[key] = record.id
        self._bytes += size
        while len(self._records) > self.most or self._bytes > MOST_BYTES:
            self.drop([next(iter(self._records.values()))[1]])

    def listed(self, key: bytes) -> tuple[RecordId, ...] | None:
        """The ids under a template's key, the newest first, if they are kept."""
        return self._lists.get(key)

    def keep_list(self, key: bytes, ids: tuple[RecordId, ...], turn: int) -> None:
        """Keep what a template listed when it was read in ``turn``."""
        if self.is_open and turn == self.turn:
            self._lists[key] = ids
            self._lists.move_to_end(key)
            if len(self._lists) > self.most:
                self._lists.popitem(last=False)

    def drop(self, keys: Iterable[bytes]) -> None:
        """Forget what is under these keys."""
        for key in keys:
            self._lists.pop(key, None)
            id_ = self._ids.pop(key, None)
            if id_ is not None:
                self._bytes -= self._records.pop(id_)[2]

    def forget(self, keys: Iterable[bytes] | None) -> None:
        """The store says that these keys have changed; None: that all have."""
        self.turn += 1
        if keys is None:
            self.clear()
        else:
            self.directory.note(keys)
            self.drop(keys)

    def close(self) -> None:
        """Nothing tells of changes any more."""
        self.is_open = self.directory.is_complete = False
        self.clear()

    def clear(self) -> None:
        """Forget everything that was read."""
        self.turn += 1
        self._lists.clear()
        self._records.clear()
        self._ids.clear()
        self._bytes = 0


@dataclass(slots=True)
class ChangeListener:
    """Keeps ``recent`` true to the store behind ``client``, which speaks RESP3.

    ``run`` never returns; cancel it.
    """

    client: Redis
    keys: Keys
    recent: Recent

    async def run(self) -> None:
        """Listen; after a fault listen again."""
        while True:
            connection = self.client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
            try:
                with store_errors():
                    await self._follow(connection)
            except Exception as fault:  # noqa: BLE001 -- a foreign server says anything
                _log.debug("no news of the store: %s", type(fault).__name__)
            finally:
                self.recent.close()
                with contextlib.suppress(RedisError, OSError):
                    await connection.disconnect(nowait=True)
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _follow(self, connection: AbstractConnection) -> None:
        await connection.connect()  # type: ignore[no-untyped-call]
        # As redis' own PubSub does; there is no public way to a pushed message.
        parser = cast("AsyncPushNotificationsParser", connection._parser)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        parser.set_invalidation_push_handler(self._heard)  # type: ignore[no-untyped-call]
        prefixes = [word for prefix in self.keys.told for word in ("PREFIX", prefix)]
        await connection.send_command("CLIENT", "TRACKING", "ON", "BCAST", *prefixes)
        await connection.read_response()
        # A change of our own: something in between may say yes and then tell nothing.
        # A store that is full refuses it; its next news is as good.
        await connection.send_command("SET", self.keys.heard, "1", "PX", _HEARD_MS)
        with contextlib.suppress(ResponseError):
            await connection.read_response()
        is_all_seen = await self._note_all()
        while True:
            with store_errors():
                await connection.send_command("PING")
                await self._until_pong(connection, is_all_seen=is_all_seen)

    async def _note_all(self) -> bool:
        """Note every key that is there; whether all were. There is news of new ones."""
        found = self.client.scan_iter(match=self.keys.everything, count=_SCAN_BATCH)
        left = _MOST_KEYS
        try:
            with store_errors():
                async for key in found:
                    self.recent.directory.note([key])
                    left -= 1
                    if not left:
                        break
        except Exception as fault:  # noqa: BLE001 -- a foreign server says anything
            _log.debug("no list of the store's keys: %s", type(fault).__name__)
            return False
        return left > 0

    async def _until_pong(
        self, connection: AbstractConnection, *, is_all_seen: bool
    ) -> None:
        """Read on until the answer to a ping, which must come soon; then pause.

        What is pushed is read meanwhile, so that it is never older than its way here.
        """
        async with asyncio.timeout(_PING_SECONDS):
            while await self._read(connection) != b"PONG":
                pass
        # All news from before the ping has been read.
        self.recent.directory.is_complete = is_all_seen and self.recent.is_open
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PING_SECONDS):
                while True:
                    await self._read(connection)

    async def _read(self, connection: AbstractConnection) -> object:
        with store_errors():
            reply: object = await connection.read_response(
                push_request=True, disconnect_on_error=False, timeout=math.inf
            )
        return reply

    async def _heard(self, push: list[object]) -> None:
        keys = push[1]
        changed = keys if isinstance(keys, list) else None  # None: everything
        self.recent.forget(changed)
        self.recent.is_open = True
