"""What was read lately is read the same, and requests of one shape are one group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_equation.asking import read_request
from stepcache_proxy.tasks.linear_equation.readings import Readings
from stepcache_proxy.tasks.linear_equation.sentences import read_sentences
from stepcache_proxy.tasks.linear_equation.task import LinearEquation
from tests.fakes import canonical

ASKED = "Solve 2x + 3 = 11 for x. Show your steps."
RIGHT = "1. Subtract 3 from both sides: 2x = 8\n2. Divide both sides by 2: x = 4"
ODD = st.text(alphabet="solve x=+-3.()\n 2", max_size=60)


@given(ODD)
def test_a_reading_is_the_same_the_first_and_the_second_time(text: str) -> None:
    readings = Readings()
    expected = read_request(text)
    assert readings.asked(text) == expected
    assert readings.asked(text) == expected
    assert readings.sentences(text, "x") == read_sentences(text, "x")
    assert readings.sentences(text, "x") == read_sentences(text, "x")


def test_what_was_worked_out_for_an_equation_is_kept() -> None:
    readings = Readings()
    assert readings.asked(ASKED) is readings.asked(ASKED)


@pytest.mark.parametrize("padding", [0, 3_000])
def test_an_answer_is_judged_the_same_however_long_it_is(padding: int) -> None:
    readings = Readings()
    blank = " " * padding
    for _ in range(2):
        assert readings.is_right(ASKED, RIGHT + blank)
        assert not readings.is_right(ASKED, RIGHT.replace("4", "5") + blank)
        assert not readings.is_right("Hello.", RIGHT + blank)


def group(text: str, **fields: object) -> str | None:
    return LinearEquation().group(canonical(text, **fields))  # type: ignore[arg-type]


def test_words_constants_and_letters_do_not_change_the_group() -> None:
    assert group(ASKED) is not None
    assert group(ASKED) == group("Please show your steps: what is y if 7y + 1 = 50?")


@pytest.mark.parametrize(
    "text",
    [
        "Solve 2x - 3 = 11 for x. Show your steps.",
        "Solve 3 + 2x = 11 for x. Show your steps.",
        "Solve 2x + 3 = 11x for x. Show your steps.",
        "Solve 2x + 3.5 = 11 for x. Show your steps.",
        "Solve 2(x + 3) = 11 for x. Show your steps.",
        "Solve 2x + 3 = 11 for x. Only the answer.",
    ],
)
def test_another_shape_or_form_is_another_group(text: str) -> None:
    assert group(text) is not None
    assert group(text) != group(ASKED)


def test_what_is_no_equation_has_no_group() -> None:
    assert group("What is the tallest tower?") is None
    assert group(ASKED, response_format={"type": "json_object"}) is None
