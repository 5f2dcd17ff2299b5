"""The verbatim gate holds for any text: reflexive, symmetric, blind to no constant."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.reuse.constraints import describe, difference, read

MARKS = """how do i can you what is the a an of to from in on for with not only please
    hi thanks tell me explain dogs dog's children buy £5 7kg -v --flag "tea" 'x' 3.5 E27
    1,000 today may May US us (2+3) half twenty-five first ? , . ! ; 5! km per cent"""
WORDS = st.sampled_from(MARKS.split())
TEXTS = st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=120)
NAMES = st.sampled_from(
    ["Olga", "Ivan", "Bea", "Tomas", "Nils", "Peru", "Iran", "PayFoo"]
)


@given(TEXTS)
def test_every_text_is_the_same_as_itself(text: str) -> None:
    assert difference(text, text) is None


@given(TEXTS, TEXTS)
def test_the_gate_does_not_mind_which_came_first(first: str, second: str) -> None:
    assert difference(first, second) == difference(second, first)


@given(TEXTS)
def test_any_text_can_be_described(text: str) -> None:
    assert all(values for values in describe(read(text)).values())


@given(TEXTS, st.integers(0, 9), st.integers(0, 200), TEXTS)
def test_a_changed_digit_is_always_seen(
    before: str, digit: int, step: int, after: str
) -> None:
    changed = (digit + 1 + step % 9) % 10
    first, second = f"{before}{digit}{after}", f"{before}{changed}{after}"
    assert difference(first, second) is not None


@given(NAMES, NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "Does {} owe {} money?",
        "How do I get from {} to {}?",
        "Can {} send {} a letter with a stamp?",
        "What is the difference between {} and {}?",
        "If {} calls, what should {} say?",
    ],
)
def test_swapped_names_are_always_seen(text: str, one: str, other: str) -> None:
    assume(one != other)
    assert difference(text.format(one, other), text.format(other, one)) is not None


@given(TEXTS, st.sampled_from(["zebra", "not", "only", "never", "3", "--dry-run"]))
def test_an_added_word_is_always_seen(text: str, word: str) -> None:
    assert difference(text, f"{text} {word}") is not None


@given(st.lists(WORDS, min_size=1, max_size=14).map(" ".join))
def test_a_time_bound_word_only_passes_as_it_stands(text: str) -> None:
    assume(read(text).is_readable)
    assert difference(f"{text} latest", f"{text}  latest") is not None
