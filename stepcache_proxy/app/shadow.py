"""Shadow checks at work: one at a time, in the background, when nobody is waiting."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from stepcache_proxy.errors import SeamError, UpstreamError
from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.events import (
    Answered,
    Event,
    RequestStarted,
    ShadowChecked,
)
from stepcache_proxy.reuse.lookup import bind
from stepcache_proxy.reuse.protocols import (
    Delta,
    Finish,
    Ledger,
    Prompt,
    Recorder,
    Spawn,
    Task,
    Upstream,
)
from stepcache_proxy.reuse.shadow import compare, is_sampled

_MOST_WAITING = 16
_LOOK_SECONDS = 0.1
_MOST_LOOKS = 100


class InFlight:
    """Recorder that knows how many requests are not yet answered."""

    def __init__(self) -> None:
        self.count = 0

    def record(self, event: Event) -> None:
        """Count starts and ends."""
        if isinstance(event, RequestStarted):
            self.count += 1
        elif isinstance(event, Answered):
            self.count -= 1


@dataclass(slots=True)
class ShadowChecker:
    """Asks the upstream again for a share ``rate`` of what was reused or patched.

    One call at a time. Each waits until no request is in flight, ten seconds at most,
    so that a busy proxy is checked, too; with sixteen waiting, new ones are dropped.
    ``draw`` gives a uniform number in [0, 1). With ``rate`` 0 nobody is ever asked.
    """

    rate: float
    tasks: Sequence[Task]
    upstream: Upstream
    ledger: Ledger
    recorder: Recorder
    spawn: Spawn
    draw: Callable[[], float]
    is_idle: Callable[[], bool]
    _waiting: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def offer(self, ask: Ask, served: Served) -> None:
        """Perhaps check this answer later; costs the request nothing to speak of."""
        if self.rate > 0 and is_sampled(ask, served, self.rate, self.draw()):
            self.spawn(self._check(ask, served))

    async def _check(self, ask: Ask, served: Served) -> None:
        if self._waiting >= _MOST_WAITING:
            return
        self._waiting += 1
        try:
            async with self._turn:
                await self._until_idle()
                await self._compare(ask, served)
        except (UpstreamError, SeamError):
            return
        finally:
            self._waiting -= 1

    async def _until_idle(self) -> None:
        for _ in range(_MOST_LOOKS):
            if self.is_idle():
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def _compare(self, ask: Ask, served: Served) -> None:
        bound = bind(self.tasks, ask.request)
        fresh = await self._fresh(ask)
        verifier = bound.verifier if bound else None
        text = served.answer.text
        result = "unknown" if fresh is None else compare(verifier, text, fresh)
        self.recorder.record(ShadowChecked(result))
        if result != "unknown" and served.record is not None:
            await self.ledger.observe(served.record, is_right=result == "right")

    async def _fresh(self, ask: Ask) -> str | None:
        """What the upstream says now; None where it does not end by itself."""
        prompt = Prompt(ask.request.endpoint, ask.request.body, ask.headers)
        said: list[str] = []
        async with aclosing(self.upstream.generate(prompt)) as parts:
            async for part in parts:
                match part:
                    case Delta(text):
                        said.append(text)
                    case Finish(answer):
                        return "".join(said) if answer.finish_reason == "stop" else None
        return None
