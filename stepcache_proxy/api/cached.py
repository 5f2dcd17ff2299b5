"""``/v1/chat/completions`` and ``/v1/completions``: the endpoints with a cache.

An ASGI application: read the request, decide whether it may be cached, serve it from
the cache, join an identical request in flight, or lead one.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Literal

import orjson
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from stepcache_proxy.api.asgi import (
    read_body,
    run_until_disconnect,
    target_of,
)
from stepcache_proxy.api.flights import Flight, Flights
from stepcache_proxy.api.inbound import read_headers
from stepcache_proxy.api.known import KnownBodies, ReadBody
from stepcache_proxy.api.lead import Departure, Leader
from stepcache_proxy.api.passthrough import PassThrough
from stepcache_proxy.api.respond import (
    Reader,
    respond_error,
    respond_joined,
    respond_landed,
    respond_live,
    respond_served,
)
from stepcache_proxy.api.seams import Epochs
from stepcache_proxy.api.strict import refuse
from stepcache_proxy.api.tally import Tally
from stepcache_proxy.api.tenancy import Credentials, TenantSource, credential_of
from stepcache_proxy.errors import (
    ClientGoneError,
    InvalidRequestError,
    NotServableError,
)
from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.controls import Controls, Limits, read_controls
from stepcache_proxy.reuse.eligible import is_sampled, reason_against
from stepcache_proxy.reuse.model import Mode, Outcome
from stepcache_proxy.reuse.protocols import Recorder
from stepcache_proxy.wire.chat import is_well_formed, wants_stream, wants_usage
from stepcache_proxy.wire.headers import RawHeaders
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

Kind = Literal["chat", "completions"]

_FORM_ONLY = ("stream", "stream_options")
_AGAIN = ":again"


@dataclass(frozen=True, slots=True)
class Policy:
    """What the operator has set for these endpoints."""

    limits: Limits
    upstream_root: str
    tenant_source: TenantSource
    max_body_bytes: int
    denies_sampled: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request as it came in."""

    scope: AsgiScope
    receive: Receive
    send: Send
    raw: bytes
    headers: Mapping[str, str]

    @property
    def raw_headers(self) -> RawHeaders:
        """Every header line as the client sent it."""
        lines: RawHeaders = self.scope["headers"]
        return lines


