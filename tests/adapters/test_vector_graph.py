"""A graph finds what it was built of and knows how much of it is out of date."""

import threading

import numpy as np
import pytest

from stepcache_proxy.adapters.vector_graph import (
    Graph,
    build,
    count_since,
    snapshot,
)
from stepcache_proxy.adapters.vector_rows import Rows
from stepcache_proxy.reuse.model import RecordId


def vector(number: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    row = np.random.default_rng(number).normal(size=16).astype(np.float32)
    return (row / np.linalg.norm(row)).astype(np.float32)


def name(number: int) -> RecordId:
    return RecordId(f"r{number}")


@pytest.fixture
def rows() -> Rows:
    rows = Rows(16)
    for number in range(200):
        rows.put(name(number), vector(number))
    return rows


def built(rows: Rows, old: Graph | None = None) -> Graph:
    copy = snapshot(rows, old.newest_stamp if old else 0)
    graph = build(copy, old, threading.Event())
    assert graph is not None
    return graph


def test_every_member_is_found_by_its_own_vector(rows: Rows) -> None:
    graph = built(rows)
    for number in range(200):
        found = [id for id, _ in graph.search(vector(number), 3)]
        assert name(number) in found


def test_an_extended_graph_has_old_and_new_members(rows: Rows) -> None:
    first = built(rows)
    rows.put(name(200), vector(200))
    rows.put(name(0), vector(201))
    assert count_since(rows, first.newest_stamp) == 2
    second = built(rows, first)
    assert count_since(rows, second.newest_stamp) == 0
    assert (len(first.members), len(second.members)) == (200, 202)
    assert name(200) in [id for id, _ in second.search(vector(200), 3)]
    newest = dict(second.search(vector(201), 3))[name(0)]
    assert newest == rows.stamp_of(name(0))


def test_a_graph_is_stale_when_a_fifth_of_it_is_gone(rows: Rows) -> None:
    graph = built(rows)
    for number in range(40):
        rows.remove(name(number))
    assert not graph.is_stale(rows, count_since(rows, graph.newest_stamp))
    rows.put(name(50), vector(50))
    assert graph.is_stale(rows, count_since(rows, graph.newest_stamp))


def test_a_removed_row_is_not_copied(rows: Rows) -> None:
    rows.begin_read()
    rows.remove(name(3))
    copy = snapshot(rows, 0)
    assert len(copy.members) == len(copy.vectors) == 199
    assert name(3) not in dict(copy.members)
    rows.end_read()


def test_a_stopped_build_gives_nothing(rows: Rows) -> None:
    stop = threading.Event()
    stop.set()
    assert build(snapshot(rows, 0), None, stop) is None
