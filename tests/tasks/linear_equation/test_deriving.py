"""What is derived is the donor's answer in its words, right for the new equation."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.checking import check_derived
from stepcache_proxy.tasks.linear_equation.deriving import Work, derive, read_work
from stepcache_proxy.tasks.linear_equation.readings import Readings
from stepcache_proxy.tasks.linear_equation.task import EquationVerifier
from tests.tasks.linear_equation.equations import (
    Question,
    bound,
    brief,
    donor,
    equations_in,
    evaluate,
    last_value,
    questions,
)

LATEX = r"""To solve the equation $4x + 6 = 26$, we isolate $x$.

**Step 1:** Subtract 6 from both sides:
\[ 4x + 6 - 6 = 26 - 6 \]
\[ 4x = 20 \]

**Step 2:** Divide both sides by 4:
\[ \frac{4x}{4} = \frac{20}{4} \]
\[ x = 5 \]

So the solution is $x = 5$."""
LATEX_FOR_OTHER = r"""To solve the equation $9z - 2 = 5$, we isolate $z$.

**Step 1:** Add 2 to both sides:
\[ 9z - 2 + 2 = 5 + 2 \]
\[ 9z = 7 \]

**Step 2:** Divide both sides by 9:
\[ \frac{9z}{9} = \frac{7}{9} \]
\[ z = \frac{7}{9} \]

