"""Answers are compared with the label; only what the cache said can be its fault."""

from stepcache_proxy.bench.evaluate.equations import solve
from stepcache_proxy.bench.evaluate.figures import Report
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.bench.evaluate.files import machine, rows


def equation(text: str, answer: str, *equations: str) -> JsonObject:
    return {
        "question": text,
        "equations": list(equations),
        "unknown": "t",
        "answer": answer,
        "level": "easy",
    }


async def solved(*fields: JsonObject) -> Report:
    report = Report("f", len(fields), "labels")
    await solve(machine(), rows(*fields), report)
    return report


async def test_an_equation_is_right_although_the_upstream_is_wrong() -> None:
    report = await solved(equation("Solve 4*t + 5 = 17 for t.", "3", "4*t + 5 = 17"))
    figures = report.extra["equations"]
    assert isinstance(figures, dict)
    told = figures["one unknown"]
    assert isinstance(told, dict)
    assert (told["right"], told["unchecked"]) == (1, 0)
    assert report.counts.wrong == 0


async def test_a_system_is_right_although_the_upstream_is_wrong() -> None:
    text = "Solve 4*t - s = 5, t + s = 5 for t."
    report = await solved(equation(text, "2", "4*t - s = 5", "t + s = 5"))
    figures = report.extra["equations"]
    assert isinstance(figures, dict)
    told = figures["two unknowns"]
    assert isinstance(told, dict)
    assert (told["right_without_upstream"], told["unchecked"]) == (1, 0)
    assert report.counts.wrong == 0


async def test_a_wrong_label_makes_the_cache_wrong() -> None:
    report = await solved(equation("Solve 4*t + 5 = 17 for t.", "4", "4*t + 5 = 17"))
    assert report.counts.wrong == 1


async def test_what_no_task_understands_is_the_upstreams_own() -> None:
    text = "Guess t, which is odd."
    report = await solved(equation(text, "3", "odd", "more"))
    figures = report.extra["equations"]
    assert isinstance(figures, dict)
    told = figures["two unknowns"]
    assert isinstance(told, dict)
    assert (told["right"], told["unchecked"]) == (0, 1)
    assert report.counts.wrong == 0
