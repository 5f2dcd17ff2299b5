"""The command reads labelled files, prints a table and writes the contract's JSON."""

import argparse
from pathlib import Path

import orjson
import pytest

from stepcache_proxy.bench import evaluate
from stepcache_proxy.bench.evaluate.figures import Counts, Report, milliseconds
from stepcache_proxy.bench.evaluate.rows import Kind, kind_of, read_rows
from stepcache_proxy.bench.evaluate.shown import shown
from stepcache_proxy.errors import ConfigError
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.bench.evaluate.files import PAIRS, SCHEMA, STEPS, rows, write

CONTRACT = {
    "file",
    "rows",
    "requests",
    "served",
    "wrong",
    "traps",
    "traps_served",
    "may_share",
    "may_share_served",
    "patched",
    "skipped",
    "check_ms",
    "by_category",
}


def test_every_file_is_evaluated_printed_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value: JsonObject = {"schema": SCHEMA, "instance": {"age": 3}, "valid": True}
    files = [
        write(tmp_path / "pairs.jsonl", *PAIRS),
        write(tmp_path / "steps.jsonl", STEPS),
        write(tmp_path / "values.jsonl", value),
    ]
    out = tmp_path / "out.json"
    assert evaluate.main(argparse.Namespace(files=files, json=out)) == 0
    printed = capsys.readouterr().out
    pairs, steps, values = orjson.loads(out.read_bytes())
    assert all(set(report) >= CONTRACT for report in (pairs, steps, values))
    assert (pairs["file"], pairs["served"], pairs["wrong"]) == ("pairs.jsonl", 1, 0)
    assert set(pairs["check_ms"]) == {"p50", "p95"}
    assert steps["steps"]["caught"] == 1
    assert values["schema"]["agree"] == 1
    for name in ("pairs.jsonl", "wrong / traps", "precision", "agreement"):
        assert name in printed


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        pytest.param(b"[1]", "f.jsonl:1: not a JSON object", id="no object"),
        pytest.param(b'{"a": 1}', "f.jsonl: no known labels", id="no labels"),
        pytest.param(b"", "f.jsonl: no known labels", id="empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, line: bytes, complaint: str
) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(line)
    with pytest.raises(ConfigError, match=complaint):
        kind_of(read_rows(path), path)


@pytest.mark.parametrize("field", ["problem", "steps", "step_labels"])
def test_a_row_of_the_wrong_shape_is_named(field: str) -> None:
    (row,) = rows({**STEPS, field: 3})
    with pytest.raises(ConfigError, match=f"f:1: the field {field}"):
        row.text(field) if field == "problem" else (
            row.texts(field) if field == "steps" else row.integers(field)
        )
    with pytest.raises(ConfigError, match="true or false"):
        row.flag(field)


def test_the_kind_is_told_by_the_fields() -> None:
    assert kind_of(rows(PAIRS[0]), Path("f")) is Kind.MESSAGES
    assert kind_of(rows(STEPS), Path("f")) is Kind.STEPS


def test_a_half_keeps_a_group_together() -> None:
    halves = {
        row.half for row in rows(*({"group": "g", "id": str(i)} for i in range(9)))
    }
    assert len(halves) == 1
    assert {row.half for row in rows(*({"id": str(i)} for i in range(40)))} == {
        "a",
        "b",
    }


def test_the_shares_have_their_intervals() -> None:
    report = Report("f", 2, "labels")
    report.count(
        ["c"], "a", Counts(requests=1, served=1, wrong=1, traps=1, traps_served=1)
    )
    report.count(["c"], "b", Counts(requests=1, traps=1))
    rates = report.as_json()["rates"]
    assert isinstance(rates, dict)
    wrong = rates["wrong_of_traps"]
    assert isinstance(wrong, dict)
    assert (wrong["count"], wrong["of"], wrong["share"]) == (1, 2, 0.5)
    low, high = wrong["interval_95"]
    assert 0 < low < 0.5 < high < 1
    assert "1 of 2 = 50.00%" in shown([report])


def test_where_nothing_could_be_served_no_share_of_it_is_claimed() -> None:
    report = Report("f", 1, "labels", is_served=False)
    report.count(["c"], "a", Counts(requests=1))
    assert report.as_json()["rates"] is None
    assert "wrong" not in shown([report])


def test_quantiles_are_of_what_was_timed() -> None:
    assert milliseconds([0.001 * i for i in range(1, 101)]) == {
        "p50": 50.0,
        "p95": 95.0,
    }
    assert milliseconds([]) == {"p50": None, "p95": None}
