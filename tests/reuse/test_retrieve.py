"""What is retrieved is of the same partition, alive and young enough, or nothing."""

from dataclasses import replace

import pytest

from stepcache_proxy.errors import EmbedderUnavailableError
from stepcache_proxy.reuse.ask import Ask
from stepcache_proxy.reuse.keep import Origin
from stepcache_proxy.reuse.model import CanonicalRequest, Provenance, RecordId
from stepcache_proxy.reuse.protocols import Found
from stepcache_proxy.reuse.retrieve import Tier
from tests.fakes import (
    NOW,
    BrokenEmbedder,
    BrokenStore,
    Cache,
    WordEmbedder,
    answer,
    ask,
)

ORIGIN = Origin(Provenance.FRESH)


async def keep(cache: Cache, asked: Ask, text: str = "Yes.") -> RecordId:
    record = await cache.keeper.keep(asked, answer(text), ORIGIN)
    await cache.background.run()
    cache.recording.events.clear()
    assert record is not None
    return record.id


async def template(cache: Cache, asked: Ask) -> Tier:
    retriever = cache.retriever
    return await retriever.template(asked, await retriever.find(asked))


async def test_the_same_request_is_found_exactly() -> None:
    cache = Cache()
    id_ = await keep(cache, ask("Is 3 odd?"))
    record = await cache.retriever.exact(ask("Is 3 odd?", stream=True))
    assert record is not None
    assert record.id == id_
    assert await cache.retriever.exact(ask("Is 4 odd?")) is None
    assert cache.recording.story == ["exact", "exact"]


async def test_the_exact_record_comes_with_those_of_its_template() -> None:
    cache = Cache()
    id_ = await keep(cache, ask("Is 3 odd?"))
    found = await cache.retriever.find(ask("Is 3 odd?"))
    assert found.exact is not None
    assert found.exact.id == id_
    other = await cache.retriever.find(ask("Is 4 odd?"))
    assert (other.exact, [record.id for record in other.records]) == (None, [id_])
    assert cache.recording.story == ["template", "template"]


async def test_what_is_at_hand_is_not_read() -> None:
    cache = Cache()
    id_ = await keep(cache, ask("Is 3 odd?"))
    (record,) = await cache.store.get([id_])
    assert record is not None
    known = Found((record,))

    class NearStore(BrokenStore):
        def at_hand(self, request: CanonicalRequest) -> Found:
            return known

    near = replace(cache.retriever, store=NearStore(lambda: NOW))
    found = await near.find(ask("Is 4 odd?"))
    assert [record.id for record in found.records] == [id_]
    assert cache.recording.story == ["template"]


async def test_what_is_asked_for_at_hand_and_is_not_there_is_no_stage() -> None:
    cache = Cache()
    assert await cache.retriever.exact(ask("Is 3 odd?"), is_near=True) is None
    assert cache.recording.story == []


async def test_a_record_over_the_limit_is_not_exact() -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd?", max_tokens=100))
    assert await cache.retriever.exact(ask("Is 3 odd?", max_tokens=20)) is not None
    assert await cache.retriever.exact(ask("Is 3 odd?", max_tokens=19)) is None


@pytest.mark.parametrize(("age", "is_found"), [(30, True), (31, False)])
async def test_max_age_is_obeyed_in_every_tier(age: int, is_found: bool) -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd?"))
    cache.now += age
    young = {"cache-control": "max-age=30"}
    retriever = cache.retriever
    assert (await retriever.exact(ask("Is 3 odd?", young)) is not None) is is_found
    alike = await template(cache, ask("Is 4 odd?", young))
    assert bool(alike.candidates) is is_found
    nearest = await retriever.nearest(ask("Is 3 odd then?", young))
    assert bool(nearest.candidates) is is_found


async def test_the_template_finds_other_constants_newest_first() -> None:
    cache = Cache()
    old = await keep(cache, ask("Is 3 odd?"))
    cache.now += 1
    new = await keep(cache, ask("Is 5 odd?"))
    tier = await template(cache, ask("Is 4 odd?"))
    assert [(c.record.id, c.similarity) for c in tier.candidates] == [
        (new, None),
        (old, None),
    ]
    assert tier.differs is None


async def test_the_field_that_differs_is_named() -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd?", seed=1))
    tier = await template(cache, ask("Is 3 odd?", seed=2))
    assert (tier.candidates, tier.differs) == ((), "seed")


