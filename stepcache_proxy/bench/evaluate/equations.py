"""Equations: is the answer right, and did it need the upstream?

The cache is warmed with worked answers of our own, ten to equations and ten to
systems; the upstream then answers every request wrong on purpose, so that only reuse
and fallback can make it right.
``unchecked`` counts what no task understood: there the upstream's own wrong answer went
out, which is no fault of reuse and no right answer either.
"""

import re
from collections.abc import Sequence
from fractions import Fraction

from stepcache_proxy.bench.evaluate.figures import Counts, Report, ratio
from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import OfflineProxy, Told, question
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.bench.evaluate.system_answers import WARM_SYSTEMS
from stepcache_proxy.bench.final_answer import final_answer, number_in
from stepcache_proxy.reuse.model import Outcome

WARM = (
    (
        "Solve 3*x + 4 = 19 for x.",
        "1. Subtract 4 from both sides: 3x = 15\n"
        "2. Divide both sides by 3: x = 5\n\nAnswer: x = 5",
    ),
    (
        "Solve 7 = 2*y - 5 for y.",
        "Add 5 to both sides to get 12 = 2y.\n\nDivide both sides by 2 to get y = 6.",
    ),
    (
        "Solve 5*a = 3*a + 8 for a.",
        "Step 1: Subtract 3a from both sides.\n2a = 8\n\n"
        "Step 2: Divide both sides by 2.\na = 4",
    ),
    ("Solve -4*z + 6 = 2*z for z.", "-4z + 6 = 2z\n6 = 6z\nz = 1"),
    (
        "Solve 10 - 3*b = 1 for b.",
        "To solve 10 - 3b = 1, subtract 10 from both sides: -3b = -9."
        " Then divide both sides by -3: b = 3.",
    ),
    (
        "Solve 0 = 6*k - 18 for k.",
        "Add 18 to both sides:\n\\[18 = 6k\\]\nDivide both sides by 6:\n\\[k = 3\\]",
    ),
    (
        "Solve 2*m + 3 + 4 = 21 for m.",
        "Combine like terms: 2m + 7 = 21. Subtract 7 from both sides: 2m = 14."
        " Divide both sides by 2: m = 7.",
    ),
    ("Solve 8*n - 2*n = 30 for n.", "6n = 30\n\nn = 5"),
    (
        "Solve -5*p + 49 = 2*p - 7 for p.",
        "**Step 1:** Add 5p to both sides: 49 = 7p - 7\n"
        "**Step 2:** Add 7 to both sides: 56 = 7p\n**Step 3:** Divide by 7: p = 8",
    ),
    ("Solve 9 + 12 = -7*q for q.", "21 = -7q, so q = -3."),
)
"""Ten equations of different shapes with right answers in ordinary styles."""


async def solve(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    """One warm cache for all rows; nothing that is asked becomes a record."""
    proxy = machine.proxy()
    to.extra["warm_records_kept_as_written"] = await _warm(proxy)
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


async def _warm(proxy: OfflineProxy) -> int:
    """Fill the cache; how many answers were kept as they were written.

    The task mends or passes over one that it cannot read, as it would when serving.
    """
    kept = 0
    for text, answer in (*WARM, *WARM_SYSTEMS):
        await proxy.learn(question(text), answer)
        told = await proxy.tell(question(text), "")
        kept += told.outcome is Outcome.EXACT and told.text == answer
    return kept


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
