"""Every index gives the nearest vectors of its own partition, and no others."""

import asyncio
import threading
from collections.abc import AsyncGenerator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.faiss_index import FaissIndex, Sizes
from stepcache_proxy.adapters.memory import MemoryIndex
from stepcache_proxy.adapters.redis_index import RedisIndex
from stepcache_proxy.adapters.redis_index_upkeep import VectorSetUpkeep
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.store_client import close_client, open_client
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.adapters.vector_rows import unit
from stepcache_proxy.errors import IndexUnavailableError
from stepcache_proxy.reuse.model import PartitionKey, RecordId
from stepcache_proxy.reuse.protocols import VectorIndex

P, Q = PartitionKey("p"), PartitionKey("q")
TINY = Sizes(inline=4, exact=8, fresh=4)


def ids(count: int) -> list[RecordId]:
    return [RecordId(f"r{number:05}") for number in range(count)]


def vectors(count: int, dimension: int = 16, seed: int = 1) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    rows: list[list[float]] = rng.normal(size=(count, dimension)).tolist()
    return rows


@pytest.fixture(
    params=["memory", "faiss", "faiss in threads", "faiss by cells", "redis"]
)
async def index(request: pytest.FixtureRequest) -> AsyncGenerator[VectorIndex]:
    if request.param == "memory":
        yield MemoryIndex()
        return
    if request.param == "redis":
        client = open_client(request.getfixturevalue("redis_8").url)
        await client.flushall()
        yield RedisIndex(client, Keys("t"), lambda: "model-a", quantization="none")
        await close_client(client)
        return
    sizes = {
        "faiss": Sizes(),
        "faiss in threads": Sizes(inline=0),
        "faiss by cells": TINY,
    }
    faiss = FaissIndex(max_records=10_000, sizes=sizes[request.param])
    yield faiss
    faiss.close()


async def size_of(index: VectorIndex) -> int:
    """How many vectors there are now; an index in the store has to look."""
    if isinstance(index, RedisIndex):
        store = RedisStore(index.client, index.keys, float, index.fingerprint)
        assert await VectorSetUpkeep(index, store).look()
    return index.size()


async def test_the_nearest_come_first(index: VectorIndex) -> None:
    a, b, c = ids(3)
    await index.add(P, a, [1.0, 0.0])
    await index.add(P, b, [3.0, 4.0])
    await index.add(P, c, [-1.0, 0.0])
    found = await index.nearest(P, [2.0, 0.0], 3)
    assert [id for id, _ in found] == [a, b, c]
    assert [cosine for _, cosine in found] == pytest.approx([1.0, 0.6, -1.0])
    assert await index.nearest(P, [2.0, 0.0], 1) == found[:1]


async def test_other_partitions_are_not_seen(index: VectorIndex) -> None:
    [a] = ids(1)
    await index.add(P, a, [1.0, 0.0])
    assert await index.nearest(Q, [1.0, 0.0], 4) == []
    await index.remove(Q, a)
    assert await size_of(index) == 1


async def test_a_vector_added_again_is_replaced(index: VectorIndex) -> None:
    [a] = ids(1)
    await index.add(P, a, [1.0, 0.0])
    await index.add(P, a, [0.0, 1.0])
    assert await size_of(index) == 1
    assert await index.nearest(P, [0.0, 1.0], 4) == [(a, 1.0)]


async def test_a_removed_vector_is_not_found(index: VectorIndex) -> None:
    a, b = ids(2)
    await index.add(P, a, [1.0, 0.0])
    await index.add(P, b, [0.0, 1.0])
    await index.remove(P, a)
    await index.remove(P, a)
    await index.remove(P, RecordId("unknown"))
    assert [id for id, _ in await index.nearest(P, [1.0, 0.0], 4)] == [b]
    assert await size_of(index) == 1


async def test_a_partition_holds_what_was_added_and_not_removed(
    index: VectorIndex,
) -> None:
    [a] = ids(1)
    assert not await index.holds(P)
    await index.add(P, a, [1.0, 0.0])
    assert (await index.holds(P), await index.holds(Q)) == (True, False)
    await index.remove(P, a)
    assert not await index.holds(P)


