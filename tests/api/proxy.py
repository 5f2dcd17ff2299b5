"""The cached endpoints on real sockets, before a model server that plays a script."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import httpx
import orjson

from stepcache_proxy.adapters.upstream import HttpUpstream
from stepcache_proxy.api.cached import CachedEndpoint, Kind, Policy
from stepcache_proxy.api.flights import Flights
from stepcache_proxy.api.lead import Leader
from stepcache_proxy.api.passthrough import PassThrough
from stepcache_proxy.api.seams import Epochs
from stepcache_proxy.api.tenancy import Credentials, TenantSource
from stepcache_proxy.api.turns import Queue
from stepcache_proxy.reuse.controls import Limits
from stepcache_proxy.reuse.events import Answered, Event
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object
from tests.fakes import Cache, Recording, body_of
from tests.http_servers import Wire, serve, serve_bytes

CHAT = "/v1/chat/completions"
LIMIT = 1024 * 1024
_JSON = b"HTTP/1.1 %d Told\r\ncontent-type: application/json\r\n%s\r\n"
_EVENTS = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-of-model: yes\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
DONE = b"data: [DONE]\n\n"


def frame(value: JsonObject) -> bytes:
    """One event."""
    return b"data: " + orjson.dumps(value) + b"\n\n"


def delta(text: str, *, id_: str = "chatcmpl-model", **more: Json) -> bytes:
    """A chunk with a piece of text."""
    choice: Json = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return frame({"id": id_, "model": "m-1", "choices": [choice], **more})


def finish(reason: str = "stop", **more: Json) -> bytes:
    """The chunk that ends an answer."""
    choice: Json = {"index": 0, "delta": {}, "finish_reason": reason}
    return frame({"id": "chatcmpl-model", "model": "m-1", "choices": [choice], **more})


def usage(**more: Json) -> bytes:
    """The chunk that a client has to ask for."""
    counted = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    envelope = {"id": "chatcmpl-model", "model": "m-1", "choices": []}
    return frame({**envelope, "usage": counted, **more})


@dataclass(frozen=True, slots=True)
class Streams:
    """Sends ``parts`` as events, waiting at every asyncio.Event; may break off."""

    parts: Sequence[bytes | asyncio.Event]
    breaks_off: bool = False

    async def __call__(self, wire: Wire) -> None:
        await wire.answer(_EVENTS)
        for part in self.parts:
            if isinstance(part, asyncio.Event):
                await part.wait()
            else:
                await wire.answer(b"%x\r\n%s\r\n" % (len(part), part))
        if self.breaks_off:
            wire.writer.close()
        else:
            await wire.answer(b"0\r\n\r\n")


@dataclass(frozen=True, slots=True)
class Tells:
    """Sends one whole body; ``after`` is awaited first."""

    body: bytes
    status: int = 200
    headers: bytes = b""
    after: asyncio.Event | None = None

    async def __call__(self, wire: Wire) -> None:
        if self.after is not None:
            await self.after.wait()
        length = b"content-length: %d\r\n" % len(self.body)
        await wire.answer(_JSON % (self.status, self.headers + length) + self.body)


class Hangs:
    """Says nothing and notes that the client has left."""

    def __init__(self, begun: bytes = b"") -> None:
        self.begun = begun
        self.left = asyncio.Event()

    async def __call__(self, wire: Wire) -> None:
        if self.begun:
            chunk = b"%x\r\n%s\r\n" % (len(self.begun), self.begun)
            await wire.answer(_EVENTS + chunk)
        await wire.until_closed()
        self.left.set()


def says(text: str, reason: str = "stop", **more: Json) -> Tells:
    """A whole chat answer."""
    message: Json = {"role": "assistant", "content": text}
    choice: Json = {"index": 0, "message": message, "finish_reason": reason}
    counted: Json = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    answer = {"id": "chatcmpl-model", "object": "chat.completion", "model": "m-1"}
    more = {"created": 1, "choices": [choice], "usage": counted, **more}
    return Tells(orjson.dumps({**answer, **more}))


def streams(*words: str) -> Streams:
    """A whole chat answer as events, with the usage chunk that was asked for."""
    return Streams([*map(delta, words), finish(), usage(), DONE])


Turn = Streams | Tells | Hangs


@dataclass
class Model:
    """Plays one turn a generation call; anything but a call is ``models``."""

    turns: list[Turn] = field(default_factory=list)
    models: Tells = field(default_factory=lambda: Tells(b'{"data":[]}'))
    calls: list[bytes] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    checks: int = 0

    async def meet(self, wire: Wire) -> None:
        """One connection."""
        while True:
            raw = await wire.request()
            if raw.startswith(b"POST"):
                self.calls.append(raw)
                self.asked.set()
                await self.turns.pop(0)(wire)
            else:
                self.checks += 1
                await self.models(wire)

    def body(self, call: int = -1) -> bytes:
        """The body of a call."""
        return self.calls[call].partition(b"\r\n\r\n")[2]


@dataclass
class Heard(Recording):
    """Tells when the next request has ended."""

    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def record(self, event: Event) -> None:
        super().record(event)
        if isinstance(event, Answered):
            self.ended.set()

    @property
    def answered(self) -> list[Answered]:
        return [event for event in self.events if isinstance(event, Answered)]


class SameWeights:
    """Epochs of a server whose weights never change."""

    def of(self, model: str) -> str:
        return ""

    async def note(self, model: str, fingerprint: Json) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy with what is behind it."""

    client: httpx.AsyncClient
    model: Model
    cache: Cache
    heard: Heard
    flights: Flights

    async def ask(
        self, text: str = "q", headers: dict[str, str] | None = None, **fields: Json
    ) -> httpx.Response:
        """The whole response to a chat request, and what is done once it is sent."""
        content = orjson.dumps(body_of(text, **fields))
        response = await self.client.post(CHAT, content=content, headers=headers)
        await anyio.wait_all_tasks_blocked()
        await self.cache.background.run()
        return response


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What differs from one test to the next."""

    kind: Kind = "chat"
    tenant: str = "credential"
    denies_sampled: bool = False
    timeout_s: float = 5.0
    recheck_seconds: float = 300.0
    epochs: Epochs = field(default_factory=SameWeights)


@asynccontextmanager
async def before(
    *turns: Turn, model: Model | None = None, arrangement: Arrangement | None = None
) -> AsyncGenerator[Proxy]:
    """A proxy before a model server that plays ``turns``."""
    model = model or Model(list(turns))
    async with (
        serve_bytes(model.meet) as url,
        before_url(url, model, arrangement or Arrangement()) as proxy,
    ):
        yield proxy


@asynccontextmanager
async def before_url(
    url: str, model: Model, arrangement: Arrangement
) -> AsyncGenerator[Proxy]:
    """A proxy before ``url``, wherever that leads."""
    heard = Heard()
    cache = Cache(recording=heard)
    upstream = HttpUpstream(url, "openai", timeout_s=arrangement.timeout_s)
    async with Flights() as flights:
        app = _endpoint(url, cache, upstream, flights, arrangement)
        async with (
            serve(app) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            yield Proxy(client, model, cache, heard, flights)
    await cache.background.run()
    await upstream.aclose()


def _endpoint(
    url: str,
    cache: Cache,
    upstream: HttpUpstream,
    flights: Flights,
    arrangement: Arrangement,
) -> CachedEndpoint:
    clock = asyncio.get_running_loop().time
    return CachedEndpoint(
        kind=arrangement.kind,
        policy=Policy(
            limits=Limits(min_similarity=0.5),
            upstream_root=url,
            tenant_source=TenantSource(arrangement.tenant),
            max_body_bytes=LIMIT,
            denies_sampled=arrangement.denies_sampled,
        ),
        leader=Leader(
            cache.pipeline,
            cache.settler,
            upstream,
            arrangement.epochs,
            Queue(None, 0.0, clock),
            clock,
        ),
        flights=flights,
        credentials=Credentials(upstream, clock, arrangement.recheck_seconds),
        epochs=arrangement.epochs,
        passthrough=PassThrough(
            upstream, recorder=cache.recording, clock=clock, max_body_bytes=LIMIT
        ),
        recorder=cache.recording,
        clock=clock,
        now=cache.read_now,
    )


def events_of(response: httpx.Response) -> list[JsonObject]:
    """The JSON of every event but ``[DONE]``."""
    payloads = [
        part.removeprefix(b"data: ") for part in response.content.split(b"\n\n")
    ]
    return [value for p in payloads if (value := read_object(p)) is not None]


def text_of(response: httpx.Response) -> str:
    """What a streamed or whole chat answer says."""
    if not response.headers["content-type"].startswith("text/event-stream"):
        return str(response.json()["choices"][0]["message"]["content"])
    return "".join(map(_text, events_of(response)))


def _text(event: JsonObject) -> str:
    choices = event["choices"]
    assert isinstance(choices, list)
    choice = choices[0] if choices else {"delta": {}}
    assert isinstance(choice, dict)
    part = choice["delta"]
    assert isinstance(part, dict)
    return str(part.get("content") or "")
