"""What was read lately is read the same, and requests of one shape are one group."""

import gc
import weakref

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


def test_known_words_ask_the_same_of_every_equation() -> None:
    readings = Readings()
    for equation in ("2x + 3 = 11", "9y - 1 = 4y", "x/2 = (1 + x)/3", "x = x + 1"):
        for words in ("Solve {}.", "Solve {}. Answer only.", "Solve {} in Spanish."):
            text = words.format(equation)
            assert readings.asked(text) == read_request(text)


def test_answers_to_one_request_are_kept_apart() -> None:
    readings = Readings()
    other = RIGHT.replace("1. ", "Step 1: ").replace("2. ", "Step 2: ")
    works = [readings.work(ASKED, answer) for answer in (RIGHT, other, RIGHT)]
    assert [work and work.answer for work in works] == [RIGHT, other, RIGHT]
    assert works[0] is works[2]


def test_a_long_answer_is_not_kept() -> None:
    readings = Readings()
    long = RIGHT + " " * 3_000
    first, second = readings.work(ASKED, long), readings.work(ASKED, long)
    assert first == second
    assert first is not second


def test_what_was_not_asked_about_lately_is_forgotten() -> None:
    readings = Readings()
    asked = readings.asked(ASKED)
    assert asked is not None
    assert readings.work(ASKED, RIGHT) is not None
    old = weakref.ref(asked.problem)
    del asked
    for number in range(2_000):
        readings.asked(f"Solve 2x + 3 = {number} for x. Show your steps.")
        readings.work(f"Solve 2x = {2 * number} for x.", f"x = {number}")
    gc.collect()
    assert old() is None
