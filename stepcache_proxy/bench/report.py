"""The benchmark's result as JSON, as Markdown and as one page without dependencies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from stepcache_proxy.bench import plots
from stepcache_proxy.bench.arms import ARMS, DIRECT
from stepcache_proxy.bench.figures import PAPER, arm_figures, by_kind
from stepcache_proxy.bench.journal import Row
from stepcache_proxy.bench.machine import machine, versions
from stepcache_proxy.bench.table import duration
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8884; text-align: right }
th:first-child, td:first-child { text-align: left }
svg { width: 100%; height: auto; margin: 1rem 0 }
"""


@dataclass(frozen=True, slots=True)
class Told:
    """The report as text; ``is_unsafe``: the full arm served something wrong."""

    markdown: str
    is_unsafe: bool


def publish(
    upstream: str,
    seeds: Sequence[int],
    rows: Sequence[Row],
    out: Path | None,
    json_file: Path | None,
) -> Told:
    """Write ``bench.json``, ``bench.md`` and ``bench.html`` to ``out``, if given."""
    result = as_json(upstream, seeds, rows)
    markdown = as_markdown(result)
    written = json.dumps(result, indent=2)
    if json_file is not None:
        json_file.write_text(written, encoding="utf-8")
    if out is not None:
        page = as_html(result, markdown_rows(result), rows)
        (out / "bench.json").write_text(written, encoding="utf-8")
        (out / "bench.md").write_text(markdown, encoding="utf-8")
        (out / "bench.html").write_text(page, encoding="utf-8")
    return Told(markdown, bool(_number(_arms(result).get("full"), "unsafe_served")))


def as_json(upstream: str, seeds: Sequence[int], rows: Sequence[Row]) -> JsonObject:
    """The contract's object: ``arms``, ``seeds``, ``machine``, ``versions``."""
    names = [arm.name for arm in ARMS if any(row.arm == arm.name for row in rows)]
    of = {name: [row for row in rows if row.arm == name] for name in names}
    return {
        "upstream": upstream or "llama.cpp on SmolLM2-135M-Instruct",
        "seeds": list(seeds),
        "arms": {name: arm_figures(of[name]) for name in names},
        "kinds": {name: by_kind(of[name]) for name in names},
        "about": {arm.name: arm.about for arm in ARMS if arm.name in names},
        "machine": machine(),
        "versions": versions(),
        "paper": PAPER,
    }


def as_markdown(result: JsonObject) -> str:
    """The table of all arms, the ratios to direct, and the paper's figures."""
    head, *body = markdown_rows(result)
    lines = [
        f"Upstream: {result['upstream']}. Seeds: {_joined(result['seeds'])}."
        f" {_machine_line(result)}",
        "",
        f"| {' | '.join(head)} |",
        f"|{'|'.join(['---', *['---:'] * (len(head) - 1)])}|",
        *(f"| {' | '.join(row)} |" for row in body),
        "",
        *_paper_lines(result),
    ]
    return "\n".join(lines) + "\n"


def markdown_rows(result: JsonObject) -> list[list[str]]:
    """Head and rows: a figure a row, an arm a column."""
    arms = _arms(result)
    head = ["figure", *arms]
    direct = arms.get(DIRECT)
    rows = [
        [name, *(_cell(arm, kind) for arm in arms.values())] for name, kind in _ROWS
    ]
    for name, kind in (("mean, times lower", "mean_s"), ("p95, times lower", "p95_s")):
        rows.append([name, *(_ratio(direct, arm, kind) for arm in arms.values())])
    saved = [_saved(direct, arm) for arm in arms.values()]
    return [head, *rows, ["upstream tokens saved", *saved]]


_ROWS = (
    ("requests", "requests"),
    ("mean", "mean_s"),
    ("median", "median_s"),
    ("p95", "p95_s"),
    ("first token, median", "ttft_median_s"),
    ("upstream prompt tokens", "upstream_prompt_tokens"),
    ("upstream completion tokens", "upstream_completion_tokens"),
    ("reused tokens", "reused_tokens"),
    ("correct", "correct"),
    ("correct without fallback", "correct_without_fallback"),
    ("served wrong from the cache", "unsafe_served"),
    ("answered without the upstream", "answered_without_upstream"),
    ("outcomes", "outcomes"),
)
_SHARES = {"correct", "correct_without_fallback", "answered_without_upstream"}


def _arms(result: JsonObject) -> Mapping[str, JsonObject]:
    arms = result["arms"]
    assert isinstance(arms, dict)
    return {name: arm for name, arm in arms.items() if isinstance(arm, dict)}


