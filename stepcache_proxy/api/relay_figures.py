"""What is counted and timed about one relayed request."""

from dataclasses import dataclass
from typing import Literal

from stepcache_proxy.reuse.events import Answered
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.protocols import Clock


@dataclass(slots=True)
class RelayFigures:
    """Filled in as the request goes on; times are those of ``clock``, in seconds."""

    clock: Clock
    started: float
    endpoint: Literal["chat", "completions", "other"]
    reason: str
    outcome: Outcome = Outcome.BYPASS
    status: int = 500
    _is_stream: bool = False
    _first_byte: float | None = None
    _waiting_since: float | None = None
    _waited: float = 0.0

    def begins(self, status: int, *, is_stream: bool) -> None:
        """The head of the upstream's answer is there."""
        self.status = status
        self._is_stream = is_stream

    def waits(self) -> None:
        """From now on the upstream is waited for."""
        self._waiting_since = self.clock()

    def sends(self) -> None:
        """The wait is over, a piece goes to the client."""
        now = self.clock()
        if self._first_byte is None:
            self._first_byte = now
        self._count_wait(now)

    def answered(self) -> Answered:
        """The event that ends the request."""
        now = self.clock()
        self._count_wait(now)
        total = now - self.started
        first = self._first_byte
        return Answered(
            endpoint=self.endpoint,
            outcome=self.outcome,
            reason=self.reason,
            is_stream=self._is_stream,
            status=self.status,
            total_seconds=total,
            overhead_seconds=max(0.0, total - self._waited),
            ttft_seconds=None if first is None else first - self.started,
        )

    def _count_wait(self, now: float) -> None:
        if self._waiting_since is not None:
            self._waited += now - self._waiting_since
            self._waiting_since = None
