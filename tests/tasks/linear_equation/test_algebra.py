"""Numbers are exact whatever is done to them, and whole ones are integers."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_equation.algebra import (
    Balance,
    Exact,
    Linear,
    is_reached,
    moved_sides,
    natural_scales,
    quotient,
    ratio,
    reachable,
    tidy,
)

numbers = st.one_of(
    st.integers(-40, 40),
    st.integers(-(10**25), 10**25),
    st.fractions(-20, 20, max_denominator=12),
).map(tidy)
forms = st.builds(Linear, numbers, numbers)
balances = st.builds(Balance, forms, forms)


def same(value: Exact, expected: Fraction) -> bool:
    """Whether it is the number, as an integer if and only if it is whole."""
    return value == expected and isinstance(value, int) == (expected.denominator == 1)


@given(forms, forms, numbers)
def test_sums_multiples_and_values_are_those_of_fractions(
    form: Linear, other: Linear, number: Exact
) -> None:
    factor = Fraction(number)
    assert same(form.plus(other).slope, form.a + other.a)
    assert same(form.minus(other).rest, form.b - other.b)
    assert same(form.scaled(number).slope, form.a * factor)
    assert same(form.negative.rest, -form.b)
    assert same(form.at(number), form.a * factor + form.b)


@given(numbers, numbers)
def test_two_integers_are_divided_exactly(above: Exact, below: Exact) -> None:
    assume(below != 0)
    assert same(ratio(above, below), Fraction(above) / Fraction(below))


@given(balances)
def test_both_sides_are_equal_at_the_solution(balance: Balance) -> None:
    root = balance.solved
    if isinstance(root, str):
        assert balance.difference.slope == 0
        assert (root == "all") == (balance.difference.rest == 0)
    else:
        assert balance.left.at(root) == balance.right.at(root)


@given(balances, numbers)
def test_multiples_of_an_equation_have_its_normal_form(
    balance: Balance, factor: Exact
) -> None:
    assume(factor != 0)
    assert balance.scaled(factor).normal == balance.normal
    assert balance.over(factor) == balance.scaled(ratio(1, factor))


small = st.integers(-3, 3)
small_forms = st.builds(Linear, small, small)


@given(*[st.builds(Balance, small_forms, small_forms)] * 2)
def test_no_other_equation_has_its_normal_form(first: Balance, second: Balance) -> None:
    ones, others = first.numbers, second.numbers
    is_multiple = all(
        ones[i] * others[k] == ones[k] * others[i] for i in range(4) for k in range(4)
    ) and any(ones) == any(others)
    assert (first.normal == second.normal) == is_multiple


@given(balances)
def test_whatever_is_reached_has_the_same_solution(balance: Balance) -> None:
    assert balance in reachable(balance)
    scales = natural_scales(balance)
    for moved in reachable(balance):
        assert moved.solved == balance.solved
        assert moved.scaled(scales[-1]).normal == moved.normal


@pytest.mark.parametrize("form", [Linear(0, 0), Linear(1, 0)])
def test_nothing_is_divided_by_zero_or_by_the_unknown(form: Linear) -> None:
    assert quotient(Linear(2, 4), form) is None


@given(balances, balances, numbers, st.integers(0, 17))
def test_what_is_reached_is_a_multiple_of_what_is_reachable(
    start: Balance, other: Balance, factor: Exact, place: int
) -> None:
    assume(isinstance(start.solved, int | Fraction))
    known = reachable(start)
    normal = {balance.normal for balance in known}
    scaled = known[place % len(known)].scaled(factor)
    shifted = Balance(scaled.left, scaled.right.plus(Linear(0, 1)))
    for balance in (*known, scaled, shifted, other, other.swapped):
        assert is_reached(balance, start) == (balance.normal in normal)


@given(balances)
def test_moved_sides_are_those_of_what_is_reachable(balance: Balance) -> None:
    expected = {side for moved in reachable(balance) for side in moved}
    assert moved_sides(balance) == expected
