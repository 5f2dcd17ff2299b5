"""What is accepted is true of the system it was asked for, from the first word on."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Step, Unknown
from tests.tasks.linear_system.systems import (
    CHECKED,
    DONORS,
    ELIMINATION,
    QUESTION,
    SUBSTITUTION,
    Question,
    bound,
    questions,
)

END = " x = 2, y = 3"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(SUBSTITUTION, id="substitution"),
        pytest.param(ELIMINATION, id="elimination"),
        pytest.param(CHECKED, id="checked"),
        pytest.param("x=2,y=3", id="terse"),
        pytest.param("The solution is $\\boxed{(x, y) = (2, 3)}$.", id="ordered pair"),
        pytest.param(
            "x + y = 5 (1)\n2x - y = 1 (2)\n3x = 6\nx = 2\ny = 3", id="labels"
        ),
        pytest.param(
            "To eliminate y, add equation (1) and equation (2): 3x = 6, so x = 2."
            " From the first equation, y = 5 - x = 5 - 2 = 3.",
            id="references by number",
        ),
        pytest.param(
            "Multiply the first equation by 2, then subtract the second equation from"
            " the first: 3y = 9. Hence y = 3 and x = 2.",
            id="two actions, one result",
        ),
        pytest.param("2(5 - y) - y = 10 - 3y = 1, y = 3, x = 2", id="chain"),
    ],
)
def test_a_right_answer_is_accepted(answer: str) -> None:
    assert bound(QUESTION).check_answer(answer) == Accept()


@pytest.mark.parametrize(("question", "answer"), DONORS)
def test_the_donors_of_these_tests_are_right(question: str, answer: str) -> None:
    assert bound(question).check_answer(answer) == Accept()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("x = 3, y = 2", id="exchanged"),
        pytest.param("(x, y) = (3, 2)", id="exchanged pair"),
        pytest.param("x = 2", id="one is missing"),
        pytest.param("2x + y = 7, x = 2, 4y = 13", id="false equation"),
        pytest.param("3x = 6, so x = 6/3 = 3. Thus x = 2, y = 3", id="wrong division"),
        pytest.param("Check: 2 + 3 = 6." + END, id="wrong arithmetic"),
        pytest.param("I cannot solve this.", id="none"),
        pytest.param("", id="empty"),
    ],
)
def test_a_wrong_answer_is_rejected(answer: str) -> None:
    assert isinstance(bound(QUESTION).check_answer(answer), Reject)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("x + 2y = 8." + END, id="true, of another system"),
        pytest.param("Start from x + y = 5 and 3x - y = 3." + END, id="another given"),
        pytest.param(END + ". Check: 2 + 3 = 5, 3(2) - 3 = 3.", id="another check"),
        pytest.param("x = 7 - 5 = 2, y = 3", id="numbers from nowhere"),
        pytest.param("From the second equation, x = 5 - y." + END, id="other source"),
        pytest.param("From the first equation, 2x - y = 1." + END, id="other equation"),
        pytest.param(
            "Multiply the first equation by 3: 2x + 2y = 10." + END, id="factor"
        ),
        pytest.param(
            "Multiply the second equation by 2: 2x + 2y = 10." + END, id="which"
        ),
        pytest.param("Subtract the two equations: 3x = 6." + END, id="difference"),
        pytest.param(
            "Subtract the first equation from the second: 2y - x = 4." + END, id="order"
        ),
        pytest.param(
            "Add the equations to eliminate x: 3x = 6." + END, id="eliminated"
        ),
        pytest.param("Solve the first equation for x: y = 5 - x." + END, id="isolated"),
        pytest.param(
            "Substitute x = 5 - y into the first equation: 2(5 - y) - y = 1." + END,
            id="substituted elsewhere",
        ),
        pytest.param(
            "Substitute x = 5 - y into the second equation: 2(4 - y) - y = -1." + END,
            id="substituted wrongly",
        ),
        pytest.param("Divide both sides by 4: x = 2. y = 3", id="divided"),
        pytest.param("Multiply the first equation by 1: x + y = 5." + END, id="idle"),
        pytest.param("Add the two equations." + END, id="no result"),
        pytest.param("x = 4/2, y = 3", id="not reduced"),
        pytest.param("x = 2 or y = 3", id="one of two"),
        pytest.param("Suppose" + END, id="supposed"),
        pytest.param("Is it" + END + "?", id="a question"),
        pytest.param("The prime number x = 2, y = 3", id="a strange word"),
        pytest.param("x = 2, y = 3, z = 4", id="a third unknown"),
        pytest.param("x = 2, y = 3. 0 = 0", id="says nothing"),
        pytest.param("x^2 = 4." + END, id="a square"),
    ],
)
def test_what_does_not_come_from_the_system_is_not_accepted(answer: str) -> None:
    assert not isinstance(bound(QUESTION).check_answer(answer), Accept)


@pytest.mark.parametrize(
    ("demand", "answer", "is_accepted"),
    [
        ("Show your steps.", "x = 2, y = 3", False),
        ("Show your steps.", "3x = 6, x = 2, y = 3", True),
        ("Answer only.", "3x = 6, x = 2, y = 3", False),
        ("Answer only.", "x = 2, y = 3", True),
        ("for y. Number only.", "3", True),
        ("for y. Number only.", "2", False),
        ("for y. Number only.", "y = 3", False),
        ("for y. Answer only.", "x = 2, y = 3", False),
        ("for y.", "x = 2. Then y = 3.", True),
        ("for y.", "y = 3. Then x = 2.", False),
        ("for y.", "So x = 2 and y = 3.", True),
    ],
)
def test_the_form_is_the_one_that_was_asked_for(
    demand: str, answer: str, *, is_accepted: bool
) -> None:
    verifier = bound(f"Solve x + y = 5, 2x - y = 1 {demand}")
    assert (verifier.check_answer(answer) == Accept()) == is_accepted


def test_steps_are_judged_on_their_own() -> None:
    verifier = bound(QUESTION)
    verdicts = {
        text: type(verifier.check_step(Step(0, text)))
        for text in (
            "Add the two equations: 3x = 6.",
            "x = 5 - y",
            "Add the two equations:",
            "Subtract 4 from both sides: 3x = 2.",
            "So y = 4.",
        )
    }
    assert list(verdicts.values()) == [Accept, Accept, Unknown, Reject, Reject]


@given(questions(), st.data())
def test_a_changed_number_is_not_accepted(
    question: Question, data: st.DataObject
) -> None:
    # 6n = 0 and 7n = 0 are one equation.
    assume(all(question.values.values()))
    verifier = bound(question.text)
    answer = verifier.fallback()
    numbers = list(re.finditer(r"(?<!Step )(?<![\d/])\d+(?![\d:])", answer))
    place = data.draw(st.sampled_from(numbers))
    other = data.draw(st.integers(0, 40))
    assume(other != int(place[0]))
    changed = answer[: place.start()] + str(other) + answer[place.end() :]
    assert not isinstance(verifier.check_answer(changed), Accept)


@given(questions(), questions())
def test_an_answer_to_another_system_is_not_accepted(
    question: Question, other: Question
) -> None:
    assume(question.text.split(" for ")[0] != other.text.split(" for ")[0])
    answer = bound(other.text).fallback()
    assert not isinstance(bound(question.text).check_answer(answer), Accept)
