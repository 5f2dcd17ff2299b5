"""Waiting for the upstream is not our overhead."""

from stepcache_proxy.api.relay_figures import RelayFigures


def test_times_are_split_between_us_and_the_upstream() -> None:
    # started 0; waits at 1; first piece at 4, waits at 5; second at 7, waits at 7.5;
    # over at 8.
    ticks = iter([1.0, 4.0, 5.0, 7.0, 7.5, 8.0])
    figures = RelayFigures(lambda: next(ticks), 0.0, "other", "endpoint")
    figures.waits()
    figures.begins(200, is_stream=True)
    figures.sends()
    figures.waits()
    figures.sends()
    figures.waits()
    answered = figures.answered()
    assert answered.total_seconds == 8.0
    assert answered.overhead_seconds == 8.0 - (3.0 + 2.0 + 0.5)
    assert answered.ttft_seconds == 4.0
    assert (answered.status, answered.is_stream) == (200, True)


def test_a_request_that_got_nothing_has_no_first_token() -> None:
    ticks = iter([2.0])
    figures = RelayFigures(lambda: next(ticks), 1.0, "chat", "sampled")
    answered = figures.answered()
    assert answered.ttft_seconds is None
    assert answered.overhead_seconds == answered.total_seconds == 1.0
