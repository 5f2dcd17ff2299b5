"""What was measured survives a kill, and figures follow from it."""

from pathlib import Path

import pytest

from stepcache_proxy.bench.arms import ARMS, chosen
from stepcache_proxy.bench.client import Reply
from stepcache_proxy.bench.counters import Tokens, parse
from stepcache_proxy.bench.figures import arm_figures, by_kind, quantile
from stepcache_proxy.bench.journal import WARM_UP, Journal, Row, RowStart
from stepcache_proxy.errors import ConfigError

PLAN = {"seeds": [1]}


def row(item: str = "a", arm: str = "full", **changes: object) -> Row:
    values: dict[str, object] = {
        "seed": 1,
        "phase": "evaluation",
        "item": item,
        "kind": "math/base",
        "arm": arm,
        "latency_s": 0.5,
        "ttft_s": 0.1,
        "prompt_tokens": 10,
        "completion_tokens": 20,
        "reused_tokens": 5,
        "outcome": "miss",
        "reason": "no-candidate",
        "fallback": "",
        "is_right": True,
        "text": "x = 1",
    }
    return Row(**{**values, **changes})  # type: ignore[arg-type]


def test_rows_are_there_again_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    Journal(file, PLAN).add(row())
    assert Journal(file, PLAN).rows == [row()]


def test_a_line_that_a_kill_has_cut_is_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    Journal(file, PLAN).add(row())
    with file.open("ab") as cut:
        cut.write(b'{"seed": 1, "pha')
    again = Journal(file, PLAN)
    assert again.rows == [row()]
    again.add(row("b"))
    assert Journal(file, PLAN).rows == [row(), row("b")]


def test_what_was_measured_is_known(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl", PLAN)
    journal.add(row())
    start = RowStart(1, "evaluation", "a", "math/base", "full")
    assert journal.has(start)
    assert not journal.has(RowStart(1, "evaluation", "a", "math/base", "direct"))


def test_another_plan_does_not_go_on_with_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    Journal(file, PLAN).add(row())
    with pytest.raises(ConfigError):
        Journal(file, {"seeds": [2]})


def test_the_warm_up_is_not_part_of_the_figures(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl", PLAN)
    journal.add(row(phase=WARM_UP))
    journal.add(row("b"))
    assert journal.measured() == [row("b")]


def test_a_reply_becomes_a_row() -> None:
    start = RowStart(1, "evaluation", "a", "math/base", "full")
    reply = Reply("x = 1", 0.5, 0.1, 20, 5, "miss", "no-candidate")
    assert start.measured(reply, Tokens(10, 20), is_right=True) == row()


def test_figures_have_the_shape_of_the_contract() -> None:
    rows = [
        row(),
        row("b", outcome="reuse", completion_tokens=0, latency_s=0.1, is_right=False),
        row("c", outcome="patch", fallback="linear_equation", latency_s=0.3),
    ]
    figures = arm_figures(rows)
    assert figures == {
        "requests": 3,
        "mean_s": 0.3,
        "median_s": 0.3,
        "p95_s": 0.5,
        "ttft_median_s": 0.1,
        "upstream_prompt_tokens": 30,
        "upstream_completion_tokens": 40,
        "reused_tokens": 15,
        "correct": 2,
        "correct_without_fallback": 1,
        "unsafe_served": 1,
        "answered_without_upstream": 1,
        "outcomes": {"miss": 1, "reuse": 1, "patch": 1},
    }
    assert by_kind(rows)["math/base"] == {
        "requests": 3,
        "correct": 2,
        "median_s": 0.3,
        "outcomes": {"miss": 1, "reuse": 1, "patch": 1},
        "reasons": {"no-candidate": 3},
    }


def test_a_wrong_answer_of_the_upstream_itself_is_not_unsafe() -> None:
    assert arm_figures([row(is_right=False)])["unsafe_served"] == 0


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1), (0.5, 6), (0.95, 10), (1.0, 10)]
)
def test_a_quantile_is_one_of_the_values(share: float, value: int) -> None:
    assert quantile(range(1, 11), share) == value


def test_counters_of_both_kinds_of_servers_are_read() -> None:
    llama = "llamacpp:prompt_tokens_total 7\nllamacpp:tokens_predicted_total 9\n"
    assert parse(llama) == Tokens(7, 9)
    vllm = (
        'vllm:prompt_tokens_total{model="m"} 7.0\n'
        'vllm:prompt_tokens_total{model="n"} 1\n'
        'vllm:generation_tokens_total{model="m"} 9.0\n'
    )
    assert parse(vllm) == Tokens(8, 9)
    assert parse("nothing 1\n") is None
    assert Tokens(9, 9).since(Tokens(4, 2)) == Tokens(5, 7)


def test_arms_are_chosen_by_name_in_the_order_given() -> None:
    assert chosen(None) == ARMS
    assert [arm.name for arm in chosen("full, direct,full")] == ["full", "direct"]


def test_an_unknown_arm_is_named() -> None:
    with pytest.raises(ConfigError, match="fastest is none of direct, full"):
        chosen("fastest")
