"""Every kind of reader gets the answer in its own form, with the decision's headers."""

import asyncio

from stepcache_proxy.api.respond import Reader, respond_served
from stepcache_proxy.api.tally import Tally
from stepcache_proxy.reuse.ask import Served, StepCounts
from stepcache_proxy.reuse.model import Outcome, RecordId, TaskName
from tests.api.proxy import DONE, Proxy, before, events_of, says, text_of
from tests.fakes import Recording, Said, answer

WRONG = "x = 5"
RIGHT = "2x = 8\n\nx = 4"
ASKED = "Solve 2x + 3 = 11 for x."


async def answered(proxy: Proxy, *, is_stream: bool) -> dict[str, str]:
    proxy.cache.upstream.script = [Said(RIGHT), Said(RIGHT), Said(RIGHT)]
    response = await proxy.ask(ASKED, stream=is_stream)
    assert "x = 4" in text_of(response)
    assert WRONG not in response.text
    if is_stream:
        assert response.content.endswith(DONE)
        assert len(events_of(response)) >= 3
    return dict(response.headers)


async def test_a_held_answer_that_is_wrong_is_mended_before_anybody_reads_it() -> None:
    for is_stream in (False, True):
        async with before(says(WRONG)) as proxy:
            headers = await answered(proxy, is_stream=is_stream)
        assert headers["x-stepcache-outcome"] == "patch"
        assert headers["cache-status"].startswith("stepcache; fwd=partial")
        assert "patched=" in headers["x-stepcache-steps"]
        assert headers["date"].endswith(" GMT")
        assert proxy.heard.answered[0].outcome is Outcome.PATCH


async def test_a_held_stream_that_is_right_goes_out_as_it_came() -> None:
    async with before(says(RIGHT)) as proxy:
        response = await proxy.ask(ASKED)
    assert response.json()["id"] == "chatcmpl-model"
    assert response.headers["x-stepcache-outcome"] == "miss"


async def test_a_served_answer_tells_what_it_cost() -> None:
    sent: asyncio.Queue[dict[str, object]] = asyncio.Queue()

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        await sent.put(message)

    reader = Reader(
        send=send,
        endpoint="chat",
        is_stream=False,
        wants_usage=False,
        is_leader=True,
        created=1,
    )
    served = Served(
        Outcome.REUSE,
        "verified",
        answer("a"),
        record=RecordId("r"),
        similarity=0.98,
        steps=StepCounts(derived=2),
        reused=20,
        age_seconds=4,
        ttl_seconds=60,
        task=TaskName("linear_equation"),
    )
    recording = Recording()
    tally = Tally(recording, lambda: 0.0, "chat", is_stream=False)
    await respond_served(reader, served, tally)
    start = await sent.get()
    headers = start["headers"]
    assert isinstance(headers, list)
    told = dict(headers)
    assert told[b"x-stepcache-steps"] == b"kept=0, derived=2, patched=0"
    assert told[b"x-stepcache-tokens"] == b"generated=0, reused=20"
    assert told[b"cache-status"] == b"stepcache; hit; ttl=60; detail=reuse"
    assert told[b"age"] == b"4"
    assert tally.spent.saved == 27
