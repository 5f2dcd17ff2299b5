"""A request is told once, with the times and tokens known when it ended."""

from stepcache_proxy.api.tally import Spent, Tally
from stepcache_proxy.reuse.ask import Served, StepCounts
from stepcache_proxy.reuse.events import Answered, RequestStarted
from stepcache_proxy.reuse.model import Outcome, TaskName
from tests.adapters.samples import Clock
from tests.fakes import Recording, answer


def test_a_request_that_breaks_off_is_told_with_what_was_known() -> None:
    recording, clock = Recording(), Clock(10.0)
    tally = Tally(recording, clock, "chat", is_stream=True)
    assert recording.events == [RequestStarted()]
    clock.now = 12.5
    tally.close()
    assert recording.events[1:] == [
        Answered(
            endpoint="chat",
            outcome=Outcome.MISS,
            reason="upstream-error",
            is_stream=True,
            status=499,
            total_seconds=2.5,
            overhead_seconds=2.5,
            ttft_seconds=None,
        )
    ]


def test_the_first_byte_counts_and_the_upstreams_time_is_no_overhead() -> None:
    recording, clock = Recording(), Clock(10.0)
    tally = Tally(recording, clock, "completions", is_stream=False)
    for clock.now in (11.0, 12.0):
        tally.touch()
    tally.upstream_seconds = 1.5
    tally.outcome, tally.reason, tally.status = Outcome.PATCH, "step:2", 200
    tally.spent = Spent(prompt=1, generated=2, reused=3, saved=4)
    tally.record = "r"
    tally.served = Served(
        Outcome.PATCH,
        "step:2",
        answer("a"),
        steps=StepCounts(kept=1, patched=1),
        task=TaskName("linear_equation"),
    )
    tally.close()
    told = recording.events[-1]
    assert isinstance(told, Answered)
    assert (told.total_seconds, told.overhead_seconds) == (2.0, 0.5)
    assert told.ttft_seconds == 1.0
    assert (told.prompt_tokens, told.generated_tokens) == (1, 2)
    assert (told.reused_tokens, told.saved_tokens) == (3, 4)
    assert (told.record, told.task, told.steps) == ("r", "linear_equation", (1, 0, 1))


def test_more_upstream_time_than_time_is_no_negative_overhead() -> None:
    recording = Recording()
    tally = Tally(recording, lambda: 1.0, "chat", is_stream=False)
    tally.upstream_seconds = 9.0
    tally.close()
    told = recording.events[-1]
    assert isinstance(told, Answered)
    assert told.overhead_seconds == 0.0
