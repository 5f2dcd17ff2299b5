"""OpenTelemetry: a span for every request, with the stages of the cache inside it.

The packages are the optional extra ``tracing``; without ``tracing.endpoint`` nothing
here is imported. Spans tell outcomes, times and tokens, never a prompt or a key.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stepcache_proxy import __version__
from stepcache_proxy.reuse.events import Answered, Event, StageTimed

_EXPORT_SECONDS = 5
_ROUTES = frozenset(
    {"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/models"}
)
_UNTRACED = frozenset({"/healthz", "/readyz", "/metrics"})  # asked all the time
_CONTEXT_HEADERS = (b"traceparent", b"tracestate")


class Tracing:
    """Sends spans to ``endpoint``, an OTLP collector's address for traces over HTTP.

    ``sample`` is the share of requests that are traced; a client that sends its own
    trace context has decided already. Spans wait in memory and are dropped, not waited
    for, when the collector does not take them.
    """

    def __init__(
        self, endpoint: str, sample: float, *, exporter: SpanExporter | None = None
    ) -> None:
        named = {"service.name": "stepcache-proxy", "service.version": __version__}
        self._provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(sample)),
            resource=Resource.create(named),
            shutdown_on_exit=False,
        )
        sink = exporter or OTLPSpanExporter(endpoint, timeout=_EXPORT_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(sink))
        self._tracer = self._provider.get_tracer("stepcache_proxy")

    @property
    def recorder(self) -> "StageSpans":
        """Turns events into spans."""
        return StageSpans(self._tracer)

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application with a span around every request."""
        return TracedRequests(app, self._tracer)

    def close(self) -> None:
        """Send what waits; blocks for some seconds at most."""
        with suppress(Exception):  # a collector that is gone ends nothing of ours
            self._provider.force_flush(1000 * _EXPORT_SECONDS)
            self._provider.shutdown()


class StageSpans:
    """A recorder: stages become spans below the request's, the outcome its attributes.

    ``clock`` gives nanoseconds since the epoch.
    """

    def __init__(self, tracer: Tracer, clock: Callable[[], int] = time.time_ns) -> None:
        self._tracer = tracer
        self._clock = clock

    def record(self, event: Event) -> None:
        """Note what belongs to the request under way."""
        if isinstance(event, StageTimed):
            self._add_stage(event)
        elif isinstance(event, Answered):
            trace.get_current_span().set_attributes(_attributes(event))

    def _add_stage(self, event: StageTimed) -> None:
        # What is done after the answer has no span any more that it could be part of.
        if not trace.get_current_span().is_recording():
            return
        end = self._clock()
        span = self._tracer.start_span(
            f"stepcache {event.stage}", start_time=end - int(event.seconds * 1e9)
        )
        span.end(end)


class TracedRequests:
    """ASGI middleware: a server span, whose context goes on to the upstream."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request within its span."""
        if scope["type"] != "http" or scope["path"] in _UNTRACED:
            await self._app(scope, receive, send)
            return
        context = self._propagator.extract(_carrier(scope))
        with self._tracer.start_as_current_span(
            f"{scope['method']} {_route(scope['path'])}",
            context=context,
            kind=SpanKind.SERVER,
            attributes={"http.request.method": scope["method"]},
        ) as span:

            async def send_told(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status: int = message["status"]
                    span.set_attribute("http.response.status_code", status)
                    if status >= 500:
                        span.set_status(Status(StatusCode.ERROR))
                await send(message)

            await self._app(self._with_context(scope), receive, send_told)

    def _with_context(self, scope: Scope) -> Scope:
        """The request as a child of our span, which is how the upstream sees it."""
        ours: dict[str, str] = {}
        self._propagator.inject(ours)
        kept = [h for h in scope["headers"] if h[0].lower() not in _CONTEXT_HEADERS]
        added = [(name.encode(), value.encode()) for name, value in ours.items()]
        return {**scope, "headers": [*kept, *added]}


def _carrier(scope: Scope) -> Mapping[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1")
        for name, value in scope["headers"]
        if name.lower() in _CONTEXT_HEADERS
    }


def _route(path: str) -> str:
    """The path where it is one of a few; strangers' paths would be without end."""
    return path if path in _ROUTES else "*"


def _attributes(event: Answered) -> dict[str, str | int | bool]:
    """What may be told of a request."""
    told: dict[str, str | int | bool | None] = {
        "stepcache.endpoint": event.endpoint,
        "stepcache.outcome": event.outcome.value,
        "stepcache.reason": event.reason,
        "stepcache.stream": event.is_stream,
        "stepcache.overhead_us": int(event.overhead_seconds * 1e6),
        "stepcache.tokens.generated": event.generated_tokens,
        "stepcache.tokens.reused": event.reused_tokens,
        "stepcache.record": event.record,
        "stepcache.task": event.task,
    }
    return {name: value for name, value in told.items() if value is not None}
