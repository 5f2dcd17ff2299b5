"""Work that nobody waits for, bounded, inside the life of the server."""

import asyncio
from collections.abc import Coroutine
from types import TracebackType

_MOST_PENDING = 1_000


class Background:
    """Runs coroutines; past ``_MOST_PENDING`` at once new ones are dropped.

    Use as an async context manager; leaving it cancels what is still running.
    """

    def __init__(self) -> None:
        self._tasks = asyncio.TaskGroup()
        self._pending: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Background":
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._pending:
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Start ``work`` now, or drop it if too much is going on."""
        if len(self._pending) >= _MOST_PENDING:
            work.close()
            return
        task = self._tasks.create_task(work)
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)
