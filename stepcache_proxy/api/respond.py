"""Answers -> HTTP responses; the one place that knows what each kind of reader gets."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from starlette.types import Send

from stepcache_proxy.api.asgi import send_body, send_error, send_head
from stepcache_proxy.api.dated import date_header
from stepcache_proxy.api.decision_headers import DecisionHeaders, decision_headers
from stepcache_proxy.api.flights import Flight, Head, Seat
from stepcache_proxy.api.own_id import OwnId
from stepcache_proxy.api.tally import Spent, Tally
from stepcache_proxy.errors import StepcacheError, UpstreamError
from stepcache_proxy.reuse.ask import Served
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire import replay
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.dialect import Dialects
from stepcache_proxy.wire.headers import for_client, for_event_stream, with_ours
from stepcache_proxy.wire.sse import encode

Header = tuple[bytes, bytes]

_JSON: Header = (b"content-type", b"application/json")
_EVENTS: Sequence[Header] = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """One client's side of a request: how it wants the answer.

    ``is_leader`` caused the upstream call, others joined it. ``seat`` is its place on
    the flight. ``created`` is the time of the reply in seconds since the epoch,
    ``dialects`` the forms that the upstream gives its answers.
    """

    send: Send
    endpoint: str
    is_stream: bool
    wants_usage: bool
    is_leader: bool
    created: int
    seat: Seat = field(default_factory=Seat)
    dialects: Dialects = field(default_factory=Dialects.unknown)


async def respond_served(reader: Reader, served: Served, tally: Tally) -> None:
    """A whole answer that the cache has given or mended."""
    account_served(tally, served)
    headers = decision_headers(_served_headers(served))
    await _send_answer(reader, served.answer, headers, tally)


async def respond_joined(reader: Reader, flight: Flight, tally: Tally) -> None:
    """The answer of a flight that has landed, for a reader who joined it."""
    answer = flight.served.answer if flight.served else flight.answer
    assert answer is not None
    account_joined(tally, answer)
    decision = DecisionHeaders(
        Outcome.COALESCED, "in-flight", record=tally.record, tokens=(0, 0)
    )
    await _send_answer(reader, answer, decision_headers(decision), tally)


async def respond_live(reader: Reader, flight: Flight, tally: Tally) -> None:
    """Pieces as they come, headers first; totals are not known yet."""
    head = flight.head
    assert head is not None
    decision = _open_headers(reader, flight)
    tally.outcome, tally.reason = decision.outcome, decision.reason
    tally.status = head.status
    await _relay(reader, flight, head, decision, tally)
    answer = flight.answer
    if answer is not None and reader.is_leader:
        account_fresh(tally, flight, answer)
    elif answer is not None:
        account_joined(tally, answer)


async def respond_landed(reader: Reader, flight: Flight, tally: Tally) -> None:
    """The upstream's own response as it came, to the reader who caused it."""
    head, forward = flight.head, flight.forward
    assert head is not None
    assert forward is not None
    tally.outcome, tally.reason = forward.outcome, forward.reason
    tally.status = head.status
    tokens = None
    if flight.answer is not None:
        account_fresh(tally, flight, flight.answer)
        tokens = (tally.spent.generated, 0)
    decision = DecisionHeaders(
        forward.outcome,
        forward.reason,
        similarity=forward.similarity,
        record=flight.record,
        tokens=tokens,
        is_stored=flight.record is not None,
    )
    await _relay(reader, flight, head, decision, tally)


async def respond_error(reader: Reader, error: StepcacheError, tally: Tally) -> None:
    """A fault of ours, as an OpenAI-style error object with decision headers."""
    reason = "upstream-error" if isinstance(error, UpstreamError) else tally.reason
    tally.outcome, tally.reason, tally.status = Outcome.MISS, reason, error.status
    tally.touch()
    headers = decision_headers(DecisionHeaders(Outcome.MISS, reason))
    await send_error(reader.send, error, headers)


def account_served(tally: Tally, served: Served) -> None:
    """Put what ``served`` cost and saved on the request's account."""
    tally.served, tally.record = served, served.record
    tally.outcome, tally.reason, tally.status = served.outcome, served.reason, 200
    prompt = served.answer.prompt_tokens
    is_free = served.outcome is not Outcome.PATCH
    tally.spent = Spent(
        prompt=prompt,
        generated=served.generated,
        reused=served.reused,
        saved=served.reused + (prompt if is_free else 0),
    )


