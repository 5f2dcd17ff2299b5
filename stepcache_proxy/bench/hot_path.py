"""The hot-path table: what the proxy adds where no model is in the way.

``python -m stepcache_proxy.bench.hot_path [--json FILE] [--no-litellm]``. A stub
upstream answers at once; every row is measured against it, against a bare FastAPI
handler or relay, and against LiteLLM, interleaved in rounds: compare ratios, never
times of two runs.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.hot_asks import Ask, Asks
from stepcache_proxy.bench.hot_client import Answer, at_once, one_by_one, request
from stepcache_proxy.bench.hot_rows import Samples, rows_of, shown
from stepcache_proxy.bench.hot_servers import server
from stepcache_proxy.bench.hot_streams import many_streams
from stepcache_proxy.bench.litellm_server import install, litellm_server
from stepcache_proxy.bench.machine import machine, versions
from stepcache_proxy.bench.proxy_server import proxy_server
from stepcache_proxy.errors import StartError
from stepcache_proxy.wire.jsonvalue import JsonObject

ROWS = (
    "passthrough",
    "miss",
    "skip",
    "exact",
    "template",
    "semantic",
    "stream",
    "first_byte",
)
_CONNECTIONS = 32
_SERVABLE_SECONDS = 0.3
# Before each request of ``first_byte``: the one before it is at rest then.
_THINKING_SECONDS = 0.03
_SETTINGS = {"log.level": "warning", "reuse.budget_ms": "500"}
# Requests a round: one by one, and over all connections.
_COUNTS = {
    "passthrough": (60, 640),
    "miss": (30, 160),
    "skip": (30, 160),
    "exact": (60, 640),
    "template": (40, 160),
    "semantic": (30, 96),
    "stream": (10, 64),
    "first_byte": (30, 0),
}
_SLOW_TARGET_SHARE = 0.2  # of the requests, for servers that take ten times as long


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, compare with the baseline; 0 unless nothing ran."""
    args = _options().parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="hot-path-")))
        targets = _start(stack, folder, args)
        samples, streams = uvloop.run(_measure(targets, args))
    result: JsonObject = {
        "rows": rows_of(samples),
        "concurrent_streams": streams,
        "machine": machine(),
        "versions": versions(),
    }
    sys.stdout.write(shown(result, args.baseline))
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=2), encoding="utf-8")
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="scripts/perf", description=__doc__)
    options.add_argument("--json", type=Path, metavar="FILE")
    options.add_argument("--rounds", type=int, default=4)
    options.add_argument("--rows", default=",".join(ROWS))
    options.add_argument("--streams", type=int, default=1000)
    options.add_argument("--no-litellm", action="store_true")
    options.add_argument("--litellm", type=Path, default=Path(".venv-litellm"))
    baseline = Path("bench") / "perf_baseline.json"
    options.add_argument("--baseline", type=Path, default=baseline)
    return options


def _start(
    stack: ExitStack, folder: Path, args: argparse.Namespace
) -> Mapping[str, int]:
    """The ports of everything that is measured, by name."""
    stub = stack.enter_context(server("stub", folder / "stub.log"))
    proxy = proxy_server(
        stub.url,
        data_dir=folder / "store",
        log=folder / "proxy.log",
        settings=_SETTINGS,
    )
    bare = server("bare", folder / "bare.log", upstream=stub.url)
    started = {"direct": stub, "bare": bare, "proxy": proxy}
    for child in (bare, proxy):
        stack.enter_context(child)
    if not args.no_litellm:
        _start_litellm(stack, folder, args.litellm, started)
    return {name: child.port for name, child in started.items()}


def _start_litellm(
    stack: ExitStack, folder: Path, place: Path, started: dict[str, Child]
) -> None:
    try:
        _say("starting LiteLLM (the first time it is installed, which takes minutes)")
        program = install(place)
        child = litellm_server(program, started["direct"].url, folder)
        started["litellm"] = stack.enter_context(child)
    except StartError as error:
        _say(f"without LiteLLM: {error}")


async def _measure(
    targets: Mapping[str, int], args: argparse.Namespace
) -> tuple[Samples, JsonObject]:
    asks, samples = Asks(), Samples()
    for name in targets.keys() & {"proxy", "litellm"}:
        await one_by_one(targets[name], _raw(asks.warm_up(), targets[name]))
    await asyncio.sleep(_SERVABLE_SECONDS)
    for number in range(args.rounds):
        _say(f"round {number + 1} of {args.rounds}")
        for row in args.rows.split(","):
            for name, port in targets.items():
                await _sample(samples, asks, (row, name), port)
    streams: JsonObject = {}
    if args.streams:
        _say(f"{args.streams} streams at once")
        streams = await many_streams(targets, asks, args.streams)
    return samples, streams


async def _sample(
    samples: Samples, asks: Asks, cell: tuple[str, str], port: int
) -> None:
    row, name = cell
    few, many = _COUNTS[row]
    if name == "litellm":
        few = int(few * 0.5)
        many = many and max(_CONNECTIONS, int(many * _SLOW_TARGET_SHARE))
    # What LiteLLM passes through is a chat request that it has not seen yet.
    kind = "miss" if (row, name) == ("passthrough", "litellm") else row
    make = {each: getattr(asks, each) for each in ROWS}[kind]
    path = _path_of(row, name)
    pause = _THINKING_SECONDS if row == "first_byte" else 0.0
    answers = await one_by_one(port, _raw(make(few), port, path), pause_s=pause)
    samples.add(row, name, _good(answers))
    if not many:
        return
    raw = _raw(make(many), port, path)
    took, answers = await at_once(port, raw, _CONNECTIONS)
    samples.add_rate(row, name, len(_good(answers)) / took, answers)


def _path_of(row: str, name: str) -> str | None:
    """The bare handler answers what a cache would; elsewhere it relays."""
    is_hit = row in {"exact", "template", "semantic"}
    if name == "bare" and is_hit:
        return "/bare"
    is_other = row == "passthrough" and name != "litellm"
    return "/v1/models" if is_other else None


def _raw(asks: Sequence[Ask], port: int, path: str | None = None) -> list[bytes]:
    return [request(path or a.path, port, a.body, a.header) for a in asks]


def _good(answers: Sequence[Answer]) -> list[Answer]:
    good = [answer for answer in answers if answer.is_ok]
    if not good:
        msg = f"no answer was a 200: {answers[0].raw[:200]!r}"
        raise StartError(msg)
    return good


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
