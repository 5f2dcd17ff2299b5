"""One request gets one answer: cached, shared or forwarded, byte for byte."""

import asyncio

import httpx
import orjson
import pytest

from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire.jsonvalue import Json
from tests.api.proxy import (
    CHAT,
    DONE,
    LIMIT,
    Arrangement,
    Hangs,
    Model,
    Proxy,
    SameWeights,
    Streams,
    Tells,
    before,
    before_url,
    delta,
    events_of,
    finish,
    says,
    streams,
    text_of,
    usage,
)
from tests.fakes import body_of
from tests.http_servers import Answering, serve


def outcome(response: httpx.Response) -> str:
    return str(response.headers["x-stepcache-outcome"])


async def test_a_miss_is_the_upstreams_response_byte_for_byte() -> None:
    odd = b'{ "choices":[], "odd": 1.0,\n"object":"chat.completion" }'
    async with before(Tells(odd, headers=b"x-a: 1\r\nx-a: 2\r\n")) as proxy:
        answer = await proxy.ask()
    assert answer.content == odd
    assert answer.headers.get_list("x-a") == ["1", "2"]
    assert outcome(answer) == "miss"
    assert "x-stepcache-record" not in answer.headers
    assert proxy.cache.background.waiting == []


async def test_a_kept_answer_is_given_back_with_an_id_and_a_time_of_its_own() -> None:
    async with before(says("hello there")) as proxy:
        first, again = await proxy.ask(), await proxy.ask()
        streamed = await proxy.ask(stream=True)
    assert [outcome(a) for a in (first, again, streamed)] == ["miss", "exact", "exact"]
    assert len(proxy.model.calls) == 1
    one, other = first.json(), again.json()
    assert one.pop("id") != other.pop("id")
    assert one.pop("created") != other.pop("created")
    assert one == other
    assert text_of(streamed) == "hello there"
    assert first.headers["x-stepcache-record"] == again.headers["x-stepcache-record"]
    assert first.headers["cache-status"] == "stepcache; fwd=miss; stored"


class Reloaded(SameWeights):
    """The weights change while the first answer is on its way, and back again."""

    def __init__(self) -> None:
        self.token = "old"

    def of(self, model: str) -> str:
        return self.token

    async def note(self, model: str, fingerprint: Json) -> None:
        self.token = "new"


async def test_an_answer_during_which_the_weights_changed_is_not_kept() -> None:
    weights = Reloaded()
    arrangement = Arrangement(epochs=weights)
    async with before(says("one"), says("two"), arrangement=arrangement) as proxy:
        first = await proxy.ask()
        weights.token = "old"
        again = await proxy.ask()
    assert "x-stepcache-record" not in first.headers
    assert outcome(again) == "miss"
    assert text_of(again) == "two"


async def test_a_streamed_miss_is_what_the_client_would_have_had() -> None:
    begun = [delta("a ", usage=None), delta("b", usage=None)]
    theirs = [*begun, finish(usage=None), usage(), DONE]
    async with before(Streams(theirs)) as proxy:
        answer = await proxy.ask(stream=True)
        again = await proxy.ask()
    assert answer.content == delta("a ") + delta("b") + finish() + DONE
    assert answer.headers["x-of-model"] == "yes"
    assert orjson.loads(proxy.model.body())["stream_options"] == {"include_usage": True}
    assert again.json()["usage"]["completion_tokens"] == 3


async def test_a_client_that_asked_for_usage_gets_every_byte() -> None:
    theirs = [delta("a", usage=None), finish(usage=None), usage(timings={}), DONE]
    async with before(Streams(theirs)) as proxy:
        answer = await proxy.ask(stream=True, stream_options={"include_usage": True})
    assert answer.content == b"".join(theirs)
    expected = body_of("q", stream=True, stream_options={"include_usage": True})
    assert orjson.loads(proxy.model.body()) == expected


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(says("cut", "length"), id="cut"),
        pytest.param(says("no", "content_filter"), id="filtered"),
        pytest.param(Tells(b'{"error":{"message":"busy"}}', 503), id="error"),
        pytest.param(Tells(b"not json"), id="no json"),
        pytest.param(Streams([delta("a"), finish()]), id="no end"),
        pytest.param(Streams([delta("a"), DONE]), id="no finish"),
        pytest.param(
            Tells(b'{"choices":[]}', headers=b"content-encoding: x\r\n"), id="coded"
        ),
    ],
)
async def test_what_is_not_a_whole_good_answer_is_not_kept(
    turn: Tells | Streams,
) -> None:
    async with before(turn, says("right")) as proxy:
        is_stream = isinstance(turn, Streams)
        first = await proxy.ask(stream=is_stream)
        again = await proxy.ask()
    if isinstance(turn, Tells):
        assert first.status_code == turn.status
        assert first.content == turn.body
    assert [outcome(first), outcome(again)] == ["miss", "miss"]
    assert text_of(again) == "right"


async def test_a_stream_that_breaks_off_ends_with_an_error_and_is_not_kept() -> None:
    async with before(Streams([delta("a")], breaks_off=True), says("b")) as proxy:
        answer = await proxy.ask(stream=True)
        again = await proxy.ask()
    *_, last = events_of(answer)
    assert answer.content.startswith(delta("a"))
    assert DONE not in answer.content
    assert isinstance(last["error"], dict)
    assert last["error"]["code"] == "upstream_disconnected"
    assert outcome(again) == "miss"
    assert text_of(again) == "b"


