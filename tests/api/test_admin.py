"""The admin endpoints do what they say, and refuse with error objects."""

from collections.abc import AsyncGenerator

import httpx
import pytest

from stepcache_proxy.api.admin_seams import Purge
from tests.api.admin_app import TOKEN, Cache, client

CHAT = {"model": "small", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
def cache() -> Cache:
    return Cache()


@pytest.fixture
async def http(cache: Cache) -> AsyncGenerator[httpx.AsyncClient]:
    async with client(cache) as opened:
        yield opened


def refusal(response: httpx.Response, status: int) -> str:
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert isinstance(error["message"], str)
    return error["message"]


async def test_statistics_are_json_that_nobody_keeps(http: httpx.AsyncClient) -> None:
    response = await http.get("/stepcache/stats")
    assert response.json() == {"workers": 1}
    assert response.headers["cache-control"] == "no-store"


async def test_a_record_shows_its_steps_and_what_is_left_of_it(
    http: httpx.AsyncClient,
) -> None:
    record = (await http.get("/stepcache/records/9f3a")).json()
    assert record["steps"] == [
        {"index": 0, "text": "Subtract 7.\n", "verdict": "accept", "reason": ""},
        {"index": 1, "text": "x = 7.", "verdict": "unknown", "reason": ""},
    ]
    assert (record["task"], record["provenance"]) == ("linear_equation", "derived")
    assert (record["created"], record["ttl"]) == (1_799_999_900.0, 3500)


async def test_a_removed_record_is_gone(http: httpx.AsyncClient, cache: Cache) -> None:
    response = await http.delete("/stepcache/records/9f3a")
    assert response.json() == {"matched": 1, "removed": 1}
    assert set(cache.records) == {"b0b0"}
    for method in ("GET", "DELETE"):
        refusal(await http.request(method, "/stepcache/records/9f3a"), 404)


async def test_a_purge_removes_what_fits(http: httpx.AsyncClient, cache: Cache) -> None:
    body = {"model": "small", "dry_run": True}
    response = await http.post("/stepcache/purge", json=body)
    assert response.json() == {"matched": 1, "removed": 0}
    assert len(cache.records) == 2
    response = await http.post("/stepcache/purge", json={"model": "small"})
    assert response.json() == {"matched": 1, "removed": 1}
    assert set(cache.records) == {"b0b0"}
    response = await http.post("/stepcache/purge", json={"all": True})
    assert response.json() == {"matched": 1, "removed": 1}


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"null", b"{", b'{"nonsense": 1}', b'{"all": false}'],
)
async def test_a_purge_of_nothing_in_particular_is_refused(
    http: httpx.AsyncClient, cache: Cache, body: bytes
) -> None:
    refusal(await http.post("/stepcache/purge", content=body), 400)
    assert len(cache.records) == 2


async def test_feedback_takes_the_record_out_of_use(
    http: httpx.AsyncClient, cache: Cache
) -> None:
    body = {"record": "9f3a", "verdict": "bad"}
    assert (await http.post("/stepcache/feedback", json=body)).status_code == 200
    assert set(cache.records) == {"b0b0"}
    refusal(await http.post("/stepcache/feedback", json=body), 404)


@pytest.mark.parametrize(
    "body", [{}, {"verdict": "bad"}, {"record": "9f3a", "verdict": "so-so"}]
)
async def test_feedback_that_is_no_verdict_is_refused(
    http: httpx.AsyncClient, cache: Cache, body: dict[str, str]
) -> None:
    refusal(await http.post("/stepcache/feedback", json=body), 400)
    assert len(cache.records) == 2


async def test_explain_passes_on_body_and_headers(
    http: httpx.AsyncClient, cache: Cache
) -> None:
    headers = {"authorization": "Bearer a-customer", "x-stepcache-mode": "exact"}
    response = await http.post("/stepcache/explain", json=CHAT, headers=headers)
    assert response.json()["decision"] == "miss"
    ((body, passed),) = cache.explained
    assert body == CHAT
    assert (b"authorization", b"Bearer a-customer") in passed
    assert (b"x-stepcache-mode", b"exact") in passed


async def test_explain_never_sees_the_admin_token(cache: Cache) -> None:
    async with client(cache, token=TOKEN) as http:
        headers = [
            (b"authorization", b"Bearer " + TOKEN.encode()),
            (b"x-api-key", b"a-customer"),
        ]
        response = await http.post("/stepcache/explain", json=CHAT, headers=headers)
    assert response.status_code == 200
    names = [name for name, _ in cache.explained[0][1]]
    assert b"authorization" not in names
    assert b"x-api-key" in names


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"messages": 3}', b'{"messages": []}', b"[1]", b'"chat"']
)
async def test_explain_of_what_is_no_chat_request_is_refused(
    http: httpx.AsyncClient, cache: Cache, body: bytes
) -> None:
    refusal(await http.post("/stepcache/explain", content=body), 400)
    assert not cache.explained


async def test_a_refusal_inside_explain_is_an_error_object(
    http: httpx.AsyncClient,
) -> None:
    body = {**CHAT, "model": "malformed"}
    said = refusal(await http.post("/stepcache/explain", json=body), 400)
    assert "x-stepcache-ttl" in said


async def test_a_body_over_the_limit_is_a_413(http: httpx.AsyncClient) -> None:
    refusal(await http.post("/stepcache/purge", content=b"x" * 10_001), 413)


async def test_a_store_that_is_down_is_a_503(
    http: httpx.AsyncClient, cache: Cache
) -> None:
    cache.is_down = True
    refusal(await http.get("/stepcache/records/9f3a"), 503)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/stepcache/nothing"),
        ("PUT", "/stepcache/stats"),
        ("GET", "/stepcache/purge"),
        ("POST", "/stepcache/"),
        ("GET", "/stepcache/records/a/b"),
    ],
)
async def test_no_path_under_stepcache_reaches_the_upstream(
    http: httpx.AsyncClient, method: str, path: str
) -> None:
    refusal(await http.request(method, path), 404)


CALLS = [
    ("GET", "/stepcache/stats"),
    ("GET", "/stepcache/records/9f3a"),
    ("DELETE", "/stepcache/records/9f3a"),
    ("POST", "/stepcache/purge"),
    ("POST", "/stepcache/explain"),
    ("POST", "/stepcache/feedback"),
    ("GET", "/stepcache/nothing"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize("given", [None, b"Bearer wrong", b"Bearer ", b"Basic x"])
async def test_with_a_token_nothing_answers_without_it(
    cache: Cache, method: str, path: str, given: bytes | None
) -> None:
    headers = [] if given is None else [(b"authorization", given)]
    async with client(cache, token=TOKEN) as http:
        body = b'{"all": true}'
        response = await http.request(method, path, content=body, headers=headers)
    refusal(response, 401)
    assert len(cache.records) == 2


@pytest.mark.parametrize(("method", "path"), [*CALLS, ("GET", "/stepcache/")])
async def test_without_a_token_only_this_machine_is_answered(
    cache: Cache, method: str, path: str
) -> None:
    async with client(cache, sender="192.0.2.7") as http:
        refusal(await http.request(method, path, content=b'{"all": true}'), 403)
    assert len(cache.records) == 2


def test_a_purge_fits_only_what_every_field_of_it_names(cache: Cache) -> None:
    record = cache.records["9f3a"]
    assert Purge(model="small", namespace="tests").matches(record)
    assert not Purge(model="small", namespace="elsewhere").matches(record)
    assert not Purge().matches(record)
    assert Purge(is_everything=True).matches(record)