async def test_a_partition_tells_whether_it_holds_words_in_common(
    index: VectorIndex,
) -> None:
    old, new = "Where do the herons sleep?", "Who painted the old bridge?"
    for id, vector in zip(ids(6), vectors(6), strict=True):
        await index.add(P, id, vector, old)
    assert await index.holds(P, "where may herons sleep at night?")
    # An index in the store, or a large one, does not look at the words.
    if isinstance(index, RedisIndex):
        return
    assert not await index.holds(P, new)
    await index.add(P, ids(7)[6], vectors(1)[0], new)
    assert await index.holds(P, new)
    await index.remove(P, ids(7)[6])
    assert not await index.holds(P, new)
    await index.add(P, ids(7)[6], vectors(1)[0])
    assert await index.holds(P, new)


async def test_a_cleared_index_is_empty(index: VectorIndex) -> None:
    for id, vector in zip(ids(20), vectors(20), strict=True):
        await index.add(P, id, vector)
    await index.clear()
    assert await size_of(index) == 0
    assert await index.nearest(P, vectors(1)[0], 4) == []


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param([0.0, 0.0], id="no direction"),
        pytest.param([float("nan"), 1.0], id="not a number"),
        pytest.param([float("inf"), 1.0], id="infinite"),
        pytest.param([], id="empty"),
    ],
)
async def test_a_vector_without_direction_is_nobodys_neighbour(
    index: VectorIndex, vector: list[float]
) -> None:
    a, b = ids(2)
    await index.add(P, a, [1.0, 0.0])
    await index.add(P, b, vector)
    assert await index.nearest(P, [1.0, 0.0], 4) == [(a, 1.0)]
    assert await index.nearest(P, vector, 4) == []


async def test_a_query_of_another_dimension_finds_nothing(index: VectorIndex) -> None:
    await index.add(P, ids(1)[0], [1.0, 0.0])
    assert await index.nearest(P, [1.0, 0.0, 0.0], 4) == []


@pytest.mark.parametrize("k", [0, -1])
async def test_asking_for_none_gives_none(index: VectorIndex, k: int) -> None:
    await index.add(P, ids(1)[0], [1.0, 0.0])
    assert await index.nearest(P, [1.0, 0.0], k) == []


changes = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "remove", "ask"]),
        st.integers(0, 30),
        st.integers(0, 200),
    ),
    max_size=80,
)


@given(changes=changes, k=st.integers(1, 6))
async def test_an_index_agrees_with_comparing_every_vector(
    index: VectorIndex, changes: list[tuple[str, int, int]], k: int
) -> None:
    truth, pool, names = MemoryIndex(), vectors(201), ids(31)
    await index.clear()
    for verb, number, of in changes:
        if verb == "ask":
            await assert_alike(truth, index, pool[of], k)
        for each in (truth, index):
            if verb == "add":
                await each.add(P, names[number], pool[of])
            elif verb == "remove":
                await each.remove(P, names[number])
        assert await size_of(index) == truth.size()
    await assert_alike(truth, index, pool[0], k)


async def assert_alike(
    truth: VectorIndex, index: VectorIndex, query: list[float], k: int
) -> None:
    """The same cosines up to rounding; the same ids except where they tie."""
    expected = await truth.nearest(P, query, 100)
    found = await index.nearest(P, query, k)
    cosines = dict(expected)
    assert len({id for id, _ in found}) == len(found) == min(k, len(expected))
    assert [c for _, c in found] == pytest.approx(
        [c for _, c in expected[:k]], abs=1e-5
    )
    for id, cosine in found:
        assert cosines[id] == pytest.approx(cosine, abs=1e-5)


async def test_searches_and_changes_at_once_never_mix_vectors_up() -> None:
    index = FaissIndex(max_records=1_000, sizes=Sizes(inline=0, exact=100, fresh=20))
    names, pool = ids(300), vectors(300)
    for name, vector in zip(names, pool, strict=True):
        await index.add(P, name, vector)
    truth = dict(zip(names, pool, strict=True))

    async def change(start: int) -> None:
        for number in range(start, 300, 3):
            await index.remove(P, names[number])
            await asyncio.sleep(0)
            await index.add(P, names[number], pool[number])

    async def ask(start: int) -> None:
        for number in range(start, 300, 3):
            query = np.asarray(pool[number])
            for id, cosine in await index.nearest(P, pool[number], 5):
                other = np.asarray(truth[id])
                lengths = np.linalg.norm(query) * np.linalg.norm(other)
                assert cosine == pytest.approx(query @ other / lengths, abs=1e-5)

    await asyncio.gather(*(change(n) for n in range(3)), *(ask(n) for n in range(3)))
    assert index.size() == 300
    for name, vector in zip(names, pool, strict=True):
        assert (await index.nearest(P, vector, 1))[0][0] == name
    index.close()


