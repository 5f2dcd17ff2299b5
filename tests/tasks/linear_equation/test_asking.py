"""A request binds if and only if it asks to solve one linear equation and no more."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.linear_equation.asking import Form, read_request


@pytest.mark.parametrize(
    ("text", "unknown", "solved"),
    [
        pytest.param("Solve 3x + 4 = 19 for x.", "x", 5, id="plain"),
        pytest.param("Solve 24 = 31*c - 35*c for c.", "c", -6, id="starred"),
        pytest.param("2x + 9 = 19, find x", "x", 5, id="equation first"),
        pytest.param("Find x if 2x + 9 = 19.", "x", 5, id="if"),
        pytest.param("2x + 1 = 7", "x", 3, id="bare equation"),
        pytest.param("What is the value of a when 3a - 2 = 7?", "a", 3, id="article"),
        pytest.param(
            "I would be obliged if you could solve 5y − 3 = 2y + 9 for y.",
            "y",
            4,
            id="Unicode minus",
        ),
        pytest.param("Solve for x 4x + 6 = 26", "x", 5, id="no colon"),
        pytest.param(r"Solve \( 3(x-2) = 2x + 5 \).", "x", 11, id="brackets"),
        pytest.param(r"Solve $\frac{3}{4}z - 2 = 7$.", "z", 12, id="LaTeX fraction"),
        pytest.param(r"Solve $2 \cdot x = 3 \times 4$.", "x", 6, id="LaTeX signs"),
        pytest.param("Solve 3·x ÷ 2 = 6", "x", 4, id="Unicode signs"),
        pytest.param("Solve 0.5x + 1.25 = 4.", "x", Fraction(11, 2), id="decimals"),
        pytest.param("Solve 1,000x = 5,000.", "x", 5, id="thousands"),
        pytest.param("Solve (x + 1)/3 = x/2.", "x", 2, id="quotients"),
        pytest.param("Solve 1/2 x = 4.", "x", 8, id="fraction and gap"),
        pytest.param("Solve 7k + 1 = 7k + 1 for k.", "k", "all", id="every number"),
        pytest.param("Solve 7k + 1 = 7k for k.", "k", "none", id="no number"),
        pytest.param("If 5x = 20, what is x?", "x", 4, id="if first"),
        pytest.param("Which value of x makes 5x = 20 true?", "x", 4, id="makes true"),
        pytest.param("Find x so that it makes 5x = 20 true.", "x", 4, id="it makes"),
        pytest.param("I would like to solve 5x = 20.", "x", 4, id="would like"),
        pytest.param("Solve for the unknown: 5x = 20", "x", 4, id="for the unknown"),
        pytest.param(
            "Find the value of the unknown if 5x = 20.", "x", 4, id="value of it"
        ),
        pytest.param(
            "Solve this linear equation in one variable: 5x = 20",
            "x",
            4,
            id="in one variable",
        ),
    ],
)
def test_an_equation_in_plain_words_binds(
    text: str, unknown: str, solved: object
) -> None:
    asked = read_request(text)
    assert asked is not None
    assert (asked.problem.unknown, asked.problem.solved) == (unknown, solved)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Solve 3x + 4 = 19 for x in Spanish.", id="language"),
        pytest.param("Solve 3x + 4 = 19 without dividing.", id="condition"),
        pytest.param("Solve 3x = 10 and round to 2 decimals.", id="rounding"),
        pytest.param("Solve 3x + 4 = 19 and explain why.", id="reasons"),
        pytest.param("Solve 3x + 4 = 19. Do not show steps.", id="denied steps"),
        pytest.param("Solve 3x = 6, the answer only, show steps.", id="two forms"),
        pytest.param("Solve 3x + 4 = 19 for y.", id="another unknown"),
        pytest.param("Solve 3X + 4 = 19 for x.", id="another case"),
        pytest.param("Solve 3x + 2y = 4 for x.", id="two unknowns"),
        pytest.param("Solve a + b = 3 for b.", id="an unknown like an article"),
        pytest.param("Solve 3b = 6a for b.", id="a factor like an article"),
        pytest.param("Solve 2b = 5, a for b.", id="an article that stands alone"),
        pytest.param("Solve 3x = 4 and 2x = 5.", id="two equations"),
        pytest.param("Solve 1 = x = 1.", id="a chain"),
        pytest.param("Solve 3x + 4 > 19.", id="inequality"),
        pytest.param("Solve x^2 = 4.", id="power"),
        pytest.param("Solve x² = 4.", id="superscript"),
        pytest.param("Solve x*x = 4.", id="product of unknowns"),
        pytest.param("Solve 1/x = 4.", id="division by the unknown"),
        pytest.param("Solve 1/2x = 4.", id="ambiguous quotient"),
        pytest.param("Solve sqrt(x) = 4.", id="function"),
        pytest.param("Solve 3x / 0 = 4.", id="division by zero"),
        pytest.param("Solve 3 x 4 = 12 for x.", id="x as a sign"),
        pytest.param("Ann has 3x = 18 apples. Find x.", id="word problem"),
        pytest.param("Solve 3x + 4 = 19 for x. What is 2x?", id="second question"),
        pytest.param("Show the equation 3x = 6.", id="not a question for x"),
        pytest.param("Is 3x + 4 = 19 linear?", id="question about it"),
        pytest.param("Determine if x = 5.", id="yes or no"),
        pytest.param("Solve 2 + 3 = 5.", id="no unknown"),
        pytest.param("Solve 2.5.1x = 3.", id="broken number"),
        pytest.param("Solve 3x = ٣.", id="other digits"),
        pytest.param(
            "Tell me what makes 5x = 20 an equation in one variable.",
            id="what makes it one",
        ),
        pytest.param("Find x that makes 5x = 20 linear.", id="makes it linear"),
        pytest.param("Give me an equation in one variable like 5x = 20", id="like it"),
        pytest.param("Give me the answer to one such as 5x = 20", id="such as"),
        pytest.param("What is the number of solutions of 5x = 20?", id="how many"),
        pytest.param("What is the unknown in 5x = 20?", id="which unknown"),
        pytest.param("What is the variable x in 5x = 20?", id="which variable"),
        pytest.param(
            "Write the steps to solve one like 5x = 20", id="steps in general"
        ),
        pytest.param("Find the problem with 5x = 20 and its solution", id="a fault"),
        pytest.param("Find out if x makes 5x = 20 true", id="whether it is true"),
        pytest.param("Tell me x and if it satisfies 5x = 20.", id="and whether"),
        pytest.param(
            "Solve x = 2x and tell me a simple problem with this solution.",
            id="another problem",
        ),
        pytest.param("What is an equation for x, as 5x = 20?", id="which equation"),
        pytest.param("Work out an equation with the root x = 4", id="made for a root"),
        pytest.param("Solve y' + 2y = 6", id="a derivative"),
        pytest.param("Solve y’ + 2y = 6", id="a derivative with a curly mark"),
        pytest.param("Solve 5' = x", id="feet"),
        pytest.param("Solve x_{2} + 2 = 4", id="a subscript in braces"),
        pytest.param("Solve 2x + 1 = 7 (2)", id="the number of an equation"),
        pytest.param("Solve 2x + 1 = 7 [2]", id="a number in square brackets"),
        pytest.param(r"Solve 2x + 1 = 7 \; (2)", id="a number behind a LaTeX gap"),
        pytest.param(r"Solve 2x + 1 = 7 \text{(2)}", id="a number as LaTeX text"),
        pytest.param("Solve **2x + 1 = 7** (2)", id="a number behind bold print"),
        pytest.param("Find f if f(3) = 9", id="the value of a function"),
        pytest.param("Solve f(x + 1) = 9 for f", id="a function"),
    ],
)
def test_anything_else_does_not_bind(text: str) -> None:
    assert read_request(text) is None


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param("Solve 4x = 8 for x.", Form.PLAIN, id="plain"),
        pytest.param("Solve 4x = 8. Show your steps.", Form.STEPS, id="show"),
        pytest.param("Show your steps: solve 4x = 8.", Form.STEPS, id="show first"),
        pytest.param("Solve 4x = 8, showing your work.", Form.STEPS, id="showing"),
        pytest.param("Solve 4x = 8 step-by-step.", Form.STEPS, id="hyphens"),
        pytest.param("Solve 4x = 8. Answer only.", Form.ANSWER, id="answer only"),
        pytest.param("Just give me the answer: 4x = 8", Form.ANSWER, id="just"),
        pytest.param("Solve 4x = 8. Only the number.", Form.NUMBER, id="number"),
    ],
)
def test_the_asked_form_is_understood(text: str, form: Form) -> None:
    asked = read_request(text)
    assert asked is not None
    assert asked.form is form
