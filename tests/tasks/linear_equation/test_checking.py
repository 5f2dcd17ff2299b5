"""What is accepted is right for this equation; what is wrong is refused."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Step, Unknown, Verdict
from stepcache_proxy.reuse.segment import segment
from stepcache_proxy.tasks.linear_equation.task import EquationVerifier
from tests.tasks.linear_equation.equations import (
    Question,
    bound,
    brief,
    equations_in,
    evaluate,
    last_value,
    questions,
)

ONE_SIDE = bound("Solve 4x + 6 = 26 for x.")
BOTH_SIDES = bound("Solve 5x - 3 = 2x + 9 for x.")
BRACKETS = bound("Solve 3(x - 2) = x + 5.")
FRACTIONS = bound(r"Solve \frac{x}{2} + \frac{1}{3} = 2")
NO_SOLUTION = bound("Solve 2x + 1 = 2x + 5 for x.")
EVERY_NUMBER = bound("Solve 2x + 2 = 2(x + 1) for x.")

LATEX = r"""To solve the equation $4x + 6 = 26$ for $x$, we isolate $x$ on one side.

**Step 1:** Subtract 6 from both sides:
\[ 4x + 6 - 6 = 26 - 6 \]
\[ 4x = 20 \]

**Step 2:** Divide both sides by 4:
\[ \frac{4x}{4} = \frac{20}{4} \]
\[ x = 5 \]

