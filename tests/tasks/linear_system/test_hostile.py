"""Hostile text neither raises nor runs nor takes long; it is simply not understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Step
from stepcache_proxy.tasks.linear_system.asking import read_request
from tests.tasks.linear_equation.equations import donor
from tests.tasks.linear_system.systems import QUESTION, bound

HOSTILE = [
    pytest.param("__import__('os').system('id')", id="code"),
    pytest.param("9**9**9**9", id="tower"),
    pytest.param("9" * 10_000, id="long number"),
    pytest.param("(" * 1_500 + "x" + ")" * 1_500, id="deep brackets"),
    pytest.param("-" * 150 + "x", id="many signs"),
    pytest.param("x" + "+x" * 900, id="many terms"),
    pytest.param("*".join(["999999999999999999999999999999"] * 60), id="product"),
    pytest.param(r"\frac{" * 300, id="unclosed fractions"),
    pytest.param("= " * 900, id="many equals signs"),
    pytest.param("x\u0000\u202e5", id="control characters"),
    pytest.param("1/0", id="division by zero"),
    pytest.param("(x, y) = (" * 200, id="unclosed pairs"),
    pytest.param("substitute it into the first equation. " * 60, id="no results"),
    pytest.param("x = 2, x = 5 - y, x + y = 5, " * 100, id="many equations"),
    pytest.param(
        "substitute x = 5 - y and y = 3: 2(5 - y) - y = 1, x + 3 = 5. " * 60,
        id="many substitutions",
    ),
    pytest.param(" (1)" * 300, id="many labels"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_request_does_not_bind(text: str) -> None:
    for request in (f"{text}, x - y = 2", f"Solve x + y = 5, x - y = 2 {text} z"):
        assert read_request(request) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_not_accepted(text: str) -> None:
    verifier = bound(QUESTION)
    for answer in (text, f"x = 2, y = 3. {text}", f"Add the equations: {text}"):
        verifier.check_step(Step(0, answer))
        assert not isinstance(verifier.check_answer(answer), Accept)
        assert (
            bound("Solve x + 2y = 5, x - y = 1").derive(donor(QUESTION, answer)) is None
        )


@given(st.text(max_size=300))
def test_no_text_raises(text: str) -> None:
    verifier = bound(QUESTION)
    read_request(f"Solve x + y = 5, x - y = 1 {text}")
    verifier.check_step(Step(0, text))
    verifier.check_answer(f"x = 2, y = 3 {text}")
    verifier.derive(donor("Solve x + y = 7, x - y = 1", f"x = 4, y = 3 {text}"))


_babble = st.lists(
    st.sampled_from(
        [
            *("x", "y", "=", "5", "2", "3", "+", "-", "(", ")", "\n", ".", ":", "$"),
            *("x = 2", "y = 3", "x = 3", "x + y = 5", "3x = 6", "2x - y = 1", "?"),
            *("the first equation", "the second equation", "add", "subtract", "from"),
            *("substitute", "into", "multiply", "by", "both sides", "not", "or"),
            *("eliminate", "solve", "for", "(x, y) = (2, 3)", "check", "Step 1:"),
        ]
    ),
    max_size=16,
).map(" ".join)


@given(_babble)
def test_no_babble_is_accepted_without_the_solution(text: str) -> None:
    verifier = bound(QUESTION)
    verdict = verifier.check_answer(text)
    verifier.check_step(Step(0, text))
    if isinstance(verdict, Accept):
        assert "2" in text
        assert "3" in text
        assert not any(word in text.split() for word in ("not", "or", "?"))
