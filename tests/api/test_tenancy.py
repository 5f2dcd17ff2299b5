"""Tenants are told apart, and a cached answer needs a credential that still holds."""

import pytest

from stepcache_proxy.api.tenancy import TenantSource
from tests.api.proxy import Arrangement, Model, Tells, before, before_url, says, text_of
from tests.fakes import Cache
from tests.http_servers import serve_bytes

OUTCOME = "x-stepcache-outcome"
KEY = {"authorization": "Bearer a"}
ALWAYS = Arrangement(recheck_seconds=-1)
REFUSED = b'{"error":{"message":"who are you?"}}'


def test_a_tenant_is_a_hash_that_no_deployment_changes() -> None:
    known = TenantSource("credential").tenant_of(KEY)
    assert known == "11a081e55a4da77998bad0026045b792"
    assert "a" not in TenantSource("none").tenant_of(KEY).split()


@pytest.mark.parametrize(
    ("setting", "one", "other", "is_same"),
    [
        pytest.param("credential", KEY, {"authorization": "Bearer b"}, False, id="key"),
        pytest.param("credential", KEY, {}, False, id="none"),
        pytest.param(
            "credential", {"api-key": "a"}, {"x-api-key": "a"}, False, id="name"
        ),
        pytest.param("credential", KEY, {**KEY, "x-org": "o"}, True, id="other header"),
        pytest.param("header:X-Org", {"x-org": "o"}, {"x-org": "p"}, False, id="named"),
        pytest.param(
            "header:X-Org",
            {"x-org": "o"},
            {**KEY, "x-org": "o"},
            True,
            id="named alone",
        ),
        pytest.param("none", KEY, {}, True, id="shared"),
    ],
)
def test_who_shares_with_whom(
    setting: str, one: dict[str, str], other: dict[str, str], is_same: bool
) -> None:
    source = TenantSource(setting)
    assert (source.tenant_of(one) == source.tenant_of(other)) is is_same


async def test_tenants_do_not_share_answers() -> None:
    async with before(says("a"), says("b")) as proxy:
        first = await proxy.ask(headers=KEY)
        other = await proxy.ask(headers={"authorization": "Bearer b"})
    assert [text_of(first), text_of(other)] == ["a", "b"]
    assert [answer.headers[OUTCOME] for answer in (first, other)] == ["miss", "miss"]


async def test_a_credential_just_accepted_is_not_checked_again() -> None:
    async with before(says("a")) as proxy:
        await proxy.ask(headers=KEY)
        answer = await proxy.ask(headers=KEY)
    assert answer.headers[OUTCOME] == "exact"
    assert proxy.model.checks == 0


async def test_one_that_was_accepted_long_ago_is_checked_once_per_answer() -> None:
    async with before(says("a"), arrangement=ALWAYS) as proxy:
        await proxy.ask(headers=KEY)
        answer = await proxy.ask(headers=KEY)
    assert answer.headers[OUTCOME] == "exact"
    assert proxy.model.checks == 1


@pytest.mark.parametrize("status", [401, 403])
async def test_one_that_was_revoked_is_refused_by_the_upstream_itself(
    status: int,
) -> None:
    model = Model([says("a"), Tells(REFUSED, status)], models=Tells(REFUSED, status))
    async with before(model=model, arrangement=ALWAYS) as proxy:
        await proxy.ask(headers=KEY)
        answer = await proxy.ask(headers=KEY)
    assert answer.status_code == status
    assert answer.content == REFUSED
    assert answer.headers[OUTCOME] == "bypass"
    assert answer.headers["x-stepcache-reason"] == "credential"


async def test_a_refused_call_makes_the_next_hit_ask_again() -> None:
    model = Model([says("a"), Tells(REFUSED, 401)])
    async with before(model=model) as proxy:
        await proxy.ask(headers=KEY)
        refused = await proxy.ask("another question", headers=KEY)
        await proxy.ask(headers=KEY)
    assert refused.status_code == 401
    assert proxy.model.checks == 1


async def test_an_upstream_that_cannot_be_asked_does_not_take_the_answer_away() -> None:
    model = Model([says("a")])
    async with serve_bytes(model.meet) as url:
        async with before_url(url, model, ALWAYS) as proxy:
            await proxy.ask(headers=KEY)
            kept: Cache = proxy.cache
        assert kept.recording.events
    async with before(says("a"), arrangement=ALWAYS) as proxy:
        await proxy.ask(headers=KEY)
        proxy.model.models = Tells(b"", 200, headers=b"content-length: nonsense\r\n")
        answer = await proxy.ask(headers=KEY)
    assert answer.headers[OUTCOME] == "exact"
    assert answer.headers["x-stepcache-reason"] == "degraded:upstream"


def test_without_the_named_header_tenants_are_told_by_credential() -> None:
    source = TenantSource("header:x-team")
    one = source.tenant_of({"authorization": "Bearer a"})
    assert one != source.tenant_of({"authorization": "Bearer b"})
    named = {"authorization": "Bearer a", "x-team": "red"}
    assert one != source.tenant_of(named)
    assert source.tenant_of(named) == source.tenant_of({"x-team": "red"})
