"""What the documents tell people to type works when it is typed."""

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
import yaml

from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.proxy_server import proxy_server
from stepcache_proxy.cli.arguments import PROGRAM, parser
from stepcache_proxy.config import load
from stepcache_proxy.config.tree import Settings
from tests.deploy.blocks import Block, blocks
from tests.deploy.monitoring import scripted_model
from tests.deploy.tools import ROOT

QUICKSTART = "docs/quickstart.md"
DOCUMENTED = "http://localhost:8080"


def every(*languages: str) -> list[object]:
    return [pytest.param(one, id=one.id) for one in blocks(*languages)]


def lines(block: Block) -> list[str]:
    """The commands of a block, continued lines joined."""
    return block.text.replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("block", every("sh", "bash"))
def test_a_shell_block_is_shell(block: Block) -> None:
    done = subprocess.run(["bash", "-n"], input=block.text, text=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("block", every("python"))
def test_a_python_block_is_python(block: Block) -> None:
    assert ast.parse(block.text).body


def is_of_settings(block: Block) -> bool:
    tree = yaml.safe_load(block.text)
    return isinstance(tree, dict) and set(tree) <= set(Settings.model_fields)


@pytest.mark.parametrize("block", every("yaml"))
def test_a_yaml_block_of_settings_is_a_valid_file(block: Block, tmp_path: Path) -> None:
    assert yaml.safe_load(block.text) is not None
    if is_of_settings(block):
        file = tmp_path / "stepcache.yaml"
        file.write_text(block.text)
        load({}, file, needs_upstream=False)


def test_the_readme_shows_settings() -> None:
    assert any(is_of_settings(one) for one in blocks("yaml"))


def commands() -> list[object]:
    found = {
        line.strip(): one
        for one in blocks("sh", "bash", "")
        for line in lines(one)
        if re.match(rf"\s*(\S*/)?{PROGRAM} ", line)
    }
    return [pytest.param(line, id=f"{one.id} {line}") for line, one in found.items()]


@pytest.mark.parametrize("line", commands())
def test_a_command_of_ours_has_the_options_it_is_shown_with(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    until = next((n for n, word in enumerate(words) if word in ("|", "&", ">")), None)
    assert parser().parse_args(words[:until]).command == words[0]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Generator[Child]:
    folder = tmp_path_factory.mktemp("docs")
    with (
        scripted_model(folder / "model.log") as model,
        proxy_server(
            model.url,
            data_dir=folder / "store",
            log=folder / "proxy.log",
            settings={"reuse.budget_ms": "20000"},
        ) as proxy,
    ):
        yield proxy


def quickstart(language: str, word: str) -> str:
    """The block of the quickstart in which ``word`` stands."""
    (text,) = [
        one.text
        for one in blocks(language)
        if one.page == QUICKSTART and word in one.text
    ]
    return text


def typed(shell: str, proxy: Child, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", shell.replace(DOCUMENTED, proxy.url)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_asking_twice_gives_what_the_quickstart_says(
    proxy: Child, tmp_path: Path
) -> None:
    said = typed(quickstart("sh", "ask()"), proxy, tmp_path)
    first, second, third = [line.split()[-1] for line in said.splitlines()]
    assert first in ("miss", "patch")
    assert (second, third) == ("exact", "reuse")


def test_the_figures_can_be_read_as_the_quickstart_says(
    proxy: Child, tmp_path: Path
) -> None:
    said = typed(quickstart("sh", "/stepcache/stats"), proxy, tmp_path)
    assert '"status":"ready"' in said
    assert '"by_outcome"' in said
    assert "stepcache_requests_total{" in said


def test_the_openai_client_works_as_the_quickstart_says(proxy: Child) -> None:
    program = quickstart("python", "OpenAI").replace(DOCUMENTED, proxy.url)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "x = 4" in done.stdout


def test_every_file_that_a_page_links_to_exists() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    missing = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert missing == []
