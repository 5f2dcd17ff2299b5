"""One request's account: times and tokens, recorded once when it ends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stepcache_proxy.reuse.ask import Served
from stepcache_proxy.reuse.events import Answered, RequestStarted
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.protocols import Recorder

Endpoint = Literal["chat", "completions", "other"]


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of one request as ``Answered`` counts them."""

    prompt: int = 0
    generated: int = 0
    reused: int = 0
    saved: int = 0


class Tally:
    """Counts from the moment it is made; ``close`` may be called once.

    Set what is known as it becomes known; a request that breaks off is recorded
    with what was set by then.
    """

    def __init__(
        self,
        recorder: Recorder,
        clock: Callable[[], float],
        endpoint: Endpoint,
        *,
        is_stream: bool,
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._started = clock()
        self._endpoint: Endpoint = endpoint
        self._is_stream = is_stream
        self._first_byte: float | None = None
        self._ended: float | None = None
        self.outcome = Outcome.MISS
        self.reason = "upstream-error"
        self.status = 499
        self.upstream_seconds = 0.0
        self.spent = Spent()
        self.record: str | None = None
        self.own: str | None = None
        self.served: Served | None = None
        recorder.record(RequestStarted())

    def touch(self) -> None:
        """The first byte of the body goes out now."""
        if self._first_byte is None:
            self._first_byte = self._clock()

    def end(self) -> None:
        """The answer is written, or broken off: from here on no time counts."""
        self._ended = self._clock()

    def close(self) -> None:
        """Record the request."""
        ended = self._clock() if self._ended is None else self._ended
        total = ended - self._started
        first = self._first_byte
        served = self.served
        steps = served.steps if served else None
        self._recorder.record(
            Answered(
                endpoint=self._endpoint,
                outcome=self.outcome,
                reason=self.reason,
                is_stream=self._is_stream,
                status=self.status,
                total_seconds=total,
                overhead_seconds=max(0.0, total - self.upstream_seconds),
                ttft_seconds=None if first is None else first - self._started,
                prompt_tokens=self.spent.prompt,
                generated_tokens=self.spent.generated,
                reused_tokens=self.spent.reused,
                saved_tokens=self.spent.saved,
                record=self.record,
                own=self.own,
                task=served.task if served else None,
                steps=(steps.kept, steps.derived, steps.patched) if steps else None,
            )
        )
