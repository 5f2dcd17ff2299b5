"""A soak: mixed load on a real proxy while its store is killed and comes back.

``python -m loadtest.soak [--minutes 10] [--workers 8] [--seed 1] [--json FILE]``

Hits, misses, patches and streams of two tenants, clients that leave, an upstream
that fails on request. Every answer is recomputed from its own request. Exit 1 if an
answer is wrong, a tenant sees another's, a 5xx is ours, or memory or file
descriptors grow.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import aiohttp

from loadtest.asks import Ask, asks
from loadtest.upstream import DROP
from loadtest.watching import Sample, faults, look, summary
from stepcache_proxy.adapters.embedded import find_server
from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.bench.proxy_server import proxy_server

_PATH = "/v1/chat/completions"
_SAMPLE_SECONDS = 1.0
_PAUSE_SECONDS = 0.01
_STORE_AWAY_SECONDS = 8.0
_MOST_VIOLATIONS = 20
_SETTINGS = {"index.max_records": "2000", "tenant.recheck_s": "20"}


@dataclass(slots=True)
class Store:
    """A Valkey on a port of its own, to be killed, frozen and started again."""

    folder: Path
    port: int
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, with what its file holds."""
        place = ("--port", str(self.port), "--bind", "127.0.0.1")
        files = ("--dir", str(self.folder), "--appendonly", "yes", "--save", "")
        self._process = subprocess.Popen(  # noqa: S603 -- our own server
            [find_server(), *place, *files], stdout=subprocess.DEVNULL
        )

    def send(self, number: signal.Signals) -> None:
        """Send a signal; after SIGKILL wait for its end."""
        assert self._process is not None
        self._process.send_signal(number)
        if number is signal.SIGKILL:
            self._process.wait()

    def stop(self) -> None:
        """End it, frozen or not."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGKILL)


@dataclass(slots=True)
class Findings:
    """What the load has seen so far."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    seconds: dict[str, list[float]] = field(
        default_factory=lambda: defaultdict(list[float])
    )
    reasons: Counter[str] = field(default_factory=Counter[str])
    violations: list[str] = field(default_factory=list[str])
    samples: list[Sample] = field(default_factory=list[Sample])
    events: list[str] = field(default_factory=list[str])
    left: int = 0
    upstream_faults: int = 0

    def violate(self, ask: Ask, what: str) -> None:
        """Note what is not as it must be."""
        if len(self.violations) < _MOST_VIOLATIONS:
            asked = ask.body["messages"]
            self.violations.append(f"{ask.kind}: {what}: {asked}")


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer as a client read it."""

    status: int
    outcome: str
    reason: str
    text: str
    is_whole: bool
    raw: str


class LeftEarlyError(Exception):
    """The client went away on purpose."""


async def client(
    session: aiohttp.ClientSession, seed: int, until: float, findings: Findings
) -> None:
    """One client that asks until the time is over."""
    for ask in asks(seed):
        if time.monotonic() >= until:
            return
        started = time.monotonic()
        try:
            reply = await send(session, ask)
        except LeftEarlyError:
            findings.left += 1
        except aiohttp.ClientError as error:
            judge_broken(ask, type(error).__name__, findings)
        else:
            findings.outcomes[reply.outcome] += 1
            findings.reasons[f"{reply.outcome} {reply.reason}"] += 1
            findings.seconds[reply.outcome].append(time.monotonic() - started)
            judge(ask, reply, findings)
        await asyncio.sleep(_PAUSE_SECONDS)


async def send(session: aiohttp.ClientSession, ask: Ask) -> Reply:
    """The reply to one request."""
    headers = {"authorization": ask.credential}
    async with session.post(_PATH, json=ask.body, headers=headers) as response:
        if ask.leaves_early:
            await response.content.readany()
            response.close()
            raise LeftEarlyError
        raw = await response.text()
        told = response.headers
    is_stream = ask.is_stream and response.status == 200
    text, is_whole = _streamed(raw) if is_stream else _whole(raw)
    return Reply(
        response.status,
        told.get("x-stepcache-outcome", "none"),
        told.get("x-stepcache-reason", "none"),
        text,
        is_whole,
        raw,
    )


def judge(ask: Ask, reply: Reply, findings: Findings) -> None:
    """Note whatever is not as it must be."""
    if ask.foreign in reply.raw:
        findings.violate(ask, "another tenant's answer")
    if ask.fault is not None:
        findings.upstream_faults += 1
        is_told = reply.status >= 500 or not reply.is_whole
        if not is_told:
            findings.violate(ask, f"a fault came as {reply.status}, whole")
        return
    if reply.status != 200 or not reply.is_whole:
        findings.violate(ask, f"status {reply.status} {reply.raw[:200]}")
    elif not ask.is_right(reply.text):
        findings.violate(ask, f"wrong ({reply.outcome}): {reply.text[:300]!r}")


def judge_broken(ask: Ask, what: str, findings: Findings) -> None:
    """A connection that broke: only right where the upstream broke it."""
    findings.upstream_faults += 1
    if ask.fault != DROP:
        findings.violate(ask, what)


def _whole(raw: str) -> tuple[str, bool]:
    try:
        choice = json.loads(raw)["choices"][0]
        return choice["message"]["content"], choice["finish_reason"] == "stop"
    except (ValueError, KeyError):
        return "", False


def _streamed(raw: str) -> tuple[str, bool]:
    text, finish = "", None
    for line in raw.splitlines():
        if not line.startswith("data: {"):
            continue
        chunk = json.loads(line[6:])
        if "error" in chunk:
            return text, False
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
            finish = choice["finish_reason"] or finish
    return text, finish == "stop" and raw.endswith("data: [DONE]\n\n")


async def sample(pid: int, started: float, findings: Findings) -> None:
    """Look at the proxy again and again, until cancelled."""
    while True:
        findings.samples.append(look(pid, time.monotonic() - started))
        await asyncio.sleep(_SAMPLE_SECONDS)


async def trouble(store: Store, seconds: float, findings: Findings) -> None:
    """Kill the store in the middle of the run, and freeze it later."""
    await asyncio.sleep(seconds / 2)
    store.send(signal.SIGKILL)
    findings.events.append("store killed")
    await asyncio.sleep(min(_STORE_AWAY_SECONDS, seconds / 10))
    store.start()
    findings.events.append("store started again")
    await asyncio.sleep(seconds / 8)
    store.send(signal.SIGSTOP)
    findings.events.append("store frozen")
    await asyncio.sleep(min(_STORE_AWAY_SECONDS, seconds / 10))
    store.send(signal.SIGCONT)
    findings.events.append("store thawed")


async def run(
    proxy: Child, pid: int, store: Store, args: argparse.Namespace
) -> Findings:
    """The whole load, then what it has seen."""
    findings, seconds = Findings(), args.minutes * 60
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            aiohttp.ClientSession(
                proxy.url, timeout=aiohttp.ClientTimeout(total=60), trust_env=False
            )
        )
        clients = await stack.enter_async_context(asyncio.TaskGroup())
        watch = clients.create_task(sample(pid, started, findings))
        mischief = clients.create_task(trouble(store, seconds, findings))
        asking = [
            clients.create_task(
                client(session, args.seed * 100 + n, started + seconds, findings)
            )
            for n in range(args.workers)
        ]
        await asyncio.gather(*asking, mischief)
        watch.cancel()
        await _until_ready(session, findings)
    return findings


async def _until_ready(session: aiohttp.ClientSession, findings: Findings) -> None:
    """After all trouble the proxy must find its way back by itself."""
    for _ in range(100):
        async with session.get("/readyz") as response:
            told = await response.json()
        if not told["degraded"]:
            return
        await asyncio.sleep(0.1)
    findings.violations.append(f"still degraded: {told}")


def report(findings: Findings) -> dict[str, object]:
    """Everything in one object."""
    held = summary(findings.samples)
    latencies = {
        outcome: {
            "requests": len(seconds),
            "p50_ms": round(1000 * median(seconds), 1),
            "p95_ms": round(1000 * quantiles(seconds, n=20)[-1], 1)
            if len(seconds) > 1
            else None,
        }
        for outcome, seconds in sorted(findings.seconds.items())
    }
    return {
        "outcomes": latencies,
        "reasons": dict(findings.reasons.most_common()),
        "left_early": findings.left,
        "upstream_faults": findings.upstream_faults,
        "events": findings.events,
        "proxy": held,
        "violations": [*findings.violations, *faults(held)],
    }


def soak(args: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Start everything, run the load, stop everything."""
    store = Store(folder, free_port())
    port = free_port()
    upstream = Child(
        name="the scripted upstream",
        command=[sys.executable, "-m", "loadtest.upstream", "--port", str(port)],
        port=port,
        ready_path="/health",
        log=folder / "upstream.log",
    )
    settings = {**_SETTINGS, "store.url": store.url}
    store.start()
    try:
        with upstream:
            proxy = proxy_server(
                upstream.url,
                data_dir=folder / "proxy",
                log=args.log or folder / "proxy.log",
                settings=settings,
            )
            with proxy:
                pid = _pid_on(proxy.port)
                return report(asyncio.run(run(proxy, pid, store, args)))
    finally:
        with suppress(ProcessLookupError):
            store.stop()


def _pid_on(port: int) -> int:
    """The child of ours that was told to listen on this port."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            told = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if str(port).encode() in told and parent == os.getpid():
                return int(entry.name)
    message = "the proxy is not running"
    raise RuntimeError(message)


def main() -> int:
    """Read the options, soak, print; 1 if anything was not as it must be."""
    options = argparse.ArgumentParser(prog="loadtest.soak", description=__doc__)
    options.add_argument("--minutes", type=float, default=10)
    options.add_argument("--workers", type=int, default=8)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", type=Path)
    options.add_argument("--log", type=Path, help="where the proxy's log goes")
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="stepcache-soak-") as folder:
        told = soak(args, Path(folder))
    if args.json:
        args.json.write_text(json.dumps(told, indent=2) + "\n")
    print(json.dumps(told, indent=2))
    return 1 if told["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
