"""Hostile text neither raises nor runs nor takes long; it is simply not understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Step
from stepcache_proxy.tasks.quadratic_equation.asking import read_request
from tests.tasks.quadratic_equation.quadratics import bound, donor

HOSTILE = [
    pytest.param("__import__('os').system('id')", id="code"),
    pytest.param("9**9**9**9", id="tower"),
    pytest.param("x^2^2^2^2", id="powers of powers"),
    pytest.param("x^9999999999", id="large power"),
    pytest.param("9" * 10_000, id="long number"),
    pytest.param("1" + ",000" * 400, id="long thousands"),
    pytest.param("0." + "3" * 500, id="long decimal"),
    pytest.param("(" * 1_500 + "x" + ")" * 1_500, id="deep brackets"),
    pytest.param("√(" * 60 + "4" + ")" * 60, id="nested roots"),
    pytest.param("-" * 150 + "x", id="many signs"),
    pytest.param("x" + "+x" * 900, id="many terms"),
    pytest.param("*".join(["999999999999999999999999999999"] * 60), id="product"),
    pytest.param(r"\frac{" * 300, id="unclosed fractions"),
    pytest.param(r"\frac{1}{" * 40 + "x" + "}" * 40, id="nested fractions"),
    pytest.param("= " * 900, id="many equals signs"),
    pytest.param("x = 2 or " * 900, id="many statements"),
    pytest.param("25 - 24 = 1. " * 190, id="many chains"),
    pytest.param("are the roots of " * 400, id="many words"),
    pytest.param("٣x² + ۴", id="other digits"),
    pytest.param("x\u0000\u202e5", id="control characters"),
    pytest.param("1/0", id="division by zero"),
    pytest.param("√-4", id="root of a negative"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_request_does_not_bind(text: str) -> None:
    for request in (f"Solve {text} = 4 for x.", f"Solve x^2 = {text}", text):
        assert read_request(request) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_not_accepted(text: str) -> None:
    verifier = bound("Solve x^2 - 7x + 10 = 0")
    for answer in (text, f"x = 2 or x = 5. {text}", f"x = {text}"):
        verifier.check_step(Step(0, answer))
        assert not isinstance(verifier.check_answer(answer), Accept)
    assert verifier.derive(donor("Solve x^2 = 4", f"x = ±2 {text}")) is None


@given(st.text(max_size=200) | st.text("x^2-5+6=0().,±√or \n√{}\\/ab", max_size=80))
def test_no_text_raises(text: str) -> None:
    verifier = bound("Solve x^2 - 5x + 6 = 0")
    read_request(f"Solve x^2 = 4 {text}")
    verifier.check_step(Step(0, text))
    verifier.check_answer(f"x = 2 or x = 3 {text}")
    verifier.derive(donor(f"Solve x^2 = 9 {text}", f"x = ±3 {text}"))
