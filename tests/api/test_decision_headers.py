"""The decision headers have the forms of the contract whatever they are made from."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.api.decision_headers import (
    DecisionHeaders,
    decision_headers,
    reason_token,
)
from stepcache_proxy.reuse.model import Outcome

SERVED = (Outcome.EXACT, Outcome.REUSE)

decisions = st.builds(
    DecisionHeaders,
    outcome=st.sampled_from(Outcome),
    reason=st.text(),
    similarity=st.none() | st.floats(),
    record=st.none() | st.from_regex(r"[0-9a-f]{8,64}", fullmatch=True),
    steps=st.none() | st.tuples(*[st.integers(0, 999)] * 3),
    tokens=st.none() | st.tuples(*[st.integers(0, 10**9)] * 2),
    fallback=st.none() | st.just("linear_equation"),
    age_seconds=st.floats(-10, 1e9),
    ttl_seconds=st.none() | st.floats(-10, 1e9),
    is_stored=st.booleans(),
    is_collapsed=st.booleans(),
    is_stream_open=st.booleans(),
)


def sent(decision: DecisionHeaders) -> dict[str, str]:
    pairs = decision_headers(decision)
    headers = {name.decode(): value.decode("ascii") for name, value in pairs}
    assert len(headers) == len(pairs), "a header was sent twice"
    return headers


@given(decisions)
def test_every_header_has_its_form(decision: DecisionHeaders) -> None:
    headers = sent(decision)
    assert headers["x-stepcache-outcome"] == decision.outcome.value
    reason = headers["x-stepcache-reason"]
    assert re.fullmatch(r"[a-z][a-z0-9-]*(:[^\s,;]+)?", reason)
    forms = {
        "cache-status": r"stepcache(; [a-z]+(=[A-Za-z0-9!#$%&'*+.^_`|~:/-]+)?)+",
        "x-stepcache-steps": r"kept=\d+, derived=\d+, patched=\d+",
        "x-stepcache-tokens": r"generated=\d+, reused=\d+",
        "x-stepcache-similarity": r"-?[01]\.\d{4}",
        "age": r"\d+",
    }
    for name, form in forms.items():
        assert re.fullmatch(form, headers.get(name, "")) or name not in headers, headers
    if "x-stepcache-similarity" in headers:
        assert -1.0 < float(headers["x-stepcache-similarity"]) <= 1.0


@given(decisions)
def test_what_is_absent_by_contract_is_absent(decision: DecisionHeaders) -> None:
    headers = sent(decision)
    outcome = decision.outcome
    if outcome in (Outcome.EXACT, Outcome.MISS, Outcome.BYPASS):
        assert "x-stepcache-steps" not in headers
    if outcome is Outcome.EXACT or decision.reason == "no-candidate":
        assert "x-stepcache-similarity" not in headers
    assert ("age" in headers) == (outcome in SERVED)
    if decision.is_stream_open and outcome not in SERVED:
        assert not {"x-stepcache-record", "x-stepcache-tokens"} & set(headers)
        assert "stored" not in headers["cache-status"]


CACHE_STATUS = [
    pytest.param(
        DecisionHeaders(Outcome.REUSE, "verified", ttl_seconds=86123.9),
        "stepcache; hit; ttl=86123; detail=reuse",
        id="reuse",
    ),
    pytest.param(
        DecisionHeaders(Outcome.EXACT, "verified", ttl_seconds=5),
        "stepcache; hit; ttl=5; detail=exact",
        id="exact",
    ),
    pytest.param(
        DecisionHeaders(Outcome.MISS, "no-candidate", is_stored=True),
        "stepcache; fwd=miss; stored",
        id="miss, stored",
    ),
    pytest.param(
        DecisionHeaders(Outcome.MISS, "no-store"), "stepcache; fwd=miss", id="miss"
    ),
    pytest.param(
        DecisionHeaders(Outcome.PATCH, "step:2"),
        "stepcache; fwd=partial; detail=patch",
        id="patch",
    ),
    pytest.param(
        DecisionHeaders(Outcome.COALESCED, "no-candidate"),
        "stepcache; fwd=miss; collapsed",
        id="coalesced",
    ),
    pytest.param(
        DecisionHeaders(Outcome.BYPASS, "param:n"),
        "stepcache; fwd=bypass; detail=param:n",
        id="bypass",
    ),
    pytest.param(
        DecisionHeaders(Outcome.SKIP, "constraint:number", is_stored=True),
        "stepcache; fwd=miss; stored; detail=skip",
        id="skip, stored",
    ),
]


@pytest.mark.parametrize(("decision", "status"), CACHE_STATUS)
def test_the_cache_status_is_the_one_of_the_contract(
    decision: DecisionHeaders, status: str
) -> None:
    assert sent(decision)["cache-status"] == status


def test_a_reuse_tells_everything_it_knows() -> None:
    decision = DecisionHeaders(
        Outcome.REUSE,
        "verified",
        similarity=0.98765,
        record="9f3a",
        steps=(3, 1, 0),
        tokens=(0, 140),
        fallback="linear_equation",
        age_seconds=277.8,
        ttl_seconds=86123,
        is_stream_open=True,
    )
    assert sent(decision) == {
        "x-stepcache-outcome": "reuse",
        "x-stepcache-reason": "verified",
        "cache-status": "stepcache; hit; ttl=86123; detail=reuse",
        "x-stepcache-similarity": "0.9877",
        "x-stepcache-steps": "kept=3, derived=1, patched=0",
        "x-stepcache-record": "9f3a",
        "x-stepcache-tokens": "generated=0, reused=140",
        "x-stepcache-fallback": "linear_equation",
        "age": "277",
    }


def test_a_follower_that_shares_the_leaders_skip_says_collapsed() -> None:
    decision = DecisionHeaders(Outcome.SKIP, "step:1", is_collapsed=True)
    status = "stepcache; fwd=miss; collapsed; detail=skip"
    assert sent(decision)["cache-status"] == status
    coalesced = replace(decision, outcome=Outcome.COALESCED)
    assert sent(coalesced)["cache-status"].count("collapsed") == 1


REASONS = [
    pytest.param("differs:top_p", b"differs:top_p", id="plain"),
    pytest.param("differs:a b\r\nx: y", b"differs:a_b__x:_y", id="header injection"),
    pytest.param("param:größe", b"param:gr__e", id="not ASCII"),
    pytest.param("param:a;b,c", b"param:a_b_c", id="separators"),
    pytest.param("param:", b"param:_", id="nothing after the colon"),
    pytest.param("", b"unknown:_", id="empty"),
    pytest.param("Ärger", b"unknown:_rger", id="no kind"),
]


@pytest.mark.parametrize(("reason", "token"), REASONS)
def test_a_reason_with_a_clients_words_in_it_becomes_one_token(
    reason: str, token: bytes
) -> None:
    assert reason_token(reason) == token


def test_a_reason_is_bounded() -> None:
    assert len(reason_token("differs:" + "x" * 10_000)) <= 104
