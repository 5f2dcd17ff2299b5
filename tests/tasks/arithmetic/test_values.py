"""Values stay within bounds, whatever is done to them."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.arithmetic.values import (
    UnreadableError,
    Value,
    factorial,
    joined,
    raised,
    root,
)


def value(number: int | Fraction) -> Value:
    return Value(Fraction(number))


def test_a_result_remembers_how_it_was_written() -> None:
    a = Value(Fraction(5, 2), places=1, units=frozenset({"m"}), first=Fraction(5, 2))
    b = Value(Fraction(3), places=0, operators=2)
    got = joined(a, b, Fraction(11, 2))
    assert (got.places, got.operators, got.first) == (1, 3, Fraction(5, 2))
    assert got.units == {"m"}


def test_a_sum_of_different_units_is_unsure_and_a_product_is_not() -> None:
    a, b = (Value(Fraction(2), units=frozenset({u})) for u in ("m", "s"))
    assert joined(a, b, Fraction(4)).is_unsure
    assert not joined(a, b, Fraction(4), is_product=True).is_unsure


def test_what_grows_beyond_the_bounds_is_unreadable() -> None:
    large = value(2**3_000)
    with pytest.raises(UnreadableError):
        joined(large, large, Fraction(2**6_000))
    with pytest.raises(UnreadableError):
        raised(large, 3)
    with pytest.raises(UnreadableError):
        factorial(value(61))
    with pytest.raises(UnreadableError):
        root(value(2))


def test_powers_roots_and_factorials_are_exact() -> None:
    assert raised(value(Fraction(2, 3)), 2).exact == Fraction(4, 9)
    assert root(value(Fraction(4, 9))).exact == Fraction(2, 3)
    assert factorial(value(5)).exact == 120
