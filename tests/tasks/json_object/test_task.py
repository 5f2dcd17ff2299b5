"""Structured output is served only if it is valid for the request at hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Step, Unknown
from stepcache_proxy.tasks.json_object import JsonObjectTask
from stepcache_proxy.tasks.json_object.task import JsonVerifier
from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.tasks.json_object.asks import bound, closed, donor, request, under
from tests.tasks.json_object.test_reading import VALUES

TEXT = "Describe an imaginary town."
TOWN = closed(name="string", mayor="string")
LARGER = closed(name="string", mayor="string", river="string")
KEYS = "Describe a wizard. Return only JSON with keys name, age."
ANY: JsonObject = {"response_format": {"type": "json_object"}}


def compared(
    new: tuple[str, JsonObject | None], old: tuple[str, JsonObject | None]
) -> str | None:
    return JsonObjectTask().compare(request(*new), donor(*old, ""))


def test_a_request_without_json_is_not_bound() -> None:
    assert JsonObjectTask().bind(request(TEXT)) is None
    assert JsonObjectTask().bind(request(TEXT, {"guided_regex": "a"})) is None


def test_a_wrong_schema_is_left_to_the_upstream() -> None:
    assert JsonObjectTask().bind(request(TEXT, under({"type": "text"}))) is None


def test_an_exact_only_request_is_not_bound() -> None:
    image: JsonObject = {"type": "image_url", "image_url": {"url": "http://x/"}}
    messages: list[Json] = [{"role": "user", "content": [image]}]
    asks = request(TEXT, {**under(TOWN), "messages": messages})
    assert asks.is_exact_only
    assert JsonObjectTask().bind(asks) is None


@pytest.mark.parametrize(
    ("fields", "text", "answer", "verdict"),
    [
        pytest.param(
            under(TOWN), TEXT, '{"name": "a", "mayor": "b"}\n', Accept, id="valid"
        ),
        pytest.param(under(TOWN), TEXT, '{"name": "a"}', Reject, id="missing"),
        pytest.param(
            under(TOWN),
            TEXT,
            '```json\n{"name": "a", "mayor": "b"}\n```',
            Reject,
            id="fence",
        ),
        pytest.param(under({"$ref": "http://x/"}), TEXT, "{}", Unknown, id="remote"),
        pytest.param(under({"$ref": "http://x/"}), TEXT, "{", Reject, id="no-json"),
        pytest.param(ANY, TEXT, '{"x": 1}', Accept, id="any-object"),
        pytest.param(ANY, TEXT, "[1]", Reject, id="not-an-object"),
        pytest.param({}, KEYS, '{"age": 9, "name": "a", "x": 1}', Accept, id="keys"),
        pytest.param({}, KEYS, '{"name": "a"}', Reject, id="key-missing"),
        pytest.param({}, KEYS, '{"name": "a", "age": null}', Reject, id="key-null"),
        pytest.param(
            {},
            f"{KEYS} Use null where unknown.",
            '{"name": "a", "age": null}',
            Accept,
            id="null-allowed",
        ),
        pytest.param(ANY, KEYS, '{"name": "a"}', Reject, id="json_object-and-keys"),
    ],
)
def test_an_answer_is_judged(
    fields: JsonObject, text: str, answer: str, verdict: type
) -> None:
    verifier = bound(text, fields)
    assert isinstance(verifier.check_answer(answer), verdict)


def test_the_whole_answer_is_one_step() -> None:
    verifier = bound(TEXT, under(TOWN))
    good, bad = '{"name": "a", "mayor": "b"}', '{"name": "a"}'
    assert isinstance(verifier.check_step(Step(0, good)), Accept)
    assert isinstance(verifier.check_step(Step(0, bad)), Reject)
    assert isinstance(verifier.check_step(Step(1, good)), Unknown)
    assert isinstance(verifier.check_step(Step(0, "Here it is:")), Unknown)


def test_task_and_verifier_go_by_one_name() -> None:
    assert JsonObjectTask().name == bound(KEYS).task == "json_object"


def test_there_is_no_fallback() -> None:
    assert bound(TEXT, under(TOWN)).fallback() is None


@pytest.mark.parametrize(
    ("new", "old"),
    [
        pytest.param((TEXT, under(LARGER)), (TEXT, under(TOWN)), id="one-more-member"),
        pytest.param(
            (TEXT, {"json_schema": TOWN}), (TEXT, {"guided_json": TOWN}), id="way"
        ),
        pytest.param(
            (KEYS, ANY), (KEYS.replace("name, age", "age, name"), None), id="order"
        ),
        pytest.param(
            (KEYS.replace("age", "age, town"), None), (KEYS, None), id="one-more-key"
        ),
    ],
)
def test_what_the_verifier_sees_may_differ(
    new: tuple[str, JsonObject | None], old: tuple[str, JsonObject | None]
) -> None:
    assert compared(new, old) is None


@pytest.mark.parametrize(
    ("new", "old", "reason"),
    [
        pytest.param((TEXT, ANY), (TEXT, None), "constraint:task", id="no-json"),
        pytest.param(
            (TEXT, under(TOWN)),
            (TEXT, under(closed(name="string", mayor={"title": "Boss"}))),
            "constraint:keys",
            id="described-anew",
        ),
        pytest.param(
            (TEXT, under(closed(colour="string"))),
            (TEXT, under(closed(value="string"))),
            "constraint:keys",
            id="nothing-in-common",
        ),
        pytest.param((TEXT, under(TOWN)), (TEXT, ANY), "constraint:keys", id="freer"),
    ],
)
def test_what_the_verifier_cannot_see_is_refused(
    new: tuple[str, JsonObject | None], old: tuple[str, JsonObject | None], reason: str
) -> None:
    assert compared(new, old) == reason


@pytest.mark.parametrize(
    "other",
    [
        "Describe an imaginary village.",
        "Describe no imaginary town.",
        "Describe 2 imaginary towns.",
    ],
)
def test_other_words_are_refused(other: str) -> None:
    reason = compared((other, under(TOWN)), (TEXT, under(TOWN)))
    assert reason is not None
    assert reason.startswith("constraint:")
    assert (
        bound(other, under(TOWN)).derive(
            donor(TEXT, under(TOWN), '{"name": "a", "mayor": "b"}')
        )
        is None
    )


@pytest.mark.parametrize(
    ("answer", "derived"),
    [
        pytest.param('{"name":"a",  "mayor":"b"}', None, id="as-it-is"),
        pytest.param(
            'Here:\n```json\n{"name":"a",  "mayor":"b"}\n```',
            '{"name":"a",  "mayor":"b"}',
            id="fence",
        ),
        pytest.param(
            '{"mayor": 1.50, "name": "a", "x": 0}',
            '{"name": "a", "mayor": "1.50"}',
            id="mended",
        ),
    ],
)
def test_a_fresh_answer_is_mended_without_loss(
    answer: str, derived: str | None
) -> None:
    own = donor(TEXT, under(TOWN), answer)
    assert bound(TEXT, under(TOWN)).derive(own) == (derived or answer)


@pytest.mark.parametrize(
    "answer",
    ['{"name": "a"}', '{"name": "a", "mayor": "b"} {"name": "c", "mayor": "d"}', "no"],
)
def test_what_cannot_be_mended_is_not_derived(answer: str) -> None:
    own = donor(TEXT, under(TOWN), answer)
    assert bound(TEXT, under(TOWN)).derive(own) is None


def test_an_old_answer_loses_what_is_forbidden_now() -> None:
    old = donor(TEXT, under(TOWN), '{"name": "a", "mayor": "b"}')
    assert bound(TEXT, under(closed(name="string"))).derive(old) == '{"name": "a"}'


EXACTLY = "Describe a wizard. Return only JSON with exactly these keys: name and age."


@pytest.mark.parametrize(
    "format",
    [None, ANY, under({"type": "object", "properties": {"name": {}, "age": {}}})],
    ids=["words", "any", "schema"],
)
def test_exactly_these_keys_forbids_any_other(format: JsonObject | None) -> None:
    verifier = bound(EXACTLY, format)
    assert isinstance(verifier.check_answer('{"name": "a", "age": 3}'), Accept)
    more = '{"name": "a", "hat": 1, "age": 3}'
    assert isinstance(verifier.check_answer(more), Reject)
    derived = verifier.derive(donor(EXACTLY, format, more))
    assert derived is not None
    assert json.loads(derived) == {"name": "a", "age": 3}


def test_an_answer_with_more_keys_is_cut_for_whoever_wants_exactly_these() -> None:
    old = donor(KEYS, None, '{"name": "a", "age": 3, "hat": 1}')
    derived = bound(EXACTLY, None).derive(old)
    assert derived is not None
    assert json.loads(derived) == {"name": "a", "age": 3}


def test_an_old_answer_gets_its_keys_in_the_new_style() -> None:
    old = donor(TEXT, under(closed(firstName="string")), '{"firstName": "a"}')
    new = bound(TEXT, under(closed(first_name="string")))
    assert new.derive(old) == '{"first_name": "a"}'
    before = KEYS.replace("age", "shoeSize")
    after = KEYS.replace("age", "shoe_size")
    derived = bound(after).derive(
        donor(before, None, '{"name": "a", "shoeSize": 4.50}')
    )
    assert derived == '{"name": "a", "shoe_size": 4.50}'


def test_a_member_with_a_default_is_asked_for_and_not_made_up() -> None:
    larger = closed(name="string", mayor="string", river={"default": "none"})
    old = donor(TEXT, under(TOWN), '{"name": "a", "mayor": "b"}')
    assert bound(TEXT, under(larger)).derive(old) is None


def test_a_large_number_is_not_damaged() -> None:
    schema = closed(n="integer", s="string")
    own = donor(TEXT, under(schema), '{"s": 1, "n": 123456789012345678901234567890}')
    derived = bound(TEXT, under(schema)).derive(own)
    assert derived == '{"n": 123456789012345678901234567890, "s": "1"}'


VERIFIERS = [
    bound(TEXT, fields)
    for fields in (under(TOWN), under(closed(a="integer", b="number")), ANY)
] + [bound(KEYS)]


@given(st.sampled_from(VERIFIERS), st.text() | VALUES.map(json.dumps))
def test_no_answer_raises_and_what_is_derived_is_accepted(
    verifier: JsonVerifier, answer: str
) -> None:
    verdict = verifier.check_answer(answer)
    derived = verifier.derive(donor(verifier.text, verifier.format, answer))
    if isinstance(verdict, Accept):
        assert derived == answer
    if derived is not None:
        assert isinstance(verifier.check_answer(derived), Accept)
    assert verifier.repair((), answer, "r") is not None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("[" * 100_000, id="brackets"),
        pytest.param('{"name":' * 100_000, id="objects"),
        pytest.param('{"name": 1e999999}', id="huge-number"),
        pytest.param('{"name": ' + "9" * 100_000 + "}", id="many-digits"),
        pytest.param('{"name": "' + "x" * 10_000_000 + '"}', id="ten-megabytes"),
        pytest.param("{" * 1_000_000, id="braces"),
    ],
)
def test_a_hostile_answer_is_neither_accepted_nor_derived(answer: str) -> None:
    verifier = bound(TEXT, under(TOWN))
    assert not isinstance(verifier.check_answer(answer), Accept)
    assert verifier.derive(donor(TEXT, under(TOWN), answer)) is None
    made = verifier.repair((), answer, "r")
    assert made is not None
    assert made.merge(answer) is None
