"""Settings come from four places in a fixed order; every fault is one clear line."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from stepcache_proxy.config import Settings, load, show
from stepcache_proxy.config.show import mask
from stepcache_proxy.errors import ConfigError

UPSTREAM = {"upstream.url": "http://127.0.0.1:1"}


@pytest.fixture(autouse=True)
def _no_settings_around_us(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STEPCACHE_UPSTREAM__URL", "STEPCACHE_STORE__URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write(tmp_path: Path) -> "Write":
    return Write(tmp_path / "settings.yaml")


class Write:
    """Writes a configuration file and gives its path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, text: str) -> Path:
        self.path.write_text(text, encoding="utf-8")
        return self.path


def faults(path: Path | None = None, **overrides: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load(
            {name.replace("__", "."): value for name, value in overrides.items()}, path
        )
    return caught.value.faults


def test_the_command_line_wins_over_environment_file_and_default(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("server:\n  port: 1001\n  workers: 2\nreuse:\n  max_repairs: 5\n")
    monkeypatch.setenv("STEPCACHE_SERVER__PORT", "1002")
    monkeypatch.setenv("STEPCACHE_SERVER__WORKERS", "3")
    settings = load({**UPSTREAM, "server.port": "1003"}, path)
    assert settings.server.port == 1003
    assert settings.server.workers == 3
    assert settings.reuse.max_repairs == 5
    assert settings.reuse.budget_ms == 50


def test_an_option_that_was_not_given_leaves_the_file_in_force(write: Write) -> None:
    path = write("server:\n  port: 1001\n")
    assert load({**UPSTREAM, "server.port": None}, path).server.port == 1001


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPCACHE_UPSTREAM__URL", "")
    assert faults()[0].startswith("upstream.url: is required")


def test_null_and_an_empty_section_count_as_unset(write: Write) -> None:
    path = write("store:\nadmin:\n  token: null\nupstream:\n  url: http://h:1\n")
    settings = load({}, path)
    assert settings.store.url == "embedded"
    assert settings.admin.token is None


def test_an_empty_file_is_fine(write: Write) -> None:
    assert load(UPSTREAM, write("# nothing yet\n")) == load(UPSTREAM)


def test_a_bare_off_in_yaml_is_the_mode_off(write: Write) -> None:
    assert load(UPSTREAM, write("reuse:\n  mode: off\n")).reuse.mode == "off"


def test_commands_on_the_store_need_no_upstream() -> None:
    assert load({}, needs_upstream=False).upstream.url == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("reuse:\n  moode: exact\n", "reuse.moode", id="unknown key"),
        pytest.param("reeuse:\n  mode: exact\n", "reeuse", id="unknown section"),
        pytest.param("reuse:\n  mode: fuzzy\n", "reuse.mode", id="unknown value"),
        pytest.param("store:\n  ttl_s: soon\n", "store.ttl_s", id="no number"),
        pytest.param("store:\n  ttl_s: -5\n", "store.ttl_s", id="below the bound"),
        pytest.param("reuse:\n  budget_ms: .nan\n", "reuse.budget_ms", id="not finite"),
        pytest.param("server:\n  port: 65536\n", "server.port", id="above the bound"),
        pytest.param("server: 8080\n", "server", id="no section"),
        pytest.param("tasks: fast\n", "tasks", id="no tasks"),
        pytest.param("upstream:\n  url: ftp://h\n", "upstream.url", id="scheme"),
        pytest.param("upstream:\n  url: http://\n", "upstream.url", id="no host"),
        pytest.param("upstream:\n  url: http://h:x\n", "upstream.url", id="bad port"),
        pytest.param("upstream:\n  url: http://h/?a\n", "upstream.url", id="query"),
        pytest.param("store:\n  url: mysql://h\n", "store.url", id="other store"),
        pytest.param(
            "store:\n  url: 'redis://'\n", "store.url", id="store without host"
        ),
        pytest.param("store:\n  namespace: a b\n", "store.namespace", id="namespace"),
        pytest.param("tenant:\n  from: header\n", "tenant.from", id="tenant source"),
        pytest.param("tenant:\n  from: 'header: X'\n", "tenant.from", id="header name"),
        pytest.param("admin:\n  token: ''\n", "admin.token", id="empty token"),
        pytest.param(
            "tasks:\n  sums:\n    enabled: true\n", "tasks.sums", id="no task"
        ),
        pytest.param(
            "tasks:\n  verbatim:\n    enable: true\n",
            "tasks.verbatim.enable",
            id="unknown key of a task",
        ),
    ],
)
def test_a_fault_is_one_line_that_begins_with_its_setting(
    write: Write, text: str, name: str
) -> None:
    path = write(
        "upstream:\n  url: http://h:1\n" + text if "upstream" not in text else text
    )
    (line,) = faults(path)
    assert line.startswith(f"{name}: ")
    assert "\n" not in line


