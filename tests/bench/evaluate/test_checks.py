"""Checks without a cache are counted by label and verdict, Unknown apart."""

import pytest

from stepcache_proxy.bench.evaluate.answers import read_outputs, read_solutions
from stepcache_proxy.bench.evaluate.figures import Report
from stepcache_proxy.bench.evaluate.schemas import judge_values
from stepcache_proxy.bench.evaluate.steps import judge_steps
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.bench.evaluate.files import SCHEMA, STEPS, machine, rows


def test_steps_are_counted_by_label_and_verdict() -> None:
    report = Report("f", 1, "labels")
    judge_steps(rows(STEPS), report)
    assert report.steps is not None
    figures = report.steps.as_json()
    assert {name: figures[name] for name in ("right", "wrong", "caught")} == {
        "right": 2,
        "wrong": 1,
        "caught": 1,
    }
    assert (figures["false_rejects"], figures["unknown"]) == (0, 1)
    assert (figures["precision"], figures["recall"]) == (1.0, 1.0)


def test_a_right_step_that_is_refused_is_a_false_reject() -> None:
    report = Report("f", 1, "labels")
    judge_steps(rows({**STEPS, "step_labels": [1, 1, 1, None]}), report)
    assert report.steps is not None
    assert (report.steps.false_rejects, report.steps.caught) == (1, 0)


@pytest.mark.parametrize(
    ("instance", "is_valid", "expected"),
    [
        pytest.param({"age": 3}, True, (1, 0, 0), id="valid"),
        pytest.param({"age": "x"}, False, (1, 0, 0), id="invalid"),
        pytest.param({"age": "x"}, True, (0, 0, 1), id="false reject"),
        pytest.param({"age": 3}, False, (0, 1, 0), id="false accept"),
    ],
)
def test_values_agree_with_their_labels_or_not(
    instance: Json, is_valid: bool, expected: tuple[int, int, int]
) -> None:
    report = Report("f", 1, "labels")
    row: JsonObject = {"schema": SCHEMA, "instance": instance, "valid": is_valid}
    judge_values(machine(), rows(row), report)
    schema = report.schema
    assert schema is not None
    assert (schema.agree, schema.false_accepts, schema.false_rejects) == expected
    assert len(report.check_seconds) == len(schema.compile_seconds) == 1


def test_a_schema_that_is_none_is_unknown() -> None:
    report = Report("f", 1, "labels")
    row: JsonObject = {"schema": {"type": 3}, "instance": 1, "valid": False}
    judge_values(machine(), rows(row), report)
    assert report.schema is not None
    assert (report.schema.agree, report.schema.unknown) == (0, 1)


def test_solutions_are_read_by_their_last_line() -> None:
    right: JsonObject = {
        "steps": ["3 + 4 = 7", "A: 7"],
        "ground_truth": "3 + 4\nA: 7",
        "is_correct": True,
    }
    report = Report("f", 2, "labels")
    read_solutions(rows(right, {**right, "is_correct": False}), report)
    assert report.extra["final_answers"] == {"labelled": 2, "right": 1, "share": 0.5}
    assert report.extra["segments"] == {"rows": 2, "joined": 2}


def test_outputs_without_a_label_are_only_joined() -> None:
    output: JsonObject = {"output": "So 4.\n#### 4", "gold": "4"}
    labelled: JsonObject = {**output, "extracted": "4", "is_correct": True}
    report = Report("f", 2, "labels")
    read_outputs(rows(labelled, {**output, "is_correct": None}), report)
    assert report.extra["final_answers"] == {"labelled": 1, "right": 1, "share": 1.0}
    assert report.extra["segments"] == {"rows": 2, "joined": 2}
