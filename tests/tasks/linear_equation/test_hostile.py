"""Hostile text neither raises nor runs nor takes long; it is simply not understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept, Step
from stepcache_proxy.tasks.linear_equation.asking import read_request
from tests.tasks.linear_equation.equations import bound, donor

HOSTILE = [
    pytest.param("__import__('os').system('id')", id="code"),
    pytest.param("9**9**9**9", id="tower"),
    pytest.param("9^9^9^9", id="carets"),
    pytest.param("9" * 10_000, id="long number"),
    pytest.param("1" + ",000" * 400, id="long thousands"),
    pytest.param("0." + "3" * 500, id="long decimal"),
    pytest.param("(" * 1_500 + "x" + ")" * 1_500, id="deep brackets"),
    pytest.param("(" * 60 + "x" + ")" * 60, id="brackets beyond the depth"),
    pytest.param("-" * 150 + "x", id="many signs"),
    pytest.param("x" + "+x" * 900, id="many terms"),
    pytest.param("*".join(["999999999999999999999999999999"] * 60), id="product"),
    pytest.param(r"\frac{" * 300, id="unclosed fractions"),
    pytest.param(r"\frac{1}{" * 40 + "x" + "}" * 40, id="nested fractions"),
    pytest.param("x" * 1_900, id="long word"),
    pytest.param("= " * 900, id="many equals signs"),
    pytest.param("٣x + ۴", id="other digits"),
    pytest.param("x\u0000\u202e5", id="control characters"),
    pytest.param("1/0", id="division by zero"),
    pytest.param("((((1/3)/3)/3)x)/0.0", id="division by decimal zero"),
    pytest.param("{}".format("{" * 500), id="braces"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_request_does_not_bind(text: str) -> None:
    for request in (text, f"Solve {text} = 4 for x.", f"Solve 4x = {text}"):
        asked = read_request(request)
        assert asked is None or asked.problem.solved is not None
    assert read_request(f"Solve 4x = {text} y") is None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_not_accepted(text: str) -> None:
    verifier = bound("Solve 4x + 6 = 26 for x.")
    for answer in (text, f"x = 5. {text}", f"x = {text}", f"Subtract {text}: 4x = 20"):
        verifier.check_step(Step(0, answer))
        assert not isinstance(verifier.check_answer(answer), Accept)
    assert verifier.derive(donor("Solve 5x = 10", f"x = 2 {text}")) is None


@given(st.text(max_size=300))
def test_no_text_raises(text: str) -> None:
    verifier = bound("Solve 4x + 6 = 26 for x.")
    read_request(f"Solve 3x = 6 {text}")
    verifier.check_step(Step(0, text))
    verifier.check_answer(f"x = 5 {text}")
    verifier.derive(donor(f"Solve 3x = 6 {text}", f"x = 2 {text}"))


def test_too_long_a_request_does_not_bind() -> None:
    assert read_request("Solve 3x = 6 for x. " + "please " * 300) is None
    assert read_request("Solve 3x = 6. " + "? " * 250) is None
