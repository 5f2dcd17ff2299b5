"""Records in Redis or Valkey: one round trip to read, one transaction to write.

Layout, with ``ns`` the deployment's namespace (see ``store_keys.py``):

* ``ns:{partition}:r:<hash>``  a hash: the record, its generation, its vector, what was
  observed of it, and the names by which it is found again when it is deleted;
* ``ns:{partition}:t:<template>``  the newest ids of a template;
* ``ns:{partition}:v:<kind>``  the vectors of a partition, see ``redis_index.py``;
* ``ns:q:<question>``  with which parameters a question was asked last;
* ``ns:{book}:expiry``, ``:used``, ``:feed``  bookkeeping, see ``redis_upkeep.py``.

Every key has a TTL. A record ends at ``created + ttl`` whatever its key does.
"""

from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from secrets import token_hex

import orjson
from redis.asyncio import RedisCluster

from stepcache_proxy.adapters import store_scripts
from stepcache_proxy.adapters.at_hand import at_hand
from stepcache_proxy.adapters.recent import Recent
from stepcache_proxy.adapters.record_format import (
    decode_record,
    decode_vector,
    encode_record,
    encode_vector,
    expires_at,
)
from stepcache_proxy.adapters.store_client import Client, store_errors
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.reuse.model import CanonicalRequest, Observations, Record, RecordId
from stepcache_proxy.reuse.protocols import Clock, Found, Vector
from stepcache_proxy.wire.jsonvalue import read_object

TEMPLATE_IDS = 4  # newest records kept per template
FEED_LENGTH = 20_000  # changes kept for the indexes of other processes
_READ = ("rec", "gen", "right", "wrong")  # what makes a record whole
_SCAN_BATCH = 100  # records read at once, for some 5 ms of the event loop
_MOST_USES = 100_000  # ids whose use is remembered until the next upkeep


