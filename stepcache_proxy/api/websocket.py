"""A WebSocket of a client, joined to one of the upstream."""

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from stepcache_proxy.api.asgi import target_of
from stepcache_proxy.api.decision_headers import DecisionHeaders, decision_headers
from stepcache_proxy.api.error_objects import error_object
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire.headers import RawHeaders, for_upstream

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_QUEUED_MESSAGES = 16
_CLOSE_SECONDS = 2.0
_NORMAL, _INTERNAL_ERROR = 1000, 1011
# RFC 6455, section 7.4.1: these tell how a connection ended and cannot be sent.
_NO_CODE = 1005
_UNSENDABLE = frozenset({1004, 1006, 1015})
_HANDSHAKE = b"sec-websocket-"


class _Connect(connect):
    """Does not follow redirects: a credential goes to the upstream alone."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class WebSocketRelay:
    """ASGI app that relays messages, subprotocols and close codes both ways.

    Where the upstream refuses, the upgrade is answered 501 with an error object.
    """

    def __init__(self, root_url: str, *, connect_timeout_s: float = 5.0) -> None:
        # http -> ws, https -> wss
        self._root = "ws" + root_url.rstrip("/").removesuffix("/v1")[4:]
        self._connect_timeout_s = connect_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one WebSocket until either side closes it."""
        await receive()
        try:
            upstream = await self._open(scope)
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI):
            await _refuse(scope, send)
            return
        async with upstream:
            chosen = upstream.subprotocol
            await send(
                {
                    "type": "websocket.accept",
                    "subprotocol": chosen,
                    "headers": list(_decision()),
                }
            )
            await _relay(upstream, receive, send)

    async def _open(self, scope: Scope) -> ClientConnection:
        offered = [Subprotocol(name) for name in scope.get("subprotocols", ())]
        return await _Connect(
            self._root + target_of(scope).decode("latin-1"),
            additional_headers=_headers(scope["headers"]),
            subprotocols=offered or None,
            user_agent_header=None,
            compression=None,
            proxy=None,
            open_timeout=self._connect_timeout_s,
            close_timeout=_CLOSE_SECONDS,
            max_size=MAX_MESSAGE_BYTES,
            max_queue=_QUEUED_MESSAGES,
        )


async def _relay(upstream: ClientConnection, receive: Receive, send: Send) -> None:
    async with asyncio.TaskGroup() as group:
        # When the upstream closes, the client is closed, and its disconnect ends us.
        down = group.create_task(_to_client(upstream, send))
        await _to_upstream(upstream, receive)
        down.cancel()


async def _to_upstream(upstream: ClientConnection, receive: Receive) -> None:
    while (message := await receive())["type"] != "websocket.disconnect":
        text, data = message.get("text"), message.get("bytes")
        try:
            await upstream.send(text if text is not None else data or b"")
        except ConnectionClosed:
            return
    await upstream.close(_sendable(message.get("code")), message.get("reason") or "")


async def _to_client(upstream: ClientConnection, send: Send) -> None:
    # Only a clean close ends the iteration without an error.
    with suppress(ConnectionClosed):
        async for message in upstream:
            kind = "text" if isinstance(message, str) else "bytes"
            await send({"type": "websocket.send", kind: message})
    code = _sendable(upstream.close_code)
    reason = upstream.close_reason or ""
    await send({"type": "websocket.close", "code": code, "reason": reason})


async def _refuse(scope: Scope, send: Send) -> None:
    """A refused upgrade is a 403 by ASGI's rules unless the server can say more."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": _INTERNAL_ERROR})
        return
    body = error_object(
        "The upstream does not accept a WebSocket here.",
        kind="not_supported_error",
        code="websocket_not_supported",
    )
    head: Message = {
        "type": "websocket.http.response.start",
        "status": 501,
        "headers": [(b"content-type", b"application/json"), *_decision()],
    }
    await send(head)
    await send({"type": "websocket.http.response.body", "body": body})


def _decision() -> RawHeaders:
    return decision_headers(DecisionHeaders(Outcome.BYPASS, "websocket"))


def _headers(headers: RawHeaders) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in for_upstream(headers)
        if not name.lower().startswith(_HANDSHAKE)
    ]


def _sendable(code: int | None) -> int:
    if code is None or code == _NO_CODE:
        return _NORMAL
    return _INTERNAL_ERROR if code in _UNSENDABLE else code
