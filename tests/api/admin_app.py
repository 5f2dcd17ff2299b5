"""The admin endpoints over a cache of two records in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import httpx
from fastapi import FastAPI

from stepcache_proxy.api.admin import admin_router
from stepcache_proxy.api.admin_seams import AdminSeams, Header, Purge, Purged
from stepcache_proxy.errors import InvalidRequestError, StoreUnavailableError
from stepcache_proxy.reuse.model import (
    Accept,
    Answer,
    PartitionKey,
    Provenance,
    QuestionKey,
    Record,
    RecordId,
    TaskName,
    TemplateKey,
    Verdict,
)
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

TOKEN = "opensésame"
NOW = 1_800_000_000.0

RECORD = Record(
    id=RecordId("9f3a"),
    partition=PartitionKey("partition"),
    template=TemplateKey("template"),
    question=QuestionKey("question"),
    parameters={},
    endpoint="chat",
    model="small",
    namespace="tests",
    text="Solve 2x + 7 = 21. <img src=x>",
    format={},
    answer=Answer("Subtract 7.\nx = 7.", "stop", "small", {"completion_tokens": 9}),
    steps=("Subtract 7.\n", "x = 7."),
    task=TaskName("linear_equation"),
    is_proved=True,
    is_exact_only=False,
    provenance=Provenance.DERIVED,
    created=NOW - 100,
    ttl_seconds=3600,
)


@dataclass(slots=True)
class Cache:
    """Records in a dict; ``explained`` is what ``explain`` was asked."""

    records: dict[str, Record] = field(
        default_factory=lambda: {
            r.id: r
            for r in (RECORD, replace(RECORD, id=RecordId("b0b0"), model="large"))
        }
    )
    explained: list[tuple[JsonObject, Sequence[Header]]] = field(default_factory=list)
    is_down: bool = False

    async def find(self, record: RecordId) -> Record | None:
        """The record."""
        if self.is_down:
            message = "the store does not answer"
            raise StoreUnavailableError(message)
        return self.records.get(record)

    async def verdicts(self, record: Record) -> Sequence[Verdict]:
        """The first step is right, the others were not looked at."""
        return [Accept()]

    async def purge(self, purge: Purge) -> Purged:
        """Remove what fits."""
        gone = [r.id for r in self.records.values() if purge.matches(r)]
        for record in [] if purge.is_dry_run else gone:
            del self.records[record]
        return Purged(len(gone), 0 if purge.is_dry_run else len(gone))

    async def quarantine(self, record: RecordId) -> bool:
        """Whether it was there."""
        return self.records.pop(record, None) is not None

    async def explain(self, body: JsonObject, headers: Sequence[Header]) -> JsonObject:
        """Notes what it was asked."""
        if body.get("model") == "malformed":
            message = "x-stepcache-ttl must be whole seconds."
            raise InvalidRequestError(message, param="x-stepcache-ttl")
        self.explained.append((body, headers))
        return {"decision": "miss", "reason": "no-candidate", "candidates": []}

    def statistics(self) -> dict[str, Json]:
        """Next to nothing."""
        return {"workers": 1}


def client(
    cache: Cache, *, token: str | None = None, sender: str = "127.0.0.1"
) -> httpx.AsyncClient:
    """A client at ``sender`` of an app that would pass all else to the upstream."""
    seams = AdminSeams(
        find_record=cache.find,
        verdicts=cache.verdicts,
        purge=cache.purge,
        quarantine=cache.quarantine,
        explain=cache.explain,
        statistics=cache.statistics,
        clock=lambda: NOW,
        token=token,
        max_body_bytes=10_000,
    )
    app = FastAPI()
    app.include_router(admin_router(seams))

    @app.api_route("/{path:path}", methods=["GET", "POST", "PUT", "DELETE"])
    async def upstream(path: str) -> str:
        return "the upstream was called"

    transport = httpx.ASGITransport(app=app, client=(sender, 50000))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000")
