"""Quantiles over the sliding window are within two percent of the exact ones."""

from collections.abc import Sequence
from math import ceil, inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.window import (
    WINDOW_SECONDS,
    SlidingWindow,
    Summary,
    summary,
)

QUANTILES = (0.5, 0.95, 0.99)


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def read(window: SlidingWindow, series: str = "total,exact") -> Summary:
    return summary(window.merge(window.export()).get(series, {}), QUANTILES)


@given(st.lists(st.floats(1e-5, 1e4), min_size=1, max_size=300))
def test_a_quantile_is_within_two_percent_of_the_exact_one(
    samples: Sequence[float],
) -> None:
    window = SlidingWindow(Hands())
    for seconds in samples:
        window.add("total,exact", seconds)
    found = read(window)
    assert found.count == len(samples)
    for quantile, value in zip(QUANTILES, found.quantiles, strict=True):
        exact = sorted(samples)[ceil(quantile * len(samples)) - 1]
        assert value == pytest.approx(exact, rel=0.02)


@given(st.lists(st.floats(1e-5, 1e4), min_size=2, max_size=50), st.data())
def test_windows_of_several_workers_read_as_one(
    samples: Sequence[float], data: st.DataObject
) -> None:
    clock = Hands()
    whole, parts = SlidingWindow(clock), [SlidingWindow(clock), SlidingWindow(clock)]
    for seconds in samples:
        whole.add("total,exact", seconds)
        data.draw(st.sampled_from(parts)).add("total,exact", seconds)
    rows: dict[str, list[float]] = {}
    for part in parts:
        for key, (count,) in part.export().items():
            rows[key] = [rows.get(key, [0.0])[0] + count]
    assert summary(whole.merge(rows)["total,exact"], QUANTILES) == read(whole)


def test_samples_that_are_too_old_are_forgotten() -> None:
    clock = Hands()
    window = SlidingWindow(clock)
    window.add("total,exact", 1.0)
    clock.now += WINDOW_SECONDS / 2
    window.add("total,exact", 2.0)
    assert read(window).count == 2
    clock.now += WINDOW_SECONDS / 2
    assert read(window).count == 1
    clock.now += WINDOW_SECONDS
    assert read(window).count == 0


def test_the_window_does_not_grow_for_ever() -> None:
    clock = Hands()
    window = SlidingWindow(clock)
    for _ in range(1000):
        window.add("total,exact", 1.0)
        clock.now += 60
    assert len(window.export()) <= 10


@pytest.mark.parametrize("seconds", [0.0, -1.0, nan, inf, 1e300])
def test_a_duration_that_cannot_be_is_counted_at_a_bound(seconds: float) -> None:
    window = SlidingWindow(Hands())
    window.add("total,exact", seconds)
    assert read(window).count == 1


def test_an_empty_window_has_no_samples() -> None:
    assert summary({}, QUANTILES).count == 0
