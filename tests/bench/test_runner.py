"""A small benchmark, for real: arms, right figures, and going on after a kill."""

import argparse
import json
from pathlib import Path

import pytest

from stepcache_proxy.bench import runner
from stepcache_proxy.bench.runner import main, plan_of
from stepcache_proxy.bench.semantic_cache import THRESHOLD
from stepcache_proxy.errors import ConfigError

REQUESTS = 8


def options(**changes: object) -> argparse.Namespace:
    values: dict[str, object] = {
        "upstream": "scripted",
        "seeds": "42",
        "arms": "direct,full,semantic",
        "requests": REQUESTS,
        "speed": 50.0,
        "out": None,
        "json": None,
    }
    return argparse.Namespace(**{**values, **changes})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_say", lambda _: None)
        assert main(options(out=folder)) == 0
    return folder


def test_every_arm_has_answered_every_request(folder: Path) -> None:
    arms = json.loads((folder / "bench.json").read_text())["arms"]
    assert {name: arm["requests"] for name, arm in arms.items()} == dict.fromkeys(
        ("direct", "full", "semantic"), REQUESTS
    )


def test_the_full_arm_is_right_and_asks_less(folder: Path) -> None:
    arms = json.loads((folder / "bench.json").read_text())["arms"]
    full, direct = arms["full"], arms["direct"]
    assert full["unsafe_served"] == 0
    assert full["correct"] >= direct["correct"]
    assert full["upstream_completion_tokens"] < direct["upstream_completion_tokens"]


def test_a_run_that_is_done_is_not_measured_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (folder / "journal.jsonl").read_text().splitlines()
    (folder / "journal.jsonl").write_text("\n".join(lines[:-4]) + "\n")
    monkeypatch.setattr(runner, "_say", lambda _: None)
    assert main(options(out=folder)) == 0
    again = (folder / "journal.jsonl").read_text().splitlines()
    assert again[: len(lines) - 4] == lines[:-4]
    assert len(again) == len(lines)


def test_seeds_that_are_no_numbers_are_named() -> None:
    with pytest.raises(ConfigError, match="--seeds"):
        plan_of(options(seeds="42,many"))


def test_without_an_upstream_the_bundled_model_is_meant() -> None:
    plan = plan_of(options(upstream=None))
    assert plan.upstream == ""
    assert not plan.is_scripted
    assert len(plan.items(42)) == REQUESTS


def test_the_common_practice_is_a_threshold_of_085() -> None:
    assert THRESHOLD == 0.85
