"""Events to count, made short."""

from typing import Literal

from stepcache_proxy.reuse.events import Answered, Event, SeamState
from stepcache_proxy.reuse.model import Outcome


def answered(
    outcome: Outcome = Outcome.EXACT,
    *,
    reason: str = "verified",
    seconds: float = 0.004,
    endpoint: Literal["chat", "completions", "other"] = "chat",
    is_stream: bool = False,
    ttft_seconds: float | None = 0.002,
) -> Answered:
    """A request that has ended."""
    return Answered(
        endpoint=endpoint,
        outcome=outcome,
        reason=reason,
        is_stream=is_stream,
        status=200,
        total_seconds=seconds,
        overhead_seconds=seconds / 2,
        ttft_seconds=ttft_seconds,
        prompt_tokens=7,
        generated_tokens=11,
        reused_tokens=13,
        saved_tokens=17,
        record="9f3a",
        task="linear_equation",
        steps=(3, 1, 0),
    )


def degraded(*, is_degraded: bool = True, detail: str = "") -> Event:
    """The embedder stopped, or came back."""
    return SeamState("embedder", is_degraded=is_degraded, detail=detail)
