"""``/healthz``, ``/readyz`` and ``/metrics``: no token, no secrets."""

import orjson
from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from stepcache_proxy.api.admin_seams import HealthSeams, Readiness
from stepcache_proxy.api.error_objects import error_object

_PATHS = ("/healthz", "/readyz", "/metrics")
_READ = ["GET", "HEAD"]
_OTHER = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def health_router(seams: HealthSeams) -> APIRouter:
    """The three paths; with other methods they are a 405, never the upstream's."""
    router = APIRouter()

    @router.api_route("/healthz", methods=_READ)
    async def healthz() -> Response:
        return Response(b'{"status":"alive"}', media_type="application/json")

    @router.api_route("/readyz", methods=_READ)
    async def readyz() -> Response:
        readiness = await seams.readiness()
        status = 200 if readiness.is_ready else 503
        body = orjson.dumps(readiness_body(readiness))
        return Response(body, status, media_type="application/json")

    @router.api_route("/metrics", methods=_READ)
    async def metrics() -> Response:
        # A thousand lines take milliseconds: not on the loop that serves hits.
        text = await run_in_threadpool(seams.metrics)
        return Response(text, headers={"content-type": _PROMETHEUS})

    for path in _PATHS:
        router.add_api_route(path, _not_allowed, methods=_OTHER)
    return router


def readiness_body(readiness: Readiness) -> dict[str, object]:
    """The body of ``/readyz``."""
    return {
        "status": "ready" if readiness.is_ready else "not ready",
        "degraded": readiness.degraded,
        **dict(readiness.states.items()),
    }


async def _not_allowed(_request: Request) -> Response:
    body = error_object("This path is read with GET.", kind="invalid_request_error")
    headers = {"allow": "GET, HEAD"}
    return Response(body, 405, headers, media_type="application/json")
