"""One flight from its take-off: cache first, then the upstream, then the record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from stepcache_proxy.api.flights import Flight, Head, Piece
from stepcache_proxy.api.seams import Epochs, RawResponse, RawUpstream
from stepcache_proxy.api.turns import Queue
from stepcache_proxy.api.usage_chunk import UsageStripper, with_usage_asked
from stepcache_proxy.errors import NotServableError
from stepcache_proxy.reuse.ask import Ask, Forward, Served
from stepcache_proxy.reuse.fresh import Settled, Settler
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.pipeline import Pipeline
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.assemble import StreamAssembler, read_whole
from stepcache_proxy.wire.chat import wants_stream, wants_usage
from stepcache_proxy.wire.dialect import Dialects
from stepcache_proxy.wire.headers import for_upstream, is_encoded, is_event_stream
from stepcache_proxy.wire.sse import Frame, FrameSplitter
from stepcache_proxy.wire.usual import Usual


@dataclass(frozen=True, slots=True)
class Departure:
    """What a flight takes with it: the ask, and the request as it came."""

    ask: Ask
    target: bytes
    raw: bytes


def _nobody(ask: Ask, served: Served) -> None:
    """Takes an offer and does nothing with it."""


@dataclass(frozen=True, slots=True)
class Leader:
    """Leads flights; every method ends with the flight landed or raises.

    ``offer`` gets what the cache has served, for a check in the background.
    """

    pipeline: Pipeline
    settler: Settler
    upstream: RawUpstream
    epochs: Epochs
    queue: Queue
    clock: Callable[[], float]
    dialects: Dialects = field(default_factory=Dialects.unknown)
    offer: Callable[[Ask, Served], None] = _nobody

    async def lead(self, flight: Flight, departure: Departure) -> None:
        """Answer from the cache, or forward and settle. Raises StepcacheError."""
        ask = departure.ask
        reply = await self.pipeline.answer(ask)
        if isinstance(reply, Served):
            flight.land(served=reply)
            self.offer(ask, reply)
            return
        flight.forward = reply
        if ask.controls.only_if_cached:
            msg = "Nothing in the cache answers this request."
            raise NotServableError(msg)
        waited = await self.queue.wait(ask, self.pipeline.exact)
        if isinstance(waited, Served):
            flight.land(served=_joined(waited))
            return
        async with waited:
            await self._fly(flight, departure, reply)

    async def _fly(self, flight: Flight, departure: Departure, reply: Forward) -> None:
        """Ask the upstream and settle what it answers."""
        ask = departure.ask
        model = ask.request.model
        epoch = self.epochs.of(model)
        answer = await self._forward(flight, departure)
        if answer is None:
            flight.land()
            return
        fingerprint = answer.envelope.get("system_fingerprint")
        await self.epochs.note(model, fingerprint)
        if self.epochs.of(model) != epoch:
            # Nobody knows whose answer it is, so it is kept for neither epoch.
            ask = replace(ask, controls=replace(ask.controls, may_store=False))
        if self.dialects.is_telling(ask.request.endpoint, answer):
            raw = b"".join(piece.raw for piece in flight.pieces)
            self.dialects.learn(ask.request.endpoint, answer, raw)
        settled = await self._settle(flight, ask, reply, answer)
        flight.land(served=settled.served, answer=answer, record=settled.record)

    async def _settle(
        self, flight: Flight, ask: Ask, forward: Forward, answer: Answer
    ) -> Settled:
        started = self.clock()
        settled = await self.settler.settle(ask, forward, answer)
        if settled.served is not None:
            flight.upstream_seconds += self.clock() - started
        return settled

    async def _forward(self, flight: Flight, departure: Departure) -> Answer | None:
        """The upstream's whole answer; None where it is no complete answer."""
        body = departure.ask.request.body
        asks_usage = wants_stream(body) and not wants_usage(body)
        raw = with_usage_asked(departure.raw, body) if asks_usage else departure.raw
        headers = for_upstream(
            departure.ask.headers, is_read=True, is_rebuilt=asks_usage
        )
        started = self.clock()
        try:
            async with self.upstream.open(
                "POST", departure.target, headers, raw
            ) as response:
                return await self._receive(flight, departure, response)
        finally:
            flight.upstream_seconds += self.clock() - started

    async def _receive(
        self, flight: Flight, departure: Departure, response: RawResponse
    ) -> Answer | None:
        is_stream = is_event_stream(response.headers)
        flight.begin(Head(response.status, response.headers, is_stream))
        if response.status != 200 or is_encoded(response.headers):
            await _relay(flight, response)
            return None
        endpoint = departure.ask.request.endpoint
        if is_stream:
            return await _receive_stream(flight, endpoint, response)
        return await _receive_whole(flight, endpoint, response)


def _joined(served: Served) -> Served:
    """An answer that another worker has got, as this one's client is told of it."""
    return replace(served, outcome=Outcome.COALESCED, reason="in-flight", reused=0)


async def _relay(flight: Flight, response: RawResponse) -> None:
    async for chunk in response.chunks():
        flight.add(Piece(chunk, chunk))
        await flight.until_read()


async def _receive_whole(
    flight: Flight, endpoint: str, response: RawResponse
) -> Answer | None:
    await _relay(flight, response)
    if flight.is_large:
        return None
    return read_whole(endpoint, b"".join(piece.raw for piece in flight.pieces))


async def _receive_stream(
    flight: Flight, endpoint: str, response: RawResponse
) -> Answer | None:
    stream = _Stream(flight, StreamAssembler(endpoint))
    async for chunk in response.chunks():
        stream.take(chunk)
        await flight.until_read()
    return stream.end()


@dataclass(slots=True)
class _Stream:
    """The pieces and the answer of one stream, from its bytes as they come."""

    flight: Flight
    assembler: StreamAssembler
    _splitter: FrameSplitter = field(default_factory=FrameSplitter)
    _stripper: UsageStripper = field(default_factory=UsageStripper)
    _passing: Usual | None = None

    def take(self, chunk: bytes) -> None:
        """Every piece that ``chunk`` completes goes to the flight."""
        self._add(self._splitter.push(chunk))
        if self.assembler.is_complete:
            self.flight.arrive()

    def end(self) -> Answer | None:
        """The answer; None if it is no complete one."""
        self._add(self._splitter.flush())
        for piece in self._stripper.flush():
            self.flight.add(piece)
        return self.assembler.finish()

    def _add(self, frames: Sequence[Frame]) -> None:
        """Frames that came together go on together: one write instead of many."""
        raw: list[bytes] = []
        plain: list[bytes] = []
        is_same = True
        for frame in frames:
            self.assembler.push(frame)
            if self._passes(frame):
                raw.append(frame.raw)
                plain.append(frame.raw)
                continue
            is_same = False
            for piece in self._stripper.push(frame):
                raw.append(piece.raw)
                plain.append(piece.plain)
        if raw:
            joined = b"".join(raw)
            self.flight.add(Piece(joined, joined if is_same else b"".join(plain)))

    def _passes(self, frame: Frame) -> bool:
        """Whether the frame, which was just read, is the same for every client."""
        usual = self.assembler.usual
        if usual is not None and usual is self._passing:
            return True  # it differs in its text alone from one that does
        is_passing = self._stripper.passes(frame)
        self._passing = usual if is_passing else None
        return is_passing
