"""The demo's result as tables for people and as JSON for programs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stepcache_proxy.bench.client import Reply
from stepcache_proxy.bench.table import duration, table
from stepcache_proxy.bench.workload import Ask
from stepcache_proxy.wire.jsonvalue import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Arm:
    """The replies of one way to the model; ``tokens`` is the model server's count."""

    replies: tuple[Reply, ...]
    tokens: int


def _is_right(ask: Ask, reply: Reply) -> bool | None:
    return None if ask.check is None else ask.check(reply.text)


def any_wrong(asks: Sequence[Ask], arm: Arm) -> bool:
    """Whether an answer that can be judged is wrong."""
    pairs = zip(asks, arm.replies, strict=True)
    return any(_is_right(*pair) is False for pair in pairs)


def report(asks: Sequence[Ask], direct: Arm, proxied: Arm) -> str:
    """The table of requests through the proxy, and the totals of both ways."""
    head = ("request", "outcome", "reason", "latency", "generated", "reused", "correct")
    rows = [
        (
            ask.name,
            reply.outcome,
            reply.reason,
            duration(reply.latency_s),
            str(reply.tokens_generated),
            str(reply.tokens_reused),
            {True: "yes", False: "NO", None: "-"}[_is_right(ask, reply)],
        )
        for ask, reply in zip(asks, proxied.replies, strict=True)
    ]
    arms = {"straight to the model": direct, "through the proxy": proxied}
    return (
        table(head, rows, texts=3)
        + "\n"
        + table(
            ("total", "latency", "tokens generated", "right answers"),
            [(name, *_total_cells(asks, arm)) for name, arm in arms.items()],
            texts=1,
        )
        + "\nOutcomes: "
        + ", ".join(f"{n} {name}" for name, n in _outcomes(proxied).items())
        + ".\nTokens are the model server's own count in the totals; 'correct' is"
        " checked here, without\nthe proxy: '-' is a question without one right"
        " answer.\n"
    )


def _outcomes(arm: Arm) -> dict[str, int]:
    return dict(Counter(reply.outcome for reply in arm.replies).most_common())


def _total_cells(asks: Sequence[Ask], arm: Arm) -> tuple[str, str, str]:
    totals = _totals(asks, arm)
    right = f"{totals['correct']} of {totals['checked']}"
    seconds = sum(reply.latency_s for reply in arm.replies)
    return duration(seconds), str(arm.tokens), right


def _totals(asks: Sequence[Ask], arm: Arm) -> JsonObject:
    judged = [_is_right(*pair) for pair in zip(asks, arm.replies, strict=True)]
    return {
        "latency_s": round(sum(reply.latency_s for reply in arm.replies), 4),
        "tokens_generated": arm.tokens,
        "correct": judged.count(True),
        "checked": len(judged) - judged.count(None),
    }


def as_json(asks: Sequence[Ask], direct: Arm, proxied: Arm) -> JsonObject:
    """The same result for programs: ``requests`` through the proxy, and totals."""
    requests: list[Json] = [
        {
            "name": ask.name,
            "outcome": reply.outcome,
            "reason": reply.reason,
            "latency_s": round(reply.latency_s, 4),
            "tokens_generated": reply.tokens_generated,
            "tokens_reused": reply.tokens_reused,
            "correct": _is_right(ask, reply),
        }
        for ask, reply in zip(asks, proxied.replies, strict=True)
    ]
    totals: JsonObject = {
        "direct": _totals(asks, direct),
        "proxy": {**_totals(asks, proxied), "outcomes": _outcomes(proxied)},
    }
    return {"requests": requests, "totals": totals}
