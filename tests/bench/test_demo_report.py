"""The report judges every answer itself and tells both ways' totals."""

from fractions import Fraction

from stepcache_proxy.bench.client import Reply
from stepcache_proxy.bench.demo_report import Arm, any_wrong, as_json, report
from stepcache_proxy.bench.workload import Ask, solves

ASKS = (Ask("equation", {}, solves("x", Fraction(4))), Ask("question", {}))


def reply(text: str, **more: object) -> Reply:
    told = {"outcome": "", "reason": "", "tokens_generated": 9, "tokens_reused": 0}
    fields = {"text": text, "latency_s": 1.5, "ttft_s": 0.5} | told | more
    return Reply(**fields)  # type: ignore[arg-type]


WRONG = Arm((reply("x = 5"), reply("Well.")), tokens=18)
RIGHT = Arm(
    (
        reply("x = 4", outcome="patch", reason="step:1", tokens_reused=7),
        reply("Well.", outcome="exact", reason="verified", latency_s=0.002),
    ),
    tokens=9,
)


def test_only_answers_that_can_be_judged_can_be_wrong() -> None:
    assert any_wrong(ASKS, WRONG)
    assert not any_wrong(ASKS, RIGHT)
    assert not any_wrong(ASKS[1:], Arm(WRONG.replies[1:], 0))


def test_the_table_has_a_row_for_every_request_and_both_totals() -> None:
    said = report(ASKS, WRONG, RIGHT)
    rows = {line.split("  ")[0]: line for line in said.splitlines() if line}
    assert "patch" in rows["equation"]
    assert rows["equation"].endswith("yes")
    assert rows["question"].endswith("-")
    assert "0 of 1" in rows["straight to the model"]
    assert "1 of 1" in rows["through the proxy"]
    assert "Outcomes: 1 patch, 1 exact." in said


def test_a_wrong_answer_cannot_be_overlooked() -> None:
    assert "NO" in report(ASKS, RIGHT, WRONG)


def test_the_json_has_the_shape_that_was_promised() -> None:
    whole = as_json(ASKS, WRONG, RIGHT)
    assert whole["requests"] == [
        {
            "name": "equation",
            "outcome": "patch",
            "reason": "step:1",
            "latency_s": 1.5,
            "tokens_generated": 9,
            "tokens_reused": 7,
            "correct": True,
        },
        {
            "name": "question",
            "outcome": "exact",
            "reason": "verified",
            "latency_s": 0.002,
            "tokens_generated": 9,
            "tokens_reused": 0,
            "correct": None,
        },
    ]
    direct = {"latency_s": 3.0, "tokens_generated": 18, "correct": 0, "checked": 1}
    proxy = {"latency_s": 1.502, "tokens_generated": 9, "correct": 1, "checked": 1}
    outcomes = {"patch": 1, "exact": 1}
    assert whole["totals"] == {
        "direct": direct,
        "proxy": proxy | {"outcomes": outcomes},
    }
