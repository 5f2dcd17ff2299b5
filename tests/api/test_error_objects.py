"""Every error of ours becomes an object that OpenAI clients can read."""

import httpx
import orjson
import pytest
from fastapi import APIRouter, FastAPI

from stepcache_proxy.api.error_objects import ErrorObjectRoute, error_response
from stepcache_proxy.errors import (
    InvalidRequestError,
    NotServableError,
    StepcacheError,
    StoreUnavailableError,
    TokenError,
    UpstreamTimeoutError,
)

FAULTS: list[tuple[StepcacheError, int, str | None]] = [
    (InvalidRequestError("no", param="verdict"), 400, "verdict"),
    (TokenError("no"), 401, None),
    (NotServableError("no"), 504, None),
    (UpstreamTimeoutError("no"), 504, None),
    (StoreUnavailableError("no"), 503, None),
]


@pytest.mark.parametrize(("fault", "status", "param"), FAULTS)
def test_the_object_has_status_kind_and_parameter(
    fault: StepcacheError, status: int, param: str | None
) -> None:
    response = error_response(fault)
    assert response.status_code == status
    assert orjson.loads(response.body) == {
        "error": {
            "message": "no",
            "type": fault.kind,
            "param": param,
            "code": fault.code,
        }
    }


async def test_a_route_answers_with_the_error_it_raised() -> None:
    router = APIRouter(route_class=ErrorObjectRoute)

    @router.get("/x")
    async def endpoint() -> None:
        message = "who are you?"
        raise TokenError(message)

    app = FastAPI()
    app.include_router(router)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        response = await client.get("/x")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json()["error"]["message"] == "who are you?"