async def test_a_raised_floor_holds_for_the_template_too() -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd? Say 5 6 7 8."))
    low = {"x-stepcache-min-similarity": "0.51"}
    high = {"x-stepcache-min-similarity": "0.99"}
    asked = "Is 4 odd? Say 6 7 8 9."
    (found,) = (await template(cache, ask(asked, low))).candidates
    assert found.similarity is not None
    assert found.similarity >= 0.51
    assert (await template(cache, ask(asked, high))).candidates == ()
    assert (await template(cache, ask("Else.", high))).candidates == ()


async def test_the_nearest_come_with_their_cosine_best_first() -> None:
    cache = Cache()
    far = await keep(cache, ask("Is the moon made of old cheese?"))
    near = await keep(cache, ask("Is the moon made of green cheese?"))
    tier = await cache.retriever.nearest(ask("Is the moon of green cheese?"))
    assert [c.record.id for c in tier.candidates] == [near, far]
    first, second = (c.similarity for c in tier.candidates)
    assert first is not None
    assert second is not None
    assert 1 > first > second >= 0.5
    assert tier.vector is not None
    assert cache.recording.story == ["embed", "nearest"]


async def test_what_is_not_near_enough_is_not_retrieved() -> None:
    cache = Cache()
    await keep(cache, ask("Is the moon made of old cheese?"))
    tier = await cache.retriever.nearest(ask("Write me one short poem."))
    assert tier.candidates == ()
    assert tier.vector is not None


async def test_where_words_are_needed_a_text_without_any_is_not_even_embedded() -> None:
    embedder = WordEmbedder()
    cache = Cache(embedder=embedder)
    await keep(cache, ask("Is the moon made of old cheese?"))
    embedder.asked.clear()
    asked = ask("Write me one short poem.")
    tier = await cache.retriever.nearest(asked, are_words_needed=True)
    assert (tier.candidates, tier.vector) == ((), None)
    assert embedder.asked == []


async def test_other_partitions_are_not_searched() -> None:
    embedder = WordEmbedder()
    cache = Cache(embedder=embedder)
    await keep(cache, ask("Is 3 odd?", seed=1))
    embedder.asked.clear()
    tier = await cache.retriever.nearest(ask("Is 3 odd?", seed=2))
    assert (tier.candidates, tier.vector) == ((), None)
    assert embedder.asked == []


async def test_a_text_over_the_window_has_no_neighbours() -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd?"))
    tier = await cache.retriever.nearest(ask("Is 3 odd? " * 100))
    assert (tier.candidates, tier.vector) == ((), None)


async def test_the_record_of_the_request_itself_is_no_candidate() -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd?"))
    assert (await template(cache, ask("Is 3 odd?"))).candidates == ()
    assert (await cache.retriever.nearest(ask("Is 3 odd?"))).candidates == ()


async def test_an_exact_only_record_lends_nothing() -> None:
    cache = Cache()
    refusal = answer("No.")
    asked = ask("Is 3 odd?")
    refused = type(refusal)("No.", "stop", "m", {}, {"refusal": "No."})
    await cache.keeper.keep(asked, refused, ORIGIN)
    await cache.background.run()
    await cache.index.add(asked.request.partition, asked.request.id, vector())
    assert (await template(cache, ask("Is 4 odd?"))).candidates == ()
    assert (await cache.retriever.nearest(ask("Is 4 odd?"))).candidates == ()


def vector() -> list[float]:
    return [0.125] * 64


async def test_a_vector_without_its_record_is_dropped() -> None:
    cache, asked = Cache(), ask("Is 3 odd?")
    id_ = await keep(cache, asked)
    await cache.store.delete([id_])
    assert (await cache.retriever.nearest(ask("Is 3 odd ?"))).candidates == ()
    assert cache.index.size() == 0


async def test_a_vector_of_another_partition_is_dropped() -> None:
    cache = Cache()
    other = await keep(cache, ask("Is 3 odd?", seed=1))
    asked = ask("Is 3 odd?", seed=2)
    made = await cache.embedder.embed("Is 3 odd?")
    assert made is not None
    await cache.index.add(asked.request.partition, other, made)
    assert (await cache.retriever.nearest(asked)).candidates == ()
    assert not await cache.index.holds(asked.request.partition)


async def test_an_embedder_that_is_down_is_told() -> None:
    cache = Cache()
    await keep(cache, ask("Is 3 odd?"))
    cache.embedder = BrokenEmbedder()
    with pytest.raises(EmbedderUnavailableError):
        await cache.retriever.nearest(ask("Is 4 odd?"))