def account_fresh(tally: Tally, flight: Flight, answer: Answer) -> None:
    """Put a full upstream answer on the account of the reader who caused it."""
    spent = flight.forward.spent if flight.forward else 0
    tally.record = flight.record
    tally.spent = Spent(
        prompt=answer.prompt_tokens, generated=answer.completion_tokens + spent
    )


def account_joined(tally: Tally, answer: Answer) -> None:
    """Put an answer that somebody else caused on a follower's account."""
    tally.outcome, tally.reason, tally.status = Outcome.COALESCED, "in-flight", 200
    saved = answer.prompt_tokens + answer.completion_tokens
    tally.spent = Spent(prompt=answer.prompt_tokens, saved=saved)


def _served_headers(served: Served) -> DecisionHeaders:
    steps = served.steps
    return DecisionHeaders(
        served.outcome,
        served.reason,
        similarity=served.similarity,
        record=served.record,
        steps=(steps.kept, steps.derived, steps.patched) if steps else None,
        tokens=(served.generated, served.reused),
        fallback=served.fallback,
        age_seconds=served.age_seconds or 0,
        ttl_seconds=served.ttl_seconds,
        is_stored=served.is_stored,
    )


def _open_headers(reader: Reader, flight: Flight) -> DecisionHeaders:
    forward = flight.forward
    if not reader.is_leader or forward is None:
        return DecisionHeaders(
            Outcome.COALESCED, "in-flight", is_collapsed=True, is_stream_open=True
        )
    return DecisionHeaders(
        forward.outcome,
        forward.reason,
        similarity=forward.similarity,
        is_stream_open=True,
    )


async def _send_answer(
    reader: Reader, answer: Answer, headers: Sequence[Header], tally: Tally
) -> None:
    id_ = replay.new_id(reader.endpoint)
    if not reader.is_stream:
        body = replay.whole(
            answer,
            reader.endpoint,
            id_=id_,
            created=reader.created,
            shape=reader.dialects.whole(reader.endpoint),
        )
        length = (b"content-length", str(len(body)).encode())
        await send_head(reader.send, 200, [_JSON, length, date_header(), *headers])
        tally.touch()
        await send_body(reader.send, body)
        return
    frames = replay.stream(
        answer,
        reader.endpoint,
        id_=id_,
        created=reader.created,
        with_usage=reader.wants_usage,
        shape=reader.dialects.stream(reader.endpoint),
    )
    await send_head(reader.send, 200, [*_EVENTS, date_header(), *headers])
    tally.touch()
    await send_body(reader.send, b"".join(frames))


async def _relay(
    reader: Reader, flight: Flight, head: Head, decision: DecisionHeaders, tally: Tally
) -> None:
    headers = for_client(head.headers, is_rebuilt=head.is_event_stream)
    if head.is_event_stream:
        headers = for_event_stream(headers)
    await send_head(
        reader.send, head.status, with_ours(headers, decision_headers(decision))
    )
    try:
        async for part in _parts(reader, flight):
            tally.touch()
            await send_body(reader.send, part, is_last=False)
    except StepcacheError as error:
        await _break_off(reader, head, error)
        return
    await send_body(reader.send, b"")


async def _parts(reader: Reader, flight: Flight) -> AsyncGenerator[bytes]:
    """The flight's bytes as this reader is to have them."""
    is_raw = reader.wants_usage or not reader.is_stream
    own = None if reader.is_leader else OwnId(replay.new_id(reader.endpoint))
    async with aclosing(flight.follow(reader.seat)) as pieces:
        async for piece in pieces:
            part = piece.raw if is_raw else piece.plain
            if part:
                yield own.push(part) if own else part


async def _break_off(reader: Reader, head: Head, error: StepcacheError) -> None:
    """Tell a reader whose answer has begun that it will not end well."""
    if not head.is_event_stream:
        raise error
    shown = {
        "message": str(error),
        "type": error.kind,
        "param": None,
        "code": "upstream_disconnected",
    }
    await send_body(reader.send, encode({"error": shown}))
