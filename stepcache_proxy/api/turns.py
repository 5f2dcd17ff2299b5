"""Identical requests at other workers and replicas: wait for one upstream call."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.model import RecordId

_LOOK_SECONDS = 0.05


class Turns(Protocol):
    """Whose turn it is to ask the upstream for a record."""

    async def take(self, id_: RecordId) -> bool:
        """Whether the turn is ours now. Never raises."""
        ...

    async def is_taken(self, id_: RecordId) -> bool:
        """Whether somebody has the turn. Never raises."""
        ...

    def hold(self, id_: RecordId) -> AbstractAsyncContextManager[None]:
        """Keep a turn that was taken; let go of it on leaving."""
        ...


@dataclass(frozen=True, slots=True)
class Queue:
    """Waits for the answer that another worker is getting, for a bounded time.

    ``turns`` None: there are no other workers.
    """

    turns: Turns | None
    wait_seconds: float
    clock: Callable[[], float]

    async def wait(
        self, ask: Ask, look: Callable[[Ask], Awaitable[Served | None]]
    ) -> "Served | AbstractAsyncContextManager[None]":
        """The answer somebody else got, or leave to ask the upstream oneself.

        A turn that ends without a record (the answer could not be kept) is nothing
        to wait for again: everybody who waited asks.
        """
        turns = self.turns
        if turns is None or not _may_share(ask):
            return nullcontext()
        id_ = ask.request.id
        if await turns.take(id_):
            return await self._take_over(turns, ask, look)
        until = self.clock() + self.wait_seconds
        while self.clock() < until:
            await asyncio.sleep(_LOOK_SECONDS)
            is_taken = await turns.is_taken(id_)
            served = await look(ask)
            if served is not None:
                return served
            if not is_taken:
                break
        return nullcontext()

    async def _take_over(
        self, turns: Turns, ask: Ask, look: Callable[[Ask], Awaitable[Served | None]]
    ) -> "Served | AbstractAsyncContextManager[None]":
        """Whoever had the turn before may have left a record since we looked."""
        id_ = ask.request.id
        served = await look(ask)
        if served is None:
            return turns.hold(id_)
        async with turns.hold(id_):
            return served


def _may_share(ask: Ask) -> bool:
    controls = ask.controls
    return controls.may_serve and controls.may_store and not controls.only_if_cached
