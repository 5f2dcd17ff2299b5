"""What people can set, send or see is written down, and what is written is true."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from stepcache_proxy import __version__
from stepcache_proxy.cli.arguments import parser
from stepcache_proxy.config.tree import BUILT_IN_TASKS, Settings, TaskSettings
from stepcache_proxy.reuse.model import Outcome

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "config" / "stepcache.yaml"

METRICS = (
    "requests_total",
    "request_seconds",
    "overhead_seconds",
    "ttft_seconds",
    "stage_seconds",
    "latency_quantile_seconds",
    "tokens_total",
    "step_verdicts_total",
    "skips_total",
    "repairs_total",
    "fallbacks_total",
    "shadow_checks_total",
    "unsafe_served_ratio",
    "degraded",
    "records",
    "index_vectors",
    "store_bytes",
    "inflight_requests",
)
HEADERS = (
    "x-stepcache-outcome",
    "x-stepcache-reason",
    "x-stepcache-similarity",
    "x-stepcache-record",
    "x-stepcache-steps",
    "x-stepcache-tokens",
    "x-stepcache-fallback",
    "x-stepcache-mode",
    "x-stepcache-namespace",
    "x-stepcache-ttl",
    "x-stepcache-min-similarity",
    "cache-status",
    "age",
    "no-cache",
    "no-store",
    "max-age",
    "only-if-cached",
)
ENDPOINTS = (
    "/v1/chat/completions",
    "/v1/completions",
    "/healthz",
    "/readyz",
    "/metrics",
    "/stepcache/stats",
    "/stepcache/records/{id}",
    "/stepcache/purge",
    "/stepcache/explain",
    "/stepcache/feedback",
)


def documents() -> str:
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.fixture(scope="module")
def text() -> str:
    return documents()


def sections() -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in Settings.model_fields.items():
        if name != "tasks":
            yield name, type(field.default)
    for task in BUILT_IN_TASKS:
        yield f"tasks.{task}", TaskSettings


def settings() -> Iterator[tuple[str, str, object]]:
    """Dotted name, description and default of every setting."""
    for section, model in sections():
        for name, field in model.model_fields.items():
            dotted = f"{section}.{field.alias or name}"
            yield dotted, field.description or "", field.default


def flat(tree: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def options() -> Iterator[str]:
    for action in parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                for inner in command._actions:
                    yield from (x for x in inner.option_strings if x.startswith("--"))


def written(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


@pytest.mark.parametrize("name", [name for name, _, _ in settings()])
def test_every_setting_is_documented(name: str, text: str) -> None:
    general = re.sub(r"^tasks\.\w+\.", "tasks.<name>.", name)
    assert written(general, text)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_documented(name: str, text: str) -> None:
    assert written(f"stepcache_{name}", text)


@pytest.mark.parametrize("name", HEADERS)
def test_every_header_and_directive_is_documented(name: str, text: str) -> None:
    assert written(name, text)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_every_endpoint_is_documented(path: str, text: str) -> None:
    assert path in text


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_is_documented(outcome: Outcome, text: str) -> None:
    assert f"`{outcome.value}`" in text


@pytest.mark.parametrize("option", sorted({*options()} - {"--help"}))
def test_every_option_is_documented(option: str, text: str) -> None:
    assert written(option, text)


def test_headers_in_the_code_are_in_the_list() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "stepcache_proxy").rglob("*.py")
    )
    assert set(re.findall(r"x-stepcache-[a-z-]*[a-z]", code)) <= set(HEADERS)


def test_the_table_of_settings_tells_default_and_meaning() -> None:
    lines = (ROOT / "docs" / "configuration.md").read_text("utf-8").splitlines()
    rows = [tuple(line.strip("| ").split(" | ")) for line in lines if "` |" in line]
    expected = {
        (f"`{re.sub(r'^tasks.[a-z_]+', 'tasks.<name>', name)}`", cell(default), meaning)
        for name, meaning, default in settings()
    }
    assert set(rows) == expected


def cell(default: object) -> str:
    match default:
        case None | "":
            return "–"
        case bool():
            return f"`{str(default).lower()}`"
        case _:
            return f"`{default}`"


def test_the_example_file_holds_every_setting_with_its_default() -> None:
    example = dict(flat(yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))))
    defaults = {name: default for name, _, default in settings()}
    defaults |= {"upstream.url": None, "store.data_dir": "data"}
    assert example == defaults


@pytest.mark.parametrize("meaning", sorted({meaning for _, meaning, _ in settings()}))
def test_the_example_file_tells_every_meaning(meaning: str) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    comments = " ".join(line.strip(" #") for line in lines if "#" in line)
    assert " ".join(meaning.split()) in comments


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    assert versions[0] == __version__


def test_links_inside_the_project_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        links = re.findall(r"\]\((?!https?://|#)([^)#]+)", path.read_text("utf-8"))
        assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_readme_is_short() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 150
