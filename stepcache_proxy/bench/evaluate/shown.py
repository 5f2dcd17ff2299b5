"""Reports -> what a person reads on the terminal."""

from collections.abc import Iterator, Sequence

from stepcache_proxy.adapters.snapshot import wilson
from stepcache_proxy.bench.evaluate.figures import Counts, Report, milliseconds
from stepcache_proxy.bench.table import table
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_MOST_REASONS = 12
_HEAD = (
    "",
    "requests",
    "served",
    "patched",
    "skipped",
    "wrong",
    "traps",
    "served wrong",
    "may share",
    "served right",
)


def shown(reports: Sequence[Report]) -> str:
    """One section a file: figures by category, rates, what only its kind has."""
    return "\n".join("".join(_section(report)) for report in reports)


def _section(report: Report) -> Iterator[str]:
    yield f"{report.file}: {report.rows} rows ({report.labels})\n"
    if report.is_served:
        yield table(_HEAD, list(_rows(report)), texts=1)
        yield from _rates(report.counts)
    yield f"check: {_facts(milliseconds(report.check_seconds))} ms\n"
    if report.steps is not None:
        yield f"steps: {_facts(report.steps.as_json())}\n"
    if report.schema is not None:
        yield f"schema: {_facts(report.schema.as_json())}\n"
    for name, value in report.extra.items():
        yield from _extra(name, value)
    yield "reasons:\n"
    for reason, count in report.reasons.most_common(_MOST_REASONS):
        yield f"  {count:>6}  {reason}\n"


def _rows(report: Report) -> Iterator[tuple[str, ...]]:
    yield _row("all", report.counts)
    for key in sorted(report.by_half):
        yield _row(f"half {key}", report.by_half[key])
    for key in sorted(report.by_category):
        yield _row(key, report.by_category[key])


def _row(name: str, counts: Counts) -> tuple[str, ...]:
    return (
        name,
        str(counts.requests),
        str(counts.served),
        str(counts.patched),
        str(counts.skipped),
        str(counts.wrong),
        str(counts.traps),
        str(counts.traps_served),
        str(counts.may_share),
        str(counts.may_share_served),
    )


def _rates(counts: Counts) -> Iterator[str]:
    answered = counts.served + counts.patched
    for name, part, whole in (
        ("served or patched right", answered - counts.wrong, counts.requests),
        ("wrong / requests", counts.wrong, counts.requests),
        ("wrong / traps", counts.traps_served, counts.traps),
        ("wrong / served", counts.wrong, answered),
        ("may-share served", counts.may_share_served, counts.may_share),
    ):
        interval = wilson(part, whole)
        if interval is not None:
            low, high = interval
            yield (
                f"{name}: {part} of {whole} = {part / whole:.2%}"
                f" (95 % interval {low:.2%} to {high:.2%})\n"
            )


def _extra(name: str, value: Json) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{name}: {_fact(value)}\n"
        return
    if all(not isinstance(item, dict) for item in value.values()):
        yield f"{name}: {_facts(value)}\n"
        return
    yield f"{name}:\n"
    for key, item in value.items():
        said = _facts(item) if isinstance(item, dict) else _fact(item)
        yield f"  {key}: {said}\n"


def _facts(values: JsonObject) -> str:
    return ", ".join(f"{name} {_fact(value)}" for name, value in values.items())


def _fact(value: Json) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return f"({_facts(value)})"
    return "-" if value is None else str(value)