@dataclass(frozen=True, slots=True)
class RedisStore:
    """RecordStore over one client.

    ``clock`` gives seconds since the epoch. ``fingerprint`` names the embedder whose
    vectors are written and read; ``max_ttl_seconds`` is the life of bookkeeping keys.
    ``origin`` marks this process in the feed; ``uses`` collects ids that were read;
    ``recent`` are records that need no reading (see ``recent.py``).
    """

    client: Client
    keys: Keys
    clock: Clock
    fingerprint: Callable[[], str]
    max_ttl_seconds: int = 2_592_000
    origin: str = field(default_factory=lambda: token_hex(8))
    uses: dict[RecordId, float] = field(default_factory=dict[RecordId, float])
    recent: Recent = field(default_factory=lambda: Recent(most=0))

    async def get(
        self, ids: Sequence[RecordId], *, is_near: bool = False
    ) -> list[Record | None]:
        """The records in the order of ``ids``; expired or unreadable ones are None.

        ``is_near``: those that this process has.
        """
        kept = [self._kept(id) for id in ids]
        return kept if is_near or all(kept) else await self._get(ids)

    def _kept(self, id: RecordId) -> Record | None:
        """The record, if this process has it and the store has not changed it."""
        record = self.recent.get(id)
        if record is None or self._left(record) <= 0:
            return None
        self._use(id)
        return record

    async def _get(self, ids: Sequence[RecordId]) -> list[Record | None]:
        turn = self.recent.turn
        keys = [self.keys.record(id) for id in ids]
        pipe = self.client.pipeline(transaction=False)
        for key in filter(None, keys):
            pipe.execute_command("HMGET", key, *_READ)
        if not any(keys):
            return [None] * len(ids)
        with store_errors():
            replies: list[object] = await pipe.execute(raise_on_error=False)
        _raise_unless_wrong_type(replies)
        left = iter(replies)
        return [
            self._taken(id, next(left), turn) if key else None
            for id, key in zip(ids, keys, strict=True)
        ]

    def _taken(self, id: RecordId, reply: object, turn: int) -> Record | None:
        record = self._live(id, reply)
        if record is not None and isinstance(reply, list):
            self._keep(record, reply, turn)
        return record

    def _keep(self, record: Record, row: Sequence[object], turn: int) -> None:
        key, stored = self.keys.record(record.id), row[0]
        if key is not None and isinstance(stored, bytes):
            self.recent.keep(key.encode(), record, len(stored), turn)

    def at_hand(self, request: CanonicalRequest) -> Found | None:
        """See RecordStore."""
        return at_hand(self.recent, self.keys, request, self.clock())

    async def find(self, request: CanonicalRequest) -> Found:
        """The record of the request, those of its template, how the question differed.

        The candidates are the newest first.
        """
        turn, key = self.recent.turn, self.keys.record(request.id)
        lists = self.keys.templates(request)
        prefix = self.keys.records(request.partition)
        question = self.keys.question(request.question)
        pipe = self.client.pipeline(transaction=False)
        if key is not None:
            pipe.execute_command("HMGET", key, *_READ)
        most = str(TEMPLATE_IDS)
        pipe.eval(store_scripts.FIND, len(lists), *lists, most, prefix)
        pipe.execute_command("GET", question)
        with store_errors():
            replies: list[object] = await pipe.execute(raise_on_error=False)
        _raise_unless_wrong_type(replies)
        *exact, candidates, asked = replies
        return Found(
            records=self._candidates(request, candidates, turn),
            differs=first_difference(asked, request.parameters),
            exact=self._taken(request.id, exact[0], turn) if key else None,
        )

    async def put(
        self, record: Record, vector: Vector | None, *, only_vector: bool = False
    ) -> None:
        """Write a record with all its keys, in one transaction, with its TTL.

        A record that JSON cannot hold, or whose life is over, is not written. On a
        cluster the keys of the partition are one transaction, the others follow.
        ``only_vector`` adds the vector to a record that is still there.
        """
        stored = b"" if vector is None else encode_vector(vector, self.fingerprint())
        if only_vector:
            await self._attach(record.id, stored)
        else:
            await self.put_stored(record, stored)

    async def _attach(self, id: RecordId, vector: bytes) -> None:
        key = self.keys.record(id)
        if key is None or not vector:
            return
        pipe = self.client.pipeline(transaction=False)
        pipe.eval(store_scripts.ATTACH, 1, key, vector)
        self.queue_feed(pipe.execute_command, "+", [id])
        with store_errors():
            await pipe.execute()

    async def put_stored(self, record: Record, vector: bytes) -> bool:
        """Like ``put`` with the stored form of a vector (may be empty)."""
        key, rec = self.keys.record(record.id), encode_record(record)
        life = int(1000 * min(self._left(record), self.max_ttl_seconds))
        if key is None or rec is None or life <= 0:
            return False
        pipe = self.client.pipeline(transaction=self.is_single)
        self._queue_record(pipe.eval, key, record, (rec, vector, str(life)))
        question = self.keys.question(record.question)
        lists = [] if record.is_exact_only else self.keys.templates(record)
        value = b"%s\n%s" % (record.id.encode(), orjson.dumps(dict(record.parameters)))
        pipe.execute_command("SET", question, value, "PX", life)
        self._queue_booking(pipe.eval, record.id, life)
        with self._changing([key, question, *lists]):
            await pipe.execute()
        return True

    async def delete(self, ids: Sequence[RecordId]) -> int:
        """Remove records with all their keys; how many there were."""
        known = [(id, key) for id in ids if (key := self.keys.record(id))]
        if not known:
            return 0
        pipe = self.client.pipeline(transaction=False)
        for id, key in known:
            prefix = key[: -len("r:") - 32]
            names = (f"{prefix}t:", f"{prefix}v:")
            pipe.eval(store_scripts.DELETE, 1, key, id, *names)
        gone = [id for id, _ in known]
        for book in (self.keys.expiry, self.keys.used):
            pipe.execute_command("ZREM", book, *gone)
        self.queue_feed(pipe.execute_command, "-", gone)
        with self._changing([key for _, key in known]):
            replies: list[list[object]] = await pipe.execute()
        deleted = replies[: len(known)]
        await self._forget_questions(
            [(id, reply[1]) for id, reply in zip(gone, deleted, strict=True)]
        )
        return sum(1 for count, _ in deleted if count)

    async def observe(self, id: RecordId, *, is_right: bool) -> None:
        """See Ledger."""
        key = self.keys.record(id)
        if key is None:
            return
        with self._changing([key]):
            await self.client.eval(
                store_scripts.OBSERVE, 1, key, "right" if is_right else "wrong"
            )

    @contextmanager
    def _changing(self, keys: Sequence[str]) -> Generator[None]:
        """Forget these in the end, also where nobody knows whether they changed."""
        try:
            with store_errors():
                yield
        finally:
            self.recent.forget([key.encode() for key in keys])

    async def scan(self) -> AsyncGenerator[tuple[Record, Vector | None]]:
        """Every live record with its vector, in no order.

        A vector of another embedder than the present one is None.
        """
        fingerprint = self.fingerprint()
        async for record, vector in self.scan_stored():
            yield record, decode_vector(vector, fingerprint)

    async def scan_stored(self) -> AsyncGenerator[tuple[Record, bytes]]:
        """Like ``scan`` with the stored form of each vector (may be empty)."""
        async for ids, rows in self.scan_fields(*_READ, "vec"):
            for id, row in zip(ids, rows, strict=True):
                record = self._live(id, row[:-1], is_use=False)
                if record is not None:
                    yield record, row[-1] or b""

    async def scan_fields(
        self, *names: str
    ) -> AsyncGenerator[tuple[list[RecordId], list[list[bytes | None]]]]:
        """Fields of every record's hash, in batches; an id may come twice."""
        batch: list[bytes] = []
        found = self.client.scan_iter(match=self.keys.all_records, count=1000)
        with store_errors():
            async for key in found:
                batch.append(key)
                if len(batch) == _SCAN_BATCH:
                    yield await self._fields(batch, names)
                    batch = []
            yield await self._fields(batch, names)

    @property
    def is_single(self) -> bool:
        """Whether one server holds every key, so that one transaction can."""
        return not isinstance(self.client, RedisCluster)

    def queue_feed(
        self, queue: Callable[..., object], sign: str, ids: Sequence[RecordId]
    ) -> None:
        """Queue news of ``ids`` ("+" put, "-" removed) for other processes."""
        for id in ids:
            length = ("MAXLEN", "~", str(FEED_LENGTH))
            queue("XADD", self.keys.feed, *length, "*", sign, id, "by", self.origin)
        queue("PEXPIRE", self.keys.feed, self.max_ttl_seconds * 1000)

    def _queue_record(
        self,
        queue_script: Callable[..., object],
        key: str,
        record: Record,
        stored: tuple[bytes, bytes, str],
    ) -> None:
        rec, vector, life = stored
        # What may only be served to the very same request is not a candidate.
        lists = self.keys.templates(record)
        names = ["" if record.is_exact_only else _last(key) for key in lists]
        queue_script(
            store_scripts.PUT,
            1 + len(lists),
            *(key, *lists),
            *(record.id, rec, vector, names[0]),
            _last(self.keys.question(record.question)),
            *(record.model, record.namespace),
            *(life, str(int(record.created * 1000)), str(TEMPLATE_IDS)),
            self.keys.records(record.partition),
            *(str(record.observations.right), str(record.observations.wrong)),
            "".join(names[1:]),
        )

    def _queue_booking(
        self, queue_script: Callable[..., object], id: RecordId, life: int
    ) -> None:
        now = int(self.clock() * 1000)
        queue_script(
            store_scripts.BOOK,
            3,
            *(self.keys.expiry, self.keys.used, self.keys.feed),
            *(id, str(now + life), str(now), str(self.max_ttl_seconds * 1000)),
            *(str(FEED_LENGTH), self.origin),
        )

    async def _forget_questions(self, asked: Sequence[tuple[RecordId, object]]) -> None:
        pipe = self.client.pipeline(transaction=False)
        for id, question in asked:
            if isinstance(question, bytes) and question:
                key = f"{self.keys.namespace}:q:{question.decode(errors='replace')}"
                pipe.eval(store_scripts.FORGET, 1, key, f"{id}\n")
        with store_errors():
            await pipe.execute()

    async def _fields(
        self, keys: Sequence[bytes], names: Sequence[str]
    ) -> tuple[list[RecordId], list[list[bytes | None]]]:
        pipe = self.client.pipeline(transaction=False)
        known = [(id, key) for key in keys if (id := self.keys.id_of(key))]
        for _, key in known:
            pipe.execute_command("HMGET", key, *names)
        replies: list[object] = await pipe.execute(raise_on_error=False)
        pairs = zip(known, replies, strict=True)
        rows = [(id, row) for (id, _), row in pairs if isinstance(row, list)]
        return [id for id, _ in rows], [row for _, row in rows]

    def _candidates(
        self, request: CanonicalRequest, reply: object, turn: int
    ) -> tuple[Record, ...]:
        """The records of the first list that has any; it and they are kept."""
        nth, *flat = reply if isinstance(reply, list) and reply else [None]
        records: list[Record] = []
        for at in range(0, len(flat), len(_READ)):
            row = flat[at : at + len(_READ)]
            record = self._live(None, row, is_use=False)
            if record is not None and record.partition == request.partition:
                self._keep(record, row, turn)
                records.append(record)
        lists = self.keys.templates(request)[:nth]
        for at, name in enumerate(lists, start=1):
            ids = tuple(record.id for record in records) if at == nth else ()
            self.recent.keep_list(name.encode(), ids, turn)
        return tuple(records)

    def _live(
        self, id: RecordId | None, reply: object, *, is_use: bool = True
    ) -> Record | None:
        """The record in ``reply`` if it is readable, the asked one, and not over."""
        if not isinstance(reply, list) or not isinstance(reply[0], bytes):
            return None
        generation, right, wrong = (_count(field) for field in reply[1:])
        record = decode_record(reply[0], generation=generation)
        if record is None or self._left(record) <= 0:
            return None
        if right or wrong:
            record = replace(record, observations=Observations(right, wrong))
        if id is not None and record.id != id:
            return None
        if is_use:
            self._use(record.id)
        return record

    def _use(self, id: RecordId) -> None:
        if len(self.uses) < _MOST_USES:
            self.uses[id] = self.clock()

    def _left(self, record: Record) -> float:
        return expires_at(record) - self.clock()


def _last(key: str) -> str:
    return key.rpartition(":")[2]


def first_difference(value: object, parameters: Mapping[str, str]) -> str | None:
    """The first field in which a question key and ``parameters`` differ.

    None if nothing was asked before, or with the same parameters, or unreadably.
    """
    if not isinstance(value, bytes):
        return None
    before = read_object(value.partition(b"\n")[2])
    if before is None:
        return None
    fields = sorted(before.keys() | parameters.keys())
    return next((f for f in fields if before.get(f) != parameters.get(f)), None)


def _raise_unless_wrong_type(replies: Sequence[object]) -> None:
    """Raise the store's refusal, except that a key holds what we never wrote."""
    for reply in replies:
        if isinstance(reply, Exception) and "WRONGTYPE" not in str(reply):
            with store_errors():
                raise reply


def _count(reply: object) -> int:
    """A generation number; 0 if it is missing or was tampered with."""
    return int(reply) if isinstance(reply, bytes) and reply.isdigit() else 0
