"""Parts -> one ASGI application: cached endpoints, own paths, everything else."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from stepcache_proxy.adapters.epochs import changes_answers
from stepcache_proxy.adapters.turns import StoreTurns
from stepcache_proxy.adapters.upkeep import Selection
from stepcache_proxy.api.admin import admin_router
from stepcache_proxy.api.admin_seams import (
    AdminSeams,
    HealthSeams,
    Purge,
    Purged,
    Readiness,
)
from stepcache_proxy.api.cached import CachedEndpoint, Kind, Policy
from stepcache_proxy.api.cors import Cors
from stepcache_proxy.api.dated import Dated
from stepcache_proxy.api.flights import Flights
from stepcache_proxy.api.health import health_router
from stepcache_proxy.api.inbound import read_headers
from stepcache_proxy.api.invalidating import Invalidating
from stepcache_proxy.api.lead import Leader
from stepcache_proxy.api.passthrough import PassThrough
from stepcache_proxy.api.strict import StrictControls
from stepcache_proxy.api.tenancy import Credentials, TenantSource
from stepcache_proxy.api.turns import Queue
from stepcache_proxy.api.websocket import WebSocketRelay
from stepcache_proxy.app.explain import explain, malformed, recheck
from stepcache_proxy.app.parts import Parts
from stepcache_proxy.app.storage import EMBEDDED
from stepcache_proxy.config import Settings
from stepcache_proxy.reuse.ask import Ask
from stepcache_proxy.reuse.controls import Limits, read_controls
from stepcache_proxy.reuse.events import Seam
from stepcache_proxy.reuse.model import (
    Mode,
    Record,
    RecordId,
    Verdict,
)
from stepcache_proxy.wire.chat import is_well_formed
from stepcache_proxy.wire.dialect import Dialects
from stepcache_proxy.wire.headers import RawHeaders
from stepcache_proxy.wire.jsonvalue import JsonObject

_CACHED: dict[str, Kind] = {
    "/v1/chat/completions": "chat",
    "/v1/completions": "completions",
}
_OWN = ("/healthz", "/readyz", "/metrics")
_ADMIN = "/stepcache"


@dataclass(frozen=True, slots=True)
class Front:
    """Sends each request to the application that answers it."""

    cached: dict[str, ASGIApp]
    own: ASGIApp
    passthrough: ASGIApp
    changing: ASGIApp
    websocket: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The one dispatch of the proxy; anything unknown is the upstream's."""
        await self._choose(scope)(scope, receive, send)

    def _choose(self, scope: Scope) -> ASGIApp:
        if scope["type"] == "websocket":
            return self.websocket
        path: str = scope["path"]
        if path in self.cached and scope["method"] == "POST":
            return self.cached[path]
        if path in _OWN or path == _ADMIN or path.startswith(_ADMIN + "/"):
            return self.own
        if changes_answers(scope["method"], path):
            return self.changing
        return self.passthrough


def create_app(parts: Parts, flights: Flights) -> Front:
    """The application over running parts."""
    settings = parts.settings
    passthrough = PassThrough(
        parts.upstream,
        recorder=parts.recorders,
        clock=time.perf_counter,
        max_body_bytes=settings.server.max_body_bytes,
    )
    cached = _cached_endpoints(parts, flights, passthrough)
    own = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    own.include_router(health_router(_health(parts)))
    own.include_router(admin_router(_admin(parts, cached["/v1/chat/completions"])))
    websocket = WebSocketRelay(
        settings.upstream.root, connect_timeout_s=settings.upstream.connect_timeout_s
    )
    strict = StrictControls(
        passthrough, _limits(settings), parts.recorders, time.perf_counter
    )
    changing = Invalidating(strict, parts.epochs.invalidate)
    shown: dict[str, ASGIApp] = {path: Cors(app) for path, app in cached.items()}
    return Front(shown, Dated(own), strict, changing, websocket)


