"""An export is whole and computes what the model computes, or there is none."""

from pathlib import Path

import pytest

from stepcache_proxy.adapters import model_export
from stepcache_proxy.adapters.exported_model import NETWORK, TOKENIZER
from stepcache_proxy.adapters.model_export import CANNOT_EXPORT, CANNOT_LOAD, main

MODEL = "all-MiniLM-L6-v2"


def test_a_model_is_exported_once(tmp_path: Path) -> None:
    target = tmp_path / "exports" / "model"
    assert main(MODEL, str(target)) == 0
    assert {path.name for path in target.iterdir()} == {NETWORK, TOKENIZER}
    written = (target / NETWORK).stat().st_mtime_ns
    assert main(MODEL, str(target)) == 0
    assert (target / NETWORK).stat().st_mtime_ns == written
    assert [path.name for path in target.parent.iterdir()] == ["model"]


def test_what_is_no_model_says_so_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(str(tmp_path), str(tmp_path / "target")) == CANNOT_LOAD
    said = capsys.readouterr().err.splitlines()[-1]
    assert 0 < len(said) < 200
    assert not (tmp_path / "target").exists()


def test_an_export_that_computes_something_else_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # No export of eight bits is as near as this.
    monkeypatch.setattr(model_export, "_LEAST_COSINE", 0.999999)
    assert main(MODEL, str(tmp_path / "model")) == CANNOT_EXPORT
    assert "cosine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
