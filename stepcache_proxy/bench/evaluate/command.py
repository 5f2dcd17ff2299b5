"""The command: every file in turn, a table on the terminal, JSON if asked."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Literal, assert_never

import orjson

from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.bench.evaluate.answers import read_outputs, read_solutions
from stepcache_proxy.bench.evaluate.calls import share_calls
from stepcache_proxy.bench.evaluate.equations import solve
from stepcache_proxy.bench.evaluate.figures import Report
from stepcache_proxy.bench.evaluate.machine import Machine
from stepcache_proxy.bench.evaluate.offline import OnceEmbedder, real_tasks
from stepcache_proxy.bench.evaluate.rows import Kind, Row, kind_of, read_rows
from stepcache_proxy.bench.evaluate.schemas import judge_values
from stepcache_proxy.bench.evaluate.sharing import share_messages, share_problems
from stepcache_proxy.bench.evaluate.shown import shown
from stepcache_proxy.bench.evaluate.steps import judge_steps
from stepcache_proxy.config.tree import EmbedderSettings, ReuseSettings


def main(args: argparse.Namespace) -> int:
    """Evaluate ``args.files``; 0 when all could be read, whatever they showed."""
    files: list[Path] = args.files
    reports = asyncio.run(_evaluate(files))
    sys.stdout.write(shown(reports))
    if args.json is not None:
        out: Path = args.json
        written = [report.as_json() for report in reports]
        out.write_bytes(orjson.dumps(written, option=orjson.OPT_INDENT_2) + b"\n")
    return 0


async def _evaluate(files: list[Path]) -> list[Report]:
    settings = EmbedderSettings()
    embedder = SentenceTransformerEmbedder(settings.model, settings.exports)
    read = [(path, read_rows(path)) for path in files]
    kinds = [kind_of(rows, path) for path, rows in read]
    try:
        await embedder.load()
        machine = Machine(
            OnceEmbedder(embedder), real_tasks(), ReuseSettings().min_similarity
        )
        reports: list[Report] = []
        for (path, rows), kind in zip(read, kinds, strict=True):
            report = Report(path.name, len(rows), kind.value)
            await _run(kind, machine, rows, report)
            reports.append(report)
        return reports
    finally:
        embedder.close()


async def _run(kind: Kind, machine: Machine, rows: list[Row], to: Report) -> None:
    match kind:
        case Kind.MESSAGES:
            await share_messages(machine, rows, to)
        case Kind.PROBLEMS:
            await share_problems(machine, rows, to)
        case Kind.EQUATIONS:
            await solve(machine, rows, to)
        case Kind.CALLS:
            await share_calls(machine, rows, to)
        case _:
            _judge(kind, machine, rows, to)


_Judged = Literal[Kind.STEPS, Kind.SCHEMAS, Kind.SOLUTIONS, Kind.OUTPUTS]


def _judge(kind: _Judged, machine: Machine, rows: list[Row], to: Report) -> None:
    """What needs no cache: a check against its labels."""
    to.is_served = False
    match kind:
        case Kind.STEPS:
            judge_steps(rows, to)
        case Kind.SCHEMAS:
            judge_values(machine, rows, to)
        case Kind.SOLUTIONS:
            read_solutions(rows, to)
        case Kind.OUTPUTS:
            read_outputs(rows, to)
        case _:
            assert_never(kind)
