"""Every store keeps the same promises: found while it lives, gone when it is over."""

from array import array
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.memory import MemoryStore
from stepcache_proxy.adapters.redis_store import RedisStore
from stepcache_proxy.adapters.redis_upkeep import RedisUpkeep
from stepcache_proxy.adapters.store_client import close_client, open_client
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.adapters.upkeep import Selection, Upkeep
from stepcache_proxy.reuse.model import Observations, RecordId
from stepcache_proxy.reuse.protocols import Ledger, RecordStore
from tests.adapters.samples import (
    NOW,
    Clock,
    again,
    record,
    record_id,
    request,
)
from tests.adapters.store_places import StorePlace

Parts = tuple[RecordStore, Upkeep, Clock]


@pytest.fixture(params=["memory", "valkey", "redis", "redis_tls_acl", "cluster"])
async def parts(request: pytest.FixtureRequest) -> AsyncGenerator[Parts]:
    clock = Clock()
    if request.param == "memory":
        memory = MemoryStore(clock, max_records=3)
        yield memory, memory, clock
        return
    place = request.getfixturevalue(f"{request.param}_place")
    assert isinstance(place, StorePlace)
    client = open_client(place.url, tls_ca_file=place.tls_ca_file)
    async for key in client.scan_iter():
        await client.unlink(key)
    store = RedisStore(client, Keys("stepcache"), clock, lambda: "model-a")
    yield store, RedisUpkeep(store, max_records=3), clock
    await close_client(client)


@pytest.fixture
def store(parts: Parts) -> RecordStore:
    return parts[0]


@pytest.fixture
def ledger(parts: Parts) -> Ledger:
    assert isinstance(parts[0], MemoryStore | RedisStore)
    return parts[0]


@pytest.fixture
def upkeep(parts: Parts) -> Upkeep:
    return parts[1]


@pytest.fixture
def clock(parts: Parts) -> Clock:
    return parts[2]


async def test_a_record_that_was_put_is_got(store: RecordStore) -> None:
    before = record()
    await store.put(before, None)
    assert await store.get([before.id]) == [replace(before, generation=1)]


async def test_records_come_in_the_order_asked(store: RecordStore) -> None:
    for name in "abc":
        await store.put(record(name), None)
    got = await store.get([record_id("c"), record_id("x"), record_id("a")])
    assert [None if r is None else r.id for r in got] == [
        record_id("c"),
        None,
        record_id("a"),
    ]


async def test_nothing_asked_nothing_got(store: RecordStore) -> None:
    assert await store.get([]) == []
    assert await store.delete([]) == 0


async def test_writing_again_leaves_one_record(
    store: RecordStore, upkeep: Upkeep
) -> None:
    await store.put(record(), [1.0, 0.0])
    await store.put(again(record(), "Three."), None)
    [got] = await store.get([record().id])
    assert got == replace(again(record(), "Three."), generation=2)
    assert await upkeep.count() == 1
    assert [pair async for pair in store.scan()] == [(got, None)]


async def test_a_record_is_gone_when_its_life_is_over(
    store: RecordStore, clock: Clock
) -> None:
    await store.put(record(ttl_seconds=600), [1.0])
    clock.now = NOW + 599.9
    assert (await store.get([record().id]))[0] is not None
    clock.now = NOW + 600
    assert await store.get([record().id]) == [None]
    assert (await store.find(request(record()))).records == ()
    assert [pair async for pair in store.scan()] == []


async def test_a_record_whose_life_is_over_is_not_written(
    store: RecordStore, upkeep: Upkeep
) -> None:
    await store.put(record(created=NOW - 601, ttl_seconds=600), None)
    assert await upkeep.count() == 0


