"""Two requests share an answer only if nothing that could change it differs."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.canonical import (
    IGNORED,
    IN_CONSTRAINTS,
    IN_PARTITION,
    LIMITS,
    Scope,
    canonicalise,
    fits,
    mask,
    runs_past_stop,
)
from stepcache_proxy.reuse.eligible import NOT_CACHEABLE
from stepcache_proxy.reuse.model import CanonicalRequest
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import SCOPE, body_of, canonical
from tests.strategies import bodies, json_values, names, texts

FORMATS = sorted(IN_CONSTRAINTS - {"messages", "prompt"})


def read(body: Mapping[str, Json], scope: Scope = SCOPE) -> CanonicalRequest:
    request = canonicalise("chat", body, scope)
    assert request is not None
    return request


def test_a_field_is_on_one_list_alone() -> None:
    assert not IN_PARTITION & IN_CONSTRAINTS
    assert not IN_PARTITION & IGNORED
    assert not IN_CONSTRAINTS & IGNORED
    assert LIMITS <= IN_PARTITION


def test_what_forbids_caching_is_never_ignored() -> None:
    assert not NOT_CACHEABLE.keys() & (IGNORED | IN_CONSTRAINTS)


@pytest.mark.parametrize("field", [*sorted(IN_PARTITION - LIMITS), "field_of_2031"])
def test_a_field_that_may_change_the_answer_separates(field: str) -> None:
    one, two = canonical("a", **{field: "1"}), canonical("a", **{field: "2"})
    assert len({one.partition, two.partition, canonical("a").partition}) == 3
    assert len({one.id, two.id, canonical("a").id}) == 3
    assert one.parameters[field] != two.parameters[field]


@pytest.mark.parametrize("field", sorted(IGNORED))
def test_a_field_that_changes_no_answer_does_not_count(field: str) -> None:
    assert canonical("a", **{field: "1"}).id == canonical("a").id


@pytest.mark.parametrize("field", FORMATS)
def test_a_format_is_part_of_the_identity_but_not_of_the_partition(field: str) -> None:
    one, two = canonical("a", **{field: "1"}), canonical("a", **{field: "2"})
    assert one.partition == two.partition
    assert len({one.id, two.id, canonical("a").id}) == 3
    assert one.format == {field: "1"}


@given(bodies(), names, json_values.filter(lambda value: value is not None))
def test_an_unknown_field_separates(
    body: dict[str, Json], name: str, value: Json
) -> None:
    without = {key: item for key, item in body.items() if key != f"new_{name}"}
    changed = {**without, f"new_{name}": value}
    assert read(changed).partition != read(without).partition


@given(bodies())
def test_key_order_and_null_do_not_count(body: dict[str, Json]) -> None:
    turned = {"absent": None, **dict(reversed(body.items()))}
    assert read(turned).id == read(body).id
    assert read(turned).partition == read(body).partition


@given(bodies(), st.integers(-(2**52), 2**52))
def test_a_whole_float_is_an_integer(body: dict[str, Json], number: int) -> None:
    one: dict[str, Json] = {**body, "seed": number, "nested": [{"a": number}]}
    two: dict[str, Json] = {
        **body,
        "seed": float(number),
        "nested": [{"a": float(number)}],
    }
    assert read(one).id == read(two).id


def test_true_is_not_one() -> None:
    assert canonical("a", seed=True).id != canonical("a", seed=1).id


def test_a_fraction_is_kept() -> None:
    assert canonical("a", top_p=0.5).id != canonical("a", top_p=0.25).id


@given(texts, texts)
def test_every_character_of_the_text_counts(one: str, two: str) -> None:
    assert (canonical(one).id == canonical(two).id) == (one == two)
    assert canonical(one).partition == canonical(two).partition


def test_the_earlier_conversation_separates() -> None:
    last: Json = {"role": "user", "content": "b"}
    one = canonical(messages=[{"role": "system", "content": "Be brief."}, last])
    two = canonical(messages=[{"role": "system", "content": "Be long."}, last])
    assert len({one.partition, two.partition, canonical("b").partition}) == 3
    assert one.text == two.text == "b"


def test_what_else_the_last_message_says_separates() -> None:
    named: Json = [{"role": "user", "content": "b", "name": "ann"}]
    assert canonical(messages=named).partition != canonical("b").partition


def test_text_in_parts_is_not_the_same_as_a_string() -> None:
    parts: Json = [{"type": "text", "text": "b"}]
    request = canonical(messages=[{"role": "user", "content": parts}])
    assert request.text == "b"
    assert request.partition != canonical("b").partition


@pytest.mark.parametrize("field", sorted(LIMITS))
def test_a_limit_counts_by_presence_alone(field: str) -> None:
    one, two = canonical("a", **{field: 10}), canonical("a", **{field: 20})
    assert one.id == two.id
    assert one.id != canonical("a").id


@pytest.mark.parametrize(
    ("limit", "does_fit"),
    [
        pytest.param(None, True, id="none stated"),
        pytest.param(20, True, id="just enough"),
        pytest.param(19, False, id="too few"),
        pytest.param(19.0, False, id="too few, as a float"),
        pytest.param(20.0, True, id="just enough, as a float"),
        pytest.param(0, False, id="nothing at all"),
        pytest.param(-1, True, id="no limit"),
        pytest.param("5", False, id="a number in quotes is not read"),
        pytest.param([30], False, id="no number"),
    ],
)
@pytest.mark.parametrize("field", sorted(LIMITS))
def test_an_answer_fits_a_limit(field: str, limit: Json, does_fit: bool) -> None:
    assert fits(20, {field: limit}) is does_fit


def test_the_smallest_of_two_limits_counts() -> None:
    assert not fits(20, {"max_tokens": 30, "max_completion_tokens": 10})


@pytest.mark.parametrize(
    ("stop", "does_run_past"),
    [
        pytest.param(None, False, id="none stated"),
        pytest.param("two", True, id="one"),
        pytest.param(["four", "two"], True, id="one of several"),
        pytest.param(["four", 2, None], False, id="none of them"),
        pytest.param("", False, id="the empty one"),
    ],
)
def test_a_text_runs_past_a_stop_string(stop: Json, does_run_past: bool) -> None:
    assert runs_past_stop("one two three", {"stop": stop}) is does_run_past


scopes = st.builds(Scope, texts, texts, texts, texts)


@given(scopes, scopes)
def test_nobody_can_be_somebody_else(one: Scope, two: Scope) -> None:
    a, b = read(body_of("a"), one), read(body_of("a"), two)
    assert (a.partition == b.partition) == (one == two)
    assert (a.id == b.id) == (one == two)
    assert (a.question == b.question) == (one == two)


@given(texts, texts)
def test_a_namespace_cannot_be_joined_to_a_tenant(tenant: str, namespace: str) -> None:
    honest = Scope(tenant=tenant, upstream="u", namespace=namespace)
    forged = Scope(tenant=tenant + namespace, upstream="u", namespace="")
    if namespace:
        assert read(body_of("a"), honest).id != read(body_of("a"), forged).id


def test_the_endpoints_do_not_share() -> None:
    body: dict[str, Json] = {"model": "m", "prompt": "a"}
    one = canonicalise("completions", body, SCOPE)
    two = canonicalise("chat", body, SCOPE)
    assert one is not None
    assert two is not None
    assert one.partition != two.partition
    assert (one.text, one.is_exact_only) == ("a", False)


def test_a_prompt_of_several_texts_is_exact_only() -> None:
    request = canonicalise("completions", {"prompt": ["a", "b"]}, SCOPE)
    assert request is not None
    assert (request.text, request.is_exact_only, request.model) == ("", True, "")


def test_what_is_too_deep_is_not_read() -> None:
    deep: Json = 1
    for _ in range(70):
        deep = [deep]
    assert canonicalise("chat", body_of("a", tools=deep), SCOPE) is None


TOOL: Json = {"type": "function", "function": {"name": "f"}}
IMAGE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
USER: Json = {"role": "user", "content": "a"}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"tools": [TOOL]}, id="tools"),
        pytest.param({"functions": [{"name": "f"}]}, id="functions"),
        pytest.param(
            {"messages": [{"role": "user", "content": [IMAGE]}]}, id="picture"
        ),
        pytest.param(
            {"messages": [{"role": "user", "content": [IMAGE]}, USER]},
            id="an earlier picture",
        ),
        pytest.param(
            {"messages": [{"role": "tool", "content": "a"}, USER]}, id="tool's answer"
        ),
        pytest.param(
            {"messages": [{"role": "assistant", "tool_calls": [TOOL]}, USER]},
            id="tool call",
        ),
        pytest.param({"messages": [{"role": "system", "content": "a"}]}, id="no user"),
        pytest.param({"messages": ["a"]}, id="no message"),
    ],
)
def test_more_than_plain_text_is_exact_only(fields: dict[str, Json]) -> None:
    assert canonical("a", **fields).is_exact_only


def test_plain_text_may_lend_its_steps() -> None:
    assert not canonical("a", tools=[], response_format={"type": "text"}).is_exact_only


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param("Solve 2x + 3 = 11.", "Solve 17y - 1,000 = -4.", id="constants"),
        pytest.param("Solve x/2 + 3 = 11.", "Solve 3(y + 1) = 4.", id="shapes"),
        pytest.param('Translate "cat".', 'Translate "a big dog".', id="quotes"),
        pytest.param(
            "Explain get_user now.", "Explain put_item now.", id="identifiers"
        ),
        pytest.param("Explain abc_1.", "Explain xyz_22.", id="numbered identifiers"),
        pytest.param("JSON with keys a, b.", "JSON with keys name, age.", id="keys"),
        pytest.param("Say  it\n now.", "Say it now.", id="white space"),
    ],
)
def test_other_constants_have_the_same_template(one: str, two: str) -> None:
    assert mask(one) == mask(two)
    assert canonical(one).template == canonical(two).template
    assert canonical(one).question != canonical(two).question


def test_other_words_have_another_template() -> None:
    assert mask("Solve 2x = 4.") != mask("Simplify 2x = 4.")


def test_what_is_beyond_the_mask_counts_in_full() -> None:
    start = "a " * 5_000
    assert mask(start + "1") != mask(start + "2")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ab" + "#" * 9_000 + " ", id="marks after a word"),
        pytest.param("ab_" * 9_000 + " ", id="one long identifier"),
        pytest.param("1." * 9_000 + "x", id="one long number"),
        pytest.param('"' * 9_000, id="quotes"),
        pytest.param("keys " * 9_000, id="keys"),
        pytest.param("=" * 9_000, id="equals signs"),
        pytest.param(" " * 9_000 + "x", id="spaces"),
    ],
)
def test_hostile_text_is_masked_in_linear_time(text: str) -> None:
    # Were one of the patterns to backtrack, this would not end.
    assert isinstance(mask(text), str)


@given(texts)
def test_no_number_is_left_in_a_template(text: str) -> None:
    assert not re.search(r"\d", mask(f"{text} 12 {text}"))


@pytest.mark.parametrize("number", [2.0**64, -(2.0**53), 1e300])
def test_a_number_that_is_not_read_exactly_is_not_cached(number: float) -> None:
    body: dict[str, Json] = {"messages": [{"role": "user", "content": "q"}]}
    assert canonicalise("chat", {**body, "seed": number}, SCOPE) is None


def test_a_stray_field_of_the_other_endpoint_never_hides_the_prompt() -> None:
    stray: list[Json] = [{"role": "user", "content": "same"}]
    one, other = (
        canonicalise("completions", {"prompt": p, "messages": stray}, SCOPE)
        for p in ("A", "B")
    )
    assert one is not None
    assert other is not None
    assert one.id != other.id


def test_parameters_with_equal_short_hashes_are_told_apart() -> None:
    body: dict[str, Json] = {"messages": [{"role": "user", "content": "q"}]}
    one, other = read({**body, "seed": 44874}), read({**body, "seed": 73461})
    assert one.parameters["seed"] == other.parameters["seed"]
    assert one.id != other.id


def test_what_stands_behind_the_path_separates() -> None:
    body: dict[str, Json] = {"messages": [{"role": "user", "content": "q"}]}
    keyed = replace(SCOPE, query="api_key=B")
    assert read(body).partition != read(body, keyed).partition


@pytest.mark.parametrize(
    ("earlier", "is_alone"),
    [
        pytest.param([], True, id="nothing"),
        pytest.param(["You are a helpful assistant."], True, id="a-courtesy"),
        pytest.param(["All numbers are integers modulo 5."], False, id="a-condition"),
    ],
)
def test_only_courtesies_leave_a_question_alone(
    earlier: list[str], *, is_alone: bool
) -> None:
    messages: list[Json] = [{"role": "system", "content": text} for text in earlier]
    messages.append({"role": "user", "content": "Solve 3x = 7 for x."})
    assert read({"messages": messages}).is_alone is is_alone


@pytest.mark.parametrize("field", ["bad_words", "logit_bias", "min_tokens"])
def test_what_shapes_the_text_is_for_the_same_request_alone(field: str) -> None:
    body: dict[str, Json] = {"messages": [{"role": "user", "content": "q"}]}
    assert read({**body, field: [1]}).is_exact_only
