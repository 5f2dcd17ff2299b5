"""What was read lately is read the same, and requests of one shape are one group."""

import gc
import re
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.asking import read_request
from stepcache_proxy.tasks.linear_equation.checking import check_answer, check_step
from stepcache_proxy.tasks.linear_equation.readings import Readings
from stepcache_proxy.tasks.linear_equation.sentences import read_sentences
from stepcache_proxy.tasks.linear_equation.task import LinearEquation
from stepcache_proxy.tasks.linear_equation.tokens import lone_letters
from tests.fakes import canonical
from tests.tasks.linear_equation.equations import Question, questions

ASKED = "Solve 2x + 3 = 11 for x. Show your steps."
RIGHT = "1. Subtract 3 from both sides: 2x = 8\n2. Divide both sides by 2: x = 4"
FACTS = ("solved", "cleared", "parts", "layout", "reach", "natural", "quantities")
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


def test_an_equation_in_other_words_is_the_same_problem() -> None:
    readings = Readings()
    first, second = readings.asked(ASKED), readings.asked("Solve 2x + 3 = 11.")
    assert first is not None
    assert second is not None
    assert first.problem is second.problem
    assert first != second


@given(questions(), st.sampled_from("xyznabk"))
def test_an_equation_in_another_letter_is_what_it_is_alone(
    question: Question, letter: str
) -> None:
    readings = Readings()
    known = readings.asked(question.text)
    assert known is not None
    for fact in FACTS:
        getattr(known.problem, fact)
    text = re.sub(
        rf"\b{question.unknown}\b|(?<=[0-9)]){question.unknown}", letter, question.text
    )
    renamed, alone = readings.asked(text), read_request(text)
    assert renamed == alone
    if renamed is not None and alone is not None:
        assert renamed.problem.unknown == letter
        for fact in FACTS:
            assert getattr(renamed.problem, fact) == getattr(alone.problem, fact)


@pytest.mark.parametrize("asked", ["2x - 3 = 11", "-2x + 3 = 11", "2x + 3 = -11"])
def test_equations_that_differ_in_one_sign_share_no_verdict(asked: str) -> None:
    readings = Readings()
    texts = (ASKED, f"Solve {asked} for x. Show your steps.")
    for text in (*texts, *texts):
        known, alone = readings.asked(text), read_request(text)
        assert known is not None
        assert alone is not None
        assert readings.check_answer(known, RIGHT) == check_answer(alone, RIGHT)
        for step in RIGHT.splitlines():
            expected = check_step(alone.problem, step)
            assert readings.check_step(known.problem, step) == expected
    assert readings.is_right(ASKED, RIGHT)
    assert not readings.is_right(texts[1], RIGHT)


def test_answers_that_differ_in_one_sign_share_no_verdict() -> None:
    readings = Readings()
    wrong = RIGHT.replace("x = 4", "x = -4")
    for _ in range(2):
        assert readings.is_right(ASKED, RIGHT)
        assert not readings.is_right(ASKED, wrong)
    assert readings.work(ASKED, wrong) is None


def test_verdicts_are_kept_but_for_long_texts() -> None:
    readings = Readings()
    asked = readings.asked(ASKED)
    assert asked is not None
    for padding, is_kept in ((0, True), (3_000, False)):
        text = RIGHT + " " * padding
        steps = [readings.check_step(asked.problem, text) for _ in range(2)]
        answers = [readings.check_answer(asked, text) for _ in range(2)]
        assert (steps[0] is steps[1]) == is_kept
        assert (answers[0] is answers[1]) == is_kept
        assert answers[0] == answers[1] == Accept()


@given(ODD, st.sampled_from("solvexyaI"))
def test_a_letter_that_is_not_there_is_as_good_as_none(text: str, letter: str) -> None:
    if letter not in lone_letters(text):
        assert read_sentences(text, letter) == read_sentences(text, "")


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
    assert readings.check_step(asked.problem, RIGHT) == Accept()
    assert readings.check_answer(asked, RIGHT) == Accept()
    old = weakref.ref(asked.problem)
    del asked
    for number in range(2_000):
        other = readings.asked(f"Solve 2x + 3 = {number} for x. Show your steps.")
        assert other is not None
        readings.check_step(other.problem, RIGHT)
        readings.check_answer(other, RIGHT)
        readings.work(f"Solve 2x = {2 * number} for x.", f"x = {number}")
    gc.collect()
    assert old() is None
