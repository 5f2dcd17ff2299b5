"""The real pipeline over memory, with an upstream that says what it is told."""

import time
from collections.abc import AsyncGenerator, Coroutine, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points

from stepcache_proxy.adapters.memory import MemoryIndex, MemoryStore
from stepcache_proxy.reuse.ask import Ask, Served
from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.controls import Limits, read_controls
from stepcache_proxy.reuse.events import Event, StageTimed
from stepcache_proxy.reuse.fresh import Settler
from stepcache_proxy.reuse.keep import Keeper
from stepcache_proxy.reuse.lookup import Searcher
from stepcache_proxy.reuse.model import Answer, Outcome, TaskName
from stepcache_proxy.reuse.patch import Mender
from stepcache_proxy.reuse.pipeline import Pipeline
from stepcache_proxy.reuse.protocols import (
    Delta,
    Embedder,
    Finish,
    GeneratedAnswer,
    Prompt,
    Task,
    Vector,
)
from stepcache_proxy.reuse.retrieve import Retriever
from stepcache_proxy.wire.jsonvalue import JsonObject

_SCOPE = Scope(tenant="eval", upstream="http://scripted", namespace="")
_TASK_GROUP = "stepcache_proxy.tasks"
_LAST = "verbatim"
_BUDGET_SECONDS = 60.0  # what is measured is the decision, not this machine
_TOKENS = 64


def real_tasks() -> list[Task]:
    """Every installed task, ``verbatim`` last, as the server asks them."""
    points = entry_points(group=_TASK_GROUP)
    ordered = sorted(points, key=lambda point: (point.name == _LAST, point.name))
    return [point.load()() for point in ordered]


@dataclass(slots=True)
class OnceEmbedder:
    """Embeds each distinct text once."""

    inner: Embedder
    _known: dict[str, Vector | None] = field(default_factory=dict[str, Vector | None])

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """See Embedder."""
        if text not in self._known:
            self._known[text] = await self.inner.embed(text)
        return self._known[text]

    @property
    def fingerprint(self) -> str:
        """See Embedder."""
        return self.inner.fingerprint


@dataclass(slots=True)
class ScriptedUpstream:
    """Upstream that always says ``says``; ``calls`` counts the times it was asked."""

    says: str = ""
    calls: int = 0

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Delta | Finish]:
        """One delta and the end."""
        del prompt
        self.calls += 1
        yield Delta(self.says)
        yield Finish(GeneratedAnswer("stop", "scripted", _usage(), {}, {}, {}))


@dataclass(frozen=True, slots=True)
class Told:
    """What a client of the proxy was told, and where it came from.

    ``calls`` counts what the upstream was asked for, the first answer included.
    """

    text: str
    outcome: Outcome
    reason: str
    calls: int
    similarity: float | None = None
    task: str | None = None

    @property
    def is_served(self) -> bool:
        """Whether the cache answered without the upstream."""
        return self.outcome in (Outcome.EXACT, Outcome.REUSE)


@dataclass(slots=True)
class OfflineProxy:
    """An empty cache in front of a scripted upstream; everything else is real."""

    embedder: Embedder
    tasks: Sequence[Task]
    min_similarity: float
    upstream: ScriptedUpstream = field(default_factory=ScriptedUpstream)
    events: list[Event] = field(default_factory=list[Event])
    _later: list[Coroutine[None, None, None]] = field(
        default_factory=list[Coroutine[None, None, None]]
    )
    _pipeline: Pipeline = field(init=False)
    _settler: Settler = field(init=False)

    def __post_init__(self) -> None:
        store, index, clock = MemoryStore(time.time), MemoryIndex(), time.perf_counter
        retriever = Retriever(store, index, self.embedder, self, clock, time.time)
        searcher = Searcher(self.tasks, retriever, self, clock, _BUDGET_SECONDS)
        keeper = Keeper(
            store=store,
            index=index,
            embedder=self.embedder,
            recorder=self,
            clock=clock,
            now=time.time,
            spawn=self._later.append,
            max_record_bytes=1_048_576,
        )
        mender = Mender(self.upstream, self, attempts=2)
        corrected = frozenset(
            TaskName(task.name) for task in self.tasks if task.name != _LAST
        )
        self._pipeline = Pipeline(searcher, mender, keeper, self, corrected, time.time)
        self._settler = Settler(mender, keeper)

    def record(self, event: Event) -> None:
        """Keep the event (the proxy is its own recorder)."""
        self.events.append(event)

    async def learn(self, body: JsonObject, says: str) -> None:
        """Have the upstream answer ``says``, as if nothing were cached."""
        await self._tell(self._ask(body, {"cache-control": "no-cache"}), says)

    async def tell(self, body: JsonObject, says: str, *, keeps: bool = False) -> Told:
        """What a client is told whose answer the upstream would begin with ``says``.

        ``keeps``: the answer may become a record for those who ask later.
        """
        headers = {} if keeps else {"cache-control": "no-store"}
        return await self._tell(self._ask(body, headers), says)

    def check_seconds(self) -> list[float]:
        """How long each verification of a candidate took, so far."""
        return [
            event.seconds
            for event in self.events
            if isinstance(event, StageTimed) and event.stage == "verify"
        ]

    def _ask(self, body: JsonObject, headers: dict[str, str]) -> Ask:
        request = canonicalise("chat", body, _SCOPE)
        assert request is not None
        limits = Limits(min_similarity=self.min_similarity)
        ask = Ask(request, read_controls(headers, limits))
        return self._pipeline.searcher.bound(ask)

    async def _tell(self, ask: Ask, says: str) -> Told:
        self.upstream.says, self.upstream.calls = says, 0
        reply = await self._pipeline.answer(ask)
        if isinstance(reply, Served):
            await self._settle_down()
            return _told(reply, self.upstream.calls)
        answer = Answer(says, "stop", "scripted", _usage(), {"role": "assistant"})
        settled = await self._settler.settle(ask, reply, answer)
        await self._settle_down()
        calls = 1 + self.upstream.calls
        if settled.served is not None:
            return _told(settled.served, calls)
        task = reply.verifier.task if reply.verifier else None
        return Told(says, reply.outcome, reply.reason, calls, reply.similarity, task)

    async def _settle_down(self) -> None:
        """Do what the pipeline left for later."""
        while self._later:
            await self._later.pop(0)


def body_of(messages: Sequence[JsonObject], **fields: JsonObject) -> JsonObject:
    """A greedy chat request."""
    return {"model": "scripted", "temperature": 0, "messages": list(messages), **fields}


def question(text: str) -> JsonObject:
    """A greedy chat request with one message."""
    return body_of([{"role": "user", "content": text}])


def _told(served: Served, calls: int) -> Told:
    return Told(
        text=served.answer.text,
        outcome=served.outcome,
        reason=served.reason,
        calls=calls,
        similarity=served.similarity,
        task=served.task,
    )


def _usage() -> JsonObject:
    return {
        "prompt_tokens": _TOKENS,
        "completion_tokens": _TOKENS,
        "total_tokens": 2 * _TOKENS,
    }
