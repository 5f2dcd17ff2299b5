"""May the answer to one request be served to another? Conversations, word problems."""

from collections.abc import Sequence

from stepcache_proxy.bench.evaluate.figures import Counts, Report
from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import Told, body_of, question
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.bench.final_answer import final_answer, is_same_answer
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire.jsonvalue import JsonObject

_FRESH = "This was answered afresh."


async def share_messages(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    """Each pair in a cache of its own: is the first's answer served to the second?"""
    for row in rows:
        proxy = machine.proxy()
        cached = f"The answer to {row.category('id')} as it was cached."
        await proxy.learn(body_of(_messages(row, "cached")), cached)
        proxy.events.clear()
        told = await proxy.tell(body_of(_messages(row, "new")), _FRESH)
        is_wrong = told.text == cached and not row.flag("may_share")
        _count(to, row, told, is_wrong=is_wrong)
        to.check_seconds += proxy.check_seconds()


async def share_problems(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    """Each pair in a cache of its own; what is served must have the new answer."""
    for row in rows:
        proxy = machine.proxy()
        cached = _worked(row, "cached")
        await proxy.learn(question(row.text("cached_prompt")), cached)
        proxy.events.clear()
        told = await proxy.tell(question(row.text("new_prompt")), _worked(row, "new"))
        _count(to, row, told, is_wrong=_is_wrong(row, told, cached))
        to.check_seconds += proxy.check_seconds()


def _is_wrong(row: Row, told: Told, cached: str) -> bool:
    """Whether the cache gave an answer that the labels refute."""
    if not told.is_served and told.outcome is not Outcome.PATCH:
        return False
    if told.text == cached:
        return not row.flag("may_share")
    is_right = is_same_answer(final_answer(told.text), row.category("new_answer"))
    return not (row.flag("answerable") and is_right)


def _count(to: Report, row: Row, told: Told, *, is_wrong: bool) -> None:
    may_share, served = row.flag("may_share"), told.is_served
    is_patched = told.outcome is Outcome.PATCH
    counts = Counts(
        requests=1,
        served=served,
        wrong=is_wrong,
        traps=not may_share,
        traps_served=is_wrong and not may_share,
        may_share=may_share,
        may_share_served=served and may_share and not is_wrong,
        patched=is_patched,
        skipped=told.outcome is Outcome.SKIP,
    )
    to.count(_categories(row), row.half, counts)
    to.reasons[f"{told.outcome}: {told.reason}"] += 1


def _categories(row: Row) -> list[str]:
    category, kind = row.category("category"), row.category("kind")
    return [category] if kind == "-" else [f"{kind}s", f"{kind}: {category}"]


def _messages(row: Row, name: str) -> list[JsonObject]:
    value = row.fields.get(name)
    messages = value if isinstance(value, list) else []
    return [message for message in messages if isinstance(message, dict)]


def _worked(row: Row, which: str) -> str:
    steps = "\n".join(row.texts(f"{which}_steps"))
    return f"{steps}\n#### {row.category(f'{which}_answer')}"
