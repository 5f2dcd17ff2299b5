"""An answer is accepted only if every word of it is understood and right."""

from fractions import Fraction

import pytest

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.arithmetic.asking import Asked
from stepcache_proxy.tasks.arithmetic.checking import check_answer

ASKED = Asked("12 * (3 + 4)", Fraction(84), is_number_only=False)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        pytest.param("84", Accept(), id="bare"),
        pytest.param("The answer is 84.", Accept(), id="sentence"),
        pytest.param("12 * (3 + 4) = 12 * 7 = 84", Accept(), id="chain"),
        pytest.param("First, add 3 + 4 = 7. Then 12 * 7 = 84.", Accept(), id="steps"),
        pytest.param(
            "1. Parentheses: 3 + 4 = 7\n2. Multiply: 12 × 7 = 84\n\nAnswer: **84**",
            Accept(),
            id="list",
        ),
        pytest.param(r"The answer is \(\boxed{84}\).", Accept(), id="boxed"),
        pytest.param("The answer is 91.", Reject("wrong value"), id="wrong"),
        pytest.param("3 + 4 = 8, so 84", Reject("a false equality"), id="wrong step"),
        pytest.param(
            "The answer is not 84.", Unknown("prose that is not read"), id="negated"
        ),
        pytest.param(
            "It may be 91.", Unknown("prose that is not read"), id="unread and wrong"
        ),
        pytest.param("Sure.", Unknown("no value is stated"), id="nothing said"),
        pytest.param("84 apples", Unknown("not readable"), id="a unit"),
    ],
)
def test_an_answer_is_judged_by_all_it_says(answer: str, verdict: Verdict) -> None:
    assert check_answer(ASKED, answer) == verdict
