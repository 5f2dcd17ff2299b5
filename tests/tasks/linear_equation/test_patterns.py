"""What is read by its pattern is read as it is when it is read itself."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_equation.asking import read_request
from stepcache_proxy.tasks.linear_equation.patterns import (
    LETTER,
    pattern_of,
    text_of,
)
from stepcache_proxy.tasks.linear_equation.readings import Readings
from stepcache_proxy.tasks.linear_equation.sentences import (
    read_sentences,
    say_the_same,
)

_PIECES = st.sampled_from(
    [
        *("x", "y", "X", "a", "I", "é", "0", "1", "07", "12", "345", "9" * 11, "٣"),
        *("+", "-", "−", "*", "/", "=", "(", ")", "{", "}", ".", ",", ":", "?", "!"),
        *("'", "’", '"', "_", "&", "$", "\\", "\\\\", "\\frac", "\\cdot", "\n", " "),
        *("Step 1: ", "2. ", " is ", "Add", " from both sides", "\\begin{", "x's"),
        *("2x + 3 = 11", "4y = 8", "y = 2", "Subtract 3", "1.5", "1,000", "3y - 1"),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=14).map("".join)
_LETTERS = st.sampled_from(["x", "y", "X", "a", "I"])
_REQUESTS = st.builds(
    "{}{}{} = {}{}".format,
    st.sampled_from(["Solve ", "Find y if ", "Step by step: solve ", "Solve for x: "]),
    _PIECES,
    _PIECES,
    _PIECES,
    st.sampled_from(["", " for x.", " for y. Show your steps.", " (2)", "x"]),
)


@given(_TEXTS, _LETTERS)
def test_a_text_says_what_its_pattern_says_with_its_numbers(
    text: str, unknown: str
) -> None:
    read = read_sentences(text, unknown)
    pattern = pattern_of(text, unknown)
    assert read is not None
    if pattern is None:
        return
    common = read_sentences(text_of(pattern.key), LETTER)
    assert common is not None
    is_read = not any(sentence.prose.has_unread for sentence in (*common, *read))
    assert not is_read or say_the_same(common, read, pattern.fill_all)


@given(st.lists(_TEXTS, min_size=2, max_size=3), _LETTERS)
def test_a_text_is_taken_for_what_it_says_and_for_nothing_else(
    texts: list[str], unknown: str
) -> None:
    readings = Readings()
    for text in texts:
        for other in texts:
            read, said = read_sentences(text, unknown), read_sentences(other, unknown)
            assert read is not None
            assert said is not None
            is_read = not any(sentence.prose.has_unread for sentence in said)
            if is_read:
                assert readings.says(text, unknown, said) == say_the_same(read, said)


@given(st.lists(_REQUESTS, min_size=1, max_size=4), st.integers(0, 10**12))
def test_a_request_asks_the_same_whatever_was_asked_before(
    texts: list[str], number: int
) -> None:
    readings = Readings()
    others = [re.sub("[0-9]+", str(number), text) for text in texts]
    for text in (*texts, *others):
        assert readings.asked(text) == read_request(text)


def key(text: str, unknown: str) -> str | None:
    pattern = pattern_of(text, unknown)
    return None if pattern is None else pattern.key


def test_numbers_and_names_make_no_other_pattern() -> None:
    text = "Step 1: 2x + 3 = 11.\nStep 2: 2x = 8, so it is right."
    assert key(text, "x") == key(text.replace("2x", "5x").replace("11", "7"), "x")
    assert key(text, "x") == key(text.replace("x", "t"), "t")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("2x - 3 = 11", id="one sign"),
        pytest.param("2x + 3 = -11", id="a sign more"),
        pytest.param("2x + 3 = 11?", id="a question"),
        pytest.param("2x +3 = 11", id="a gap"),
        pytest.param("2x + 3 = 11y", id="another letter"),
    ],
)
def test_whatever_else_differs_is_another_pattern(other: str) -> None:
    assert key(other, "x") is not None
    assert key(other, "x") != key("2x + 3 = 11", "x")


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        pytest.param("x = 1.5", "x", id="a decimal"),
        pytest.param("x = 1,000", "x", id="thousands"),
        pytest.param("x = .5", "x", id="a point first"),
        pytest.param("x = \\5", "x", id="a command"),
        pytest.param("x = " + "7" * 31, "x", id="too many digits"),
        pytest.param("y = 2x", "y", id="the letter of patterns"),
        pytest.param("a = 2", "a", id="an article"),
        pytest.param("I = 2", "I", id="a pronoun"),
        pytest.param("\\begin{X} X = 2", "X", id="a capital"),
    ],
)
def test_what_may_be_read_in_another_way_has_no_pattern(
    text: str, unknown: str
) -> None:
    assert pattern_of(text, unknown) is None


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        pytest.param("Solve 6x/2 = 3 for x.", "Solve 6x/0 = 3 for x.", id="by zero"),
        pytest.param("Solve 2x = 3x for x.", "Solve 0x*x = 3x for x.", id="a square"),
        pytest.param("Solve x = 7 (2).", "Solve x = 7 (1234567).", id="two ways"),
    ],
)
def test_a_number_that_makes_a_text_another_is_noticed(usual: str, odd: str) -> None:
    for texts in ((usual, odd), (odd, usual)):
        readings = Readings()
        for text in texts:
            assert readings.asked(text) == read_request(text)