async def test_what_json_cannot_hold_is_not_written(
    store: RecordStore, upkeep: Upkeep
) -> None:
    await store.put(again(record(), "\ud800"), None)
    assert await upkeep.count() == 0


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param("", id="empty"),
        pytest.param("x", id="short"),
        pytest.param("../../etc/passwd", id="path"),
        pytest.param("*", id="pattern"),
        pytest.param("a" * 32 + "." + "b" * 31 + "\n", id="line end"),
        pytest.param("a" * 32 + "." + "B" * 32, id="capitals"),
        pytest.param("é\ud800" * 20, id="not encodable"),
        pytest.param("a" * 100_000, id="very long"),
    ],
)
async def test_a_hostile_id_is_answered_with_nothing(
    store: RecordStore, upkeep: Upkeep, hostile: str
) -> None:
    await store.put(record(), None)
    id = RecordId(hostile)
    assert await store.get([id, record().id]) == [
        None,
        replace(record(), generation=1),
    ]
    assert await store.delete([id]) == 0
    assert (await upkeep.purge(Selection(record=id), is_dry_run=False)).matched == 0


async def test_the_newest_records_of_a_template_are_found(store: RecordStore) -> None:
    for age, name in enumerate("abcdef"):
        await store.put(record(name, created=NOW - age), None)
    found = await store.find(request(record()))
    assert [r.id for r in found.records] == [record_id(name) for name in "abcd"]


async def test_another_partition_finds_nothing(store: RecordStore) -> None:
    await store.put(record(partition="p"), None)
    assert (await store.find(request(record(partition="other")))).records == ()


async def test_another_template_finds_nothing(store: RecordStore) -> None:
    await store.put(record(), None)
    assert (await store.find(request(record(template="other")))).records == ()


async def test_the_record_of_the_request_is_found_with_its_template(
    store: RecordStore,
) -> None:
    await store.put(record("a"), None)
    await store.put(record("b"), None)
    found = await store.find(request(record("a")))
    assert found.exact is not None
    assert found.exact.id == record_id("a")
    assert {r.id for r in found.records} == {record_id("a"), record_id("b")}
    assert (await store.find(request(record("c")))).exact is None


async def test_kin_are_found_where_the_template_has_no_record(
    store: RecordStore,
) -> None:
    for name in "ab":
        await store.put(record(name, template=name, kin="k"), None)
    asked = request(record(template="c", kin="k"))
    assert {r.id for r in (await store.find(asked)).records} == {
        record_id("a"),
        record_id("b"),
    }
    asked = request(record(template="a", kin="k"))
    assert [r.id for r in (await store.find(asked)).records] == [record_id("a")]
    assert (await store.find(request(record(template="c")))).records == ()


async def test_a_deleted_record_is_nobodys_kin(store: RecordStore) -> None:
    await store.put(record("a", template="a", kin="k"), None)
    await store.delete([record_id("a")])
    asked = request(record(template="c", kin="k"))
    assert (await store.find(asked)).records == ()


async def test_a_record_written_again_leaves_the_lists_it_was_in(
    store: RecordStore,
) -> None:
    await store.put(record("a", template="old", kin="k"), None)
    await store.put(record("a", template="new"), None)
    for gone in (record("b", template="old"), record("b", template="x", kin="k")):
        assert (await store.find(request(gone))).records == ()
    asked = request(record("b", template="new"))
    assert [r.id for r in (await store.find(asked)).records] == [record_id("a")]


async def test_an_exact_only_record_is_nobodys_kin(store: RecordStore) -> None:
    await store.put(replace(record("a", kin="k"), is_exact_only=True), None)
    asked = request(record(template="c", kin="k"))
    assert (await store.find(asked)).records == ()


async def test_an_exact_only_record_is_no_candidate(store: RecordStore) -> None:
    await store.put(replace(record(), is_exact_only=True), None)
    assert (await store.find(request(record()))).records == ()
    assert (await store.get([record().id]))[0] is not None


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        pytest.param({"temperature": "aa"}, None, id="the same"),
        pytest.param({"temperature": "bb"}, "temperature", id="another value"),
        pytest.param({}, "temperature", id="absent now"),
        pytest.param({"seed": "c", "temperature": "aa"}, "seed", id="absent then"),
        pytest.param({"seed": "c", "temperature": "b"}, "seed", id="two, first named"),
    ],
)
async def test_the_first_field_that_differs_is_named(
    store: RecordStore, parameters: dict[str, str], field: str | None
) -> None:
    await store.put(record(), None)
    asked = replace(request(record(partition="other")), parameters=parameters)
    assert (await store.find(asked)).differs == field


async def test_nothing_differs_from_a_question_nobody_asked(store: RecordStore) -> None:
    await store.put(record(), None)
    asked = request(record(question="another"), temperature="bb")
    assert (await store.find(asked)).differs is None


