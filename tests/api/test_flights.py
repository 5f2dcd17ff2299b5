"""A flight keeps what its readers still need, and no more."""

import asyncio

import pytest

from stepcache_proxy.api import flights
from stepcache_proxy.api.flights import Flight, Flights, Head, Piece, Seat
from stepcache_proxy.errors import UpstreamError
from stepcache_proxy.reuse.ask import Forward
from stepcache_proxy.reuse.model import Outcome

PIECE = Piece(b"12345678", b"12345678")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flights are large from three pieces on."""
    monkeypatch.setattr(flights, "MAX_SHARED_BYTES", 2 * len(PIECE.raw))


def begun(*, is_held: bool = False) -> Flight:
    flight = Flight(is_streamed=True)
    flight.forward = Forward(Outcome.MISS, "no-candidate", is_held=is_held)
    flight.begin(Head(200, [], is_event_stream=True))
    return flight


async def read(flight: Flight, seat: Seat) -> int:
    return len([piece async for piece in flight.follow(seat)])


async def test_a_late_reader_gets_every_piece() -> None:
    flight = begun()
    flight.add(PIECE)
    with flight.board() as seat:
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(read(flight, seat))
            flight.add(PIECE)
            flight.land()
    assert reading.result() == 2


async def test_a_flight_that_fails_raises_after_its_last_piece() -> None:
    flight = begun()
    flight.add(PIECE)
    flight.fail(UpstreamError("gone"))
    with flight.board() as seat:
        pieces = flight.follow(seat)
        assert await anext(pieces) == PIECE
        with pytest.raises(UpstreamError):
            await anext(pieces)


async def test_the_upstream_waits_for_the_slowest_reader() -> None:
    flight = begun()
    with flight.board() as fast, flight.board() as slow:
        quick, late = flight.follow(fast), flight.follow(slow)
        for _ in range(3):
            flight.add(PIECE)
            await anext(quick)
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(flight.until_read())
            await anext(late)
            assert not waiting.done()
            await anext(late)
            await waiting
        assert len(flight.pieces) == 2
        flight.land()
        assert [piece async for piece in late] == [PIECE]
        assert [piece async for piece in quick] == []


async def test_a_slow_reader_that_leaves_holds_nobody_up() -> None:
    flight = begun()
    async with asyncio.TaskGroup() as group:
        with flight.board() as fast:
            with flight.board():
                for _ in range(4):
                    flight.add(PIECE)
                waiting = group.create_task(flight.until_read())
                await asyncio.sleep(0)
                assert not waiting.done()
            assert len(flight.pieces) == 4
            flight.land()
            assert await read(flight, fast) == 4
    assert len(flight.pieces) <= 2


async def test_a_reader_of_the_whole_answer_holds_nobody_up() -> None:
    flight = begun()
    with flight.board() as fast, flight.board() as whole:
        async with asyncio.TaskGroup() as group:
            group.create_task(flight.until_over(whole))
            pieces = flight.follow(fast)
            for _ in range(9):
                flight.add(PIECE)
                await anext(pieces)
                await flight.until_read()
            assert len(flight.pieces) <= 2
            flight.land()
            await pieces.aclose()


async def test_pieces_of_a_small_flight_are_all_kept_for_late_readers() -> None:
    flight = begun()
    with flight.board() as seat:
        pieces = flight.follow(seat)
        flight.add(PIECE)
        await anext(pieces)
        await flight.until_read()
        await pieces.aclose()
    assert flight.pieces == [PIECE]


def test_a_held_answer_is_not_sent_on_until_it_has_grown_too_large() -> None:
    flight = begun(is_held=True)
    flight.add(PIECE)
    assert not flight.is_live
    flight.add(PIECE)
    flight.add(PIECE)
    assert flight.is_live


async def test_a_large_flight_is_not_joined_any_more() -> None:
    flight, ends = begun(), asyncio.Event()

    async def lead() -> None:
        await ends.wait()
        flight.land()

    async with Flights() as flying:
        flying.launch("k", flight, lead)
        assert flying.find("k") is flight
        for _ in range(3):
            flight.add(PIECE)
        assert flying.find("k") is None
        ends.set()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(UpstreamError("down"), id="of the upstream"),
        pytest.param(ValueError("a bug"), id="of our own"),
    ],
)
async def test_a_leader_that_raises_ends_its_flight_alone(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = begun(), begun()

    async def lead() -> None:
        raise fault

    async def lead_well() -> None:
        sound.land()

    async with Flights() as flying:
        flying.launch("k", broken, lead)
        flying.launch("l", sound, lead_well)
    assert isinstance(broken.error, UpstreamError)
    assert sound.error is None
    assert flying.find("k") is None
    assert len(caplog.messages) == (0 if isinstance(fault, UpstreamError) else 1)


def test_a_flight_without_a_head_is_not_answered() -> None:
    flight = Flight(is_streamed=False)
    assert not flight.is_live
    assert not flight.is_plainly_answered
