"""An answer with one request's arguments is wrong for a request with others."""

from stepcache_proxy.bench.evaluate.calls import share_calls
from stepcache_proxy.bench.evaluate.figures import Report
from stepcache_proxy.wire.jsonvalue import JsonObject
from tests.bench.evaluate.files import SCHEMA, machine, rows, said


def call(text: str, age: int) -> JsonObject:
    return {
        "id": text,
        "messages": said(text),
        "schema": SCHEMA,
        "accepted": {"age": [age]},
        "example_arguments": {"age": age},
    }


async def test_changed_arguments_and_other_rows_are_traps_that_are_not_served() -> None:
    report = Report("f", 2, "labels")
    both = rows(call("Register Ann, aged 30.", 30), call("Register Bo, aged 41.", 41))
    await share_calls(machine(), both, report)
    assert report.by_category["number changed"].requests == 2
    assert report.by_category["same schema"].requests == 2
    assert (report.counts.served, report.counts.wrong) == (0, 0)
    assert report.extra["example_arguments_accepted"] == 2


async def test_another_row_that_accepts_the_answer_is_not_wronged() -> None:
    report = Report("f", 2, "labels")
    ann, again = "Register Ann, aged 30.", "Please register Ann, aged 30."
    both = rows(call(ann, 30), call(again, 30))
    await share_calls(machine(), both, report)
    assert report.by_category["same schema"].served == 2
    assert report.by_category["same schema"].wrong == 0
