"""The perturbation benchmark: every request once straight, once per arm, in turn.

Resumable: with ``--out`` every measurement is a line in ``journal.jsonl`` there and
the arms' stores live beside it; the same command goes on where a kill has stopped it.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.bench.arms import SEMANTIC, Arm, chosen
from stepcache_proxy.bench.client import ChatClient, Reply, send
from stepcache_proxy.bench.counters import Tokens, UpstreamCounters
from stepcache_proxy.bench.journal import WARM_UP, Journal, RowStart
from stepcache_proxy.bench.llama_server import MODEL_NAME, llama_server
from stepcache_proxy.bench.perturb import Item, evaluation, warm_up
from stepcache_proxy.bench.proxy_server import bundled_embedder, proxy_server
from stepcache_proxy.bench.report import publish
from stepcache_proxy.bench.scripted import TOKENS_PER_SECOND, scripted_server
from stepcache_proxy.bench.semantic_cache import SemanticCache
from stepcache_proxy.bench.table import duration
from stepcache_proxy.config.tree import EmbedderSettings
from stepcache_proxy.errors import ConfigError

SCRIPTED = "scripted"
_ANSWER_SECONDS = 300
_IDLE_SECONDS = 2  # llama.cpp closes a connection that is idle for five
_PHASE = "evaluation"
# The upstream, the embedders and this program share the machine's cores.
_SETTINGS = {"reuse.budget_ms": "500"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured: the same plan resumes the same run."""

    upstream: str
    seeds: tuple[int, ...]
    arms: tuple[Arm, ...]
    requests: int | None
    speed: float

    def items(self, seed: int) -> Sequence[Item]:
        """The requests of a seed, the first ``requests`` of them if that is set."""
        return evaluation(seed)[: self.requests]

    @property
    def is_scripted(self) -> bool:
        """Whether the answers are written by a script."""
        return self.upstream == SCRIPTED


def main(args: argparse.Namespace) -> int:
    """Run the benchmark and report; 1 if a cache answered wrongly in the full arm."""
    plan = plan_of(args)
    with ExitStack() as stack:
        out: Path | None = args.out
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        folder = out or Path(stack.enter_context(TemporaryDirectory(prefix="bench-")))
        journal = Journal(folder / "journal.jsonl", _signature(plan))
        upstream = _upstream(stack, plan, folder)
        for seed in plan.seeds:
            with ExitStack() as inner:
                _run_seed(inner, plan, seed, _Place(folder, upstream), journal)
    told = publish(plan.upstream, plan.seeds, journal.measured(), args.out, args.json)
    sys.stdout.write(told.markdown)
    return 1 if told.is_unsafe else 0


def plan_of(args: argparse.Namespace) -> Plan:
    """The plan that the options make; ConfigError names a bad one."""
    try:
        seeds = tuple(int(seed) for seed in args.seeds.split(","))
    except ValueError:
        msg = "bench: --seeds: whole numbers, like 42,43,44"
        raise ConfigError(msg) from None
    return Plan(
        upstream=args.upstream or "",
        seeds=seeds,
        arms=chosen(args.arms),
        requests=args.requests,
        speed=args.speed,
    )


def _signature(plan: Plan) -> dict[str, str | float | list[str] | list[int] | None]:
    return {
        "upstream": plan.upstream,
        "seeds": list(plan.seeds),
        "arms": [arm.name for arm in plan.arms],
        "requests": plan.requests,
        "speed": plan.speed,
    }


