"""Parts that behave like the real ones, without a network, a model or a wait."""

import hashlib
import math
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio

from stepcache_proxy.adapters.memory import MemoryIndex, MemoryStore
from stepcache_proxy.errors import (
    EmbedderUnavailableError,
    IndexUnavailableError,
    StoreUnavailableError,
    UpstreamError,
)
from stepcache_proxy.reuse.ask import Ask, Forward, Reply
from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.controls import Controls, Limits, read_controls
from stepcache_proxy.reuse.events import Event, StageTimed
from stepcache_proxy.reuse.fresh import Settled, Settler
from stepcache_proxy.reuse.keep import Keeper
from stepcache_proxy.reuse.lookup import Searcher
from stepcache_proxy.reuse.model import (
    Answer,
    CanonicalRequest,
    PartitionKey,
    Provenance,
    Record,
    RecordId,
    TaskName,
)
from stepcache_proxy.reuse.patch import Mender
from stepcache_proxy.reuse.pipeline import Pipeline
from stepcache_proxy.reuse.protocols import (
    Delta,
    Embedder,
    Finish,
    Found,
    GeneratedAnswer,
    Ledger,
    Prompt,
    RecordStore,
    Task,
    Vector,
    VectorIndex,
)
from stepcache_proxy.reuse.retrieve import Retriever
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.tasks.json_object import JsonObjectTask
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.verbatim import Verbatim
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

NOW = 1_700_000_000.0
SCOPE = Scope(tenant="t", upstream="http://u", namespace="")


def body_of(text: str = "", **fields: Json) -> JsonObject:
    """A greedy chat request that says ``text``, unless ``fields`` say otherwise."""
    messages: Json = [{"role": "user", "content": text}]
    return {"model": "m", "temperature": 0, "messages": messages, **fields}


def canonical(text: str = "", **fields: Json) -> CanonicalRequest:
    """The canonical form of ``body_of`` the same arguments."""
    request = canonicalise("chat", body_of(text, **fields), SCOPE)
    assert request is not None
    return request


def controls(headers: Mapping[str, str] | None = None) -> Controls:
    """The controls of a client that sent ``headers``."""
    return read_controls(headers or {}, Limits(min_similarity=0.5))


def ask(
    text: str = "", headers: Mapping[str, str] | None = None, **fields: Json
) -> Ask:
    """A whole ask: the request of ``canonical`` with the controls of ``headers``."""
    return Ask(canonical(text, **fields), controls(headers), [(b"x-from", b"test")])


def answer(text: str | None, *, tokens: int = 20, finish: str = "stop") -> Answer:
    """An answer as a server gives it that is not streamed."""
    return Answer(
        content=text,
        finish_reason=finish,
        model="m-1",
        usage={
            "prompt_tokens": 7,
            "completion_tokens": tokens,
            "total_tokens": 7 + tokens,
        },
        message={"role": "assistant"},
        envelope={"object": "chat.completion", "system_fingerprint": "f"},
    )


def record_of(
    request: CanonicalRequest, text: str, *, tokens: int = 20, is_proved: bool = True
) -> Record:
    """A fresh record of the request and its answer."""
    return Record(
        id=request.id,
        partition=request.partition,
        template=request.template,
        question=request.question,
        parameters=request.parameters,
        endpoint="chat",
        model="m",
        namespace="",
        text=request.text,
        format=request.format,
        answer=answer(text, tokens=tokens),
        steps=tuple(step.text for step in segment(text)),
        task=TaskName("linear_equation"),
        is_proved=is_proved,
        is_exact_only=False,
        provenance=Provenance.FRESH,
        created=NOW,
        ttl_seconds=60,
    )


@dataclass
class Said:
    """What a scripted upstream says in one call, word by word."""

    text: str
    finish_reason: str = "stop"
    completion_tokens: Json = None


@dataclass
class ScriptedUpstream:
    """Upstream that plays a script; an exception in it is raised, its end is fatal."""

    script: list[Said | UpstreamError] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    closed: int = 0

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Delta | Finish]:
        """The next call of the script."""
        self.prompts.append(prompt)
        said = self.script.pop(0)
        if isinstance(said, UpstreamError):
            raise said
        try:
            for word in said.text.splitlines(keepends=True):
                self.given.append(word)
                yield Delta(word)
            usage: dict[str, Json] = {"completion_tokens": said.completion_tokens}
            yield Finish(GeneratedAnswer(said.finish_reason, "m-1", usage, {}, {}, {}))
        finally:
            self.closed += 1


@dataclass
class WordEmbedder:
    """Embedder of hashed words: texts with the same words are near; None if long."""

    window: int = 400
    fingerprint: str = "words"
    asked: list[str] = field(default_factory=list)

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """A unit vector of 64 floats."""
        self.asked.append(text)
        if len(text) > self.window:
            return None
        counts = [0.0] * 64
        counts[0] = 0.001
        for word in text.lower().split():
            counts[hashlib.blake2b(word.encode(), digest_size=1).digest()[0] % 64] += 1
        length = math.sqrt(sum(count * count for count in counts))
        return [count / length for count in counts]


@dataclass
class SleepyEmbedder(WordEmbedder):
    """Embedder that never wakes up."""

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """Never."""
        await anyio.sleep_forever()
        raise AssertionError


@dataclass
class BrokenEmbedder:
    """Embedder that could not be loaded."""

    fingerprint: str = "broken"

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """Never."""
        raise EmbedderUnavailableError