async def test_a_deleted_record_is_gone_from_every_place(
    store: RecordStore, upkeep: Upkeep
) -> None:
    await store.put(record(), [1.0])
    assert await store.delete([record().id, record_id("x")]) == 1
    assert await store.get([record().id]) == [None]
    found = await store.find(request(record(), temperature="bb"))
    assert found.records == ()
    assert found.differs is None
    assert await upkeep.count() == 0
    assert await store.delete([record().id]) == 0


async def test_a_question_asked_again_outlives_its_first_record(
    store: RecordStore,
) -> None:
    await store.put(record("a"), None)
    await store.put(record("b"), None)
    await store.delete([record_id("a")])
    found = await store.find(request(record("a"), temperature="bb"))
    assert found.differs == "temperature"


async def test_a_scan_gives_every_record_with_its_vector(store: RecordStore) -> None:
    for name in "ab":
        await store.put(record(name), [0.5, 0.25])
    scanned = {r.id: v async for r, v in store.scan()}
    assert scanned.keys() == {record_id("a"), record_id("b")}
    assert all(v is not None and list(v) == [0.5, 0.25] for v in scanned.values())


async def test_the_janitor_names_what_has_expired(
    store: RecordStore, upkeep: Upkeep, clock: Clock
) -> None:
    await store.put(record("a", ttl_seconds=10), None)
    await store.put(record("b", ttl_seconds=600), None)
    clock.now = NOW + 11
    assert await upkeep.count() == 1
    assert await upkeep.janitor() == [record_id("a")]
    assert await upkeep.janitor() == []
    assert await upkeep.count() == 1


async def test_the_janitor_evicts_the_least_recently_used(
    store: RecordStore, upkeep: Upkeep, clock: Clock
) -> None:
    for name in "abcde":
        clock.now += 1
        await store.put(record(name), None)
    clock.now += 1
    await store.get([record_id("a")])
    assert await upkeep.janitor() == [record_id("b"), record_id("c")]
    assert (await store.get([record_id("a")]))[0] is not None
    assert await store.get([record_id("b"), record_id("c")]) == [None, None]


async def test_a_written_record_outlives_the_janitor(
    store: RecordStore, upkeep: Upkeep, clock: Clock
) -> None:
    await store.put(record(ttl_seconds=10), None)
    clock.now = NOW + 11
    await store.put(record(created=clock.now), None)
    assert await upkeep.janitor() == []
    assert (await store.get([record().id]))[0] is not None


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        pytest.param(Selection(), "", id="nothing"),
        pytest.param(Selection(is_all=True), "ab", id="all"),
        pytest.param(Selection(model="m"), "ab", id="model"),
        pytest.param(Selection(model="x"), "", id="another model"),
        pytest.param(Selection(namespace="n"), "a", id="namespace"),
        pytest.param(Selection(model="m", namespace="n2"), "b", id="both"),
        pytest.param(Selection(record=record_id("a")), "a", id="record"),
        pytest.param(Selection(record=record_id("x")), "", id="unknown record"),
        pytest.param(Selection(model="x", is_all=True), "", id="a field beats all"),
    ],
)
async def test_a_purge_removes_what_is_selected(
    parts: Parts, selection: Selection, names: str
) -> None:
    store, upkeep, _ = parts
    await store.put(record("a"), None)
    await store.put(replace(record("b"), namespace="n2"), None)
    dry = await upkeep.purge(selection, is_dry_run=True)
    assert (dry.matched, dry.removed) == (len(names), 0)
    assert await upkeep.count() == 2
    wet = await upkeep.purge(selection, is_dry_run=False)
    assert (wet.matched, wet.removed) == (len(names), len(names))
    assert set(wet.ids) == {record_id(name) for name in names}
    assert await upkeep.count() == 2 - len(names)


async def test_an_export_is_imported_as_it_was(
    store: RecordStore, upkeep: Upkeep
) -> None:
    await store.put(record("a"), [0.5])
    await store.put(record("b"), None)
    before = {r.id: (r, v) async for r, v in store.scan()}
    lines = [line async for line in upkeep.export_lines()]
    await upkeep.purge(Selection(is_all=True), is_dry_run=False)
    assert [await upkeep.import_line(line) for line in lines] == [True, True]
    assert {r.id: (r, v) async for r, v in store.scan()} == before
    assert len((await store.find(request(record()))).records) == 2


