"""A key that was noted is never called absent."""

from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.directory import Directory

DIRECTORY = Directory(is_complete=True)


@given(st.lists(st.binary(max_size=40), max_size=50))
def test_what_was_noted_may_be_there(keys: list[bytes]) -> None:
    DIRECTORY.note(keys)
    assert all(DIRECTORY.may_hold(key) for key in keys)


def test_nearly_all_that_was_not_noted_is_known_to_be_absent() -> None:
    directory = Directory(is_complete=True)
    directory.note(b"there %d" % n for n in range(10_000))
    taken = sum(directory.may_hold(b"elsewhere %d" % n) for n in range(10_000))
    assert taken < 100


def test_until_it_is_complete_anything_may_be_there() -> None:
    directory = Directory()
    assert directory.may_hold(b"key")
    directory.is_complete = True
    assert not directory.may_hold(b"key")
