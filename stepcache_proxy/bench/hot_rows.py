"""Samples of the hot path -> rows, a table, and a comparison with the baseline."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from stepcache_proxy.bench.figures import quantile
from stepcache_proxy.bench.hot_client import Answer
from stepcache_proxy.bench.table import table
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_TOLERANCE = 0.75  # a ratio below so much of the baseline's is worth a look
_COLUMNS = (
    "median_ms",
    "p95_ms",
    "added_ms",
    "requests_per_s",
    "ratio_to_direct",
    "ratio_to_bare",
    "ratio_to_litellm",
)

_STREAMED = frozenset({"stream", "first_byte"})
_NOTE = """
stream: 200 events as fast as they can be written; times are to its first event, which
waits for the others that compete for the processors; requests/s are events.
first_byte: a stream at a model's pace, one connection; what the proxy adds to it.
"""

_Cell = tuple[str, str]


@dataclass(slots=True)
class Samples:
    """Latencies in seconds at one connection, and rates at many, by row and target."""

    seconds: dict[_Cell, list[float]] = field(
        default_factory=lambda: defaultdict(list[float])
    )
    rates: dict[_Cell, list[float]] = field(
        default_factory=lambda: defaultdict(list[float])
    )
    outcomes: dict[_Cell, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter[str])
    )

    def add(self, row: str, target: str, answers: Sequence[Answer]) -> None:
        """Answers that were asked for one by one; of a stream the first byte counts."""
        cell = row, target
        self.seconds[cell] += [
            answer.first_s if row in _STREAMED else answer.total_s for answer in answers
        ]
        self.outcomes[cell].update(answer.outcome for answer in answers)

    def add_rate(
        self, row: str, target: str, rate: float, answers: Sequence[Answer]
    ) -> None:
        """Requests a second over many connections; events a second for streams."""
        events = median(answer.events for answer in answers) if row == "stream" else 1
        self.rates[row, target].append(rate * events)
        self.outcomes[row, target].update(answer.outcome for answer in answers)


def rows_of(samples: Samples) -> JsonObject:
    """The contract's rows. Milliseconds; ``requests_per_s`` of ``stream`` are events.

    ``ratio_to_direct`` divides medians (how many times as long), ``ratio_to_bare``
    and ``ratio_to_litellm`` divide rates (how many times as many). Times of streamed
    rows are to the first byte of the body; ``first_byte`` has no rate, since its
    events are paced.
    """
    names = dict.fromkeys(row for row, _ in samples.seconds)
    return {row: _row(samples, row) for row in names}


def _row(samples: Samples, row: str) -> JsonObject:
    own = samples.seconds[row, "proxy"]
    rate = _rate(samples, row, "proxy")
    direct = median(samples.seconds[row, "direct"])
    return {
        "median_ms": round(median(own) * 1e3, 3),
        "p95_ms": round(quantile(own, 0.95) * 1e3, 3),
        "added_ms": round((median(own) - direct) * 1e3, 3),
        "requests_per_s": rate,
        "ratio_to_direct": round(median(own) / direct, 2),
        "ratio_to_bare": _over(rate, samples.rates.get((row, "bare"))),
        "ratio_to_litellm": _over(rate, samples.rates.get((row, "litellm"))),
        "outcomes": dict(samples.outcomes[row, "proxy"]),
        "others": {
            target: {
                "median_ms": round(median(samples.seconds[row, target]) * 1e3, 3),
                "requests_per_s": _rate(samples, row, target),
            }
            for kind, target in samples.seconds
            if kind == row and target != "proxy"
        },
    }


def _rate(samples: Samples, row: str, target: str) -> float | None:
    rates = samples.rates.get((row, target))
    return round(median(rates), 1) if rates else None


def _over(rate: float | None, others: Sequence[float] | None) -> float | None:
    return round(rate / median(others), 3) if rate is not None and others else None


def shown(result: JsonObject, baseline: Path) -> str:
    """The table, and what is slower than the baseline says."""
    rows = _rows(result)
    head = ("path", *_COLUMNS)
    lines = [
        (name, *(_cell(row.get(c)) for c in _COLUMNS)) for name, row in rows.items()
    ]
    text = table(head, lines, texts=1) + _NOTE
    streams = result.get("concurrent_streams")
    if streams:
        text += f"\nConcurrent streams: {json.dumps(streams)}\n"
    return text + "\n" + compared(rows, baseline)


def compared(rows: Mapping[str, JsonObject], baseline: Path) -> str:
    """One line for each ratio that has fallen well below the committed one."""
    if not baseline.exists():
        return f"No baseline at {baseline}.\n"
    committed = _rows(json.loads(baseline.read_text(encoding="utf-8")))
    said: list[str] = []
    for name, row in rows.items():
        now, before = (
            row.get("ratio_to_bare"),
            committed.get(name, {}).get("ratio_to_bare"),
        )
        if not isinstance(now, int | float) or not isinstance(before, int | float):
            continue
        if now < _TOLERANCE * before:
            said.append(
                f"{name}: ratio to bare {now} is below the baseline's {before}."
            )
    return "\n".join(said or ["No ratio is well below the baseline's."]) + "\n"


def _rows(result: JsonObject) -> Mapping[str, JsonObject]:
    rows = result.get("rows")
    found = rows if isinstance(rows, dict) else {}
    return {name: row for name, row in found.items() if isinstance(row, dict)}


def _cell(value: Json) -> str:
    return "–" if value is None else f"{value}"
