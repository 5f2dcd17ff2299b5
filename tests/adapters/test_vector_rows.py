"""Rows stay where they are while somebody reads, and never change owners."""

import numpy as np
import pytest

from stepcache_proxy.adapters.vector_rows import Rows, best_rows, unit
from stepcache_proxy.reuse.model import RecordId

A, B, C = RecordId("a"), RecordId("b"), RecordId("c")


@pytest.fixture
def rows() -> Rows:
    rows = Rows(2)
    for id, vector in ((A, [1.0, 0.0]), (B, [0.0, 1.0]), (C, [-1.0, 0.0])):
        rows.put(id, np.asarray(vector, dtype=np.float32))
    return rows


def test_a_removed_row_is_filled_with_the_last(rows: Rows) -> None:
    rows.remove(A)
    assert rows.ids == [C, B]
    assert rows.used.tolist() == [[-1.0, 0.0], [0.0, 1.0]]
    assert len(rows) == 2


def test_no_row_moves_under_a_reader(rows: Rows) -> None:
    rows.begin_read()
    rows.begin_read()
    rows.remove(A)
    rows.end_read()
    assert rows.ids == [None, B, C]
    assert (len(rows), rows.dead) == (2, 1)
    rows.end_read()
    assert rows.ids == [C, B]
    assert rows.dead == 0


def test_every_row_removed_under_a_reader_is_given_back(rows: Rows) -> None:
    rows.begin_read()
    for id in (A, C, B):
        rows.remove(id)
    rows.put(A, np.asarray([0.0, 1.0], dtype=np.float32))
    rows.end_read()
    assert rows.ids == [A]
    assert rows.used.tolist() == [[0.0, 1.0]]


def test_a_write_gets_a_newer_stamp(rows: Rows) -> None:
    before = rows.stamp_of(A)
    rows.put(A, np.asarray([0.0, 1.0], dtype=np.float32))
    after = rows.stamp_of(A)
    assert before is not None
    assert after is not None
    assert after == rows.newest_stamp > before
    assert rows.stamp_of(RecordId("x")) is None


def test_a_reader_keeps_the_matrix_it_has(rows: Rows) -> None:
    rows.begin_read()
    seen = rows.used
    for number in range(100):
        rows.put(RecordId(f"n{number}"), np.asarray([0.6, 0.8], dtype=np.float32))
    assert seen.tolist() == [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
    rows.end_read()


def test_rows_stay_what_they_are_when_room_is_made() -> None:
    rows = Rows(1)
    for number in range(9_000):
        rows.put(RecordId(f"n{number}"), np.asarray([number], dtype=np.float32))
    assert rows.used[:, 0].tolist() == list(range(9_000))
    assert rows.stamps[:9_000].tolist() == list(range(1, 9_001))


@pytest.mark.parametrize("count", [3, 63, 64, 500])
@pytest.mark.parametrize("k", [1, 4, 600])
def test_the_best_rows_are_the_largest_products(count: int, k: int) -> None:
    rng = np.random.default_rng(count)
    matrix = rng.normal(size=(count, 8)).astype(np.float32)
    query = rng.normal(size=8).astype(np.float32)
    expected = np.argsort(-(matrix @ query))[:k].tolist()
    assert sorted(best_rows(matrix, query, k)) == sorted(expected)


def test_a_unit_vector_has_length_one() -> None:
    row = unit([3.0, 4.0])
    assert row is not None
    assert row.tolist() == pytest.approx([0.6, 0.8])
