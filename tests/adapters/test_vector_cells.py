"""Cells find what they were built of and know how much of it is out of date."""

import threading

import numpy as np
import pytest

from stepcache_proxy.adapters.vector_cells import Cells, build, snapshot
from stepcache_proxy.adapters.vector_rows import Floats, Rows
from stepcache_proxy.reuse.model import RecordId


class LateStop(threading.Event):
    """Set when it is looked at for the ``looks``-th time."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.left = looks

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def unit_of(row: object) -> Floats:
    made = np.asarray(row, dtype=np.float32)
    return np.divide(made, np.linalg.norm(made), dtype=np.float32)


def vector(number: int) -> Floats:
    return unit_of(np.random.default_rng(number).normal(size=16))


def name(number: int) -> RecordId:
    return RecordId(f"r{number}")


def rows_of(vectors: list[Floats]) -> Rows:
    rows = Rows(len(vectors[0]))
    for number, each in enumerate(vectors):
        rows.put(name(number), each)
    return rows


@pytest.fixture
def rows() -> Rows:
    return rows_of([vector(number) for number in range(200)])


def built(rows: Rows, old: Cells | None = None) -> Cells:
    new = snapshot(rows, old.newest_stamp if old else 0)
    cells = build(new, old, threading.Event())
    assert cells is not None
    return cells


def found(cells: Cells, query: Floats, k: int) -> set[RecordId]:
    return {id for id, _ in cells.search(query, k)}


def test_every_member_is_found_by_its_own_vector(rows: Rows) -> None:
    cells = built(rows)
    for number in range(200):
        assert name(number) in found(cells, vector(number), 3)


@pytest.mark.parametrize("count", [1, 2, 9, 100])
def test_few_vectors_in_cells_are_all_found(count: int) -> None:
    pool = [vector(number) for number in range(count)]
    cells = built(rows_of(pool))
    assert found(cells, vector(1_000), count) == {name(n) for n in range(count)}


def test_the_nearest_in_many_clusters_are_found() -> None:
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(80, 32))
    pool = [unit_of(centres[n % 80] + 0.6 * rng.normal(size=32)) for n in range(8_000)]
    cells, matrix = built(rows_of(pool)), np.stack(pool)
    hits = 0
    for number in range(500):
        query = unit_of(pool[number] + 0.05 * rng.normal(size=32))
        best = {name(int(n)) for n in np.argsort(-(matrix @ query))[:4]}
        hits += len(best & found(cells, query, 24))
    assert hits >= 1_980


def test_vectors_that_are_all_alike_do_no_harm() -> None:
    cells = built(rows_of([vector(1)] * 500))
    assert len(cells.search(vector(1), 24)) == 24


def test_extended_cells_have_old_and_new_members(rows: Rows) -> None:
    first = built(rows)
    rows.put(name(200), vector(200))
    rows.put(name(0), vector(201))
    assert first.writes_since(rows) == 2
    second = built(rows, first)
    assert second.writes_since(rows) == 0
    assert (len(first.ids), len(second.ids)) == (200, 202)
    assert name(200) in found(second, vector(200), 3)
    newest = dict(second.search(vector(201), 3))[name(0)]
    assert newest == rows.stamp_of(name(0))


def test_an_extension_leaves_the_first_cells_as_they_were(rows: Rows) -> None:
    first = built(rows)
    before = [first.search(vector(number), 5) for number in range(100, 300)]
    for number in range(200, 300):
        rows.put(name(number), vector(number))
    built(rows, first)
    assert [first.search(vector(n), 5) for n in range(100, 300)] == before


def test_a_row_replaced_before_it_is_copied_keeps_its_old_stamp(rows: Rows) -> None:
    new = snapshot(rows, 0)
    rows.put(name(7), vector(500))
    cells = build(new, None, threading.Event())
    assert cells is not None
    assert dict(cells.search(vector(500), 3))[name(7)] != rows.stamp_of(name(7))
    assert cells.writes_since(rows) == 1


def test_cells_are_stale_when_a_fifth_of_their_rows_is_gone(rows: Rows) -> None:
    cells = built(rows)
    for number in range(40):
        rows.remove(name(number))
    assert not cells.is_stale(rows)
    rows.put(name(50), vector(50))
    assert cells.is_stale(rows)


def test_cells_are_stale_when_there_are_half_as_many_rows_more(rows: Rows) -> None:
    cells = built(rows)
    for number in range(200, 300):
        rows.put(name(number), vector(number))
    cells = built(rows, cells)
    assert not cells.is_stale(rows)
    rows.put(name(300), vector(300))
    assert cells.is_stale(rows)
    assert not built(rows).is_stale(rows)


def test_a_removed_row_is_not_taken(rows: Rows) -> None:
    rows.begin_read()
    rows.remove(name(3))
    new = snapshot(rows, 0)
    assert len(new.ids) == len(new.rows) == len(new.stamps) == 199
    assert name(3) not in new.ids
    rows.end_read()


def test_a_build_stops_whenever_it_is_told_to(rows: Rows) -> None:
    looks = 0
    while build(snapshot(rows, 0), None, LateStop(looks)) is None:
        looks += 1
    assert looks >= 3