def _number(arm: Json, name: str) -> float:
    value = arm.get(name) if isinstance(arm, dict) else None
    return float(value) if isinstance(value, int | float) else 0.0


def _cell(arm: JsonObject, name: str) -> str:
    value = arm[name]
    if isinstance(value, dict):
        ordered = sorted(value.items(), key=lambda pair: -_number(value, pair[0]))
        return ", ".join(f"{count} {outcome}" for outcome, count in ordered)
    if name.endswith("_s"):
        return duration(_number(arm, name))
    if name in _SHARES:
        share = _number(arm, name) / max(1.0, _number(arm, "requests"))
        return f"{value} ({share:.1%})"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _ratio(direct: JsonObject | None, arm: JsonObject, name: str) -> str:
    if direct is None or not _number(arm, name):
        return "–"
    return f"{_number(direct, name) / _number(arm, name):.1f} ×"


def _tokens(arm: JsonObject) -> float:
    names = ("upstream_prompt_tokens", "upstream_completion_tokens")
    return sum(_number(arm, name) for name in names)


def _saved(direct: JsonObject | None, arm: JsonObject) -> str:
    if direct is None or not _tokens(direct):
        return "–"
    return f"{1 - _tokens(arm) / _tokens(direct):.1%}"


def _joined(values: Json) -> str:
    return ", ".join(map(str, values)) if isinstance(values, list) else ""


def _machine_line(result: JsonObject) -> str:
    found = result["machine"]
    assert isinstance(found, dict)
    return (
        f"{found['processor']}, {found['cores']} cores, {found['memory_gb']} GB,"
        f" load {found['load_average']}, {found['date']}."
    )


def _paper_lines(result: JsonObject) -> list[str]:
    about = result["about"]
    assert isinstance(about, dict)
    return [
        *(f"* {name}: {words}." for name, words in about.items()),
        "",
        "The paper's own figures (arXiv 2603.28795, its abstract; another model and"
        " machine): mean 2.13 → 0.67 s, median 2.42 → 0.01 s, p95 3.38 → 3.30 s,"
        " tokens 36.1k → 27.3k, correct 72.5 → 100 %, reuse 79.7 %, patch 5.4 %,"
        " skip 14.9 %.",
    ]


def as_html(result: JsonObject, table: list[list[str]], rows: Sequence[Row]) -> str:
    """One self-contained page: the table and four plots."""
    head, *body = table
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in body
    )
    notes = "".join(
        f"<p>{escape(line.lstrip('* '))}</p>" for line in _paper_lines(result) if line
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>stepcache-proxy bench</title><style>{_STYLE}</style></head><body>"
        "<h1>stepcache-proxy: the perturbation benchmark</h1>"
        f"<p>Upstream: {escape(str(result['upstream']))}. Seeds:"
        f" {escape(_joined(result['seeds']))}. {escape(_machine_line(result))}</p>"
        f"<table><tr>{cells}</tr>{lines}</table>{_plots(result, rows)}{notes}"
        "</body></html>\n"
    )


def _plots(result: JsonObject, rows: Sequence[Row]) -> str:
    arms = _arms(result)
    latencies = {n: [r.latency_s for r in rows if r.arm == n] for n in arms}
    outcomes = {n: _shares(arm) for n, arm in arms.items()}
    tokens = {
        name: {
            "prompt": _number(arm, "upstream_prompt_tokens"),
            "completion": _number(arm, "upstream_completion_tokens"),
        }
        for name, arm in arms.items()
    }
    right = {name: _right(arm) for name, arm in arms.items()}
    return (
        plots.latency_curves("Latency: share answered within", latencies)
        + plots.stacked_bars("Outcomes, per cent", outcomes, " %")
        + plots.stacked_bars("Tokens at the upstream, by kind", tokens)
        + plots.stacked_bars("Correctness, per cent", right, " %")
    )


def _shares(arm: JsonObject) -> dict[str, float]:
    outcomes = arm["outcomes"]
    assert isinstance(outcomes, dict)
    total = max(1.0, _number(arm, "requests"))
    return {n: round(_number(outcomes, n) / total * 100, 1) for n in outcomes}


def _right(arm: JsonObject) -> dict[str, float]:
    total = max(1.0, _number(arm, "requests"))
    plain = _number(arm, "correct_without_fallback")
    fallback = _number(arm, "correct") - plain
    wrong = _number(arm, "requests") - _number(arm, "correct")
    parts = {"correct": plain, "correct by fallback": fallback, "wrong": wrong}
    return {name: round(count / total * 100, 1) for name, count in parts.items()}
