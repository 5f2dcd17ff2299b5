"""A control header that cannot be read is a 400, on every path of the upstream."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from stepcache_proxy.api.asgi import send_error
from stepcache_proxy.api.decision_headers import DecisionHeaders, decision_headers
from stepcache_proxy.api.inbound import read_headers
from stepcache_proxy.api.tally import Tally
from stepcache_proxy.errors import InvalidRequestError
from stepcache_proxy.reuse.controls import Limits, read_controls
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.reuse.protocols import Recorder


@dataclass(frozen=True, slots=True)
class StrictControls:
    """ASGI middleware: the app sees only requests whose control headers are sound."""

    app: ASGIApp
    limits: Limits
    recorder: Recorder
    clock: Callable[[], float]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or let the app answer it."""
        try:
            read_controls(read_headers(scope["headers"]), self.limits)
        except InvalidRequestError as error:
            tally = Tally(self.recorder, self.clock, "other", is_stream=False)
            await refuse(send, error, tally)
            return
        await self.app(scope, receive, send)


async def refuse(send: Send, error: InvalidRequestError, tally: Tally) -> None:
    """Answer a request of which a control header or the size is wrong; close it."""
    tally.outcome, tally.reason = Outcome.BYPASS, f"param:{error.param}"
    tally.status = error.status
    decision = DecisionHeaders(Outcome.BYPASS, tally.reason)
    try:
        await send_error(send, error, decision_headers(decision))
    finally:
        tally.close()