@dataclass(frozen=True, slots=True)
class BrokenStore(MemoryStore):
    """RecordStore that is down."""

    async def get(
        self, ids: Sequence[RecordId], *, is_near: bool = False
    ) -> list[Record | None]:
        """Never."""
        raise StoreUnavailableError

    async def find(self, request: CanonicalRequest) -> Found:
        """Never."""
        raise StoreUnavailableError

    async def put(
        self, record: Record, vector: Vector | None, *, only_vector: bool = False
    ) -> None:
        """Never."""
        raise StoreUnavailableError


@dataclass(frozen=True, slots=True)
class BrokenIndex(MemoryIndex):
    """VectorIndex that is not built."""

    async def add(
        self, partition: PartitionKey, id: RecordId, vector: Vector, text: str = ""
    ) -> None:
        """Never."""
        raise IndexUnavailableError

    async def nearest(
        self, partition: PartitionKey, vector: Vector, k: int
    ) -> list[tuple[RecordId, float]]:
        """Never."""
        raise IndexUnavailableError

    async def holds(self, partition: PartitionKey, text: str = "") -> bool:
        """It does not know that it is empty."""
        return True

    def size(self, partition: PartitionKey | None = None) -> int:
        """It does not know that it is empty."""
        return 1


@dataclass
class Recording:
    """Recorder that is a list; ``story`` leaves the durations out."""

    events: list[Event] = field(default_factory=list)

    def record(self, event: Event) -> None:
        """Append."""
        self.events.append(event)

    @property
    def story(self) -> list[str | Event]:
        """The events in order, a timed stage by its name alone."""
        return [
            event.stage if isinstance(event, StageTimed) else event
            for event in self.events
        ]


@dataclass
class Background:
    """Runs what was spawned when it is told to, in order."""

    waiting: list[Coroutine[None, None, None]] = field(default_factory=list)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Remember the work."""
        self.waiting.append(work)

    async def run(self) -> None:
        """Do all of it, and what it spawns."""
        while self.waiting:
            await self.waiting.pop(0)


@dataclass
class Cache:
    """A whole pipeline over memory with real tasks; ``now`` is set by hand."""

    upstream: ScriptedUpstream = field(default_factory=ScriptedUpstream)
    recording: Recording = field(default_factory=Recording)
    background: Background = field(default_factory=Background)
    embedder: Embedder = field(default_factory=WordEmbedder)
    index: VectorIndex = field(default_factory=MemoryIndex)
    store: RecordStore = field(init=False)
    ledger: Ledger = field(init=False)
    tasks: Sequence[Task] = (JsonObjectTask(), LinearEquation(), Verbatim())
    now: float = NOW
    ticks: float = 0.0
    tick_seconds: float = 0.0
    budget_seconds: float = 5.0
    max_error: float = 0.01
    attempts: int = 2
    max_record_bytes: int = 100_000

    def __post_init__(self) -> None:
        self.store = self.ledger = MemoryStore(self.read_now)

    def read_now(self) -> float:
        """Seconds since the epoch."""
        return self.now

    def read_clock(self) -> float:
        """A clock that goes on ``tick_seconds`` whenever it is read."""
        self.ticks += self.tick_seconds
        return self.ticks

    @property
    def retriever(self) -> Retriever:
        """The three tiers."""
        return Retriever(
            self.store,
            self.index,
            self.embedder,
            self.recording,
            self.read_clock,
            self.read_now,
        )

    @property
    def searcher(self) -> Searcher:
        """Retrieval and verification."""
        return Searcher(
            self.tasks,
            self.retriever,
            self.recording,
            self.read_clock,
            self.budget_seconds,
            max_error=self.max_error,
        )

    @property
    def keeper(self) -> Keeper:
        """The writer of records."""
        return Keeper(
            store=self.store,
            index=self.index,
            embedder=self.embedder,
            recorder=self.recording,
            clock=self.read_clock,
            now=self.read_now,
            spawn=self.background.spawn,
            max_record_bytes=self.max_record_bytes,
        )

    @property
    def mender(self) -> Mender:
        """Repairs and fallbacks."""
        return Mender(self.upstream, self.recording, self.attempts)

    @property
    def settler(self) -> Settler:
        """Fresh answers."""
        return Settler(self.mender, self.keeper)

    @property
    def pipeline(self) -> Pipeline:
        """The whole path; every task but ``verbatim`` corrects."""
        corrected = frozenset(t.name for t in self.tasks if t.name != "verbatim")
        return Pipeline(
            self.searcher,
            self.mender,
            self.keeper,
            self.recording,
            corrected,
            self.read_now,
        )

    async def reply(self, asked: Ask) -> Reply:
        """The pipeline's reply, with whatever it left for later done."""
        reply = await self.pipeline.answer(asked)
        await self.background.run()
        return reply

    async def forward(self, asked: Ask) -> Forward:
        """The pipeline's reply, which is to go upstream."""
        reply = await self.reply(asked)
        assert isinstance(reply, Forward)
        return reply

    async def settle(self, asked: Ask, fresh: Answer) -> Settled:
        """What becomes of a fresh answer to ``asked``."""
        settled = await self.settler.settle(asked, await self.forward(asked), fresh)
        await self.background.run()
        return settled

    async def learn(self, asked: Ask, text: str, *, tokens: int = 20) -> RecordId:
        """Keep a right answer; its record. What was recorded meanwhile is forgotten."""
        afresh = replace(asked, controls=replace(asked.controls, may_serve=False))
        settled = await self.settle(afresh, answer(text, tokens=tokens))
        assert settled.record is not None
        self.recording.events.clear()
        return settled.record


def format_of(schema: JsonObject, *, is_strict: bool = False) -> JsonObject:
    """The ``response_format`` that demands ``schema``."""
    return {
        "type": "json_schema",
        "json_schema": {"name": "n", "schema": schema, "strict": is_strict},
    }
