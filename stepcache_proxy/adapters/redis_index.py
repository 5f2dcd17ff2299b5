"""Nearest vectors by the store's own search: one vector set a partition (Redis 8).

No process holds a vector, so that nothing is rebuilt at a start and nothing is kept in
step: what one replica adds, every other finds with its next search. A set is named
after the embedder and the precision of its vectors, lies in the slot of its
partition's records, and ends when nothing was added for as long as a record may live.
What ``RedisStore.delete`` removes leaves its set in the same step.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from redis.exceptions import (
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
)

from stepcache_proxy.adapters.store_client import Client, store_errors
from stepcache_proxy.adapters.store_keys import (
    Keys,
    Quantization,
    partition_of,
    vector_kind,
)
from stepcache_proxy.adapters.vector_rows import Floats, Hit, unit
from stepcache_proxy.errors import (
    IndexUnavailableError,
    StartError,
    StoreUnavailableError,
)
from stepcache_proxy.reuse.model import PartitionKey, RecordId
from stepcache_proxy.reuse.protocols import Vector

_PRECISION: dict[Quantization, str] = {"none": "NOQUANT", "q8": "Q8", "bin": "BIN"}
_BATCH = 500
_FOREIGN = "="  # before an id that does not begin with its partition
_PROBE = PartitionKey("0" * 32)

_UNKNOWN = (
    "index.kind: 'redis' needs vector sets, and the store does not know {}: it has to"
    " be Redis 8.0 or newer (no Valkey); else set index.kind: faiss"
)
_FORBIDDEN = (
    "index.kind: 'redis' needs a user who may search; allow the store's user"
    " +vadd +vsim +vrem +vcard +vismember +vrandmember"
)


@contextmanager
def index_errors() -> Generator[None]:
    """Map what the client library and the system raise to IndexUnavailableError."""
    try:
        with store_errors():
            yield
    except StoreUnavailableError as error:
        raise IndexUnavailableError(str(error)) from error


@dataclass(slots=True)
class RedisIndex:
    """VectorIndex in the store's server.

    ``fingerprint`` names the embedder; vectors of another one are never compared.
    ``width`` is how many candidates a search keeps (EF): more find more, slower.
    ``life_seconds`` is the longest life of a record, ``counted`` what upkeep counted.
    """

    client: Client
    keys: Keys
    fingerprint: Callable[[], str]
    quantization: Quantization = "q8"
    width: int = 100
    life_seconds: int = 2_592_000
    counted: int = 0

    @property
    def kind(self) -> str:
        """The part of the name that every set of comparable vectors shares."""
        return vector_kind(self.fingerprint(), self.quantization)

    async def check(self) -> None:
        """Try every command once. StartError if the server will never do it.

        IndexUnavailableError where it does not answer now.
        """
        key, four = self.keys.vectors(_PROBE, "probe"), bytes(3) + b"\x3f"
        pipe = self.client.pipeline(transaction=False)
        pipe.execute_command("VADD", key, "FP32", four, "e", "CAS", "NOQUANT")
        pipe.execute_command("PEXPIRE", key, 1000)
        pipe.execute_command("VSIM", key, "FP32", four, "WITHSCORES", "EF", 10)
        for command in (("VCARD",), ("VRANDMEMBER",), ("VISMEMBER", "e")):
            pipe.execute_command(command[0], key, *command[1:])
        pipe.execute_command("VREM", key, "e")
        with index_errors():
            replies: list[object] = await pipe.execute(raise_on_error=False)
        for reply in replies:
            if isinstance(reply, NoPermissionError):
                raise StartError(_FORBIDDEN) from reply
            if isinstance(reply, ResponseError) and "unknown command" in str(reply):
                raise StartError(_UNKNOWN.format("VADD")) from reply

    async def add(
        self, partition: PartitionKey, id: RecordId, vector: Vector, text: str = ""
    ) -> None:
        """Add or replace one vector; one without direction is not added.

        Nor is that of a record which is gone by now, nor any while the server is full
        or read-only: then the store has refused the record, too, and says so.
        """
        del text
        row = unit(vector)
        if row is None:
            return
        pipe = self.client.pipeline(transaction=False)
        self.queue_add(pipe.execute_command, partition, id, row)
        record = self.keys.record(id)
        if record is not None:
            pipe.execute_command("EXISTS", record)
        with index_errors():
            replies: list[object] = await pipe.execute(raise_on_error=False)
            raise_unless_full(replies[0])
        if replies[2:] == [0]:
            await self.remove(partition, id)

    def queue_add(
        self,
        queue: Callable[..., object],
        partition: PartitionKey,
        id: RecordId,
        row: Floats,
    ) -> None:
        """Queue two commands that put a unit vector into its set."""
        key = self.keys.vectors(partition, self.kind)
        vector, element = row.astype("<f4").tobytes(), element_of(partition, id)
        # CAS: the neighbours are looked for in a thread, while others are served.
        precision = _PRECISION[self.quantization]
        queue("VADD", key, "FP32", vector, element, "CAS", precision)
        queue("PEXPIRE", key, self.life_seconds * 1000)

    async def nearest(
        self, partition: PartitionKey, vector: Vector, k: int
    ) -> list[Hit]:
        """At most ``k`` ids with their cosine (of quantized vectors), best first."""
        query = unit(vector)
        if query is None or k < 1:
            return []
        key = self.keys.vectors(partition, self.kind)
        said = query.astype("<f4").tobytes()
        options = ("WITHSCORES", "COUNT", k, "EF", max(self.width, k))
        with index_errors():
            try:
                reply = await self.client.execute_command(
                    "VSIM", key, "FP32", said, *options
                )
            except ResponseError as error:
                if "dimension" not in str(error):
                    raise
                return []
        return _hits(partition, reply)

    async def remove(self, partition: PartitionKey, id: RecordId) -> None:
        """Forget one vector; unknown ids are fine."""
        key = self.keys.vectors(partition, self.kind)
        await self._ask("VREM", key, element_of(partition, id))

    async def clear(self) -> None:
        """Forget everything, for every replica."""
        with index_errors():
            pattern = self.keys.all_vectors(self.kind)
            found = self.client.scan_iter(match=pattern, count=1000)
            keys: list[bytes] = [key async for key in found]
            for at in range(0, len(keys), _BATCH):
                pipe = self.client.pipeline(transaction=False)
                for key in keys[at : at + _BATCH]:
                    pipe.execute_command("UNLINK", key)
                await pipe.execute()

    async def holds(self, partition: PartitionKey, text: str = "") -> bool:
        """Whether there is anything to compare with, whatever its words."""
        del text
        key = self.keys.vectors(partition, self.kind)
        return await self._ask("EXISTS", key) == 1

    def size(self) -> int:
        """How many vectors upkeep has counted last."""
        return self.counted

    async def _ask(self, *command: str | bytes | int) -> object:
        with index_errors():
            reply: object = await self.client.execute_command(*command)
        return reply


def element_of(partition: PartitionKey, id: RecordId) -> str:
    """The name of a record in its partition's set: short, without the partition."""
    is_ours = partition_of(id) == partition
    return id[len(partition) + 1 :] if is_ours else _FOREIGN + id


def id_of_element(partition: PartitionKey, element: bytes) -> RecordId:
    """The inverse of ``element_of``."""
    name = element.decode(errors="replace")
    is_foreign = name.startswith(_FOREIGN)
    return RecordId(name[1:] if is_foreign else f"{partition}.{name}")


def raise_unless_full(reply: object) -> None:
    """Raise a refusal, except that the server takes nothing at all now."""
    if not isinstance(reply, Exception):
        return
    is_full = isinstance(reply, OutOfMemoryError | ReadOnlyError)
    if not is_full and "MISCONF" not in str(reply):
        raise reply


def _hits(partition: PartitionKey, reply: object) -> list[Hit]:
    """Ids with cosines; the server gives (1 + cosine) / 2."""
    flat = reply if isinstance(reply, list) else []
    pairs = zip(flat[::2], flat[1::2], strict=True)
    hits = [
        (id_of_element(partition, name), min(1.0, max(-1.0, 2 * float(score) - 1)))
        for name, score in pairs
    ]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))