def test_all_faults_are_told_at_once(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPCACHE_SHADO__RATE", "1")
    path = write("reuse:\n  mode: fuzzy\nstore:\n  ttl_s: 0\ntasks:\n  sums: {}\n")
    named = {line.partition(":")[0] for line in faults(path)}
    assert named == {
        "shado.rate",
        "tasks.sums",
        "upstream.url",
        "reuse.mode",
        "store.ttl_s",
    }


def test_a_fault_tells_where_the_value_came_from(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("upstream:\n  url: http://h:1\nstore:\n  ttl_s: soon\n")
    monkeypatch.setenv("STEPCACHE_SERVER__WORKERS", "many")
    lines = faults(path, server__port="99999999")
    assert any("server.port" in x and "the command line" in x for x in lines)
    assert any("server.workers" in x and "the environment" in x for x in lines)
    assert any("store.ttl_s" in x and str(path) in x for x in lines)


def test_a_misspelt_setting_is_met_with_the_likely_one(write: Write) -> None:
    (line,) = faults(write("upstream:\n  url: http://h:1\nreuse:\n  moode: exact\n"))
    assert "did you mean mode?" in line


def test_variables_that_kubernetes_sets_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEPCACHE_PORT", "tcp://10.0.0.1:80")
    monkeypatch.setenv("STEPCACHE_SERVICE_HOST", "10.0.0.1")
    assert load(UPSTREAM).server.port == 8080


def test_a_section_in_one_variable_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPCACHE_STORE", "redis://h")
    (line,) = faults()
    assert line.startswith("store: ")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: [", id="not YAML"),
        pytest.param("- a\n", id="a list"),
        pytest.param("just words", id="a word"),
        pytest.param("a: !!python/object/apply:os.getcwd []\n", id="a Python tag"),
    ],
)
def test_a_file_that_holds_no_sections_is_a_fault(write: Write, text: str) -> None:
    (line,) = faults(write(text))
    assert line.startswith("--config: ")


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path / "none.yaml")[0].startswith("--config: cannot read")


def test_a_file_in_another_encoding_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"store:\n  namespace: \xe9\n")
    assert "is not UTF-8" in faults(path)[0]


def test_a_task_can_be_switched_off_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEPCACHE_TASKS__JSON_OBJECT__CORRECT", "false")
    tasks = load(UPSTREAM).tasks
    assert not tasks["json_object"].correct
    assert tasks["json_object"].enabled
    assert tasks["linear_equation"].correct


@pytest.mark.parametrize(
    "url",
    ["http://h:8000", "http://h:8000/", "http://h:8000/v1", "http://h:8000/v1/"],
    ids=["bare", "slash", "v1", "v1 and slash"],
)
def test_the_root_of_the_upstream_has_no_v1_and_no_slash(url: str) -> None:
    assert load({"upstream.url": url}).upstream.root == "http://h:8000"


def test_a_path_in_front_of_v1_is_kept() -> None:
    assert load({"upstream.url": "https://h/llm/v1"}).upstream.root == "https://h/llm"


def test_a_record_never_lives_longer_than_the_longest_life() -> None:
    settings = load({**UPSTREAM, "store.max_ttl_s": "100"})
    assert settings.store.default_ttl_s == 100


def test_settings_cannot_be_changed() -> None:
    settings = load(UPSTREAM)
    with pytest.raises(ValidationError):
        settings.store.ttl_s = 1


def test_only_load_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPCACHE_SERVER__PORT", "1002")
    assert Settings().server.port == 8080


SECRETS = {
    "upstream.url": "http://u:hidden-1@h:1",
    "store.url": "redis://u:hidden-2@h:1/0",
    "admin.token": "hidden-3",
}


def test_no_secret_is_shown() -> None:
    settings = load(SECRETS)
    assert "hidden" not in show(settings)
    assert "hidden" not in repr(settings)


def test_no_secret_is_in_a_fault() -> None:
    for name in ("store.url", "upstream.url"):
        with pytest.raises(ConfigError) as caught:
            load({**UPSTREAM, name: "gopher://u:hidden@h"})
        assert "hidden" not in str(caught.value)


@given(st.text())
def test_no_password_of_any_shape_survives_masking(password: str) -> None:
    shown = mask(f"redis://user:<{password}>@host:6379/0")
    assert shown == "redis://user:********@host:6379/0"


def test_a_url_without_password_is_shown_as_it_is() -> None:
    url = "redis+sentinel://a:1,b:2/main"
    assert mask(url) == url
    assert mask("redis://h/0?password=x&db=1") == "redis://h/0?password=********&db=1"


def test_what_is_shown_can_be_loaded_again(write: Write) -> None:
    settings = load({**UPSTREAM, "reuse.mode": "off", "tenant.from": "header:X-Team"})
    assert load({}, write(show(settings))) == settings


def test_what_is_shown_is_plain_yaml() -> None:
    assert yaml.safe_load(show(load(UPSTREAM)))["store"]["ttl_s"] == 86_400
