"""Serves the page for people; its shell holds no figures, so it needs no token."""

from importlib.resources import files

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stepcache_proxy.api.admin_guard import check_access
from stepcache_proxy.api.error_objects import ErrorObjectRoute

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
_FILES = (
    ("/stepcache/", "index.html", "text/html; charset=utf-8"),
    ("/stepcache/page.js", "page.js", "text/javascript; charset=utf-8"),
    ("/stepcache/page.css", "page.css", "text/css; charset=utf-8"),
)


def page_router(token: str | None) -> APIRouter:
    """The page with its script and its style; on loopback alone without a token."""
    router = APIRouter(route_class=ErrorObjectRoute)
    for path, name, kind in _FILES:
        _add_file(router, path, (_read(name), kind), token)

    @router.get("/stepcache")
    async def slash() -> Response:
        return RedirectResponse("/stepcache/", 308)

    return router


def _add_file(
    router: APIRouter, path: str, file: tuple[bytes, str], token: str | None
) -> None:
    content, kind = file

    @router.api_route(path, methods=["GET", "HEAD"])
    async def page(request: Request) -> Response:
        if token is None:
            check_access(request, None)
        return Response(content, headers={**_HEADERS, "content-type": kind})


def _read(name: str) -> bytes:
    return files("stepcache_proxy.api").joinpath("page", name).read_bytes()
