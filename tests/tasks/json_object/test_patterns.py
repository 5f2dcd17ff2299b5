"""Patterns mean what ECMA-262 says, and none can hold the event loop."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.json_object.patterns import MAX_KEPT, Patterns


def occurs(pattern: str, text: str) -> bool | None:
    return Patterns().search(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        pytest.param("b", "abc", True, id="searched-not-anchored"),
        pytest.param("^a$", "a\n", False, id="dollar-is-the-very-end"),
        pytest.param(r"^\d+$", "٣", False, id="digits-are-ascii"),
        pytest.param(r"^\w+$", "é", False, id="letters-are-ascii"),
        pytest.param(r"^\s$", "\u00a0", True, id="space-is-wide"),
        pytest.param(r"^[\s]$", "\ufeff", True, id="space-in-a-class"),
        pytest.param(r"^\S+$", "a\u2003b", False, id="not-space"),
        pytest.param("^.$", "\u2028", False, id="dot-is-no-line-end"),
        pytest.param("^.$", "😀", True, id="dot-is-a-code-point"),
        pytest.param(r"^\u0061\x62$", "ab", True, id="code-points"),
        pytest.param(r"^\u{1F600}$", "😀", True, id="long-code-point"),
        pytest.param(r"^a\/b$", "a/b", True, id="escaped-slash"),
        pytest.param(r"^[$]\$$", "$$", True, id="literal-dollars"),
        pytest.param(r"^\\u0041$", "\\u0041", True, id="escaped-backslash"),
        pytest.param(r"^[a&&b~~c||d-]+$", "&b~c|d-", True, id="no-set-operations"),
        pytest.param(r"^[[:alpha:]]$", "a]", True, id="no-posix-classes"),
        pytest.param(r"^(?<year>\d{4})$", "2024", True, id="named-group"),
        pytest.param(r"^\p{Lu}$", "É", True, id="property"),
        pytest.param(r"^[a[^]+$", "[^a", True, id="bracket-in-a-class"),
        pytest.param("^a{b$", "a{b", True, id="lone-brace"),
        pytest.param(r"^\_\é$", "_é", True, id="escaped-letters-of-no-meaning"),
        pytest.param(r"^\x2e$", "a", False, id="code-point-of-a-sign"),
        pytest.param(r"^[\b]$", "\b", True, id="backspace-in-a-class"),
        pytest.param("^(?!x).+y$", "ay", True, id="look-ahead"),
        pytest.param("^(?!x).+$", "xy", False, id="look-ahead-fails"),
        pytest.param(r"^(?=.*\d)(?=.*[a-z]).{4,}$", "a1bc", True, id="password"),
        pytest.param("^a{1,1500}$", "aaa", True, id="count-beyond-re2"),
        pytest.param(r"^(?!a)\$$", "$", True, id="escaped-dollar-with-look-ahead"),
    ],
)
def test_a_pattern_means_what_ecma_says(pattern: str, text: str, found: bool) -> None:
    assert occurs(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*c$", "^(a?){50}a{50}$"])
def test_a_catastrophic_pattern_is_searched_in_linear_time(pattern: str) -> None:
    assert occurs(pattern, "a" * 100_000 + "b") is False


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("^(?=(a+)+$)b", id="nested-in-look-ahead"),
        pytest.param("(?!x)" + "a*" * 8 + "b", id="many-repeats"),
        pytest.param("(?!x)" + "(?:a|a)" * 30 + "b", id="many-branches"),
        pytest.param(r"(a)\1", id="back-reference"),
        pytest.param(r"(?i)a", id="flags"),
        pytest.param(r"\cJ", id="control"),
        pytest.param(r"[^]", id="anything"),
        pytest.param(r"\ud800", id="lone-surrogate"),
        pytest.param("(", id="broken"),
        pytest.param("[a", id="open-class"),
        pytest.param("\\", id="lone-backslash"),
        pytest.param("((((a{100}){100}){100}){100})", id="too-large"),
        pytest.param("a" * 3_000, id="too-long"),
    ],
)
def test_what_cannot_be_run_safely_is_not_run(pattern: str) -> None:
    assert occurs(pattern, "a" * 200) is None


def test_a_text_too_long_for_backtracking_cannot_be_told() -> None:
    assert occurs("^(?!x).*$", "a" * 300) is None


def test_a_text_that_is_no_utf8_cannot_be_told() -> None:
    assert occurs("a", "\ud800") is None


def test_only_so_many_patterns_are_kept() -> None:
    patterns = Patterns()
    for number in range(3 * MAX_KEPT):
        assert patterns.search(f"^{number}$", str(number)) is True
    assert len(patterns._searches) <= MAX_KEPT


@given(st.text(max_size=40), st.text(max_size=20))
def test_no_pattern_raises(pattern: str, text: str) -> None:
    assert occurs(pattern, text) in {True, False, None}


@given(
    st.lists(
        st.sampled_from(["a", "b", "[ab]", "a*", "b+", "c?", "(?:ab)", "|", "a{2,3}"]),
        max_size=8,
    ).map("".join),
    st.text("abc", max_size=12),
)
def test_a_plain_pattern_agrees_with_python(pattern: str, text: str) -> None:
    assert occurs(pattern, text) == (re.search(pattern, text) is not None)
