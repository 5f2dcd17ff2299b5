"""Whose turn it is to ask the upstream, among workers and replicas of one store.

A turn is a key with a short life that its holder renews: a holder that dies lets go
by itself within ``LIFE_SECONDS``.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from secrets import token_hex

from stepcache_proxy.adapters.breaker import Breaker
from stepcache_proxy.adapters.store_client import Client, store_errors
from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.errors import StoreUnavailableError
from stepcache_proxy.reuse.model import RecordId

LIFE_SECONDS = 6.0
_RENEW_SECONDS = 2.0

# KEYS: turn. ARGV: holder. Nobody lets go of another's turn.
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


@dataclass(frozen=True, slots=True)
class StoreTurns:
    """Turns kept in the store. A store that is away gives every turn at once."""

    client: Client
    keys: Keys
    breaker: Breaker
    holder: str = field(default_factory=lambda: token_hex(8))

    async def take(self, id_: RecordId) -> bool:
        """Whether the turn is ours now; False while somebody else has it."""
        key = self.keys.turn(id_)
        life = int(LIFE_SECONDS * 1000)
        try:
            reply = await self._ask("SET", key, self.holder, "NX", "PX", life)
        except StoreUnavailableError:
            return True
        return reply is not None

    async def is_taken(self, id_: RecordId) -> bool:
        """Whether somebody has the turn."""
        try:
            return bool(await self._ask("EXISTS", self.keys.turn(id_)))
        except StoreUnavailableError:
            return False

    @asynccontextmanager
    async def hold(self, id_: RecordId) -> AsyncGenerator[None]:
        """Keep a turn that was taken for as long as the context lasts."""
        try:
            async with asyncio.TaskGroup() as tasks:
                renewing = tasks.create_task(self._renew(id_))
                try:
                    yield
                finally:
                    renewing.cancel()
        except BaseExceptionGroup as failed:
            fault = failed.exceptions[0]
            raise fault from fault.__cause__
        finally:
            await self._release(id_)

    async def _renew(self, id_: RecordId) -> None:
        life = int(LIFE_SECONDS * 1000)
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with suppress(StoreUnavailableError):
                await self._ask("PEXPIRE", self.keys.turn(id_), life)

    async def _release(self, id_: RecordId) -> None:
        with suppress(StoreUnavailableError):
            await self._ask("EVAL", _RELEASE, 1, self.keys.turn(id_), self.holder)

    async def _ask(self, *command: str | int) -> object:
        async def ask() -> object:
            with store_errors():
                reply: object = await self.client.execute_command(*command)
            return reply

        return await self.breaker.run(ask)
