"""Nobody who has seen a change succeed can be served an answer from before it."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from stepcache_proxy.api.invalidating import Invalidating


@pytest.mark.parametrize(
    ("status", "told"),
    [
        pytest.param(200, ["ended", "answered"], id="success"),
        pytest.param(404, ["answered"], id="refused"),
    ],
)
async def test_the_epoch_ends_before_a_success_is_told(
    status: int, told: list[str]
) -> None:
    story: list[str] = []

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def invalidate() -> None:
        story.append("ended")

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            story.append("answered")

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    await Invalidating(app, invalidate)({"type": "http"}, receive, send)
    assert story == told
