"""The share, the interval and the quantiles shown are those of the textbook."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.figures import Families, Sizes
from stepcache_proxy.adapters.snapshot import Shown, quantiles_of, snapshot, wilson
from stepcache_proxy.wire.jsonvalue import Json


def shown(rows: Families) -> dict[str, Json]:
    return snapshot(Shown(rows, {}, [], {}, Sizes(), since=0.0, now=60.0, workers=1))


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(3, 100) or (0.0, 0.0)
    assert low == pytest.approx(0.010254, abs=1e-6)
    assert high == pytest.approx(0.084520, abs=1e-6)


def test_nothing_wrong_in_few_checks_says_little() -> None:
    low, high = wilson(0, 10) or (1.0, 0.0)
    assert low == 0
    assert high == pytest.approx(0.277533, abs=1e-6)


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_the_interval_holds_the_share(hits: int, more: int) -> None:
    total = hits + more
    low, high = wilson(hits, total) or (1.0, 0.0)
    assert 0 <= low <= hits / total <= high <= 1


def test_without_an_observation_there_is_no_interval() -> None:
    assert wilson(0, 0) is None


def test_the_share_is_of_requests_that_a_model_would_have_answered() -> None:
    rows = {
        "requests": {
            "chat,exact": [3.0],
            "completions,reuse": [1.0],
            "chat,coalesced": [1.0],
            "chat,miss": [5.0],
            "other,bypass": [90.0],
        }
    }
    requests = shown(rows)["requests"]
    assert isinstance(requests, dict)
    assert requests["total"] == 100
    assert requests["model_requests"] == 10
    assert requests["share_without_model"] == 0.5


def test_before_the_first_request_every_part_is_there() -> None:
    empty = shown({})
    requests, latency = empty["requests"], empty["latency"]
    assert isinstance(requests, dict)
    assert isinstance(latency, dict)
    assert requests["share_without_model"] == 0
    assert latency["from_cache"] == {"count": 0, "p50": None, "p95": None, "p99": None}
    minutes = empty["minutes"]
    assert isinstance(minutes, list)
    assert len(minutes) == 60


def test_an_outcome_without_a_sample_has_no_quantiles() -> None:
    found = quantiles_of({"total,exact": Counter({0: 4}), "ttft,miss": Counter({0: 1})})
    assert set(found) == {"exact"}
    assert found["exact"][0.95] == pytest.approx(1.0, rel=0.01)
