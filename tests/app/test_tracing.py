"""A request is a span, its stages are spans in it, and no prompt leaves with them."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from stepcache_proxy.app.tracing import open_tracing
from stepcache_proxy.bench.proxy_server import proxy_server
from stepcache_proxy.config.tree import TracingSettings
from stepcache_proxy.errors import ConfigError
from tests.app.counting import CountingModel

SECRET = "Which lighthouse of Kraken Bay turns slowest?"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CHAT = "/v1/chat/completions"


@dataclass
class Collector:
    """Takes what an exporter sends."""

    raw: list[bytes] = field(default_factory=list)
    url: str = ""

    @property
    def spans(self) -> list[Any]:
        requests = [ExportTraceServiceRequest.FromString(raw) for raw in self.raw]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@contextmanager
def collecting() -> Generator[Collector]:
    collector = Collector()

    class Turn(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            collector.raw.append(self.rfile.read(length))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Turn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    collector.url = f"http://127.0.0.1:{server.server_address[1]}/v1/traces"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class HeedfulModel(CountingModel):
    """Remembers the trace context of each chat request."""

    contexts: list[str | None] = field(default_factory=list)

    def _turn(self) -> type[BaseHTTPRequestHandler]:
        model, plain = self, super()._turn()

        class Turn(plain):  # type: ignore[misc, valid-type]
            def do_POST(self) -> None:  # noqa: N802 -- http.server's name
                model.contexts.append(self.headers["traceparent"])
                super().do_POST()

        return Turn


def ask(url: str, **headers: str) -> None:
    body = {
        "model": "m",
        "temperature": 0,
        "messages": [{"role": "user", "content": SECRET}],
    }
    sent = {"authorization": "Bearer s3cr3t", **headers}
    response = httpx.post(url + CHAT, json=body, headers=sent, trust_env=False)
    assert response.status_code == 200


@pytest.fixture(scope="module")
def traced(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Collector, HeedfulModel]:
    """What the collector and the model have got of three requests."""
    folder = tmp_path_factory.mktemp("traced")
    with collecting() as collector, HeedfulModel().serving() as model:
        settings = {"tracing.endpoint": collector.url}
        proxy = proxy_server(
            model.url, data_dir=folder / "data", log=folder / "log", settings=settings
        )
        with proxy:
            ask(proxy.url, traceparent=f"00-{TRACE}-{PARENT}-01")
            ask(proxy.url)
            ask(proxy.url, traceparent=f"00-{TRACE}-{PARENT}-00")
    return collector, model


def attributes(span: Any) -> dict[str, Any]:
    return {
        pair.key: getattr(pair.value, pair.value.WhichOneof("value"))
        for pair in span.attributes
    }


def requests_of(collector: Collector) -> list[Any]:
    spans = [span for span in collector.spans if span.name == f"POST {CHAT}"]
    return sorted(spans, key=lambda span: int(span.start_time_unix_nano))


def test_a_request_is_a_span_with_its_outcome(
    traced: tuple[Collector, HeedfulModel],
) -> None:
    # The third was not to be traced, says the client's context.
    miss, hit = requests_of(traced[0])
    assert attributes(miss)["stepcache.outcome"] == "miss"
    told = attributes(hit)
    assert told["stepcache.outcome"] == "exact"
    assert told["stepcache.reason"] == "verified"
    assert told["http.response.status_code"] == 200


def test_a_span_continues_the_trace_of_the_client(
    traced: tuple[Collector, HeedfulModel],
) -> None:
    miss, hit = requests_of(traced[0])
    assert miss.trace_id.hex() == TRACE
    assert miss.parent_span_id.hex() == PARENT
    assert hit.trace_id.hex() != TRACE
    assert hit.parent_span_id == b""


def test_the_upstream_is_told_of_our_span(
    traced: tuple[Collector, HeedfulModel],
) -> None:
    collector, model = traced
    miss, _ = requests_of(collector)
    assert model.contexts == [f"00-{TRACE}-{miss.span_id.hex()}-01"]


def test_the_stages_of_the_cache_are_spans_inside_the_request(
    traced: tuple[Collector, HeedfulModel],
) -> None:
    miss, hit = requests_of(traced[0])
    stages = [span for span in traced[0].spans if span.name.startswith("stepcache ")]
    inside = {
        request.span_id: {s.name for s in stages if s.parent_span_id == request.span_id}
        for request in (miss, hit)
    }
    assert inside[hit.span_id] == {"stepcache template"}
    assert {"stepcache template", "stepcache record"} <= inside[miss.span_id]
    for stage in stages:
        assert stage.end_time_unix_nano >= stage.start_time_unix_nano


def test_spans_tell_no_prompt_and_no_key(
    traced: tuple[Collector, HeedfulModel],
) -> None:
    said = b"".join(traced[0].raw)
    assert b"stepcache-proxy" in said
    for secret in (b"lighthouse", b"Kraken", b"s3cr3t", b"Bearer"):
        assert secret not in said


def test_a_collector_that_is_gone_fails_no_request(tmp_path: Path) -> None:
    with CountingModel().serving() as model:
        settings = {"tracing.endpoint": "http://127.0.0.1:9/v1/traces"}
        proxy = proxy_server(
            model.url,
            data_dir=tmp_path / "data",
            log=tmp_path / "log",
            settings=settings,
        )
        with proxy:
            ask(proxy.url)
            ask(proxy.url)
        assert model.questions == [SECRET]


async def test_without_the_packages_the_start_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "stepcache_proxy.adapters.tracing", None)
    with pytest.raises(ConfigError, match=r"pip install 'stepcache-proxy\[tracing\]'"):
        async with open_tracing(TracingSettings(endpoint="http://127.0.0.1:9/")):
            pass


async def test_without_an_endpoint_nothing_is_traced() -> None:
    async with open_tracing(TracingSettings()) as tracing:
        assert tracing is None
