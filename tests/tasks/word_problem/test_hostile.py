"""Text made to hurt is refused without harm, in time that grows with its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.word_problem.question import read_question
from stepcache_proxy.tasks.word_problem.reworking import rework
from tests.tasks.word_problem.problems import reworked

GIVEN = "Ann buys 4 pens at $3 each. How much does she pay?"
ASKED = "Ann buys 5 pens at $3 each. How much does she pay?"

HOSTILE = [
    pytest.param("9" * 10_000, id="digits"),
    pytest.param("1," * 3_000, id="commas"),
    pytest.param("1." * 3_000, id="dots"),
    pytest.param("_" * 6_000, id="underscores"),
    pytest.param("a" * 6_000 + "1", id="letters"),
    pytest.param("(" * 5_000 + "4 * 3", id="brackets"),
    pytest.param("((" * 40 + "4" + "))" * 40 + " * 3 = 12", id="depth"),
    pytest.param("9999999 * " * 60 + "9999999 = 1", id="a huge product"),
    pytest.param("4 * 3 = 12\n" + "12 = " * 1_000 + "12", id="a long chain"),
    pytest.param("<<" * 2_000 + "4*3=12>>12", id="notes"),
    pytest.param("<<4*3=12>>" * 500, id="notes without numbers"),
    pytest.param("4 / 0 = 1", id="division by zero"),
    pytest.param("9^9^9^9 = 1", id="powers"),
    pytest.param("\ue000 12", id="the mark of a note"),
    pytest.param("one hundred " * 400, id="number words"),
    pytest.param("__import__('os').system('true') = 4 * 3", id="code"),
    pytest.param("٤ * ٣ = ١٢", id="digits of another script"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_refused(text: str) -> None:
    assert reworked(GIVEN, text, ASKED) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_problem_is_read_or_not(text: str) -> None:
    question = read_question(text)
    assert question is None or rework(question, "4 * 3 = 12", question) is None


def test_an_answer_with_too_many_ways_to_read_it_is_refused() -> None:
    given_ = "Ann has 2 pens, 2 cups, 2 hats and 2 bags twice. How many is that?"
    asked = "Ann has 3 pens, 4 cups, 5 hats and 6 bags twice. How many is that?"
    answer = "\n".join(["2 * 2 * 2 * 2 = 16"] * 12)
    assert reworked(given_, answer, asked) is None


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
def test_no_text_raises(given_: str, asked: str, answer: str) -> None:
    before, after = read_question(given_), read_question(asked)
    if before is not None and after is not None:
        assert rework(before, answer, after) is None or answer


_PIECES = st.sampled_from(
    [*"$%()-/\n", "4", "3", "12", " * ", " = ", "<<", ">>", "half ", "Ann ", "buys "]
)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_no_arithmetic_raises(answer: str) -> None:
    served = reworked(GIVEN, answer, ASKED)
    assert served is None or "15" in served