So the solution is $z = \frac{7}{9}$."""
STEPS = (
    "Step 1: Subtract 2x from both sides: 3x - 3 = 9.\n"
    "Step 2: Add 3 to both sides: 3x = 12.\n"
    "Step 3: Divide both sides by 3: x = 4.\n"
    "Answer: x = 4"
)


@pytest.mark.parametrize(
    ("old", "answer", "new", "derived"),
    [
        pytest.param(
            "Solve 4x + 6 = 26", LATEX, "Solve 9*z - 2 = 5", LATEX_FOR_OTHER, id="LaTeX"
        ),
        pytest.param(
            "Solve 4x + 6 = 26 for x.",
            "x = 5",
            "Solve -2t + 1 = 12 for t.",
            "t = -11/2",
            id="solution alone",
        ),
        pytest.param(
            "Solve 4x + 6 = 26 for x.",
            "4x = 26 - 6 = 20, so x = 20/4 = 5. Check: 4(5) + 6 = 20 + 6 = 26.",
            "Solve 3y - 6 = 9 for y.",
            "3y = 9 + 6 = 15, so y = 15/3 = 5. Check: 3(5) - 6 = 15 - 6 = 9.",
            id="chains and a check",
        ),
        pytest.param(
            "Solve 5x - 3 = 2x + 9",
            STEPS,
            "Solve 7a + 4 = -a + 28",
            "Step 1: Add a to both sides: 8a + 4 = 28.\n"
            "Step 2: Subtract 4 from both sides: 8a = 24.\n"
            "Step 3: Divide both sides by 8: a = 3.\n"
            "Answer: a = 3",
            id="verbs turn with the sign",
        ),
        pytest.param(
            "Solve 5x - 3 = 2x + 9",
            STEPS,
            "Solve 3x - 3 = 2x + 9",
            "Step 1: Subtract 2x from both sides: x - 3 = 9.\n"
            "Step 2: Add 3 to both sides: x = 12.\n"
            "Answer: x = 12",
            id="no division by 1",
        ),
        pytest.param(
            "Solve 5x - 3 = 2x + 9",
            "1. Subtract 2x from both sides: 3x - 3 = 9\n"
            "2. Add 3 to both sides: 3x = 12\n"
            "3. Divide both sides by 3: x = 4",
            "Solve 5x - 3 = 9",
            "1. Add 3 to both sides: 5x = 12\n2. Divide both sides by 5: x = 12/5",
            id="a list is numbered anew",
        ),
        pytest.param(
            "Solve 5x - 3 = 2x + 9",
            STEPS,
            "Solve 5x - 3 = 9",
            "Step 1: Add 3 to both sides: 5x = 12.\n"
            "Step 2: Divide both sides by 5: x = 12/5.\n"
            "Answer: x = 12/5",
            id="nothing to collect",
        ),
        pytest.param(
            "Solve 3(x - 2) = x + 6",
            "Expand: 3x - 6 = x + 6. Subtract x: 2x - 6 = 6. Add 6: 2x = 12."
            " Divide by 2: x = 6.",
            "Solve 5(y + 1) = 2y + 7",
            "Expand: 5y + 5 = 2y + 7. Subtract 2y: 3y + 5 = 7. Subtract 5: 3y = 2."
            " Divide by 3: y = 2/3.",
            id="multiplied out",
        ),
        pytest.param(
            "Solve 0.5x + 1 = 3",
            "0.5x = 2, so x = 4.",
            "Solve 0.4x + 1 = 2",
            "0.4x = 1, so x = 2.5.",
            id="decimals",
        ),
        pytest.param(
            "Solve 2x − 8 = 4",
            "Add 8 to both sides of 2x − 8 = 4: 2x = 12, hence x = 6.",
            "Solve 5x + 11 = 1",
            "Subtract 11 from both sides of 5x + 11 = 1: 5x = −10, hence x = −2.",
            id="Unicode minus",
        ),
        pytest.param(
            "Solve 2x + 1 = 2x + 5",
            "Subtract 2x from both sides: 1 = 5. There is no solution.",
            "Solve 3t + 2 = 3t + 9",
            "Subtract 3t from both sides: 2 = 9. There is no solution.",
            id="no solution",
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
        pytest.param("Solve 4x = 8", "x = 3", "Solve 5x = 10", id="wrong donor"),
        pytest.param("Solve 4x = 8", "4x = 8", "Solve 5x = 10", id="donor without end"),
        pytest.param(
            "Solve 4x + 6 = 26",
            "Subtract 6: 4x = 20. Divide by 4: x = 5.",
            "Solve 4x + 6 = x + 26",
            id="another shape",
        ),
        pytest.param("Solve 4x = 8", "x = 2", "Solve x = x + 1", id="no solution"),
        pytest.param("What is love?", "x = 2", "Solve 5x = 10", id="another task"),
        pytest.param("Solve 4x = 8. Answer only.", "x = 2", "Solve 5x = 1", id="form"),
        pytest.param(
            "Solve 4x + 6 = 26",
            "Subtract 6: 4x = 20. Divide by 4: x = 5.",
            "Solve x + 6 = 26",
            id="division by 1 inside a line",
        ),
        pytest.param(
            "Solve 4a + 6 = 26",
            "This is a linear equation. a = 5",
            "Solve 5x + 6 = 26",
            id="article like the unknown",
        ),
    ],
)
def test_what_would_read_wrong_is_not_derived(old: str, answer: str, new: str) -> None:
    assert bound(new).derive(donor(old, answer)) is None


@given(questions())
def test_the_same_equation_keeps_its_answer(question: Question) -> None:
    verifier = bound(question.text)
    answer = brief(question.text, verifier)
    reworded = f"Please solve this equation: {question.text.removeprefix('Solve ')}"
    assert bound(reworded).derive(donor(question.text, answer)) == answer


@given(questions(), st.sampled_from("pqrstuvw"))
def test_another_name_of_the_unknown_is_taken_over(
    question: Question, name: str
) -> None:
    assume(question.unknown != "a")
    verifier = bound(question.text)
    answer = brief(question.text, verifier)
    old = question.unknown
    equation = question.text.removeprefix("Solve ").split(" for ")[0]
    renamed = f"Solve {equation.replace(old, name)} for {name}."
    derived = bound(renamed).derive(donor(question.text, answer))
    assert derived is not None
    assert last_value(derived, name) == question.root
    assert not any(word == old for word in derived.split())


@given(questions(), questions(), st.booleans())
def test_what_is_derived_is_right(
    question: Question, other: Question, is_own_answer: bool
) -> None:
    teacher = bound(other.text)
    answer = teacher.fallback() if is_own_answer else brief(other.text, teacher)
    derived = bound(question.text).derive(donor(other.text, answer))
    if derived is None:
        return
    name, root = question.unknown, question.root
    assert last_value(derived, name) == root
    stated = list(equations_in(derived, name))
    assert stated
    for left, right in stated:
        assert evaluate(left, name, root) == evaluate(right, name, root)
    for number in range(1, derived.count("Step ") + 1):
        assert f"Step {number}:" in derived
    assert "both sides by 1:" not in derived
    assert "ract -" not in derived
    assert "dd -" not in derived


def test_a_donor_that_collects_teaches_every_shape() -> None:
    old = "Solve 5x - 3 = 2x + 9 for x."
    answer = brief(old, bound(old))
    taught = [
        ("Solve 24 = 31*c - 35*c for c.", -6),
        ("Solve -7*n + 68*n - 558 = -1473 for n.", -15),
        ("Solve 0 = 9*u for u.", 0),
        ("Solve u + 17 = 25 for u.", 8),
        ("Solve 6 - 8 = 4*s for s.", Fraction(-1, 2)),
    ]
    for text, root in taught:
        derived = bound(text).derive(donor(old, answer))
        assert derived is not None, text
        assert last_value(derived, bound(text).asked.problem.unknown) == root


def work_of(text: str, answer: str) -> Work:
    work = read_work(bound(text).asked.problem, answer)
    assert work is not None, answer
    return work


@given(questions(), questions(), st.booleans())
def test_what_is_written_is_read_as_it_was_meant(
    question: Question, other: Question, is_own_answer: bool
) -> None:
    teacher, asked = bound(other.text), bound(question.text).asked
    answer = teacher.fallback() if is_own_answer else brief(other.text, teacher)
    work = work_of(other.text, answer)
    written = derive(asked.problem, work, is_read=False)
    read = derive(asked.problem, work, is_read=True)
    assert (written and written.text) == (read and read.text)
    if written is not None:
        verdict = check_derived(asked, written, Readings().says)
        assert verdict == bound(question.text).check_answer(written.text)


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        pytest.param("x = 12/5", "x = 13/5", id="another solution"),
        pytest.param("5x = 12", "5x = 24/2", id="the same, written otherwise"),
        pytest.param("Add 3 to", "Subtract 3 from", id="another operation"),
        pytest.param("Answer: ", "Answer if: ", id="another word"),
        pytest.param("Answer: ", "Answer ² ", id="something unread"),
        pytest.param("Answer: x = 12/5", "", id="less"),
        pytest.param("Answer: ", "Check: 5 = 5. Answer: ", id="more"),
        pytest.param("12/5.", "12/5?", id="a question"),
    ],
)
def test_a_text_that_says_anything_else_is_not_what_was_judged(
    said: str, instead: str
) -> None:
    asked = bound("Solve 5x - 3 = 9").asked
    derived = derive(
        asked.problem, work_of("Solve 5x - 3 = 2x + 9", STEPS), is_read=False
    )
    assert derived is not None
    assert check_derived(asked, derived, Readings().says) == Accept()
    assert said in derived.text
    other = derived._replace(text=derived.text.replace(said, instead))
    assert check_derived(asked, other, Readings().says) is None


def test_an_amount_that_would_turn_a_word_without_opposite_is_not_written() -> None:
    old, answer = "Solve 3x - 3 = 9", "Add 3 onto both sides: 3x = 12, so x = 4."
    assert bound(old).check_answer(answer) == Accept()
    assert bound("Solve 3x + 3 = 9").derive(donor(old, answer)) is None
    assert bound("Solve 3x - 6 = 9").derive(donor(old, answer)) == (
        "Add 6 onto both sides: 3x = 15, so x = 5."
    )


def test_one_lesson_is_kept_for_each_kind_of_equation() -> None:
    work = work_of("Solve 5x - 3 = 2x + 9", STEPS)
    problems = [
        bound(f"Solve {a}x - 3 = {b}x + {c}").asked.problem
        for a in (4, 5, "0.5", "-")
        for b in (1, 3, "1.5", "2*3")
        for c in (2, "2.5", "9 - x")
    ]
    lessons = {id(work.lesson(problem)) for problem in problems}
    assert len(lessons) == 4


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(2, 9)), max_size=12))
def test_donors_that_are_remembered_never_mix(order: list[tuple[int, int]]) -> None:
    equation = "Solve 5x - 3 = 2x + 9"
    donors = [
        donor(equation, STEPS),
        donor(equation, STEPS.replace("Step 1: ", "1. ").replace("Step ", "Then ")),
        donor("Solve 5x - 3 = 12", "5x = 15, so x = 3."),
    ]
    readings = Readings()
    for number, constant in order:
        text = f"Solve 7x - {constant} = x + 4"
        asked = readings.asked(text)
        assert asked is not None
        remembered = EquationVerifier(asked, readings).derive(donors[number])
        assert remembered == bound(text).derive(donors[number])
