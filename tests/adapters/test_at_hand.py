"""What is told without a round trip is what the store would say."""

import random
from dataclasses import replace

import pytest

from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.reuse.model import CanonicalRequest, Record
from stepcache_proxy.reuse.protocols import Found
from tests.adapters.listening import listening, other, until
from tests.adapters.samples import Clock, again, record, record_id, request
from tests.adapters.store_places import StorePlace

DONOR = record("donor", question="asked before")
ASKED = replace(request(record("asked", question="asked now")), text="Describe it.")


@pytest.fixture(params=["valkey_place", "redis_place", "redis_tls_acl_place"])
async def place(request: pytest.FixtureRequest) -> StorePlace:
    """A server without keys."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, StorePlace)
    async with listening(found) as store:
        await other(store, "flushall")
    return found


async def until_known(store: RedisStore) -> None:
    """Every key is known."""
    await until(lambda: store.recent.directory.is_complete)


async def is_at_hand(store: RedisStore, asked: CanonicalRequest = ASKED) -> Found:
    """What is at hand as soon as the news of what was written have come."""

    async def read() -> Found | None:
        await store.find(asked)
        return store.at_hand(asked)

    found = await read()
    while found is None:
        found = await read()
    return found


async def test_a_request_that_nothing_is_like_asks_nobody(place: StorePlace) -> None:
    async with listening(place) as store:
        await until_known(store)
        never = replace(ASKED, id=record_id("never", "another partition"))
        assert store.at_hand(never) == Found()


async def test_the_records_of_a_template_are_read_once(place: StorePlace) -> None:
    async with listening(place) as store:
        await until_known(store)
        newer = replace(record("newer", question="another"), created=DONOR.created + 1)
        await store.put(DONOR, None)
        await store.put(newer, None)
        assert store.at_hand(ASKED) is None
        found = await is_at_hand(store)
        assert [r.id for r in found.records] == [newer.id, DONOR.id]
        assert found == await store.find(ASKED)
        assert DONOR.id not in store.uses


async def test_kin_are_at_hand_where_a_group_has_nothing(place: StorePlace) -> None:
    async with listening(place) as store:
        await until_known(store)
        kin = record("kin", template="another", question="another", kin="wide")
        await store.put(kin, None)
        asked = request(record("asked", template="alone", kin="wide", question="mine"))
        found = await is_at_hand(store, asked)
        assert [r.id for r in found.records] == [kin.id]


async def test_a_record_of_the_request_itself_is_asked_for(place: StorePlace) -> None:
    async with listening(place) as store:
        await until_known(store)
        await store.put(DONOR, None)
        await is_at_hand(store)
        mine = replace(record("asked", question="asked now"), is_exact_only=True)
        await store.put(mine, None)
        assert store.at_hand(ASKED) is None
        assert (await store.find(ASKED)).exact is not None


async def test_a_record_that_lends_nothing_leaves_the_lists(place: StorePlace) -> None:
    async with listening(place) as store:
        await until_known(store)
        await store.put(DONOR, None)
        found = await is_at_hand(store)
        await store.put(replace(record("x", question="x"), is_exact_only=True), None)
        assert store.at_hand(ASKED) == found


async def test_a_question_asked_otherwise_is_asked_for(place: StorePlace) -> None:
    async with listening(place) as store:
        await until_known(store)
        await store.put(record("else", partition="z", question="asked now"), None)
        assert store.at_hand(ASKED) is None


async def test_what_another_process_stores_is_found(place: StorePlace) -> None:
    async with listening(place) as store, listening(place) as elsewhere:
        await until_known(store)
        assert store.at_hand(ASKED) == Found()
        await elsewhere.put(DONOR, None)
        await until(lambda: store.at_hand(ASKED) is None)
        assert (await store.find(ASKED)).records == (replace(DONOR, generation=1),)


async def test_what_another_process_changes_is_read_again(place: StorePlace) -> None:
    async with listening(place) as store, listening(place) as elsewhere:
        await until_known(store)
        await store.put(DONOR, None)
        await is_at_hand(store)
        await elsewhere.observe(DONOR.id, is_right=False)
        await until(lambda: store.at_hand(ASKED) is None)
        found = await is_at_hand(store)
        assert found.records[0].observations.wrong == 1
        await elsewhere.delete([DONOR.id])
        await until(lambda: store.at_hand(ASKED) is None)
        assert await is_at_hand(store) == Found()


async def test_a_candidate_whose_life_is_over_is_not_at_hand(
    place: StorePlace,
) -> None:
    clock = Clock()
    async with listening(place, clock) as store:
        await until_known(store)
        await store.put(DONOR, None)
        await is_at_hand(store)
        clock.now += 601
        assert store.at_hand(ASKED) is None


async def test_what_was_there_before_this_process_is_found(place: StorePlace) -> None:
    async with listening(place) as before:
        await until_known(before)
        await before.put(DONOR, None)
    async with listening(place) as store:
        await until(lambda: store.recent.directory.is_complete)
        assert store.at_hand(ASKED) is None
        assert len((await is_at_hand(store)).records) == 1


async def test_where_keys_cannot_be_listed_the_store_is_asked(
    place: StorePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepcache_proxy.adapters.recent._MOST_KEYS", 1)
    async with listening(place) as before:
        await before.put(DONOR, None)
    async with listening(place) as store:
        await until(lambda: store.recent.is_open)
        await store.find(ASKED)
        assert not store.recent.directory.is_complete
        assert store.at_hand(ASKED) is None


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_this_process_did_it_tells_what_the_store_would(
    place: StorePlace, seed: int
) -> None:
    draw = random.Random(seed)
    told = 0
    async with listening(place) as store:
        await until_known(store)
        for turn in range(150):
            one = _any_record(draw, turn)
            match draw.randrange(6):
                case 0 | 1:
                    await store.put(one, None)
                case 2:
                    await store.delete([one.id])
                case 3:
                    await store.observe(one.id, is_right=draw.random() < 0.5)
                case _:
                    await store.find(request(one))
            other_question = record(question=f"q{draw.choice([turn, 1])}").question
            other_id = record_id(draw.choice([one.answer.text, "a"]))
            asked = request(_any_record(draw, turn), temperature=draw.choice("ab"))
            asked = replace(asked, id=other_id, question=other_question)
            found = store.at_hand(asked)
            told += found is not None
            assert found is None or found == await store.find(asked)
    assert told > 10


def _any_record(draw: random.Random, turn: int) -> Record:
    """One of a dozen records in a few templates, each time with another answer."""
    name, kin = draw.choice("abcdefghijkl"), draw.choice([None, "wide"])
    template, question = f"t{ord(name) % 3}", f"q{ord(name) % 5}"
    one = record(name, template=template, question=question, kin=kin)
    one = replace(one, is_exact_only=draw.random() < 0.3, created=one.created + turn)
    return again(one, f"Answer {turn}.")
