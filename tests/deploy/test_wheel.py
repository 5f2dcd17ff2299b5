"""The wheel that we build holds all it needs and serves away from the sources."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Generator
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from stepcache_proxy.bench.child import Child, free_port
from tests.app.counting import CountingModel
from tests.deploy.tools import ROOT
from tests.fakes import body_of

CHAT = "/v1/chat/completions"
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "stepcache_proxy")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A built wheel, and the folder it is installed in."""

    file: Path
    place: Path

    @property
    def names(self) -> list[str]:
        with ZipFile(self.file) as archive:
            return archive.namelist()

    def read(self, ending: str) -> str:
        """The one file whose name ends so."""
        (name,) = [name for name in self.names if name.endswith(ending)]
        with ZipFile(self.file) as archive:
            return archive.read(name).decode()

    @property
    def metadata(self) -> Message:
        return Parser().parsestr(self.read(".dist-info/METADATA"))

    @property
    def env(self) -> dict[str, str]:
        """Finds the installed wheel before the sources."""
        return {"PYTHONPATH": str(self.place), "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    folder = tmp_path_factory.mktemp("wheel")
    source, place = folder / "source", folder / "place"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source)
    pip("wheel", "--no-deps", "--no-build-isolation", f"-w{folder}", str(source))
    (file,) = folder.glob("*.whl")
    pip("install", "--no-deps", "--no-index", f"--target={place}", str(file))
    return Wheel(file, place)


def pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_module_and_every_other_file_is_inside(wheel: Wheel) -> None:
    package = ROOT / "stepcache_proxy"
    files = {
        str(path.relative_to(ROOT))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in wheel.names if ".dist-info/" not in name}
    assert packed == files
    assert "stepcache_proxy/py.typed" in packed
    assert "stepcache_proxy/api/page/index.html" in packed


def test_the_metadata_lists_every_dependency(wheel: Wheel) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[^\w.-]", one)[0] for one in project["dependencies"]}
    listed = wheel.metadata.get_all("Requires-Dist") or []
    needed = [one for one in listed if "extra ==" not in one]
    assert {re.split(r"[^\w.-]", one)[0] for one in needed} == wanted
    assert wheel.metadata["Requires-Python"] == project["requires-python"]
    assert wheel.metadata["License-Expression"] == project["license"]


def test_every_dependency_is_pinned(wheel: Wheel) -> None:
    pins = (ROOT / "requirements.txt").read_text().lower().replace("_", "-")
    for one in wheel.metadata.get_all("Requires-Dist") or []:
        name = re.split(r"[^\w.-]", one)[0].lower()
        if "extra ==" not in one:
            assert f"\n{name}==" in pins


def test_command_and_tasks_are_entry_points(wheel: Wheel) -> None:
    text = wheel.read(".dist-info/entry_points.txt")
    assert "stepcache-proxy = stepcache_proxy.cli:main" in text
    for task in ("linear_equation", "linear_system", "json_object", "verbatim"):
        assert f"\n{task} = stepcache_proxy.tasks." in text


@pytest.fixture(scope="module")
def serving(
    wheel: Wheel, tmp_path_factory: pytest.TempPathFactory
) -> Generator[httpx.Client]:
    """The installed command, run where the sources are not."""
    folder = tmp_path_factory.mktemp("away")
    port = free_port()
    with CountingModel().serving() as model:
        command = [sys.executable, str(wheel.place / "bin" / "stepcache-proxy")]
        options = ["serve", "--upstream", model.url, "--port", str(port)]
        child = Child(
            name="the installed proxy",
            command=[*command, *options, "--data-dir", str(folder / "store")],
            port=port,
            ready_path="/readyz",
            log=folder / "log",
            env={**wheel.env, "STEPCACHE_EMBEDDER__MODEL": "./none"},
        )
        with child, httpx.Client(base_url=child.url, trust_env=False) as client:
            yield client


def test_what_is_imported_is_the_wheel(wheel: Wheel, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import stepcache_proxy as p; print(p.__file__)"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **wheel.env},
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(wheel.place)


def test_it_serves_and_remembers(serving: httpx.Client) -> None:
    body = body_of("Solve 2x + 3 = 11 for x.")
    first = serving.post(CHAT, json=body, timeout=30)
    again = serving.post(CHAT, json=body, timeout=30)
    assert first.status_code == 200
    assert again.headers["x-stepcache-outcome"] == "exact"


def test_its_page_is_there(serving: httpx.Client) -> None:
    page = serving.get("/stepcache/")
    assert page.status_code == 200
    assert "<!doctype html>" in page.text.lower()
