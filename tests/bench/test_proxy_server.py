"""The proxy of a measurement runs with default settings and the bundled embedder."""

from pathlib import Path

import pytest

from stepcache_proxy.bench import proxy_server as module
from stepcache_proxy.bench.proxy_server import proxy_server

MODEL = "STEPCACHE_EMBEDDER__MODEL"


def test_it_serves_in_front_of_the_upstream(tmp_path: Path) -> None:
    child = proxy_server("http://h:1", data_dir=tmp_path, log=tmp_path / "log")
    line = " ".join(child.command)
    assert f"serve --upstream http://h:1 --port {child.port}" in line
    assert line.endswith(f"--data-dir {tmp_path}")


def test_the_embedder_comes_from_its_wheel(tmp_path: Path) -> None:
    child = proxy_server("http://h:1", data_dir=tmp_path, log=tmp_path / "log")
    assert (Path(child.env[MODEL]) / "modules.json").is_file()


def test_without_the_wheel_the_default_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    child = proxy_server("http://h:1", data_dir=tmp_path, log=tmp_path / "log")
    assert MODEL not in child.env
