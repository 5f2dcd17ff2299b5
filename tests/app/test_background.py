"""Background work never holds up a request and never outlives the server."""

import asyncio

from stepcache_proxy.app.background import Background


async def test_spawned_work_is_done() -> None:
    done = asyncio.Event()

    async def work() -> None:
        done.set()

    async with Background() as background:
        background.spawn(work())
        await done.wait()


async def test_leaving_cancels_what_is_still_running() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async with Background() as background:
        background.spawn(work())
        await asyncio.sleep(0)
    assert ended == ["cancelled"]


async def test_work_past_the_bound_is_dropped_unstarted() -> None:
    started: list[int] = []

    async def work(number: int) -> None:
        started.append(number)
        await asyncio.Event().wait()

    async with Background() as background:
        for number in range(1_005):
            background.spawn(work(number))
        await asyncio.sleep(0)
    assert started == list(range(1_000))
