"""Steps with human labels: what does the arithmetic check make of them?"""

import time
from collections.abc import Sequence

from stepcache_proxy.bench.evaluate.figures import Counts, Report, StepCounts
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.arithmetic import check_equalities


def judge_steps(rows: Sequence[Row], to: Report) -> None:
    """Every labelled step on its own; steps after the first wrong one have no label."""
    found = StepCounts()
    to.steps = found
    for row in rows:
        for text, label in zip(
            row.texts("steps"), row.integers("step_labels"), strict=False
        ):
            if label is None:
                continue
            started = time.perf_counter()
            verdict = check_equalities(text)
            to.check_seconds.append(time.perf_counter() - started)
            _count(found, verdict, is_right=label == 1)
            to.count([row.category("subset")], row.half, Counts(requests=1))
            to.reasons[_reason(verdict, is_right=label == 1)] += 1


def _count(found: StepCounts, verdict: Verdict, *, is_right: bool) -> None:
    found.right += is_right
    found.wrong += not is_right
    match verdict:
        case Accept():
            pass
        case Reject():
            found.false_rejects += is_right
            found.caught += not is_right
        case Unknown():
            found.unknown += 1


def _reason(verdict: Verdict, *, is_right: bool) -> str:
    label = "right" if is_right else "wrong"
    return f"{label}: {type(verdict).__name__.lower()}"
