"""Events become spans only inside of a request that is traced."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.types import Message, Receive, Scope, Send

from stepcache_proxy.adapters.tracing import StageSpans, TracedRequests
from stepcache_proxy.reuse.events import Answered, StageTimed
from stepcache_proxy.reuse.model import Outcome

STAGE = StageTimed("exact", 0.25)
ANSWERED = Answered(
    endpoint="chat",
    outcome=Outcome.EXACT,
    reason="verified",
    is_stream=False,
    status=200,
    total_seconds=0.5,
    overhead_seconds=0.5,
    ttft_seconds=None,
)


@pytest.fixture
def kept() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(kept: InMemorySpanExporter) -> TracerProvider:
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(kept))
    return made


async def requested(
    provider: TracerProvider, path: str = "/v1/models", status: int = 200
) -> list[tuple[bytes, bytes]]:
    """One request through the middleware; the headers that the application saw."""
    tracer = provider.get_tracer("test")
    spans = StageSpans(tracer, clock=lambda: 5_000_000_000)
    seen: list[tuple[bytes, bytes]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(scope["headers"])
        spans.record(STAGE)
        spans.record(ANSWERED)
        await send({"type": "http.response.start", "status": status, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        assert message["type"] == "http.response.start"

    headers = [(b"accept", b"*/*"), (b"traceparent", b"nonsense")]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    await TracedRequests(app, tracer)(scope, receive, send)
    return seen


def named(kept: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in kept.get_finished_spans()}


async def test_a_stage_is_a_span_that_ends_now(
    provider: TracerProvider, kept: InMemorySpanExporter
) -> None:
    await requested(provider)
    stage = named(kept)["stepcache exact"]
    assert (stage.start_time, stage.end_time) == (4_750_000_000, 5_000_000_000)


async def test_outside_of_a_request_nothing_is_a_span(
    provider: TracerProvider, kept: InMemorySpanExporter
) -> None:
    spans = StageSpans(provider.get_tracer("test"))
    spans.record(STAGE)
    spans.record(ANSWERED)
    assert kept.get_finished_spans() == ()


@pytest.mark.parametrize(
    ("status", "code"),
    [(200, StatusCode.UNSET), (404, StatusCode.UNSET), (502, StatusCode.ERROR)],
)
async def test_only_faults_of_the_server_are_errors(
    provider: TracerProvider, kept: InMemorySpanExporter, status: int, code: StatusCode
) -> None:
    await requested(provider, status=status)
    assert named(kept)["GET /v1/models"].status.status_code is code


async def test_what_a_monitor_asks_all_the_time_is_no_span(
    provider: TracerProvider, kept: InMemorySpanExporter
) -> None:
    seen = await requested(provider, path="/metrics")
    assert (b"traceparent", b"nonsense") in seen
    assert kept.get_finished_spans() == ()


async def test_a_strange_path_makes_no_name(
    provider: TracerProvider, kept: InMemorySpanExporter
) -> None:
    await requested(provider, path="/x/" + "y" * 100)
    assert "GET *" in named(kept)


async def test_a_trace_context_that_cannot_be_read_is_replaced_by_ours(
    provider: TracerProvider,
) -> None:
    seen = await requested(provider)
    (context,) = [value for name, value in seen if name == b"traceparent"]
    assert context.startswith(b"00-")
    assert (b"accept", b"*/*") in seen
