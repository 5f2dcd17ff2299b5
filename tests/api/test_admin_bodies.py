"""Admin bodies are read strictly: what is not plainly meant is refused."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.api.admin_bodies import (
    check_chat,
    read_body,
    read_feedback,
    read_purge,
    record_body,
)
from stepcache_proxy.api.admin_seams import Purge
from stepcache_proxy.errors import InvalidRequestError
from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.api.admin_app import NOW, RECORD

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
GOOD: list[tuple[JsonObject, Purge]] = [
    ({"record": "9f3a"}, Purge(record="9f3a")),
    ({"model": "m", "dry_run": True}, Purge(model="m", is_dry_run=True)),
    ({"namespace": "n", "model": None}, Purge(namespace="n")),
    ({"namespace": "n", "model": "m"}, Purge(namespace="n", model="m")),
    ({"all": True, "dry_run": False}, Purge(is_everything=True)),
]
BAD: list[JsonObject] = [
    {},
    {"dry_run": True},
    {"all": False},
    {"all": "true"},
    {"all": 1},
    {"all": True, "model": "m"},
    {"model": ""},
    {"model": 3},
    {"record": ["9f3a"]},
    {"model": "m", "dryrun": True},
    {"model": "m", "dry_run": "yes"},
]


@pytest.mark.parametrize(("body", "purge"), GOOD)
def test_a_purge_is_read(body: JsonObject, purge: Purge) -> None:
    assert read_purge(body) == purge


@pytest.mark.parametrize("body", BAD)
def test_a_purge_that_is_not_plain_is_refused(body: JsonObject) -> None:
    with pytest.raises(InvalidRequestError):
        read_purge(body)


@given(st.dictionaries(st.sampled_from(["record", "model", "all", "dry_run"]), values))
def test_no_purge_takes_everything_unless_all_is_true(body: dict[str, Json]) -> None:
    try:
        purge = read_purge(body)
    except InvalidRequestError:
        return
    assert purge.is_everything == (body.get("all") is True)
    assert purge.is_dry_run == (body.get("dry_run") is True)


@given(st.dictionaries(st.sampled_from(["record", "verdict"]), values))
def test_feedback_is_a_record_and_bad_or_refused(body: dict[str, Json]) -> None:
    record: str | None
    try:
        record = read_feedback(body)
    except InvalidRequestError:
        record = None
    is_good = bool(body.get("record")) and isinstance(body["record"], str)
    is_good = is_good and body.get("verdict") == "bad"
    assert record == (body["record"] if is_good else None)


@given(values)
def test_a_chat_request_is_a_list_of_messages_or_refused(messages: Json) -> None:
    try:
        check_chat({"messages": messages})
    except InvalidRequestError:
        return
    assert isinstance(messages, list)
    assert all(isinstance(message, dict) for message in messages)


def test_a_chat_request_passes() -> None:
    check_chat({"messages": [{"role": "user", "content": "Hello"}]})


@given(st.binary() | values.map(orjson.dumps))
def test_a_body_is_an_object_or_refused(content: bytes) -> None:
    try:
        body = read_body(content)
    except InvalidRequestError:
        return
    assert body == orjson.loads(content)
    assert isinstance(body, dict)


def test_a_step_shows_its_verdict_and_why() -> None:
    verdicts: list[Verdict] = [Reject("9 is not 14"), Unknown("no number")]
    steps = record_body(RECORD, verdicts, NOW)["steps"]
    assert isinstance(steps, list)
    shown = [(s["verdict"], s["reason"]) for s in steps if isinstance(s, dict)]
    assert shown == [("reject", "9 is not 14"), ("unknown", "no number")]


def test_an_expired_record_has_nothing_left() -> None:
    assert record_body(RECORD, [Accept(), Accept()], NOW + 1e6)["ttl"] == 0
