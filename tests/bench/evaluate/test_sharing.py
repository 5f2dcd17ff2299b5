"""A pair counts as served wrong exactly when the label forbids what was served."""

from stepcache_proxy.bench.evaluate.figures import Report
from stepcache_proxy.bench.evaluate.sharing import share_messages, share_problems
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.bench.evaluate.files import PAIRS, machine, pair, rows, said


async def messages(*fields: JsonObject) -> Report:
    report = Report("f", len(fields), "labels")
    await share_messages(machine(), rows(*fields), report)
    return report


async def test_what_may_be_shared_is_served_and_traps_are_not() -> None:
    report = await messages(*PAIRS)
    assert report.counts.as_json() == {
        "requests": 3,
        "served": 1,
        "wrong": 0,
        "traps": 2,
        "traps_served": 0,
        "may_share": 1,
        "may_share_served": 1,
        "patched": 0,
        "skipped": 2,
    }
    assert report.reasons["skip: constraint:number"] == 1
    assert len(report.check_seconds) == 3


async def test_a_served_trap_is_counted_wrong() -> None:
    trap = pair(
        "How do I bake bread?", "how do i bake bread", may_share=False, category="x"
    )
    report = await messages(trap)
    assert (report.counts.wrong, report.counts.traps_served) == (1, 1)
    assert report.by_category["question: x"].wrong == 1


async def test_another_conversation_is_another_request() -> None:
    row = {
        **PAIRS[0],
        "cached": said("I sail.", "Nice.", "What do I need?"),
        "new": said("I cook.", "Nice.", "What do I need?"),
    }
    report = await messages(row)
    assert report.counts.served == 0
    assert report.reasons == {"miss: no-candidate": 1}


def problem(new: str, **labels: bool) -> JsonObject:
    return {
        "cached_prompt": "Ann has 3 pens and buys 4. How many has she?",
        "cached_steps": ["3 + 4 = 7"],
        "cached_answer": "7",
        "new_prompt": new,
        "new_steps": ["3 + 5 = 8"],
        "new_answer": "8",
        "category": "numbers",
        **labels,
    }


async def test_a_problem_with_other_numbers_is_worked_and_judged_by_its_answer() -> (
    None
):
    row = problem(
        "Ann has 3 pens and buys 5. How many has she?",
        may_share=False,
        answerable=True,
    )
    report = Report("f", 1, "labels")
    await share_problems(machine(), rows(row), report)
    assert (report.counts.served, report.counts.wrong) == (1, 0)
    assert report.counts.traps == 1
    rates = report.as_json()["rates"]
    assert isinstance(rates, dict)
    right = rates["right_of_requests"]
    assert isinstance(right, dict)
    assert (right["count"], right["of"]) == (1, 1)


async def test_a_problem_that_may_not_be_shared_but_is_served_is_wrong() -> None:
    row = problem(
        "Ann has 3 pens and buys 4. How many has she", may_share=False, answerable=True
    )
    report = Report("f", 1, "labels")
    await share_problems(machine(), rows(row), report)
    assert (report.counts.served, report.counts.wrong) == (1, 1)