def _upstream(stack: ExitStack, plan: Plan, folder: Path) -> str:
    """The root address of the upstream, started if it is one of ours."""
    if plan.is_scripted:
        pace = TOKENS_PER_SECOND * plan.speed
        server = scripted_server(folder / "upstream.log", tokens_per_second=pace)
        return stack.enter_context(server).url
    if not plan.upstream:
        _say(f"starting {MODEL_NAME} ...")
        return stack.enter_context(llama_server(folder / "upstream.log")).url
    return plan.upstream.rstrip("/").removesuffix("/v1").rstrip("/")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a run keeps its files, and whom it asks."""

    folder: Path
    upstream: str


def _run_seed(
    stack: ExitStack, plan: Plan, seed: int, place: _Place, journal: Journal
) -> None:
    _say(f"seed {seed}: starting {len(plan.arms)} arms ...")
    run = _Run(journal, _counters(stack, place), seed)
    routes = [_route(stack, arm, seed, place, journal) for arm in plan.arms]
    for item in warm_up():
        for route in routes:
            run.measure(route, item, WARM_UP)
    items = plan.items(seed)
    progress = _Progress(seed, len(items))
    for number, item in enumerate(items):
        # Whoever asks second finds the prompt in the upstream's own cache: take turns.
        turn = number % len(routes)
        for route in (*routes[turn:], *routes[:turn]):
            run.measure(route, item, _PHASE)
        progress.tell(number + 1)


def _counters(stack: ExitStack, place: _Place) -> UpstreamCounters:
    client = stack.enter_context(httpx.Client(trust_env=False, timeout=10))
    return UpstreamCounters(client, place.upstream)


@dataclass(frozen=True, slots=True)
class _Route:
    """An arm that can be asked."""

    arm: Arm
    client: ChatClient
    semantic: SemanticCache | None = None

    def ask(self, item: Item) -> Reply:
        if self.semantic is not None:
            return self.semantic.ask(self.client, item.ask)
        return send(self.client, item.ask)


def _route(
    stack: ExitStack, arm: Arm, seed: int, place: _Place, journal: Journal
) -> _Route:
    url = place.upstream
    if arm.has_proxy:
        proxy = proxy_server(
            url,
            data_dir=place.folder / f"store-{arm.name}-{seed}",
            log=place.folder / f"proxy-{arm.name}.log",
            settings={**_SETTINGS, **arm.settings},
        )
        url = stack.enter_context(proxy).url
    # The scripted upstream tells the arms apart by their credential.
    client = ChatClient(
        url,
        timeout=_ANSWER_SECONDS,
        headers={"authorization": f"Bearer bench-{arm.name}-{seed}"},
        idle_seconds=_IDLE_SECONDS,
    )
    stack.enter_context(client)
    if arm.name != SEMANTIC:
        return _Route(arm, client)
    return _Route(arm, client, _semantic(stack, seed, journal))


def _semantic(stack: ExitStack, seed: int, journal: Journal) -> SemanticCache:
    runner = stack.enter_context(asyncio.Runner())
    model = bundled_embedder() or "all-MiniLM-L6-v2"
    embedder = SentenceTransformerEmbedder(model, EmbedderSettings().exports)
    runner.run(embedder.load())
    stack.callback(embedder.close)
    cache = SemanticCache(embedder, runner)
    texts = {item.name: item.ask.name for item in (*warm_up(), *evaluation(seed))}
    for row in journal.rows:
        if (row.seed, row.arm, row.outcome) == (seed, SEMANTIC, "miss"):
            cache.remember(texts[row.item], row.text)
    return cache


@dataclass(frozen=True, slots=True)
class _Run:
    """Measures one request after another and writes each down."""

    journal: Journal
    counters: UpstreamCounters
    seed: int

    def measure(self, route: _Route, item: Item, phase: str) -> None:
        start = RowStart(self.seed, phase, item.name, item.kind, route.arm.name)
        if self.journal.has(start):
            return
        before = self.counters.read()
        reply = route.ask(item)
        after = self.counters.read()
        if before is not None and after is not None:
            tokens = after.since(before)
        else:
            tokens = Tokens(0, reply.tokens_generated)
        is_right = item.ask.check is None or item.ask.check(reply.text)
        self.journal.add(start.measured(reply, tokens, is_right=is_right))


class _Progress:
    """Tells how far a seed is, and how long the rest will take."""

    def __init__(self, seed: int, total: int) -> None:
        self._seed, self._total = seed, total
        self._started = time.monotonic()

    def tell(self, done: int) -> None:
        if done % 10 and done != self._total:
            return
        spent = time.monotonic() - self._started
        left = spent / done * (self._total - done)
        _say(f"seed {self._seed}: {done} of {self._total}, {duration(left)} left")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
