"""The manifests are valid, belong together, and give the proxy what it needs."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from stepcache_proxy.app.worker import DRAIN_SECONDS
from stepcache_proxy.config import load
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.deploy.tools import ROOT, tool

FOLDER = ROOT / "deploy" / "kubernetes"


def documents() -> Iterator[JsonObject]:
    for name in kustomization()["resources"]:
        yield from yaml.safe_load_all((FOLDER / name).read_text())


def kustomization() -> dict[str, list[str]]:
    tree: dict[str, list[str]] = yaml.safe_load(
        (FOLDER / "kustomization.yaml").read_text()
    )
    return tree


def at(tree: Json, *path: str | int) -> Json:
    for name in path:
        if isinstance(name, int):
            assert isinstance(tree, list)
            tree = tree[name]
        else:
            assert isinstance(tree, dict)
            tree = tree[name]
    return tree


def find(kind: str, name: str) -> JsonObject:
    (found,) = [
        one
        for one in documents()
        if one["kind"] == kind and at(one, "metadata", "name") == name
    ]
    return found


PODS = [
    pytest.param("Deployment", "stepcache-proxy", id="proxy"),
    pytest.param("StatefulSet", "redis", id="redis"),
]


@pytest.mark.parametrize("version", ["1.28", "1.31", "1.34"])
def test_every_manifest_fits_the_schema(version: str) -> None:
    command = tool("kubernetes-validate", "pip install kubernetes-validate")
    files = [FOLDER / name for name in kustomization()["resources"]]
    done = subprocess.run(
        [command, "--strict", "--kubernetes-version", version, *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_file_is_applied() -> None:
    names = {path.name for path in FOLDER.glob("*.yaml")}
    assert names == {"kustomization.yaml", *kustomization()["resources"]}


def test_the_settings_are_valid(tmp_path: Path) -> None:
    text = at(find("ConfigMap", "stepcache"), "data", "stepcache.yaml")
    assert isinstance(text, str)
    file = tmp_path / "stepcache.yaml"
    file.write_text(text)
    assert load({}, file).log.format == "json"


def test_several_replicas_share_one_redis() -> None:
    proxy = find("Deployment", "stepcache-proxy")
    replicas = at(proxy, "spec", "replicas")
    assert isinstance(replicas, int)
    assert replicas > 1
    env = at(proxy, "spec", "template", "spec", "containers", 0, "env")
    assert isinstance(env, list)
    by_name = {str(at(one, "name")): one for one in env}
    url = at(by_name["STEPCACHE_STORE__URL"], "value")
    assert url == "redis://:$(REDIS_PASSWORD)@redis:6379/0"
    # A reference is only put in for what is defined before it.
    assert list(by_name).index("REDIS_PASSWORD") < list(by_name).index(
        "STEPCACHE_STORE__URL"
    )
    assert at(find("Service", "redis"), "spec", "ports", 0, "port") == 6379


def test_the_proxy_has_time_to_drain_and_is_asked_how_it_is() -> None:
    spec = at(find("Deployment", "stepcache-proxy"), "spec", "template", "spec")
    grace = at(spec, "terminationGracePeriodSeconds")
    assert isinstance(grace, int)
    assert grace > DRAIN_SECONDS + 5
    proxy = at(spec, "containers", 0)
    assert at(proxy, "livenessProbe", "httpGet", "path") == "/healthz"
    assert at(proxy, "startupProbe", "httpGet", "path") == "/healthz"
    assert at(proxy, "readinessProbe", "httpGet", "path") == "/readyz"


@pytest.mark.parametrize(("kind", "name"), PODS)
def test_a_pod_runs_without_rights(kind: str, name: str) -> None:
    spec = at(find(kind, name), "spec", "template", "spec")
    assert at(spec, "securityContext", "runAsNonRoot") is True
    container = at(spec, "containers", 0, "securityContext")
    assert at(container, "readOnlyRootFilesystem") is True
    assert at(container, "allowPrivilegeEscalation") is False
    assert at(container, "capabilities", "drop") == ["ALL"]


@pytest.mark.parametrize(("kind", "name"), PODS)
def test_a_service_finds_its_pods(kind: str, name: str) -> None:
    labels = at(find(kind, name), "spec", "template", "metadata", "labels")
    assert at(find("Service", name), "spec", "selector") == labels
    assert at(find(kind, name), "spec", "selector", "matchLabels") == labels


def test_the_user_is_that_of_the_image() -> None:
    spec = at(find("Deployment", "stepcache-proxy"), "spec", "template", "spec")
    user = at(spec, "securityContext", "runAsUser")
    assert f"USER {user}:" in (ROOT / "Dockerfile").read_text()
