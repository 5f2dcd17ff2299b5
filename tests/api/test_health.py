"""Health, readiness and metrics answer without a token and hide the upstream's."""

from collections.abc import AsyncGenerator

import httpx
import pytest
from fastapi import FastAPI

from stepcache_proxy.api.admin_seams import HealthSeams, Readiness
from stepcache_proxy.api.health import health_router


class Parts:
    """The state of the parts, to be changed by a test."""

    def __init__(self) -> None:
        self.readiness = Readiness(
            {"store": "ok", "index": "ok", "embedder": "ok", "upstream": "ok"}
        )

    async def read(self) -> Readiness:
        """What ``/readyz`` asks."""
        return self.readiness


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
async def http(parts: Parts) -> AsyncGenerator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(health_router(HealthSeams(parts.read, lambda: b"# TYPE x\n")))
    transport = httpx.ASGITransport(app=app, client=("192.0.2.7", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        yield client


async def test_ready_tells_the_state_of_every_part(
    http: httpx.AsyncClient, parts: Parts
) -> None:
    states = {"store": "ok", "index": "ok", "embedder": "ok", "upstream": "ok"}
    response = await http.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"status": "ready", "degraded": [], **states}
    parts.readiness = Readiness({**parts.readiness.states, "embedder": "not loaded"})
    response = await http.get("/readyz")
    assert response.status_code == 200
    assert response.json()["degraded"] == ["embedder"]
    assert response.json()["embedder"] == "not loaded"


async def test_without_an_upstream_it_is_alive_and_not_ready(
    http: httpx.AsyncClient, parts: Parts
) -> None:
    parts.readiness = Readiness({**parts.readiness.states, "upstream": "no answer"})
    response = await http.get("/readyz")
    assert response.status_code == 503
    assert response.json()["status"] == "not ready"
    assert (await http.get("/healthz")).status_code == 200


async def test_metrics_are_prometheus_text(http: httpx.AsyncClient) -> None:
    response = await http.get("/metrics")
    assert response.text == "# TYPE x\n"
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_other_methods_are_refused_here(
    http: httpx.AsyncClient, path: str
) -> None:
    assert (await http.head(path)).status_code == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        response = await http.request(method, path)
        assert response.status_code == 405
        assert response.json()["error"]["message"]
