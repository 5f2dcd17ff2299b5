"""Errors -> OpenAI error objects, for routes that raise ours."""

from collections.abc import Callable, Coroutine

import orjson
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from stepcache_proxy.errors import InvalidRequestError, SeamError, StepcacheError


def error_object(
    message: str, *, kind: str, code: str | None = None, param: str | None = None
) -> bytes:
    """The body that OpenAI clients know how to read."""
    error = {"message": message, "type": kind, "param": param, "code": code}
    return orjson.dumps({"error": error})


def error_response(fault: StepcacheError) -> Response:
    """``fault`` with its own status; a seam that is out of use is a 503."""
    param = fault.param if isinstance(fault, InvalidRequestError) else None
    body = error_object(str(fault), kind=fault.kind, code=fault.code, param=param)
    status = 503 if isinstance(fault, SeamError) else fault.status
    response = Response(body, status, media_type="application/json")
    if status == 401:
        response.headers["www-authenticate"] = "Bearer"
    return response


class ErrorObjectRoute(APIRoute):
    """A route whose StepcacheErrors become error objects, in whatever app it is."""

    def get_route_handler(
        self,
    ) -> Callable[[Request], Coroutine[None, None, Response]]:
        """The endpoint with its errors turned into responses."""
        endpoint = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except StepcacheError as fault:
                return error_response(fault)

        return answer
