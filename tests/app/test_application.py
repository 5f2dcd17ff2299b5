"""Every path is answered by the one application it belongs to."""

from email.utils import parsedate_to_datetime

import pytest

from tests.api.proxy import Model, Tells, says, text_of
from tests.app.running import OUTCOME, running
from tests.servers import ValkeyServer

SOLVED = "2x = 8\n\nx = 4"


async def test_the_store_may_be_emptied_under_the_proxy(
    own_valkey: ValkeyServer,
) -> None:
    model = Model([says("a"), says("b")])
    async with running(model, own_valkey.url) as app:
        answers = [await app.ask(), await app.ask()]
        await app.parts.storage.store.client.flushall()
        answers += [await app.ask(), await app.ask()]
    seen = [answer.headers[OUTCOME] for answer in answers]
    assert seen == ["miss", "exact", "miss", "exact"]
    assert [text_of(answer) for answer in answers] == ["a", "a", "b", "b"]


async def test_a_store_that_is_gone_fails_nobody(own_valkey: ValkeyServer) -> None:
    model = Model([says("a"), says("b")])
    async with running(model, own_valkey.url) as app:
        await app.ask()
        own_valkey.freeze()
        answer = await app.ask()
        ready = (await app.client.get("/readyz")).json()
        own_valkey.thaw()
    assert text_of(answer) == "b"
    assert answer.headers[OUTCOME] == "miss"
    assert answer.headers["x-stepcache-reason"] == "degraded:store"
    assert "embedder" in ready["degraded"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("GET", "/v1/models", id="models"),
        pytest.param("GET", "/health", id="health of the upstream"),
        pytest.param("GET", "/v1/chat/completions", id="another method"),
        pytest.param("GET", "/stepcachex", id="a longer word"),
    ],
)
async def test_what_is_not_ours_is_the_upstreams(
    method: str, path: str, valkey: ValkeyServer
) -> None:
    async with running(Model(models=Tells(b"theirs")), valkey.url) as app:
        answer = await app.client.request(method, path)
    assert answer.content == b"theirs"
    assert answer.headers[OUTCOME] == "bypass"
    assert "date" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/healthz",
        "/readyz",
        "/metrics",
        "/stepcache/",
        "/stepcache/stats",
        "/stepcache/no",
    ],
)
async def test_what_is_ours_says_when_it_was_made(
    path: str, valkey: ValkeyServer
) -> None:
    async with running(Model(models=Tells(b"theirs")), valkey.url) as app:
        answer = await app.client.get(path)
    assert answer.content != b"theirs"
    assert OUTCOME not in answer.headers
    assert parsedate_to_datetime(answer.headers["date"]).tzinfo is not None


async def test_a_malformed_control_header_is_a_400_on_any_path(
    valkey: ValkeyServer,
) -> None:
    async with running(Model(), valkey.url) as app:
        answer = await app.client.get("/v1/models", headers={"x-stepcache-ttl": "x"})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "x-stepcache-ttl"


async def test_a_record_is_shown_with_verdicts_for_its_own_request(
    valkey: ValkeyServer,
) -> None:
    model = Model([says(SOLVED), says("some prose")])
    async with running(model, valkey.url, store__namespace="shown") as app:
        solved = await app.ask("Solve 2x + 3 = 11 for x.")
        prose = await app.ask("Tell me something.")
        shown = [
            (await app.client.get(f"/stepcache/records/{id_}")).json()
            for id_ in (
                solved.headers["x-stepcache-record"],
                prose.headers["x-stepcache-record"],
            )
        ]
    assert shown[0]["task"] == "linear_equation"
    assert {step["verdict"] for step in shown[0]["steps"]} == {"accept"}
    assert {step["verdict"] for step in shown[1]["steps"]} == {"unknown"}
    assert shown[0]["provenance"] == "fresh"


@pytest.mark.parametrize(
    ("wanted", "removed"),
    [
        pytest.param({"all": True}, 1, id="all"),
        pytest.param({"model": "m"}, 1, id="model"),
        pytest.param({"model": "other"}, 0, id="another model"),
        pytest.param({"all": True, "dry_run": True}, 0, id="dry run"),
    ],
)
async def test_what_was_purged_is_not_served(
    wanted: dict[str, object], removed: int, own_valkey: ValkeyServer
) -> None:
    model = Model([says("a"), says("b")])
    async with running(model, own_valkey.url) as app:
        await app.ask()
        told = (await app.client.post("/stepcache/purge", json=wanted)).json()
        answer = await app.ask()
    assert told["removed"] == removed
    assert answer.headers[OUTCOME] == ("miss" if removed else "exact")


async def test_a_record_that_was_called_bad_is_not_served(
    own_valkey: ValkeyServer,
) -> None:
    async with running(Model([says("a"), says("b")]), own_valkey.url) as app:
        record = (await app.ask()).headers["x-stepcache-record"]
        body = {"record": record, "verdict": "bad"}
        told = await app.client.post("/stepcache/feedback", json=body)
        again = await app.client.post("/stepcache/feedback", json=body)
        answer = await app.ask()
    assert (told.status_code, again.status_code) == (200, 404)
    assert answer.headers[OUTCOME] == "miss"
