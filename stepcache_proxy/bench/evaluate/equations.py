"""Equations: is the answer right, and did it need the upstream?

The cache is warmed with ten worked answers of our own; the upstream then answers
every request wrong on purpose, so that only reuse and fallback can make it right.
"""

import re
from collections.abc import Sequence
from fractions import Fraction

from stepcache_proxy.bench.evaluate.figures import Counts, Report, ratio
from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import OfflineProxy, Told, question
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.bench.final_answer import final_answer, number_in
from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.lookup import bind
from stepcache_proxy.reuse.model import Outcome

WARM = (
    "Solve 3*x + 4 = 19 for x.",
    "Solve 7 = 2*y - 5 for y.",
    "Solve 5*a = 3*a + 8 for a.",
    "Solve -4*z + 6 = 2*z for z.",
    "Solve 10 - 3*b = 1 for b.",
    "Solve 0 = 6*k - 18 for k.",
    "Solve 2*m + 3 + 4 = 21 for m.",
    "Solve 8*n - 2*n = 30 for n.",
    "Solve -5*p + 49 = 2*p - 7 for p.",
    "Solve 9 + 12 = -7*q for q.",
)


async def solve(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    """One warm cache for all rows; nothing that is asked becomes a record."""
    proxy = machine.proxy()
    await _warm(machine, proxy)
    proxy.events.clear()
    tally: dict[str, dict[str, int]] = {}
    for row in rows:
        told = await proxy.tell(question(row.text("question")), _wrong_answer(row))
        is_right = _is_right(row, told)
        counts = Counts(
            requests=1,
            served=told.is_served,
            wrong=not is_right and _is_from_cache(told),
            patched=told.outcome is Outcome.PATCH,
            skipped=told.outcome is Outcome.SKIP,
        )
        for key in _keys(row):
            _add(tally.setdefault(key, {}), told, is_right=is_right)
        to.count(_keys(row), row.half, counts)
        to.reasons[f"{told.outcome}: {told.reason}"] += 1
    to.check_seconds += proxy.check_seconds()
    to.extra["equations"] = {key: _shares(tally[key]) for key in sorted(tally)}


async def _warm(machine: Machine, proxy: OfflineProxy) -> None:
    for text in WARM:
        request = canonicalise("chat", question(text), Scope("eval", "", ""))
        bound = bind(machine.tasks, request) if request else None
        worked = bound.verifier.fallback() if bound else None
        await proxy.learn(question(text), worked or "No task has worked this out.")


def _keys(row: Row) -> tuple[str, ...]:
    count = row.fields.get("equations")
    unknowns = len(count) if isinstance(count, list) else 0
    name = {1: "one unknown", 2: "two unknowns"}.get(unknowns, "more unknowns")
    return name, f"{name}, {row.category('level')}"


def _add(tally: dict[str, int], told: Told, *, is_right: bool) -> None:
    for name, holds in (
        ("requests", True),
        ("right", is_right),
        ("without_upstream", told.calls == 0),
        ("right_without_upstream", is_right and told.calls == 0),
        ("unchecked", not _is_from_cache(told)),
    ):
        tally[name] = tally.get(name, 0) + holds


def _shares(tally: dict[str, int]) -> dict[str, int | float | None]:
    return {**tally, "share": ratio(tally["right_without_upstream"], tally["requests"])}


def _is_from_cache(told: Told) -> bool:
    """Whether the cache, not the upstream, answers for what was told."""
    return told.is_served or told.outcome is Outcome.PATCH


def _is_right(row: Row, told: Told) -> bool:
    said = final_answer(told.text)
    wanted = Fraction(row.text("answer"))
    return said is not None and number_in(said) == wanted


def _wrong_answer(row: Row) -> str:
    """One more than the label says."""
    wrong = Fraction(row.text("answer")) + 1
    unknown = re.sub(r"[^A-Za-z]", "", row.text("unknown"))[:1] or "x"
    return f"Answer: {unknown} = {wrong}"
