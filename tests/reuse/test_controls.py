"""A client can only be stricter than the operator, and is told what is malformed."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.errors import InvalidRequestError
from stepcache_proxy.reuse.controls import (
    CACHE_CONTROL,
    MIN_SIMILARITY,
    MODE,
    NAMESPACE,
    TTL,
    Controls,
    Limits,
    read_controls,
)
from stepcache_proxy.reuse.model import Mode

STRICTER = [Mode.VERIFIED, Mode.EXACT, Mode.OFF]


def test_without_headers_the_limits_hold() -> None:
    limits = Limits(Mode.EXACT, 60, 100, 0.7)
    expected = Controls(mode=Mode.EXACT, ttl_seconds=60, min_similarity=0.7)
    assert read_controls({}, limits) == expected


def test_no_lifetime_is_over_the_longest() -> None:
    assert (
        read_controls({}, Limits(ttl_seconds=60, max_ttl_seconds=50)).ttl_seconds == 50
    )


@pytest.mark.parametrize("allowed", STRICTER)
@pytest.mark.parametrize("asked", STRICTER)
def test_the_stricter_mode_counts(allowed: Mode, asked: Mode) -> None:
    mode = read_controls({MODE: f" {asked.upper()} "}, Limits(mode=allowed)).mode
    assert STRICTER.index(mode) == max(STRICTER.index(allowed), STRICTER.index(asked))


@given(st.decimals(0, 1, places=3), st.decimals(0, 1, places=3))
def test_the_higher_floor_counts(allowed: object, asked: object) -> None:
    low, high = float(str(allowed)), float(str(asked))
    controls = read_controls({MIN_SIMILARITY: str(asked)}, Limits(min_similarity=low))
    assert controls.min_similarity == max(low, high)
    assert controls.is_floor_raised is (high > low)


@pytest.mark.parametrize(
    ("header", "value"),
    [
        pytest.param(MODE, "", id="no mode"),
        pytest.param(MODE, "fast", id="unknown mode"),
        pytest.param(TTL, "", id="no ttl"),
        pytest.param(TTL, "0", id="ttl of 0"),
        pytest.param(TTL, "-5", id="ttl below 0"),
        pytest.param(TTL, "1.5", id="ttl in parts of a second"),
        pytest.param(TTL, "2592001", id="ttl over the longest"),
        pytest.param(TTL, "9" * 5_000, id="ttl of many digits"),
        pytest.param(TTL, "1h", id="ttl with a unit"),
        pytest.param(MIN_SIMILARITY, "", id="no floor"),
        pytest.param(MIN_SIMILARITY, "1.1", id="floor over 1"),
        pytest.param(MIN_SIMILARITY, "-0.1", id="floor below 0"),
        pytest.param(MIN_SIMILARITY, "nan", id="floor of no number"),
        pytest.param(MIN_SIMILARITY, "1e-1", id="floor with an exponent"),
        pytest.param(MIN_SIMILARITY, "0.\u0665", id="floor in other digits"),
        pytest.param(NAMESPACE, "", id="no namespace"),
        pytest.param(NAMESPACE, "a b", id="namespace with a space"),
        pytest.param(NAMESPACE, "a:b", id="namespace with a colon"),
        pytest.param(NAMESPACE, "a\n", id="namespace with a line feed"),
        pytest.param(NAMESPACE, "a" * 65, id="long namespace"),
        pytest.param(NAMESPACE, "\u00e9", id="namespace with an accent"),
        pytest.param(CACHE_CONTROL, "max-age", id="max-age alone"),
        pytest.param(CACHE_CONTROL, "max-age=", id="max-age of nothing"),
        pytest.param(CACHE_CONTROL, "max-age=x", id="max-age of no number"),
        pytest.param(CACHE_CONTROL, "max-age=-1", id="max-age below 0"),
        pytest.param(CACHE_CONTROL, 'max-age="5', id="max-age half quoted"),
    ],
)
def test_a_malformed_header_is_named(header: str, value: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read_controls({header: value}, Limits())
    assert caught.value.param == header
    assert header in str(caught.value)


def test_a_namespace_may_be_long() -> None:
    name = "aZ09._-" * 9
    assert read_controls({NAMESPACE: name}, Limits()).namespace == name


@pytest.mark.parametrize("seconds", [1, 2_592_000])
def test_a_lifetime_can_be_asked_for(seconds: int) -> None:
    assert read_controls({TTL: f" {seconds} "}, Limits()).ttl_seconds == seconds


@pytest.mark.parametrize(
    ("value", "serves", "stores", "only", "age"),
    [
        pytest.param("", True, True, False, None, id="nothing"),
        pytest.param("no-cache", False, True, False, None, id="no-cache"),
        pytest.param("No-Store", True, False, False, None, id="no-store"),
        pytest.param("only-if-cached", True, True, True, None, id="only-if-cached"),
        pytest.param("max-age=0", True, True, False, 0, id="max-age=0"),
        pytest.param('max-age="60"', True, True, False, 60, id="max-age in quotes"),
        pytest.param("no-store , max-age = 5", True, False, False, 5, id="several"),
        pytest.param("no-transform, x=1", True, True, False, None, id="others"),
    ],
)
def test_directives(
    value: str, serves: bool, stores: bool, only: bool, age: int | None
) -> None:
    controls = read_controls({CACHE_CONTROL: value}, Limits())
    assert controls.may_serve is serves
    assert controls.may_store is stores
    assert controls.only_if_cached is only
    assert controls.max_age_seconds == age


@given(st.dictionaries(st.sampled_from([MODE, TTL, CACHE_CONTROL]), st.text()))
def test_a_strange_header_is_ours_to_refuse(headers: dict[str, str]) -> None:
    with contextlib.suppress(InvalidRequestError):
        assert read_controls(headers, Limits(mode=Mode.EXACT)).mode is not Mode.VERIFIED
