"""A list of keys is read from a prompt only where it is clean to its end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.json_object.keylist import demands_json, find_keys


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Return only JSON with keys name, age", ["name", "age"]),
        ("Reply with a JSON object with the keys `a`, `b` and `c`.", ["a", "b", "c"]),
        ('Answer in JSON with keys "film title" and "year" for Dune.', ["film title"]),
        (
            "Describe Ada as JSON with the keys name, age, and nothing else.",
            ["name", "age"],
        ),
        ("Only JSON with keys name, age and return no other text.", ["name", "age"]),
        ("Return JSON with these fields: name, age (in years), mail", ["name", "age"]),
        ("Only JSON, keys: city, country. What is the capital?", ["city", "country"]),
        ("Return a JSON object whose keys are name, age and job.", ["name", "age"]),
        ("Return JSON with keys question and answer.", ["question", "answer"]),
        ("Reply with JSON only. Use the keys city and land. Where?", ["city", "land"]),
        ("Give JSON with the 3 keys a, b, c describing a wizard", ["a", "b", "c"]),
        ("Give JSON with keys (name, age) only.", ["name", "age"]),
        ("Return JSON with keys: name: string, age: int", ["name", "age"]),
        (
            "JSON only. Keys:\n- name: the full one\n- age\n\nAda is 36.",
            ["name", "age"],
        ),
    ],
)
def test_named_keys_are_read(text: str, names: list[str]) -> None:
    keys = find_keys(text)
    assert keys is not None
    assert list(keys.names[: len(names)]) == names
    assert demands_json(text, keys)
    rest = keys.cut(text).split()
    assert not any(name in rest for name in names if len(name) > 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("JSON with keys name, age and home town", id="more-words"),
        pytest.param("JSON with keys a, b, etc.", id="open"),
        pytest.param("JSON with keys a, b and answer in one line", id="key-or-demand"),
        pytest.param("JSON with keys lowercase.", id="one-word"),
        pytest.param("JSON with keys in snake_case", id="preposition"),
        pytest.param("Write JSON on the key points of the talk.", id="key-points"),
        pytest.param("JSON: which keys of a piano are black?", id="keys-of"),
        pytest.param("JSON with keys a, b, each with keys c, d", id="nested"),
        pytest.param("JSON with keys a, b and fields: c, d", id="two-lists"),
        pytest.param("JSON with keys a, b, a", id="twice"),
        pytest.param('JSON with exactly one of these keys: "a", "b"', id="one-of"),
        pytest.param('JSON with any of the keys "a", "b"', id="any-of"),
        pytest.param("JSON with keys: name: full name, age: years", id="described"),
        pytest.param("JSON with keys:\n- name and\n- the age", id="unclean-bullet"),
        pytest.param("JSON with keys:\n- name\n- 1", id="bullet-without-a-name"),
        pytest.param("JSON with keys a, b. " + "x" * 60_000, id="long"),
    ],
)
def test_an_unclear_list_is_not_read(text: str) -> None:
    assert find_keys(text) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Describe a car with the fields: wheels, doors", id="no-json"),
        pytest.param("Return a JSON array of objects with keys a, b.", id="array"),
        pytest.param("Return JSON with keys a, b, and explain each.", id="explain"),
        pytest.param("Return JSON with keys a, b in a markdown fence.", id="fence"),
        pytest.param("Write code that returns JSON with keys a, b.", id="code"),
        pytest.param("What is the JSON with keys a, b?", id="question"),
        pytest.param("Describe the JSON with keys a, b.", id="given"),
        pytest.param("Return JSON. A lock with keys a, b.", id="in-a-text"),
        pytest.param('Return JSON: "a lock with keys a, b"', id="in-quotes"),
        pytest.param("Return YAML, not JSON, with keys a, b.", id="not-json"),
    ],
)
def test_keys_alone_demand_no_json_object(text: str) -> None:
    keys = find_keys(text)
    assert keys is not None
    assert not demands_json(text, keys)


@pytest.mark.parametrize(
    "text",
    [
        "Return JSON with keys a, b. Do not explain.",
        "Return JSON with keys a, b, without any explanation or markdown.",
    ],
)
def test_a_denied_explanation_is_no_demand(text: str) -> None:
    keys = find_keys(text)
    assert keys is not None
    assert demands_json(text, keys)


def test_notes_are_kept_by_key() -> None:
    keys = find_keys("Return JSON with keys name (string), age (in years).")
    assert keys is not None
    assert (keys.note("name"), keys.note("age")) == ("string", "in years")
    assert keys.note("town") == ""


def test_null_in_the_words_allows_null() -> None:
    strict = find_keys("Return JSON with keys a, b.")
    lax = find_keys("Return JSON with keys a, b. Use null for what is not known.")
    assert strict is not None
    assert lax is not None
    assert (strict.may_be_null, lax.may_be_null) == (False, True)


PIECES = [
    "keys",
    "with ",
    "a",
    ", ",
    " and ",
    ": ",
    "`",
    "(",
    ")",
    "\n- ",
    "JSON ",
    "x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_text_raises_and_the_cut_loses_the_keys_only(text: str) -> None:
    keys = find_keys(text)
    if keys is not None:
        assert 0 <= keys.start < keys.stop <= len(text)
        assert all(name in text[keys.start : keys.stop] for name in keys.names)


@pytest.mark.parametrize(
    "demand",
    [
        "Return only a JSON object with the keys a and b.",
        "Answer with a single JSON object that has the keys a and b.",
        "Reply with nothing but a JSON object containing the keys a and b.",
        "Please output JSON with the keys a and b and no other text.",
        "Give the answer as a JSON object with exactly these keys: a and b.",
    ],
)
def test_a_sentence_that_only_demands_json_says_nothing_of_the_subject(
    demand: str,
) -> None:
    text = f"Describe a town. {demand} Be kind."
    keys = find_keys(text)
    assert keys is not None
    assert keys.subject(text) == "Describe a town. Be kind."


@pytest.mark.parametrize(
    "demand",
    [
        "Return JSON with only the keys a and b.",
        "Return a short JSON object with the keys a and b.",
        "Return a JSON object with the keys a and b for Rome.",
    ],
)
def test_any_other_word_in_that_sentence_counts(demand: str) -> None:
    text = f"Describe a town. {demand}"
    keys = find_keys(text)
    assert keys is not None
    assert keys.subject(text) == keys.cut(text)


def test_a_demand_that_is_all_there_is_stays() -> None:
    text = "Return a JSON object with the keys a and b."
    keys = find_keys(text)
    assert keys is not None
    assert keys.subject(text) == keys.cut(text)
