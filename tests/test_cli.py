"""Commands hand over to their module; a failure is an exit code and one line."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import stepcache_proxy
from stepcache_proxy import __version__
from stepcache_proxy.cli import main
from stepcache_proxy.config import Settings
from stepcache_proxy.errors import StartError, StoreUnavailableError

UPSTREAM = ("--upstream", "http://127.0.0.1:1")


class FakeApp(ModuleType):
    """Stands for the application: remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__("stepcache_proxy.app")
        self.settings = Settings()
        self.asked: Mapping[str, object] = {}
        self.failure: BaseException | None = None

    def serve(self, settings: Settings) -> int:
        self.settings = settings
        if self.failure is not None:
            raise self.failure
        return 0

    async def export_records(self, settings: Settings, path: Path) -> int:
        self.settings, self.asked = settings, {"path": path}
        return 3

    async def import_records(self, settings: Settings, path: Path) -> int:
        if self.failure is not None:
            raise self.failure
        return await self.export_records(settings, path)

    async def purge_records(
        self, settings: Settings, **asked: object
    ) -> dict[str, int]:
        if self.failure is not None:
            raise self.failure
        self.settings, self.asked = settings, asked
        return {"matched": 2, "removed": 1}


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FakeApp:
    fake = FakeApp()
    monkeypatch.setitem(sys.modules, "stepcache_proxy.app", fake)
    monkeypatch.setattr(stepcache_proxy, "app", fake, raising=False)
    monkeypatch.setenv("STEPCACHE_UPSTREAM__URL", "")
    return fake


def test_every_option_of_serve_reaches_its_setting(
    app: FakeApp, tmp_path: Path
) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("reuse:\n  mode: exact\n", encoding="utf-8")
    options = ["--host", "::1", "--port", "81", "--workers", "2", "--data-dir", "d"]
    more = ["--redis-url", "redis://h:1", "--config", str(config)]
    assert main(["serve", *UPSTREAM, *options, *more]) == 0
    settings = app.settings
    assert settings.upstream.root == "http://127.0.0.1:1"
    assert (settings.server.host, settings.server.port) == ("::1", 81)
    assert settings.server.workers == 2
    assert settings.store.data_dir == Path("d")
    assert settings.store.url == "redis://h:1"
    assert settings.reuse.mode == "exact"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        pytest.param(["serve"], "upstream.url", id="no upstream"),
        pytest.param(
            ["serve", *UPSTREAM, "--port", "99999999"], "server.port", id="port"
        ),
        pytest.param(["serve", *UPSTREAM, "--port", "http"], "server.port", id="word"),
        pytest.param(
            ["serve", *UPSTREAM, "--workers", "0"], "server.workers", id="none"
        ),
        pytest.param(
            ["serve", "--config", "/nowhere/x.yaml"], "/nowhere/x.yaml", id="file"
        ),
        pytest.param(["check-config"], "upstream.url", id="check-config"),
        pytest.param(["purge"], "--all", id="purge of nothing"),
    ],
)
def test_a_wrong_setting_is_exit_code_two_and_one_line(
    app: FakeApp, capsys: pytest.CaptureFixture[str], argv: list[str], said: str
) -> None:
    assert app.asked == {}
    assert main(argv) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("stepcache-proxy: ")
    assert said in line


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param([], id="no command"),
        pytest.param(["no-such-command"], id="unknown command"),
        pytest.param(["serve", "--no-such-option"], id="unknown option"),
        pytest.param(["serve", "--port"], id="option without value"),
        pytest.param(["serve", "--work", "2"], id="abbreviated option"),
        pytest.param(["export"], id="no file"),
        pytest.param(["eval"], id="no data"),
    ],
)
def test_wrong_usage_is_exit_code_two_and_one_line(
    capsys: pytest.CaptureFixture[str], argv: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("stepcache-proxy: ")
    assert "--help" in line


@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        pytest.param(
            StartError("port 80 is taken"), 1, "port 80 is taken\n", id="start"
        ),
        pytest.param(OSError(13, "Permission denied"), 1, "denied\n", id="system"),
        pytest.param(StoreUnavailableError(), 1, "StoreUnavailableError\n", id="mute"),
        pytest.param(StartError("two\nlines"), 1, "two lines\n", id="lines are joined"),
        pytest.param(KeyboardInterrupt(), 130, "", id="Ctrl-C is quiet"),
    ],
)
def test_a_failure_is_its_exit_code_and_one_line(
    app: FakeApp,
    capsys: pytest.CaptureFixture[str],
    failure: BaseException,
    code: int,
    said: str,
) -> None:
    app.failure = failure
    assert main(["serve", *UPSTREAM]) == code
    error = capsys.readouterr().err
    assert error.endswith(said)
    assert error.count("\n") == (1 if said else 0)


def test_export_and_import_need_no_upstream(
    app: FakeApp, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "records.jsonl"
    file.touch()
    assert main(["export", str(file), "--redis-url", "redis://h:1"]) == 0
    assert main(["import", str(file), "--data-dir", "d"]) == 0
    assert app.asked == {"path": file}
    assert app.settings.store.data_dir == Path("d")
    assert capsys.readouterr().out.startswith("3 records written to")


def test_import_of_a_missing_file_is_one_line_and_exit_code_one(
    app: FakeApp, capsys: pytest.CaptureFixture[str]
) -> None:
    app.failure = FileNotFoundError(2, "No such file or directory", "nowhere.jsonl")
    assert main(["import", "nowhere.jsonl"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "nowhere.jsonl" in line


def test_purge_hands_over_what_to_remove(
    app: FakeApp, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["purge", "--model", "m", "--dry-run"]) == 0
    assert app.asked == {
        "namespace": None,
        "model": "m",
        "record": None,
        "all_records": False,
        "dry_run": True,
    }
    assert capsys.readouterr().out == "2 matched, 1 removed\n"


def test_check_config_prints_yaml_without_secrets(
    app: FakeApp,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEPCACHE_ADMIN__TOKEN", "hidden")
    assert main(["check-config", *UPSTREAM]) == 0
    printed = capsys.readouterr().out
    assert yaml.safe_load(printed)["upstream"]["url"] == "http://127.0.0.1:1"
    assert "hidden" not in printed
    assert app.asked == {}


def test_version_is_the_package_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"{__version__}\n"


def test_help_and_check_config_load_nothing_heavy() -> None:
    program = (
        "import sys; from stepcache_proxy.cli import main\n"
        f"main(['check-config', *{UPSTREAM!r}])\n"
        "print(sorted({'torch', 'faiss', 'fastapi', 'redis'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "stepcache_proxy", "serve", "--port", "x"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
