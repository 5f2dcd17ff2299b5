"""Prefix and new text make one proper text, whatever the model begins with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.upstream.joint import Joint

FIRST = "1. Subtract 3 from both sides.\n"
SECOND = "2. Divide both sides by 2.\n"
THIRD = "3. The solution is x = 4."


def joined(prefix: str, *pieces: str) -> str:
    joint = Joint(prefix)
    return prefix + "".join(map(joint.push, pieces)) + joint.flush()


@pytest.mark.parametrize(
    ("prefix", "new", "whole"),
    [
        pytest.param("a\n", "\nb", "a\nb", id="separator comes again"),
        pytest.param("a\n\n", "\n\nb", "a\n\nb", id="blank line comes again"),
        pytest.param("a\n", "b", "a\nb", id="separator does not come"),
        pytest.param("a", "\nb", "a\nb", id="prefix without separator"),
        pytest.param("a", " b", "a b", id="same line goes on"),
        pytest.param("a\n", "\n\nb", "a\n\nb", id="model wants a blank line"),
        pytest.param("a\n\n", "\nb", "a\n\nb", id="model wants one line feed"),
        pytest.param("- a\n", "\n  - b", "- a\n  - b", id="indentation stays"),
        pytest.param("- a\n\n", "\n  - b", "- a\n\n  - b", id="indentation stays too"),
        pytest.param("a\n", " b", "a\nb", id="space where a line feed was"),
        pytest.param("a\n", "\n", "a\n", id="only white space comes"),
        pytest.param("", "\n\nb", "\n\nb", id="no prefix"),
    ],
)
def test_the_separator_is_there_once(prefix: str, new: str, whole: str) -> None:
    assert joined(prefix, new) == whole
    assert joined(prefix, *new) == whole


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(THIRD, id="nothing repeated"),
        pytest.param("\n" + THIRD, id="separator"),
        pytest.param(FIRST + SECOND + THIRD, id="everything"),
        pytest.param("\n\n" + FIRST + SECOND + THIRD, id="everything, set off"),
        pytest.param(SECOND + THIRD, id="the last line"),
    ],
)
def test_what_is_repeated_is_cut(new: str) -> None:
    assert joined(FIRST + SECOND, new) == FIRST + SECOND + THIRD
    assert joined(FIRST + SECOND, *new) == FIRST + SECOND + THIRD


def test_a_new_beginning_that_turns_off_loses_only_what_is_the_same() -> None:
    other = "2. Halve both sides.\n"
    assert joined(FIRST + SECOND, FIRST, other) == FIRST + SECOND + other


@pytest.mark.parametrize(
    ("prefix", "new"),
    [
        pytest.param("```python\nx = 1\n```\n", "```sh\nls\n```", id="fence"),
        pytest.param("- a\n- b\n", "- a\n- c", id="short items"),
        pytest.param("1", "1", id="one digit"),
        pytest.param("{\n  {\n", "  {\n", id="braces"),
    ],
)
def test_a_short_likeness_is_no_repetition(prefix: str, new: str) -> None:
    assert joined(prefix, *new).endswith(new.lstrip())


def test_a_continuation_that_ends_while_it_may_repeat_is_kept() -> None:
    assert joined("The end of it", " The") == "The end of it The"


@given(
    st.text("ab1 \n", max_size=30),
    st.lists(st.text("ab1 \n", max_size=6), max_size=8),
)
def test_the_cut_of_the_stream_makes_no_difference(
    prefix: str, pieces: list[str]
) -> None:
    assert joined(prefix, *pieces) == joined(prefix, "".join(pieces))


@given(st.text(max_size=30), st.text(max_size=60))
def test_nothing_but_white_space_is_invented(prefix: str, new: str) -> None:
    text = joined(prefix, new).removeprefix(prefix)
    assert new.endswith(text.lstrip()) or not text
