"""The proxy's own endpoints under ``/stepcache/``; none of them calls the upstream."""

from collections.abc import Awaitable, Callable, Mapping

import orjson
from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from stepcache_proxy.api.admin_bodies import (
    check_chat,
    read_body,
    read_feedback,
    read_purge,
    record_body,
)
from stepcache_proxy.api.admin_guard import check_access
from stepcache_proxy.api.admin_seams import AdminSeams, Header, Purge, Purged
from stepcache_proxy.api.error_objects import ErrorObjectRoute, error_object
from stepcache_proxy.api.page_files import page_router
from stepcache_proxy.errors import BodyTooLargeError, UnknownRecordError
from stepcache_proxy.reuse.model import RecordId
from stepcache_proxy.wire.jsonvalue import JsonObject

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]

Endpoint = Callable[[Request], Awaitable[Response]]


def admin_router(seams: AdminSeams) -> APIRouter:
    """Everything under ``/stepcache/``, other paths there included (404)."""
    router = APIRouter(route_class=ErrorObjectRoute)
    router.include_router(page_router(seams.token))
    routes: tuple[tuple[str, str, Endpoint], ...] = (
        ("GET", "/stepcache/stats", _stats(seams)),
        ("GET", "/stepcache/records/{record_id}", _show_record(seams)),
        ("DELETE", "/stepcache/records/{record_id}", _delete_record(seams)),
        ("POST", "/stepcache/purge", _purge(seams)),
        ("POST", "/stepcache/explain", _explain(seams)),
        ("POST", "/stepcache/feedback", _feedback(seams)),
    )
    for method, path, endpoint in routes:
        router.add_api_route(path, _guarded(seams, endpoint), methods=[method])
    router.add_api_route(
        "/stepcache/{path:path}", _guarded(seams, _nothing_here), methods=METHODS
    )
    return router


def _guarded(seams: AdminSeams, endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        check_access(request, seams.token)
        return await endpoint(request)

    return answer


def _stats(seams: AdminSeams) -> Endpoint:
    async def stats(_request: Request) -> Response:
        # Summing up takes milliseconds: not on the loop that serves hits.
        return _json(await run_in_threadpool(seams.statistics))

    return stats


def _show_record(seams: AdminSeams) -> Endpoint:
    async def show_record(request: Request) -> Response:
        record = await seams.find_record(_record_id(request))
        if record is None:
            raise _unknown_record()
        verdicts = await seams.verdicts(record)
        return _json(record_body(record, verdicts, seams.clock()))

    return show_record


def _delete_record(seams: AdminSeams) -> Endpoint:
    async def delete_record(request: Request) -> Response:
        purged = await seams.purge(Purge(record=_record_id(request)))
        if not purged.matched:
            raise _unknown_record()
        return _json(_purged(purged))

    return delete_record


def _purge(seams: AdminSeams) -> Endpoint:
    async def purge(request: Request) -> Response:
        body = read_body(await _content(request, seams.max_body_bytes))
        return _json(_purged(await seams.purge(read_purge(body))))

    return purge


def _explain(seams: AdminSeams) -> Endpoint:
    async def explain(request: Request) -> Response:
        body = read_body(await _content(request, seams.max_body_bytes))
        check_chat(body)
        return _json(await seams.explain(body, _client_headers(request, seams.token)))

    return explain


def _feedback(seams: AdminSeams) -> Endpoint:
    async def feedback(request: Request) -> Response:
        body = read_body(await _content(request, seams.max_body_bytes))
        record = read_feedback(body)
        if not await seams.quarantine(record):
            raise _unknown_record()
        return _json({"record": record, "verdict": "bad", "quarantined": True})

    return feedback


async def _nothing_here(_request: Request) -> Response:
    message = "There is no such admin endpoint, or not with this method."
    body = error_object(message, kind="not_found_error", code="unknown_path")
    return Response(body, 404, media_type="application/json")


async def _content(request: Request, limit: int) -> bytes:
    """The whole body; raises BodyTooLargeError once it is over ``limit``."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > limit:
            message = f"The body is over server.max_body_bytes ({limit})."
            raise BodyTooLargeError(message, param="body")
    return bytes(content)


def _client_headers(request: Request, token: str | None) -> list[Header]:
    """Headers as a chat request would have them: ours is not a client's credential."""
    headers = request.headers.raw
    if token is None:
        return headers
    return [(name, value) for name, value in headers if name != b"authorization"]


def _record_id(request: Request) -> RecordId:
    return RecordId(request.path_params["record_id"])


def _unknown_record() -> UnknownRecordError:
    return UnknownRecordError("No live record has this id.")


def _purged(purged: Purged) -> JsonObject:
    return {"matched": purged.matched, "removed": purged.removed}


def _json(body: Mapping[str, object]) -> Response:
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    return Response(orjson.dumps(body), headers=headers, media_type="application/json")