async def test_a_search_that_is_given_up_does_no_harm() -> None:
    index = FaissIndex(max_records=100, sizes=Sizes(inline=0))
    names, pool = ids(50), vectors(50)
    for name, vector in zip(names, pool, strict=True):
        await index.add(P, name, vector)
    for turn in range(20):
        search = asyncio.gather(index.nearest(P, pool[turn], 3), return_exceptions=True)
        await asyncio.sleep(0)
        search.cancel()
        await index.remove(P, names[turn])
    for number in range(20, 50):
        [(found, _)] = await index.nearest(P, pool[number], 1)
        assert found == names[number]
    assert index.size() == 30
    index.close()


async def test_the_longest_unused_goes_when_it_is_full() -> None:
    index = FaissIndex(max_records=3)
    a, b, c, d, e = ids(5)
    await index.add(P, a, [1.0, 0.0])
    await index.add(Q, b, [1.0, 0.0])
    await index.add(P, c, [1.0, 1.0])
    await index.nearest(P, [1.0, 0.0], 1)
    await index.add(P, d, [0.0, 1.0])
    assert await index.nearest(Q, [1.0, 0.0], 4) == []
    await index.add(P, e, [0.0, 1.0])
    left = {id for id, _ in await index.nearest(P, [1.0, 0.0], 4)}
    assert left == {a, d, e}
    assert index.size() == 3
    index.close()


async def test_another_dimension_needs_a_clear_first() -> None:
    index = FaissIndex(max_records=3)
    a, b = ids(2)
    await index.add(P, a, [1.0, 0.0])
    with pytest.raises(IndexUnavailableError):
        await index.add(P, b, [1.0, 0.0, 0.0])
    await index.clear()
    await index.add(P, b, [1.0, 0.0, 0.0])
    assert index.size() == 1
    index.close()


async def test_what_was_added_during_a_build_gets_into_the_cells_too() -> None:
    index = FaissIndex(max_records=5_000, sizes=Sizes(inline=10, exact=100, fresh=10))
    for id, vector in zip(ids(1_000), vectors(1_000), strict=True):
        await index.add(P, id, vector)
    async with asyncio.timeout(60):
        while True:
            cells = index._parts[P].cells
            if cells is not None and len(cells.ids) > 990:
                break
            await asyncio.sleep(0.005)
    index.close()


async def test_no_row_moves_before_a_build_has_read_it() -> None:
    index = FaissIndex(max_records=500, sizes=Sizes(inline=10, exact=100, fresh=50))
    names, pool, is_free = ids(111), vectors(111), threading.Event()
    index._builder.submit(is_free.wait)
    for id, vector in zip(names[:101], pool[:101], strict=True):
        await index.add(P, id, vector)
    for number in range(10):
        await index.remove(P, names[number])
        await index.add(P, names[101 + number], pool[101 + number])
    is_free.set()
    part = index._parts[P]
    async with asyncio.timeout(60):
        while part.cells is None:  # noqa: ASYNC110 -- built in a thread
            await asyncio.sleep(0.005)
    for number in range(101):
        query = unit(pool[number])
        assert query is not None
        assert [id for id, _ in part.cells.search(query, 1)] == [names[number]]
    assert part.rows.dead == 0
    index.close()


async def test_a_large_partition_is_searched_by_cells_and_found_again() -> None:
    index = FaissIndex(
        max_records=5_000, sizes=Sizes(inline=10, exact=1_000, fresh=200)
    )
    names, pool = ids(3_000), vectors(3_000, 32)
    for number in range(2_000):
        await index.add(P, names[number], pool[number])
    async with asyncio.timeout(60):
        while index._parts[P].cells is None:  # noqa: ASYNC110 -- built in a thread
            await asyncio.sleep(0.005)
    for number in range(2_000, 3_000):
        await index.add(P, names[number], pool[number])
    for number in range(0, 3_000, 2):
        await index.remove(P, names[number])
    assert index.size() == 1_500
    hits = 0
    for number in range(3_000):
        found = await index.nearest(P, pool[number], 4)
        assert len(found) == 4
        assert [c for _, c in found] == sorted((c for _, c in found), reverse=True)
        hits += found[0][0] == names[number]
    assert hits >= 1_480
    index.close()
