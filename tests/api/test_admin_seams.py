"""Ready means that the upstream can be reached; all else can be done without."""

import pytest

from stepcache_proxy.api.admin_seams import Readiness
from stepcache_proxy.reuse.events import Seam


@pytest.mark.parametrize("seam", ["store", "index", "embedder", "upstream"])
def test_a_part_that_is_out_of_use_is_degraded(seam: Seam) -> None:
    states: dict[Seam, str] = dict.fromkeys(
        ("store", "index", "embedder", "upstream"), "ok"
    )
    assert Readiness(states).degraded == []
    readiness = Readiness({**states, seam: "too slow"})
    assert readiness.degraded == [seam]
    assert readiness.is_ready == (seam != "upstream")


def test_an_upstream_nobody_has_asked_is_not_ready() -> None:
    assert not Readiness({}).is_ready
