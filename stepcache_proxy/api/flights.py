"""Identical requests in flight share one upstream call.

A flight runs in a task of its own, so the reader who caused it may leave without
cutting the others; when the last reader leaves, the task is cancelled and with it
the upstream call. Late readers get the pieces so far, then live ones.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from stepcache_proxy.errors import StepcacheError, UpstreamError
from stepcache_proxy.reuse.ask import Forward, Served
from stepcache_proxy.reuse.model import RecordId
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.headers import RawHeaders

_log = logging.getLogger("stepcache")

MAX_SHARED_BYTES = 16 * 1024 * 1024
"""A flight over this is not joined any more, and its pieces are sent as they come.

From there on a piece is kept until every reader has it, and no more than this is kept.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an upstream body.

    ``raw`` is what the upstream sent. ``plain`` is the same for a client that did
    not ask for usage (empty: left out for it).
    """

    raw: bytes
    plain: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of the upstream's response."""

    status: int
    headers: RawHeaders
    is_event_stream: bool


class Seat:
    """How far one reader has come: ``taken`` pieces, None for one who takes none."""

    def __init__(self) -> None:
        self.taken: int | None = 0


class Flight:
    """One answer on its way, with everything its readers need to follow it.

    Exactly one of these ends it: ``land`` (``served`` from the cache or mended, or
    the upstream's own ``answer``) or ``fail``. ``is_streamed`` is the form of the
    request that caused it.
    """

    def __init__(self, *, is_streamed: bool) -> None:
        self.is_streamed = is_streamed
        self.forward: Forward | None = None
        self.head: Head | None = None
        self.pieces: list[Piece] = []
        self._dropped = 0
        self.served: Served | None = None
        self.answer: Answer | None = None
        self.record: RecordId | None = None
        self.error: StepcacheError | None = None
        self.is_over = False
        self.upstream_seconds = 0.0
        self.task: asyncio.Task[None] | None = None
        self._seats: list[Seat] = []
        self._is_safe = False
        self._bytes = 0
        self._pulse = asyncio.Event()
        self._room = asyncio.Event()

    @property
    def is_large(self) -> bool:
        """Whether there is too much of it to be shared or held."""
        return self._bytes > MAX_SHARED_BYTES

    @property
    def is_held(self) -> bool:
        """Whether a task checks the answer before anybody may see it."""
        return self.forward is not None and self.forward.is_held

    @property
    def is_live(self) -> bool:
        """Whether pieces may be sent on as they come."""
        if self.head is None:
            return False
        return self.is_large or (self.head.is_event_stream and not self.is_held)

    @property
    def is_plainly_answered(self) -> bool:
        """Whether the upstream answered with success."""
        return self.head is not None and self.head.status == 200

    @contextmanager
    def board(self) -> Generator[Seat]:
        """Be a reader; the last one to leave ends a flight that is not whole yet.

        Many clients hang up as soon as they have read ``[DONE]``, when the answer is
        still to be kept.
        """
        seat = Seat()
        self._seats.append(seat)
        try:
            yield seat
        finally:
            self._seats.remove(seat)
            self._room.set()
            if not self._seats and not self._is_safe and self.task is not None:
                self.task.cancel()

    def begin(self, head: Head) -> None:
        """The upstream's head has arrived."""
        self.head = head
        self._beat()

    def add(self, piece: Piece) -> None:
        """A part of the upstream's body has arrived."""
        self.pieces.append(piece)
        self._bytes += len(piece.raw)
        self._beat()

    def arrive(self) -> None:
        """The upstream's answer is whole, and nobody has to look at it any more."""
        self._is_safe = not self.is_held

    def land(
        self,
        *,
        served: Served | None = None,
        answer: Answer | None = None,
        record: RecordId | None = None,
    ) -> None:
        """The answer is whole and decided."""
        self.served, self.answer, self.record = served, answer, record
        self._end()

    def fail(self, error: StepcacheError) -> None:
        """The answer will never be whole."""
        self.error = error
        self._end()

    async def until_decided(self) -> None:
        """Return when pieces may be sent on as they come, or the flight is over."""
        while not (self.is_over or self.is_live):
            await self._pulse.wait()

    async def until_over(self, seat: Seat) -> None:
        """Return when the flight is over; the reader needs no pieces."""
        seat.taken = None
        self._room.set()
        while not self.is_over:
            await self._pulse.wait()

    async def until_read(self) -> None:
        """Return when there is room for more: no reader is too far behind.

        Whoever brings the pieces waits here, so that a slow reader slows down the
        upstream instead of filling the memory.
        """
        while self.is_large:
            self._free()
            waiting = sum(len(piece.raw) for piece in self.pieces)
            if waiting <= MAX_SHARED_BYTES:
                return
            self._room.clear()
            await self._room.wait()

    async def follow(self, seat: Seat) -> AsyncGenerator[Piece]:
        """Every piece from the first on; ends with the flight, raises its error."""
        sent = 0
        while True:
            while sent < self._dropped + len(self.pieces):
                yield self.pieces[sent - self._dropped]
                sent += 1
                seat.taken = sent
                self._room.set()
            if self.is_over:
                break
            await self._pulse.wait()
        if self.error is not None:
            raise self.error

    def _free(self) -> None:
        """Drop the pieces that every reader has."""
        taken = [seat.taken for seat in self._seats if seat.taken is not None]
        had = min(taken, default=self._dropped + len(self.pieces)) - self._dropped
        del self.pieces[:had]
        self._dropped += had

    def _end(self) -> None:
        self.is_over = self._is_safe = True
        self._beat()

    def _beat(self) -> None:
        pulse, self._pulse = self._pulse, asyncio.Event()
        pulse.set()


class Flights:
    """The flights of this process by key, run in the task group it is given.

    Use as an async context manager around the life of the server.
    """

    def __init__(self) -> None:
        self._by_key: dict[str, Flight] = {}
        self._tasks = asyncio.TaskGroup()

    async def __aenter__(self) -> "Flights":
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._tasks.__aexit__(kind, error, trace)

    def find(self, key: str) -> Flight | None:
        """The flight to join; None if there is none, or it is over or too large."""
        flight = self._by_key.get(key)
        if flight is None or flight.is_large or flight.is_over:
            return None
        return flight

    def launch(
        self, key: str | None, flight: Flight, lead: Callable[[], Awaitable[None]]
    ) -> None:
        """Start ``lead`` for the flight; ``key`` None keeps others from joining."""
        if key is not None:
            self._by_key[key] = flight
        flight.task = self._tasks.create_task(self._run(key, flight, lead))

    async def _run(
        self, key: str | None, flight: Flight, lead: Callable[[], Awaitable[None]]
    ) -> None:
        try:
            await lead()
        except StepcacheError as error:
            flight.fail(error)
        except Exception:  # noqa: BLE001  a fault here must not end the other flights
            _log.exception("a request failed inside the proxy")
        finally:
            if key is not None and self._by_key.get(key) is flight:
                del self._by_key[key]
            if not flight.is_over:
                flight.fail(UpstreamError("The answer could not be completed"))
