"""A result is told three ways: JSON, Markdown, and one page that needs nothing else."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from stepcache_proxy.bench.journal import Row
from stepcache_proxy.bench.machine import machine, versions
from stepcache_proxy.bench.plots import latency_curves, stacked_bars
from stepcache_proxy.bench.report import as_json, publish


def rows() -> list[Row]:
    made: list[Row] = []
    for number in range(20):
        for arm, seconds in (("direct", 2.0), ("full", 0.01 if number else 1.0)):
            is_hit = arm == "full" and number > 0
            made.append(
                Row(
                    seed=42,
                    phase="evaluation",
                    item=str(number),
                    kind="math/base",
                    arm=arm,
                    latency_s=seconds,
                    ttft_s=seconds / 2,
                    prompt_tokens=0 if is_hit else 30,
                    completion_tokens=0 if is_hit else 60,
                    reused_tokens=60 if is_hit else 0,
                    outcome="" if arm == "direct" else "reuse" if is_hit else "miss",
                    reason="" if arm == "direct" else "verified",
                    fallback="",
                    is_right=arm == "full" or number % 4 > 0,
                    text="<b>x = 1</b>",
                )
            )
    return made


class Page(HTMLParser):
    """Collects what a page refers to, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.plots = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.plots += tag == "svg"
        if tag != "meta":
            self.open.append(tag)
        self.addresses += [v or "" for k, v in attrs if k in {"src", "href"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself."""


def test_the_json_has_what_the_contract_names() -> None:
    result = as_json("scripted", (42,), rows())
    assert {"arms", "seeds", "machine", "versions", "paper"} <= result.keys()
    arms = result["arms"]
    assert isinstance(arms, dict)
    assert list(arms) == ["direct", "full"]
    assert json.loads(json.dumps(result)) == result


def test_all_three_files_are_written(tmp_path: Path) -> None:
    told = publish("scripted", (42,), rows(), tmp_path, tmp_path / "own.json")
    assert not told.is_unsafe
    written = json.loads((tmp_path / "bench.json").read_text())
    assert written == json.loads((tmp_path / "own.json").read_text())
    assert (tmp_path / "bench.md").read_text() == told.markdown
    assert (tmp_path / "bench.html").exists()


def test_the_markdown_tells_ratios_and_whose_figures_are_whose() -> None:
    text = publish("scripted", (42,), rows(), None, None).markdown
    assert "| mean, times lower | 1.0 × | 33.6 × |" in text
    assert "| upstream tokens saved | 0.0% | 95.0% |" in text
    assert "Upstream: scripted" in text
    assert "The paper's own figures (arXiv 2603.28795" in text


def test_the_page_is_whole_and_refers_to_nothing(tmp_path: Path) -> None:
    publish("scripted", (42,), rows(), tmp_path, None)
    page = Page()
    page.feed((tmp_path / "bench.html").read_text())
    assert page.open == []
    assert page.addresses == []
    assert page.plots == 4


def test_a_wrong_answer_from_the_full_arm_is_told() -> None:
    wrong = [row for row in rows() if row.arm == "full"]
    assert not publish("", (42,), wrong, None, None).is_unsafe
    bad = replace(wrong[3], is_right=False)
    assert publish("", (42,), [*wrong, bad], None, None).is_unsafe


def test_bars_are_as_long_as_their_figures() -> None:
    svg = stacked_bars("t", {"a": {"x": 30.0, "y": 10.0}, "b": {"x": 20.0}})
    widths = [float(w) for w in re.findall(r'width="([\d.]+)" height="22"', svg)]
    assert [round(width / widths[0], 2) for width in widths] == [1.0, 0.33, 0.67]


def test_names_cannot_break_out_of_a_plot() -> None:
    svg = stacked_bars("<t>", {"<script>": {"<b>": 1.0}})
    assert "<script>" not in svg
    assert "<b>" not in svg


def test_a_curve_without_values_is_no_plot() -> None:
    assert latency_curves("t", {"a": []}) == ""


def test_the_machine_and_the_versions_are_told() -> None:
    assert {"processor", "cores", "memory_gb", "date"} <= machine().keys()
    assert {"stepcache-proxy", "python", "onnxruntime"} <= versions().keys()