async def test_observations_are_counted_without_touching_the_record(
    store: RecordStore, ledger: Ledger, clock: Clock
) -> None:
    await store.put(record(), [0.5])
    for is_right in (True, True, False):
        await ledger.observe(record().id, is_right=is_right)
    expected = replace(record(), generation=1, observations=Observations(2, 1))
    assert await store.get([record().id]) == [expected]
    assert (await store.find(request(record()))).records == (expected,)
    assert [(r, v) async for r, v in store.scan()] == [(expected, array("f", [0.5]))]
    clock.now += record().ttl_seconds
    assert await store.get([record().id]) == [None]


async def test_a_record_that_is_gone_is_not_brought_back_by_an_observation(
    store: RecordStore, ledger: Ledger, upkeep: Upkeep
) -> None:
    await ledger.observe(record().id, is_right=True)
    await ledger.observe(RecordId("not an id"), is_right=True)
    assert await store.get([record().id]) == [None]
    assert await upkeep.count() == 0


async def test_a_record_that_is_written_anew_starts_anew(
    store: RecordStore, ledger: Ledger
) -> None:
    await store.put(record(), None)
    await ledger.observe(record().id, is_right=False)
    await store.put(record(), None)
    assert await store.get([record().id]) == [replace(record(), generation=2)]


async def test_observations_are_exported_and_imported(
    store: RecordStore, ledger: Ledger, upkeep: Upkeep
) -> None:
    await store.put(record(), None)
    await ledger.observe(record().id, is_right=False)
    (line,) = [line async for line in upkeep.export_lines()]
    await store.delete([record().id])
    assert await upkeep.import_line(line)
    (got,) = await store.get([record().id])
    assert got is not None
    assert got.observations == Observations(wrong=1)


async def test_an_import_drops_what_has_expired(
    store: RecordStore, upkeep: Upkeep, clock: Clock
) -> None:
    await store.put(record(ttl_seconds=10), None)
    [line] = [line async for line in upkeep.export_lines()]
    clock.now = NOW + 11
    assert not await upkeep.import_line(line)


@pytest.mark.parametrize("line", [b"", b"{}", b"\xff", b"[" * 2000, b'{"format":1}'])
async def test_a_foreign_line_is_not_imported(upkeep: Upkeep, line: bytes) -> None:
    assert not await upkeep.import_line(line)
    assert await upkeep.count() == 0


async def test_the_store_tells_its_size(store: RecordStore, upkeep: Upkeep) -> None:
    await upkeep.ping()
    await store.put(record(), None)
    assert await upkeep.size_bytes() > 100


async def test_nobody_else_changed_anything(store: RecordStore, upkeep: Upkeep) -> None:
    await upkeep.changes()
    await store.put(record(), [1.0])
    await store.delete([record().id])
    changes = await upkeep.changes()
    assert changes.added == ()
    assert changes.removed == ()
    assert not changes.is_gap


steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "get", "delete", "janitor", "wait"]),
        st.sampled_from("abc"),
        st.integers(1, 30),
    ),
    max_size=25,
)


@given(steps=steps)
async def test_a_store_is_a_dict_whose_entries_end(
    parts: Parts, steps: list[tuple[str, str, int]]
) -> None:
    store, upkeep, clock = parts
    await upkeep.purge(Selection(is_all=True), is_dry_run=False)
    expected: dict[RecordId, float] = {}
    for verb, name, seconds in steps:
        id = record_id(name)
        if verb == "put":
            await store.put(record(name, created=clock.now, ttl_seconds=seconds), None)
            expected[id] = clock.now + seconds
        elif verb == "delete":
            await store.delete([id])
            expected.pop(id, None)
        elif verb == "janitor":
            await upkeep.janitor()
        elif verb == "wait":
            clock.now += seconds
        alive = {i for i, end in expected.items() if end > clock.now}
        names = [record_id(n) for n in "abc"]
        got = await store.get(names)
        assert {r.id for r in got if r is not None} == alive
        assert await upkeep.count() == len(alive)
