"""What is derived is the donor's answer in its words, right for the new system."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept
from tests.tasks.linear_equation.equations import donor
from tests.tasks.linear_system.systems import (
    CHECKED,
    DONORS,
    ELIMINATION,
    QUESTION,
    SUBSTITUTION,
    Question,
    bound,
    is_true,
    questions,
    stated,
)

BOTH_SCALED = (
    "Solve 2u + 3v = 12, 3u - 2v = 5 for u.",
    "1. Multiply the first equation by 2: 4u + 6v = 24\n"
    "2. Multiply the second equation by 3: 9u - 6v = 15\n"
    "3. Add the two equations: 13u = 39\n"
    "4. Divide both sides by 13: u = 3",
)


@pytest.mark.parametrize(
    ("old", "answer", "new", "derived"),
    [
        pytest.param(
            QUESTION,
            SUBSTITUTION,
            "Solve the system m + 2n = 7, 3m - n = 7.",
            "From the first equation, m = 7 - 2n.\n"
            "Substitute into the second equation: 3(7 - 2n) - n = 7.\n"
            "Expand: 21 - 6n - n = 7.\n"
            "Simplify: 21 - 7n = 7.\n"
            "Subtract 21 from both sides: -7n = -14.\n"
            "Divide both sides by -7: n = 2.\n"
            "Then m = 7 - 2(2) = 3.\n"
            "The solution is m = 3, n = 2.",
            id="substitution",
        ),
        pytest.param(
            QUESTION,
            ELIMINATION,
            "Solve p + q = 4 and 3p - q = 2.",
            "We have the system:\n$$p + q = 4$$\n$$3p - q = 2$$\n\n"
            "Multiply the first equation by $3$:\n$$3p + 3q = 12$$\n"
            "Subtract the second equation from the first:\n$$4q = 10$$\n"
            "$$q = \\frac{5}{2}$$\n"
            "Substitute $q = \\frac{5}{2}$ into the first equation:\n"
            "$$p + \\frac{5}{2} = 4$$\n$$p = \\frac{3}{2}$$\n\n"
            "The solution is $(p, q) = (\\frac{3}{2}, \\frac{5}{2})$.",
            id="LaTeX",
        ),
        pytest.param(
            QUESTION,
            CHECKED,
            "Solve 3a + b = 7, 4a - 3b = 5",
            "a = 2, b = 1. Check: 3(2) + 1 = 7 and 4(2) - 3(1) = 5.",
            id="check",
        ),
        pytest.param(
            *BOTH_SCALED,
            "Solve 3k + m = 10, 2k - 5m = 1 for k.",
            "1. Multiply the first equation by 5: 15k + 5m = 50\n"
            "2. Add the two equations: 17k = 51\n"
            "3. Divide both sides by 17: k = 3",
            id="no multiplication by 1",
        ),
        pytest.param(
            *BOTH_SCALED,
            "Solve 2k + 3m = 10, 3k - 5m = 1 for m.",
            "1. Multiply the first equation by 3: 9m + 6k = 30\n"
            "2. Multiply the second equation by -2: 10m - 6k = -2\n"
            "3. Add the two equations: 19m = 28\n"
            "4. Divide both sides by 19: m = 28/19",
            id="a factor that turns the sign",
        ),
    ],
)
def test_an_answer_is_written_anew(
    old: str, answer: str, new: str, derived: str
) -> None:
    assert bound(old).check_answer(answer) == Accept()
    assert bound(new).derive(donor(old, answer)) == derived


@pytest.mark.parametrize(
    ("old", "answer", "new"),
    [
        pytest.param(QUESTION, "x = 3, y = 2", "Solve p + q = 1, p = 3q", id="wrong"),
        pytest.param(QUESTION, "3x = 6", "Solve p + q = 1, p = 3q", id="without end"),
        pytest.param(
            QUESTION,
            "Add the two equations: 3x = 6, so x = 2 and y = 3.",
            "Solve p + q = 3, p + 2q = 5",
            id="adding eliminates nothing",
        ),
        pytest.param(
            QUESTION, SUBSTITUTION, "Solve p = 3, p + 2q = 5", id="nothing to express"
        ),
        pytest.param(QUESTION, "x = 2, y = 3", "Solve p = q, q = 1 for p", id="one"),
        pytest.param(
            QUESTION, "x = 2, y = 3", "Solve p = q, q = 1. Show your steps.", id="form"
        ),
        pytest.param("What is love?", "x = 2, y = 3", "Solve p = q, q = 1", id="task"),
    ],
)
def test_what_would_read_wrong_is_not_derived(old: str, answer: str, new: str) -> None:
    assert bound(new).derive(donor(old, answer)) is None


@given(questions(), st.sampled_from(DONORS))
def test_what_is_derived_is_right(question: Question, taught: tuple[str, str]) -> None:
    verifier = bound(question.text)
    derived = verifier.derive(donor(*taught))
    if derived is not None:
        _prove(question, derived)
        assert verifier.check_answer(derived) == Accept()


@given(questions(), questions())
def test_what_is_derived_from_a_worked_solution_is_right(
    question: Question, other: Question
) -> None:
    given_answer = bound(other.text).fallback()
    derived = bound(question.text).derive(donor(other.text, given_answer))
    if derived is not None:
        _prove(question, derived)


def _prove(question: Question, derived: str) -> None:
    """Right by other arithmetic, and nothing in it reads oddly."""
    assert is_true(derived, question.values)
    for name in question.wanted:
        assert stated(derived, name) == question.values[name]
    for number in range(1, derived.count("Step ") + 1):
        assert f"Step {number}:" in derived
    assert not any(odd in derived for odd in ("by 1:", "ract -", "dd -", "+ -", "- -"))


@given(questions(count=2))
def test_a_terse_donor_teaches_every_system(question: Question) -> None:
    derived = bound(question.text).derive(donor(QUESTION, "x = 2, y = 3"))
    assert derived is not None
    for name, value in question.values.items():
        assert stated(derived, name) == value


@given(questions())
def test_the_same_system_keeps_its_answer(question: Question) -> None:
    answer = bound(question.text).fallback()
    reworded = f"Please solve this system: {question.text.removeprefix('Solve ')}"
    assert bound(reworded).derive(donor(question.text, answer)) == answer


@given(st.permutations("pqrstu"))
def test_the_names_of_the_unknowns_are_taken_over(names: list[str]) -> None:
    first, second = names[:2]
    text = f"Solve the system {first} + {second} = 5, 2{first} - {second} = 1."
    derived = bound(text).derive(donor(QUESTION, SUBSTITUTION))
    new = {"x": first, "y": second}
    lone = re.compile(r"(?<![A-Za-z])[xy](?![A-Za-z])")
    assert derived == lone.sub(lambda name: new[name[0]], SUBSTITUTION)
