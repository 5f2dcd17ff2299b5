"""Structured output: are requests with other arguments kept apart?

For every row: an answer with its arguments is stored; then the same request is asked
with one argument changed in its words, to which the stored answer is wrong. Rows of
one schema are asked against each other, too: what is served must be accepted there.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import orjson

from stepcache_proxy.bench.evaluate.figures import Counts, Report
from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import OfflineProxy, Told
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.bench.evaluate.schemas import demanding
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object

_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_NEW_WORD = "Quillfeather"


async def share_calls(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    """Changed arguments against each row, then rows of one schema against another."""
    valid = 0
    for row in rows:
        proxy = machine.proxy()
        valid += await _learn(proxy, row)
        for category, text in _variants(row):
            told = await proxy.tell(demanding(row.fields["schema"], text), "{}")
            _count(to, category, row.half, told, is_wrong=_is_from_cache(told))
        to.check_seconds += proxy.check_seconds()
    to.extra["example_arguments_accepted"] = valid
    for alike in _alike(rows):
        await _share_among(machine, alike, to)


async def _learn(proxy: OfflineProxy, row: Row) -> bool:
    """Whether the row's own arguments are an answer that its task accepts."""
    body = demanding(row.fields["schema"], _asked(row))
    await proxy.learn(body, _arguments(row))
    told = await proxy.tell(body, "{}")
    proxy.events.clear()
    return told.outcome is Outcome.EXACT


async def _share_among(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    for row in rows:
        proxy = machine.proxy()
        await _learn(proxy, row)
        for other in rows:
            if _asked(other) == _asked(row):
                continue
            body = demanding(other.fields["schema"], _asked(other))
            told = await proxy.tell(body, "{}")
            is_wrong = _is_from_cache(told) and not _fits(told.text, other)
            _count(to, "same schema", other.half, told, is_wrong=is_wrong)


def _count(to: Report, category: str, half: str, told: Told, *, is_wrong: bool) -> None:
    counts = Counts(
        requests=1,
        served=told.is_served,
        wrong=is_wrong,
        traps=1,
        traps_served=is_wrong,
        patched=told.outcome is Outcome.PATCH,
        skipped=told.outcome is Outcome.SKIP,
    )
    to.count([category], half, counts)
    to.reasons[f"{told.outcome}: {told.reason}"] += 1


def _variants(row: Row) -> list[tuple[str, str]]:
    """The request with one of its arguments changed where its words name it."""
    text, found = _asked(row), list[tuple[str, str]]()
    number = _NUMBER.search(text)
    if number is not None:
        other = str(int(float(number[0])) + 7)
        changed = text[: number.start()] + other + text[number.end() :]
        found.append(("number changed", changed))
    for value in _given(row).values():
        if isinstance(value, str) and len(value) > 2 and value in text:
            found.append(("word changed", text.replace(value, _NEW_WORD)))
            break
    return found


def _is_from_cache(told: Told) -> bool:
    return told.is_served or told.outcome is Outcome.PATCH


def _fits(answer: str, row: Row) -> bool:
    """Whether an answer holds arguments that are accepted for the row."""
    accepted, given = row.fields.get("accepted"), read_object(answer.encode())
    if not isinstance(accepted, Mapping) or given is None:
        return False
    return all(
        isinstance(values, list)
        and (given[name] in values if name in given else "" in values)
        for name, values in accepted.items()
    )


def _alike(rows: Sequence[Row]) -> list[list[Row]]:
    groups: defaultdict[bytes, list[Row]] = defaultdict(list)
    for row in rows:
        schema = orjson.dumps(row.fields["schema"], option=orjson.OPT_SORT_KEYS)
        groups[schema].append(row)
    return [group for group in groups.values() if len(group) > 1]


def _asked(row: Row) -> str:
    messages = row.fields.get("messages")
    last: Json = messages[-1] if isinstance(messages, list) and messages else None
    said = last.get("content") if isinstance(last, Mapping) else None
    return said if isinstance(said, str) else ""


def _given(row: Row) -> JsonObject:
    value = row.fields.get("example_arguments")
    return value if isinstance(value, Mapping) else {}


def _arguments(row: Row) -> str:
    return orjson.dumps(_given(row)).decode()
