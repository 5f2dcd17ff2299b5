"""Sums of several workers add up, and skip reasons fold to a closed set."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.figures import SKIP_KINDS, State, add_up, skip_kind

states = st.dictionaries(
    st.sampled_from(["requests", "tokens"]),
    st.dictionaries(
        st.sampled_from(["chat,exact", "other,miss"]),
        st.lists(st.integers(0, 9).map(float), min_size=2, max_size=2),
    ),
)


@given(st.lists(states, max_size=4))
def test_the_sum_has_every_number_once(all_states: Sequence[State]) -> None:
    def total(some: Sequence[State]) -> float:
        return sum(n for s in some for r in s.values() for ns in r.values() for n in ns)

    assert total([add_up(all_states)]) == total(all_states)


@given(states)
def test_adding_up_leaves_its_input_alone(state: State) -> None:
    before = repr(state)
    for rows in add_up([state, state]).values():
        for numbers in rows.values():
            numbers[0] += 1
    assert repr(state) == before


@given(st.text())
def test_a_skip_kind_is_out_of_the_closed_set(reason: str) -> None:
    assert skip_kind(reason) in SKIP_KINDS


KINDS = [
    pytest.param("constraint:number", "constraint:number", id="constraint"),
    pytest.param("constraint:john smith", "other", id="client's word"),
    pytest.param("step:17", "step", id="step"),
    pytest.param("differs:secret_field", "differs", id="field"),
    pytest.param("integrity", "integrity", id="plain"),
    pytest.param("no such reason", "other", id="unknown"),
]


@pytest.mark.parametrize(("reason", "kind"), KINDS)
def test_the_part_that_a_client_may_choose_is_dropped(reason: str, kind: str) -> None:
    assert skip_kind(reason) == kind
