"""A stated equality is accepted if it holds, refused if not, and never guessed at."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Reject, Unknown
from stepcache_proxy.tasks.arithmetic import check_equalities
from tests.tasks.arithmetic.expressions import Written, written

TRUE = [
    pytest.param("So they pay 3 * 4 = 12 dollars.", id="product"),
    pytest.param("12/4=3", id="close together"),
    pytest.param("That is 5% of 200 = 10.", id="percentage"),
    pytest.param("20/80 = 25%", id="percentage as a result"),
    pytest.param("0.25 * 100 = 25%", id="percentage by a hundred"),
    pytest.param("We get 2 + 3 * 4 = 2 + 12 = 14.", id="chain"),
    pytest.param(r"\[ 3 \times 4 = 12 \]", id="LaTeX"),
    pytest.param(r"\(\frac{1}{2} \cdot 10 = 5\)", id="LaTeX fraction"),
    pytest.param(r"\begin{align} 6 + 6 &= 12 \\ &= 4 \cdot 3 \end{align}", id="align"),
    pytest.param("1,200 + 300 = 1,500", id="thousands"),
    pytest.param("10 / 3 = 3.33", id="rounded"),
    pytest.param("2 / 3 = 0.66", id="cut off"),
    pytest.param("10 / 3 ≈ 3.3", id="about"),
    pytest.param("3 crates × 12 apples/crate = 36 apples", id="units"),
    pytest.param("$2.50 + $1.25 = $3.75", id="currency"),
    pytest.param("6 hours / 0.5 = 12", id="a unit inside"),
    pytest.param("He ran <<3*5=15>>15 km", id="noted calculation"),
    pytest.param("2^3 + √16 = 12 and 4! = 24", id="powers, roots, factorials"),
    pytest.param("(2 + 3)(4) = 20", id="implied product"),
    pytest.param("2 1/2 + 1/2 = 3", id="mixed number"),
    pytest.param("-3 + 5 = 2", id="sign"),
    pytest.param("- 3 + 4 = 7", id="a list mark or a sign"),
]
FALSE = [
    pytest.param("So they pay 3 * 4 = 13 dollars.", id="product"),
    pytest.param("50 + 70 + 140 = 270", id="sum"),
    pytest.param("8 * 27 * 25 = 10,800", id="thousands"),
    pytest.param(r"\[ \frac{6}{4} \cdot 4 = 8 \]", id="LaTeX"),
    pytest.param("We get 2 + 3 * 4 = 5 * 4 = 20.", id="chain"),
    pytest.param("10 / 3 = 3.43", id="beyond rounding"),
    pytest.param("15% of 200 = 25", id="percentage"),
    pytest.param("<<3*5=16>>", id="noted calculation"),
    pytest.param("3 crates × 12 apples/crate = 38 apples", id="units"),
]
OPEN = [
    pytest.param("There are 3 apples and 4 pears.", id="no equality"),
    pytest.param(r"$\frac34 + 1 = 5$", id="a fraction without braces"),
    pytest.param("x + 3 = 5", id="unknown"),
    pytest.param("2x + 3 = 11", id="unknown close to a number"),
    pytest.param("3xy + 5xy = 4", id="two unknowns close to a number"),
    pytest.param("f(3) = 5", id="function"),
    pytest.param("twice 3 + 4 = 20", id="a word that carries on"),
    pytest.param("2 hours = 120 minutes", id="conversion"),
    pytest.param("1 foot + 6 inches = 18 inches", id="mixed units"),
    pytest.param("The price of 3 plates = 18", id="words for a value"),
    pytest.param("17 / 5 = 3 remainder 2", id="remainder"),
    pytest.param("7 / 2 = 3, rounding down", id="rounded to a whole number"),
    pytest.param("If 2 + 2 = 5, we have a contradiction.", id="meant to be false"),
    pytest.param("101_2 + 1 = 6", id="another base"),
    pytest.param("1 + 2 + ... + 10 = 55", id="left out"),
    pytest.param("5 + 7 = 12 million", id="a word that scales"),
    pytest.param("3 + 4 = 7x", id="more to come"),
    pytest.param("4:2 = 3", id="ratio"),
    pytest.param("3 x 4 = 13", id="a letter for a sign"),
    pytest.param("5 = 6", id="two bare numbers"),
    pytest.param("", id="nothing"),
]


@pytest.mark.parametrize("text", TRUE)
def test_what_holds_is_accepted(text: str) -> None:
    assert check_equalities(text) == Accept()


@pytest.mark.parametrize("text", FALSE)
def test_what_does_not_hold_is_refused(text: str) -> None:
    assert isinstance(check_equalities(text), Reject)


@pytest.mark.parametrize("text", OPEN)
def test_what_may_mean_something_else_is_left_open(text: str) -> None:
    assert isinstance(check_equalities(text), Unknown)


def test_a_sum_that_is_carried_on_loosely_is_not_refused() -> None:
    assert not isinstance(check_equalities("3 + 4 = 7 + 5 = 12"), Reject)


def test_one_falsehood_among_truths_is_refused() -> None:
    assert isinstance(check_equalities("2 + 2 = 4. Then 4 + 4 = 9."), Reject)


@given(written())
def test_every_true_equality_is_accepted(expression: Written) -> None:
    assert check_equalities(f"{expression.text} = {expression.shown}") == Accept()


@given(written(), st.integers(-50, 50))
def test_every_false_equality_is_refused(expression: Written, gap: int) -> None:
    assume(gap and expression.value.denominator == 1)
    wrong = Fraction(expression.value + gap)
    text = f"We find {expression.text} = {wrong} in the end."
    assume(not text.startswith("We find -"))
    assert isinstance(check_equalities(text), Reject)