@pytest.mark.parametrize(
    ("headers", "param"),
    [
        pytest.param({"x-stepcache-ttl": ""}, "x-stepcache-ttl", id="ttl"),
        pytest.param({"x-stepcache-mode": "fast"}, "x-stepcache-mode", id="mode"),
        pytest.param({"cache-control": "max-age=x"}, "cache-control", id="age"),
        pytest.param(
            {"x-stepcache-namespace": "a b"}, "x-stepcache-namespace", id="namespace"
        ),
    ],
)
async def test_a_malformed_control_is_a_400(
    headers: dict[str, str], param: str
) -> None:
    async with before() as proxy:
        answer = await proxy.ask(headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param
    assert outcome(answer) == "bypass"
    assert answer.headers["x-stepcache-reason"] == f"param:{param}"
    assert answer.headers["date"].endswith(" GMT")
    assert proxy.heard.answered[0].status == 400


async def test_a_body_over_the_limit_is_a_413() -> None:
    async with before() as proxy:
        answer = await proxy.ask("q" * LIMIT)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "request_too_large"
    assert answer.headers["x-stepcache-reason"] == "param:body"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"{nonsense", "param:body", id="no json"),
        pytest.param(b'{"messages":[]}', "param:body", id="no messages"),
        pytest.param(orjson.dumps(body_of("q", n=2)), "param:n", id="n"),
        pytest.param(
            orjson.dumps(body_of("q", temperature=1)), "sampled", id="sampled"
        ),
    ],
)
async def test_what_may_not_be_cached_goes_through_untouched(
    body: bytes, reason: str
) -> None:
    turns = (Tells(b"told", 418), Tells(b"told again", 418))
    async with before(*turns, arrangement=Arrangement(denies_sampled=True)) as proxy:
        answer = await proxy.client.post(CHAT, content=body)
        again = await proxy.client.post(CHAT, content=body)
    assert [answer.content, again.content] == [b"told", b"told again"]
    assert [proxy.model.body(0), proxy.model.body(1)] == [body, body]
    assert outcome(answer) == "bypass"
    assert answer.headers["x-stepcache-reason"] == reason
    assert proxy.heard.answered[0].endpoint == "chat"


async def test_a_mode_of_off_goes_through_untouched() -> None:
    async with before(says("a"), says("b")) as proxy:
        off = {"x-stepcache-mode": "off"}
        answers = [await proxy.ask(headers=off), await proxy.ask(headers=off)]
    assert [text_of(answer) for answer in answers] == ["a", "b"]
    assert answers[0].headers["x-stepcache-reason"] == "mode"
    assert b"x-stepcache" not in proxy.model.calls[0]


async def test_only_if_cached_never_asks_the_upstream() -> None:
    async with before(says("a")) as proxy:
        only = {"cache-control": "only-if-cached"}
        without = await proxy.ask(headers=only)
        await proxy.ask()
        with_record = await proxy.ask(headers=only)
    assert without.status_code == 504
    assert without.json()["error"]["code"] == "only_if_cached"
    assert without.headers["x-stepcache-reason"] == "only-if-cached"
    assert outcome(without) == "miss"
    assert outcome(with_record) == "exact"


async def test_no_cache_asks_again_and_no_store_keeps_nothing() -> None:
    async with before(says("a"), says("b"), says("c")) as proxy:
        await proxy.ask(headers={"cache-control": "no-store"})
        await proxy.ask()
        renewed = await proxy.ask(headers={"cache-control": "no-cache"})
        cached = await proxy.ask()
    assert [outcome(renewed), text_of(renewed)] == ["miss", "c"]
    assert [outcome(cached), text_of(cached)] == ["exact", "c"]


async def test_an_unreachable_upstream_is_a_502() -> None:
    async with serve(Answering()) as url:
        pass
    async with before_url(url, Model(), Arrangement()) as proxy:
        answer = await proxy.ask()
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "upstream_unavailable"
    assert outcome(answer) == "miss"
    assert answer.headers["x-stepcache-reason"] == "upstream-error"
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize("is_stream", [False, True])
async def test_a_silent_upstream_is_a_504(is_stream: bool) -> None:
    async with before(Hangs(), arrangement=Arrangement(timeout_s=0.05)) as proxy:
        answer = await proxy.ask(stream=is_stream)
    assert answer.status_code == 504
    assert answer.json()["error"]["code"] == "upstream_timeout"
    assert answer.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    "begun",
    [pytest.param(b"", id="before the head"), pytest.param(delta("a"), id="inside")],
)
async def test_a_client_that_leaves_stops_the_upstream(begun: bytes) -> None:
    hanging = Hangs(begun)
    async with before(hanging) as proxy:
        async with asyncio.TaskGroup() as group:
            call = group.create_task(proxy.ask(stream=True))
            await proxy.model.asked.wait()
            call.cancel()
        await hanging.left.wait()
        await proxy.heard.ended.wait()
    (told,) = proxy.heard.answered
    assert told.generated_tokens == 0


async def settled(proxy: Proxy, **fields: Json) -> tuple[str, int, int, int]:
    await proxy.ask("q", None, **fields)
    told = proxy.heard.answered[-1]
    tokens = (told.generated_tokens, told.reused_tokens, told.saved_tokens)
    return (told.outcome, *tokens)


@pytest.mark.parametrize("is_stream", [False, True])
async def test_every_request_is_told_with_its_tokens(is_stream: bool) -> None:
    turn = streams("a", "b") if is_stream else says("ab")
    async with before(turn) as proxy:
        assert await settled(proxy, stream=is_stream) == (Outcome.MISS, 3, 0, 0)
        assert await settled(proxy, stream=is_stream) == (Outcome.EXACT, 0, 3, 10)
    first, again = proxy.heard.answered
    assert first.is_stream is is_stream
    assert first.ttft_seconds is not None
    assert first.overhead_seconds <= first.total_seconds
    assert first.record == again.record is not None
