"""Texts are near that share half of the words of the shorter, whatever their form."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.sketch import UNKNOWN, are_near, words_of


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        pytest.param(
            "What is the capital of France?", "capital of Spain?", True, id="half"
        ),
        pytest.param(
            "Who painted the old bridge?", "Where do herons sleep?", False, id="nothing"
        ),
        pytest.param("Solve 3x = 9 for x.", "Solve 4x = 8 for x.", True, id="numbers"),
        pytest.param(
            "Hello, would you be so kind and tell me where the harbour lies? Thanks!",
            "Where is the harbour?",
            True,
            id="courtesies around the few words",
        ),
        pytest.param("Two lighthouses?", "one LIGHTHOUSE", True, id="form and case"),
        pytest.param("17 * 3 = ?", "Where do herons sleep?", True, id="no words"),
        pytest.param("", "Where do herons sleep?", True, id="no text"),
        pytest.param("灯台はどこですか", "別の質問です", True, id="no spaces"),
    ],
)
def test_texts_are_near_that_share_half_of_the_words_of_the_shorter(
    one: str, other: str, *, is_near: bool
) -> None:
    assert are_near(words_of(one), words_of(other)) is is_near
    assert are_near(words_of(other), words_of(one)) is is_near


@given(st.text(max_size=200))
def test_any_text_is_near_itself(text: str) -> None:
    words = words_of(text)
    assert are_near(words, words)
    assert are_near(words, UNKNOWN)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 10_000, id="long"),
        pytest.param(
            " ".join(map("z".join, product("abcdefghijkl", repeat=3))),
            id="of many words",
        ),
    ],
)
def test_a_text_of_very_many_words_is_unknown(text: str) -> None:
    assert words_of(text) == UNKNOWN