@dataclass(frozen=True, slots=True)
class CachedEndpoint:
    """One cached endpoint; ``now`` gives seconds since the epoch."""

    kind: Kind
    policy: Policy
    leader: Leader
    flights: Flights
    credentials: Credentials
    epochs: Epochs
    passthrough: PassThrough
    recorder: Recorder
    clock: Callable[[], float]
    now: Callable[[], float]
    known: KnownBodies = field(default_factory=KnownBodies)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request; nothing but a bug of ours is raised."""
        try:
            raw = await read_body(receive, self.policy.max_body_bytes)
            headers = read_headers(scope["headers"])
            await self._enter(Arrival(scope, receive, send, raw, headers))
        except ClientGoneError:
            return
        except InvalidRequestError as error:
            tally = Tally(self.recorder, self.clock, self.kind, is_stream=False)
            await refuse(send, error, tally)

    async def _enter(self, arrival: Arrival) -> None:
        known = self.known.read(arrival.raw)
        body = known.body
        controls = read_controls(arrival.headers, self.policy.limits)
        reason = "param:body"
        if body is not None and is_well_formed(self.kind, body):
            ask = self.ask(
                arrival.headers,
                arrival.raw_headers,
                body,
                controls,
                query=arrival.scope.get("query_string", b""),
                known=known,
            )
            if isinstance(ask, Ask):
                await self._answer(arrival, ask)
                return
            reason = ask
        await self._pass_through(arrival, reason)

    async def _pass_through(self, arrival: Arrival, reason: str) -> None:
        await self.passthrough.relay(
            arrival.scope,
            arrival.receive,
            arrival.send,
            body=arrival.raw,
            reason=reason,
            endpoint=self.kind,
        )

    def ask(
        self,
        headers: Mapping[str, str],
        lines: RawHeaders,
        body: JsonObject,
        controls: Controls,
        *,
        query: bytes = b"",
        known: ReadBody | None = None,
    ) -> Ask | str:
        """The ask, or the reason why the request is passed through untouched.

        ``known`` is where ``body`` comes from, if from there.
        """
        if controls.mode is Mode.OFF:
            return "mode"
        reason = reason_against(self.kind, body)
        if reason is not None:
            return reason
        if self.policy.denies_sampled and is_sampled(body):
            return "sampled"
        model = body.get("model")
        scope = Scope(
            tenant=self.policy.tenant_source.tenant_of(headers),
            upstream=self.policy.upstream_root,
            namespace=controls.namespace,
            epoch=self.epochs.of(model if isinstance(model, str) else ""),
            query=query.decode("latin-1"),
        )
        request = known.requests.get(scope) if known is not None else None
        if request is None:
            request = canonicalise(self.kind, body, scope)
            if request is None:
                return "param:depth"
            if known is not None:
                known.keep(scope, request)
        return Ask(request, controls, lines)

    async def _answer(self, arrival: Arrival, ask: Ask) -> None:
        body = ask.request.body
        is_stream = wants_stream(body)
        tally = Tally(self.recorder, self.clock, self.kind, is_stream=is_stream)
        tally.own = ask.request.id
        reader = Reader(
            send=arrival.send,
            endpoint=self.kind,
            is_stream=is_stream,
            wants_usage=wants_usage(body),
            is_leader=False,
            created=int(self.now()),
            dialects=self.leader.dialects,
        )
        try:
            await self._fly(arrival, ask, reader, tally)
        finally:
            tally.end()
            try:
                # uvloop sends what was written when this turn of the loop is over.
                await asyncio.sleep(0)
            finally:
                tally.close()

    async def _fly(
        self, arrival: Arrival, ask: Ask, reader: Reader, tally: Tally
    ) -> None:
        """Serve a record that is at hand; else share the answering with others."""
        key = _flight_key(ask, arrival)
        if key is None or self.flights.find(key) is None:
            exact = await self.leader.pipeline.exact(ask, is_near=True)
            if exact is not None:
                await self._serve(arrival, reader, exact, tally)
                return
        # Quick until here, it may now take long: watch for a client that goes.
        shared = self._share(key, arrival, ask, reader, tally)
        await run_until_disconnect(arrival.receive, shared)

    async def _share(
        self, key: str | None, arrival: Arrival, ask: Ask, reader: Reader, tally: Tally
    ) -> None:
        """Join a flight or lead one, until answered."""
        while True:
            flight = self.flights.find(key) if key else None
            is_leader = flight is None
            if flight is None:
                flight = self._take_off(key, arrival, ask, reader)
            with flight.board() as seat:
                reader = replace(reader, is_leader=is_leader, seat=seat)
                await flight.until_decided()
                if await self._land(arrival, reader, flight, tally):
                    return
            key = _next_key(key)

    def _take_off(
        self, key: str | None, arrival: Arrival, ask: Ask, reader: Reader
    ) -> Flight:
        flight = Flight(is_streamed=reader.is_stream)
        departure = Departure(
            self.leader.pipeline.searcher.bound(ask),
            target_of(arrival.scope),
            arrival.raw,
        )
        self.flights.launch(key, flight, lambda: self.leader.lead(flight, departure))
        return flight

    async def _land(
        self, arrival: Arrival, reader: Reader, flight: Flight, tally: Tally
    ) -> bool:
        """Give the flight's answer to this reader; False if it must try itself."""
        if not reader.is_leader:
            return await self._land_joined(arrival, reader, flight, tally)
        if flight.head is not None:
            self.credentials.note(arrival.headers, flight.head.status)
        if flight.served is not None:
            await self._serve(arrival, reader, flight.served, tally)
        elif flight.error is not None and not flight.is_live:
            tally.reason = _reason_of(flight)
            await respond_error(reader, flight.error, tally)
        elif (flight.is_live and not flight.is_over) or flight.error is not None:
            await respond_live(reader, flight, tally)
        else:
            await respond_landed(reader, flight, tally)
        tally.upstream_seconds = flight.upstream_seconds
        return True

    async def _land_joined(
        self, arrival: Arrival, reader: Reader, flight: Flight, tally: Tally
    ) -> bool:
        if flight.is_live and flight.is_plainly_answered and reader.is_stream:
            await respond_live(reader, flight, tally)
            return True
        await flight.until_over(reader.seat)
        served = flight.served
        if served is not None and served.outcome in (Outcome.EXACT, Outcome.REUSE):
            await self._serve(arrival, reader, served, tally)
            return True
        if flight.error is not None or (served is None and flight.answer is None):
            return False
        await respond_joined(reader, flight, tally)
        return True

    async def _serve(
        self, arrival: Arrival, reader: Reader, served: Served, tally: Tally
    ) -> None:
        """A whole answer, after a look at the credential where no call has shown it."""
        # A patch that asked the upstream has shown it the credential.
        if served.outcome is not Outcome.PATCH or not served.generated:
            started = self.clock()
            headers = arrival.raw_headers
            standing = await self.credentials.check(arrival.headers, headers)
            tally.upstream_seconds += self.clock() - started
            if standing == "rejected":
                await self._defer(arrival, tally)
                return
            if standing == "unreachable":
                served = replace(served, reason="degraded:upstream")
        await respond_served(reader, served, tally)

    async def _defer(self, arrival: Arrival, tally: Tally) -> None:
        """Let the upstream itself say no to a credential that it has revoked."""
        tally.outcome, tally.reason = Outcome.BYPASS, "credential"
        await self._pass_through(arrival, "credential")


def _next_key(key: str | None) -> str | None:
    """Whoever waited in vain shares once more, then asks alone.

    A queue behind an upstream that keeps failing would wait once for each member.
    """
    return None if key is None or key.endswith(_AGAIN) else key + _AGAIN


def _flight_key(ask: Ask, arrival: Arrival) -> str | None:
    """What two requests must share to share a call; None: this one never shares."""
    controls = ask.controls
    if not controls.may_serve or not controls.may_store or controls.only_if_cached:
        return None
    body = {n: v for n, v in ask.request.body.items() if n not in _FORM_ONLY}
    demands: list[Json] = [
        controls.mode,
        controls.ttl_seconds,
        controls.max_age_seconds,
    ]
    demands += [controls.min_similarity, credential_of(arrival.headers)]
    said = orjson.dumps([demands, body], option=orjson.OPT_SORT_KEYS)
    return ask.request.partition + blake2b(said, digest_size=16).hexdigest()


def _reason_of(flight: Flight) -> str:
    return (
        "only-if-cached"
        if isinstance(flight.error, NotServableError)
        else "upstream-error"
    )