def _cached_endpoints(
    parts: Parts, flights: Flights, passthrough: PassThrough
) -> dict[str, CachedEndpoint]:
    settings = parts.settings
    policy = Policy(
        limits=_limits(settings),
        upstream_root=settings.upstream.root,
        tenant_source=TenantSource(settings.tenant.source),
        max_body_bytes=settings.server.max_body_bytes,
        denies_sampled=settings.reuse.sampled == "deny",
    )
    leader = Leader(
        parts.pipeline,
        parts.settler,
        parts.upstream,
        parts.epochs,
        _queue(parts),
        time.perf_counter,
        Dialects(lambda: parts.upstream.known_kind),
        parts.shadow.offer,
    )
    credentials = Credentials(parts.upstream, time.monotonic, settings.tenant.recheck_s)
    return {
        path: CachedEndpoint(
            kind=kind,
            policy=policy,
            leader=leader,
            flights=flights,
            credentials=credentials,
            epochs=parts.epochs,
            passthrough=passthrough,
            recorder=parts.recorders,
            clock=time.perf_counter,
            now=time.time,
        )
        for path, kind in _CACHED.items()
    }


def _limits(settings: Settings) -> Limits:
    return Limits(
        mode=Mode(settings.reuse.mode),
        ttl_seconds=settings.store.default_ttl_s,
        max_ttl_seconds=settings.store.max_ttl_s,
        min_similarity=settings.reuse.min_similarity,
    )


def _queue(parts: Parts) -> Queue:
    """Other workers can only be there where the store is not ours alone."""
    settings = parts.settings
    is_alone = settings.store.url == EMBEDDED and settings.server.workers == 1
    store = parts.storage.store
    turns = (
        None if is_alone else StoreTurns(store.client, store.keys, parts.breakers[0])
    )
    return Queue(turns, settings.coalesce.wait_s, time.monotonic)


def _health(parts: Parts) -> HealthSeams:
    async def readiness() -> Readiness:
        states: dict[Seam, str] = {
            b.seam: "degraded" if b.is_degraded else "ok" for b in parts.breakers
        }
        is_up = await parts.caretaker.ask_upstream()
        states["upstream"] = "ok" if is_up else "unreachable"
        return Readiness(states)

    return HealthSeams(readiness=readiness, metrics=parts.prometheus.render)


def _admin(parts: Parts, chat: CachedEndpoint) -> AdminSeams:
    store = parts.caretaker.store

    async def find_record(id_: RecordId) -> Record | None:
        (record,) = await store.get([id_])
        return record

    async def verdicts(record: Record) -> Sequence[Verdict]:
        return recheck(parts.tasks, record)

    async def purge(wanted: Purge) -> Purged:
        selection = Selection(
            record=None if wanted.record is None else RecordId(wanted.record),
            model=wanted.model,
            namespace=wanted.namespace,
            is_all=wanted.is_everything,
        )
        done = await parts.storage.upkeep.purge(selection, is_dry_run=wanted.is_dry_run)
        for id_ in done.ids:
            await parts.caretaker.forget([id_])
        return Purged(matched=done.matched, removed=done.removed)

    async def quarantine(id_: RecordId) -> bool:
        return await parts.pipeline.keeper.quarantine(id_)

    async def explained(body: JsonObject, headers: RawHeaders) -> JsonObject:
        return await explain(parts, _ask(chat, body, headers))

    price = parts.settings.admin.price_per_million

    def statistics() -> JsonObject:
        return {**parts.statistics.snapshot(), "price_per_million": price}

    token = parts.settings.admin.token
    return AdminSeams(
        find_record=find_record,
        verdicts=verdicts,
        purge=purge,
        quarantine=quarantine,
        explain=explained,
        statistics=statistics,
        clock=time.time,
        token=None if token is None else token.get_secret_value(),
        max_body_bytes=parts.settings.server.max_body_bytes,
    )


def _ask(chat: CachedEndpoint, body: JsonObject, headers: RawHeaders) -> Ask | str:
    if not is_well_formed("chat", body):
        raise malformed()
    lines = read_headers(headers)
    return chat.ask(lines, headers, body, read_controls(lines, chat.policy.limits))
