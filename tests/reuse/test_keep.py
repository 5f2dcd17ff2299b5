"""Only complete answers that may be stored become records, and no failure is felt."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace

import pytest

from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.keep import Origin, is_complete
from stepcache_proxy.reuse.model import Answer, Outcome, Provenance, Record, TaskName
from stepcache_proxy.reuse.protocols import Vector
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import (
    NOW,
    BrokenEmbedder,
    BrokenIndex,
    BrokenStore,
    Cache,
    WordEmbedder,
    answer,
    ask,
)

ORIGIN = Origin(Provenance.FRESH, TaskName("t"), is_proved=True)
TEXT = "1. aa\n2. bb\n"
CALL: Json = [{"id": "c", "type": "function", "function": {"name": "f"}}]


async def kept(cache: Cache, asked: Ask, given: Answer) -> Record | None:
    record = await cache.keeper.keep(asked, given, ORIGIN)
    await cache.background.run()
    return record


async def test_a_complete_answer_becomes_a_record() -> None:
    cache, asked = Cache(), ask("Say aa.", {"x-stepcache-ttl": "60"})
    record = await kept(cache, asked, answer(TEXT))
    assert record is not None
    assert (record.steps, record.text) == (("1. aa\n", "2. bb\n"), "Say aa.")
    assert (record.created, record.ttl_seconds) == (NOW, 60)
    assert (record.task, record.is_proved) == ("t", True)
    assert not record.is_exact_only
    (stored,) = await cache.store.get([asked.request.id])
    assert stored is not None
    assert replace(stored, generation=0) == record
    assert cache.index.size() == 1
    assert cache.recording.story == ["record"]


async def test_a_vector_at_hand_is_not_made_again() -> None:
    embedder = WordEmbedder()
    cache = Cache(embedder=embedder)
    vector = [1.0, 0.0]
    origin = replace(ORIGIN, vector=vector)
    await cache.keeper.keep(ask("Say aa."), answer(TEXT), origin)
    await cache.background.run()
    assert embedder.asked == []
    request = ask("Say aa.").request
    ((id_, cosine),) = await cache.index.nearest(request.partition, vector, 4)
    assert (id_, round(cosine, 6)) == (request.id, 1.0)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(answer(TEXT, finish="length"), id="cut"),
        pytest.param(answer(TEXT, finish="content_filter"), id="filtered"),
        pytest.param(answer(TEXT, finish="abort"), id="aborted"),
        pytest.param(answer(""), id="empty"),
        pytest.param(answer(" \n"), id="blank"),
        pytest.param(answer(None), id="nothing"),
        pytest.param(answer("x" * 100_001), id="too large"),
        pytest.param(replace(answer("a"), message={"x": "y" * 100_001}), id="reasoned"),
    ],
)
async def test_what_is_not_a_whole_answer_is_not_kept(given: Answer) -> None:
    cache = Cache()
    assert await kept(cache, ask("Say aa."), given) is None
    assert await cache.store.get([ask("Say aa.").request.id]) == [None]
    assert cache.recording.story == []


async def test_no_store_is_obeyed() -> None:
    cache = Cache()
    asked = ask("Say aa.", {"cache-control": "no-store"})
    assert await kept(cache, asked, answer(TEXT)) is None
    assert await cache.store.get([asked.request.id]) == [None]


@pytest.mark.parametrize(
    ("given", "is_whole"),
    [
        pytest.param(answer("a"), True, id="text"),
        pytest.param(answer(None, finish="tool_calls"), False, id="no call after all"),
        pytest.param(
            replace(answer(None, finish="tool_calls"), message={"tool_calls": CALL}),
            True,
            id="a tool call",
        ),
        pytest.param(
            replace(answer(None), message={"refusal": "I must not."}),
            True,
            id="refusal",
        ),
    ],
)
def test_a_whole_answer_says_something(given: Answer, is_whole: bool) -> None:
    assert is_complete(given) is is_whole


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(
            replace(answer("a", finish="tool_calls"), message={"tool_calls": CALL}),
            id="a tool call",
        ),
        pytest.param(replace(answer("a"), message={"refusal": "No."}), id="a refusal"),
    ],
)
async def test_an_answer_of_more_than_text_is_exact_only(given: Answer) -> None:
    cache = Cache()
    record = await kept(cache, ask("Say aa."), given)
    assert record is not None
    assert record.is_exact_only
    assert cache.index.size() == 0


async def test_a_client_of_exact_mode_is_not_embedded() -> None:
    embedder = WordEmbedder()
    cache = Cache(embedder=embedder)
    asked = ask("Say aa.", {"x-stepcache-mode": "exact"})
    assert await kept(cache, asked, answer(TEXT)) is not None
    assert (embedder.asked, cache.index.size()) == ([], 0)


async def test_a_text_over_the_window_is_kept_without_a_vector() -> None:
    cache = Cache()
    assert await kept(cache, ask("Say aa. " * 100), answer(TEXT)) is not None
    assert cache.index.size() == 0


async def test_a_store_that_is_down_is_not_felt() -> None:
    cache = Cache()
    cache.store = BrokenStore(cache.read_now)
    assert await kept(cache, ask("Say aa."), answer(TEXT)) is None
    assert cache.recording.story == []


@pytest.mark.parametrize(
    "cache",
    [
        pytest.param(Cache(embedder=BrokenEmbedder()), id="embedder"),
        pytest.param(Cache(index=BrokenIndex()), id="index"),
    ],
)
async def test_a_record_is_kept_even_if_nothing_finds_it_near(cache: Cache) -> None:
    record = await kept(cache, ask("Say aa."), answer(TEXT))
    assert record is not None
    (stored,) = await cache.store.get([record.id])
    assert stored is not None


async def test_what_is_served_names_its_record() -> None:
    cache, asked = Cache(), ask("Say aa.")
    served = Served(Outcome.PATCH, "step:1", answer(TEXT))
    named = await cache.keeper.keep_served(asked, served, ORIGIN)
    assert named == replace(served, record=asked.request.id, is_stored=True)
    await cache.background.run()


async def test_what_is_served_and_not_kept_names_none() -> None:
    cache = Cache()
    donor = ask("Say bb.").request.id
    served = Served(Outcome.PATCH, "step:1", answer(TEXT), record=donor)
    asked = ask("Say aa.", {"cache-control": "no-store"})
    named = await cache.keeper.keep_served(asked, served, ORIGIN)
    assert named == replace(served, record=None)


async def test_what_is_kept_later_is_kept() -> None:
    cache, asked = Cache(), ask("Say aa.")
    cache.keeper.keep_later(asked, answer(TEXT), ORIGIN)
    assert await cache.store.get([asked.request.id]) == [None]
    await cache.background.run()
    assert await cache.store.get([asked.request.id]) != [None]


async def test_who_waits_for_the_answer_goes_before_its_record() -> None:
    order = list[str]()

    class NotingStore(BrokenStore):
        async def put(
            self, record: Record, vector: Vector | None, *, only_vector: bool = False
        ) -> None:
            order.append("kept")

    async def answer_it() -> None:
        order.append("answered")

    async with asyncio.TaskGroup() as tasks:

        def spawn(work: Coroutine[None, None, None]) -> None:
            tasks.create_task(work)

        keeper = replace(Cache().keeper, store=NotingStore(lambda: NOW), spawn=spawn)
        keeper.keep_later(ask("Say aa."), answer(TEXT), ORIGIN)
        tasks.create_task(answer_it())
    assert order[:2] == ["answered", "kept"]
