"""Schemas and values: does the JSON check agree with the label?"""

import time
from collections.abc import Sequence

import orjson

from stepcache_proxy.bench.evaluate.figures import Counts, Report, SchemaCounts
from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import body_of
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.reuse.ask import Bound
from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.lookup import bind
from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_SCOPE = Scope(tenant="eval", upstream="", namespace="")
_UNBOUND = Unknown("no task understands the schema")


def judge_values(machine: Machine, rows: Sequence[Row], to: Report) -> None:
    """Each value as an answer to a request with its schema; compiling timed apart."""
    found = SchemaCounts()
    to.schema = found
    for row in rows:
        started = time.perf_counter()
        bound = _bound(machine, row)
        found.compile_seconds.append(time.perf_counter() - started)
        text = orjson.dumps(row.fields.get("instance")).decode()
        started = time.perf_counter()
        verdict = bound.verifier.check_answer(text) if bound else _UNBOUND
        to.check_seconds.append(time.perf_counter() - started)
        _count(found, verdict, is_valid=row.flag("valid"))
        to.count([row.category("subset")], row.half, Counts(requests=1))
        to.reasons[_reason(verdict, is_valid=row.flag("valid"))] += 1


def _bound(machine: Machine, row: Row) -> Bound | None:
    schema = row.fields.get("schema")
    request = canonicalise("chat", demanding(schema), _SCOPE)
    return bind(machine.tasks, request) if request else None


def demanding(schema: Json, text: str = "Give me the JSON.") -> JsonObject:
    """A request whose answer has to fit ``schema``."""
    wanted: JsonObject = {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema},
    }
    return body_of([{"role": "user", "content": text}], response_format=wanted)


def _count(found: SchemaCounts, verdict: Verdict, *, is_valid: bool) -> None:
    found.rows += 1
    match verdict:
        case Accept():
            found.agree += is_valid
            found.false_accepts += not is_valid
        case Reject():
            found.agree += not is_valid
            found.false_rejects += is_valid
        case Unknown():
            found.unknown += 1


def _reason(verdict: Verdict, *, is_valid: bool) -> str:
    label = "valid" if is_valid else "invalid"
    match verdict:
        case Accept():
            return f"{label}: accept"
        case Reject():
            return f"{label}: reject"
        case Unknown(reason):
            return f"{label}: unknown ({reason})"