So the solution is $x = 5$."""
ALIGNED = r"""\begin{align*}
5x - 3 &= 2x + 9 \\
5x - 2x &= 9 + 3 \\
3x &= 12 \\
x &= 4
\end{align*}"""


@pytest.mark.parametrize(
    ("verifier", "answer"),
    [
        pytest.param(ONE_SIDE, LATEX, id="LaTeX"),
        pytest.param(BOTH_SIDES, ALIGNED, id="aligned"),
        pytest.param(
            ONE_SIDE,
            "1. Subtract 6 from both sides of the equation: 4x = 26 - 6 = 20.\n"
            "2. Divide both sides by 4: x = 20/4 = 5.\n\n"
            "Check: 4(5) + 6 = 20 + 6 = 26.\n\n**Answer: x = 5**",
            id="chains and a check",
        ),
        pytest.param(
            ONE_SIDE,
            "First, move 6 to the right side: 4x = 26 - 6. Then 4x = 20."
            " Dividing by 4 gives x = 5.",
            id="moved",
        ),
        pytest.param(
            ONE_SIDE,
            "4x + 6 = 26\n4x = 20 (subtract 6 from both sides)\n"
            "x = 5 (divide both sides by 4)",
            id="operation after its result",
        ),
        pytest.param(ONE_SIDE, "x = 5", id="solution alone"),
        pytest.param(ONE_SIDE, r"\boxed{x = 5}", id="boxed"),
        pytest.param(ONE_SIDE, "The answer is 5.", id="number in prose"),
        pytest.param(ONE_SIDE, "So x is equal to 5.", id="equal in words"),
        pytest.param(
            ONE_SIDE,
            "The coefficient of x is 4. Move 6 to the other side: 4x = 20, so x = 5."
            " Check: the left side is 26 and the right side is 26, and 26 = 26.",
            id="sides and coefficient",
        ),
        pytest.param(
            BRACKETS,
            "Distribute 3: 3x - 6 = x + 5. Subtract x from both sides: 2x - 6 = 5."
            " Add 6 to both sides: 2x = 11. Divide both sides by 2: x = 11/2.",
            id="multiplied out",
        ),
        pytest.param(
            FRACTIONS,
            "Multiply both sides by 6: 3x + 2 = 12. Subtract 2 from both sides:"
            r" 3x = 10. Divide both sides by 3: $x = \frac{10}{3}$.",
            id="denominators cleared",
        ),
        pytest.param(
            NO_SOLUTION,
            "Subtract 2x from both sides: 1 = 5. This is never true, so the equation"
            " has no solution.",
            id="no solution",
        ),
        pytest.param(EVERY_NUMBER, "Every number is a solution.", id="every number"),
    ],
)
def test_a_right_answer_is_accepted(verifier: EquationVerifier, answer: str) -> None:
    assert verifier.check_answer(answer) == Accept()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("x = 6", id="wrong value"),
        pytest.param("x = -5", id="wrong sign"),
        pytest.param("x = 4.9999", id="nearly"),
        pytest.param("y = 5", id="another unknown"),
        pytest.param("4x = 24. x = 5", id="wrong step"),
        pytest.param("x = 6. x = 5.", id="wrong before right"),
        pytest.param("x = 5. x = 6.", id="wrong after right"),
        pytest.param("x = 5. Check: 2 + 2 = 5.", id="wrong arithmetic"),
        pytest.param("The answer is 7.", id="wrong number in prose"),
        pytest.param("There is no solution.", id="wrong number of solutions"),
        pytest.param("4x = 20", id="no solution stated"),
        pytest.param("x ≠ 5", id="denied by a sign"),
        pytest.param("x = 5 is wrong", id="denied"),
        pytest.param("If x = 5 then it holds.", id="supposed"),
        pytest.param("x = 5 or x = 6", id="one of several"),
        pytest.param("x > 5", id="inequality"),
        pytest.param("", id="empty"),
        pytest.param("x = 5 " * 9_000, id="too long"),
    ],
)
def test_a_wrong_or_missing_solution_is_refused(answer: str) -> None:
    assert isinstance(ONE_SIDE.check_answer(answer), Reject)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Subtract 7 from both sides: 4x = 20. x = 5", id="stale operand"),
        pytest.param("Start from 4x + 8 = 28. x = 5", id="another question"),
        pytest.param("Start from 8x + 12 = 52. x = 5", id="not as given"),
        pytest.param("Multiply both sides by 2: 4x = 20. x = 5", id="wrong verb"),
        pytest.param("Add 6 to both sides: 4x = 20. x = 5", id="opposite verb"),
        pytest.param("The negative solution is x = 5", id="word not understood"),
        pytest.param("x = 5\n\nDivide the rest by 3.", id="number not explained"),
        pytest.param("4x = 20. x = 5. Subtract 6 from both sides.", id="unfinished"),
        pytest.param("Expand the brackets: 4x + 6 = 26. x = 5", id="no brackets"),
        pytest.param("Collect x on the right: 4x = 20. x = 5", id="wrong side"),
        pytest.param("Simplify both sides: 4x = 20. x = 5", id="not a simplification"),
        pytest.param("x = 20/4", id="not reduced"),
        pytest.param("The left side is 25. x = 5", id="not the value of a side"),
        pytest.param("The root is 7. x = 5", id="a number beside the point"),
        pytest.param("Move 7 to the other side: 4x = 20. x = 5", id="no such term"),
        pytest.param("The unknown has gone. x = 5", id="not gone"),
        pytest.param("0 = 0. x = 5", id="says nothing"),
        pytest.param("The whole number answer is x = 5", id="a claim about it"),
    ],
)
def test_what_cannot_be_proved_is_left_open(answer: str) -> None:
    assert isinstance(ONE_SIDE.check_answer(answer), Unknown)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        pytest.param("Let us isolate the variable.", Accept(), id="neutral"),
        pytest.param("Subtract 6 from both sides.", Accept(), id="next operation"),
        pytest.param("26 - 6 = 20", Accept(), id="true identity"),
        pytest.param("Step 2: 4x = 20", Accept(), id="reachable"),
        pytest.param("Step 2: 4x = 22", Reject(""), id="another solution"),
        pytest.param("26 - 6 = 21", Reject(""), id="false identity"),
        pytest.param("Subtract 9 from both sides.", Unknown(), id="odd operation"),
        pytest.param("17 + 17 = 34", Unknown(), id="off the point"),
        pytest.param("4x + 8 = 28", Unknown(), id="another question"),
        pytest.param("Twice that many.", Unknown(), id="unknown words"),
        pytest.param("x" * 30_000, Unknown(), id="too long"),
    ],
)
def test_a_step_is_judged_by_itself(text: str, verdict: Verdict) -> None:
    assert type(ONE_SIDE.check_step(Step(0, text))) is type(verdict)


@pytest.mark.parametrize(
    ("request_text", "answer", "is_accepted"),
    [
        pytest.param("4x = 20. Show your steps.", "x = 5", False, id="steps missing"),
        pytest.param("4x = 20. Answer only.", "x = 5", True, id="answer"),
        pytest.param("4x = 20. Answer only.", "4x = 20. x = 5", False, id="chatty"),
        pytest.param("4x = 20. Only the number.", "5", True, id="number"),
        pytest.param("4x = 20. Only the number.", "x = 5", False, id="equation"),
    ],
)
def test_the_form_is_part_of_the_proof(
    request_text: str, answer: str, is_accepted: bool
) -> None:
    verdict = bound(f"Solve {request_text}").check_answer(answer)
    assert isinstance(verdict, Accept) == is_accepted
    assert not isinstance(verdict, Reject)


@given(questions())
def test_a_worked_answer_is_accepted_whole_and_step_by_step(question: Question) -> None:
    verifier = bound(question.text)
    answer = brief(question.text, verifier)
    assert verifier.check_answer(answer) == Accept()
    assert {verifier.check_step(step) for step in segment(answer)} == {Accept()}


@given(questions(), st.data())
def test_an_accepted_answer_with_a_changed_number_is_still_true(
    question: Question, data: st.DataObject
) -> None:
    verifier = bound(question.text)
    answer = brief(question.text, verifier)
    spots = list(re.finditer(r"(?<!Step )(?<!\d)\d+", answer))
    spot = data.draw(st.sampled_from(spots))
    number = data.draw(st.integers(0, 99).map(str))
    assume(number != spot.group())
    changed = answer[: spot.start()] + number + answer[spot.end() :]
    if not isinstance(verifier.check_answer(changed), Accept):
        return
    assert last_value(changed, question.unknown) == question.root
    for left, right in equations_in(changed, question.unknown):
        name, root = question.unknown, question.root
        assert evaluate(left, name, root) == evaluate(right, name, root)


@given(questions(), questions())
def test_an_answer_to_another_equation_is_not_accepted(
    question: Question, other: Question
) -> None:
    verifier = bound(question.text)
    answer = brief(other.text, bound(other.text))
    assume(question.root != other.root or question.unknown != other.unknown)
    assert not isinstance(verifier.check_answer(answer), Accept)
