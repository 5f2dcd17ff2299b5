"""Hostile text neither raises nor runs nor takes long; it is simply not understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.arithmetic import Arithmetic, check_equalities
from stepcache_proxy.tasks.arithmetic.task import ExpressionVerifier
from tests.fakes import canonical

HOSTILE = [
    pytest.param("__import__('os').system('id')", id="code"),
    pytest.param("9**9**9**9", id="tower"),
    pytest.param("9^9^9^9", id="carets"),
    pytest.param("9^200^200", id="large exponents"),
    pytest.param("(9^200)^200", id="powers of powers"),
    pytest.param("99!!!!!!", id="factorials"),
    pytest.param("9" * 10_000, id="long number"),
    pytest.param("1" + ",000" * 4_000, id="long thousands"),
    pytest.param("0." + "3" * 10_000, id="long decimal"),
    pytest.param("(" * 5_000 + "1" + ")" * 5_000, id="deep brackets"),
    pytest.param("-" * 5_000 + "1", id="many signs"),
    pytest.param("1" + "+1" * 5_000, id="many terms"),
    pytest.param("1 " * 5_000, id="many numbers"),
    pytest.param("*".join(["9" * 40] * 400), id="product"),
    pytest.param("/".join(["7"] * 4_000), id="quotients"),
    pytest.param(r"\frac{" * 3_000, id="unclosed fractions"),
    pytest.param(r"\sqrt{" * 30 + "4" + "}" * 30, id="nested roots"),
    pytest.param("= " * 9_000, id="many equals signs"),
    pytest.param("1 = " * 4_000, id="long chain"),
    pytest.param("٣ + ۴ = ۷", id="other digits"),
    pytest.param("1\u0000 + \u202e5 = 6", id="control characters"),
    pytest.param("1/0 = 1", id="division by zero"),
    pytest.param("0^-1 = 1", id="power of zero"),
    pytest.param("<<" * 5_000, id="unclosed notes"),
    pytest.param(r"\text{" * 3_000, id="unclosed texts"),
    pytest.param("is not " * 2_800, id="words"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_proves_nothing(text: str) -> None:
    assert Arithmetic().bind(canonical(f"What is {text}?")) is None
    verifier = Arithmetic().bind(canonical("What is 12 * 7?"))
    assert isinstance(verifier, ExpressionVerifier)
    for answer in (text, f"{text} = 84", f"12 * 7 = {text}"):
        assert verifier.check_answer(answer) != Accept()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_checked_in_the_end(text: str) -> None:
    for shown in (text, f"So 1 + {text} = 2 = 3 + {text}", text * 2):
        check_equalities(shown)


@given(
    st.text(st.sampled_from("0123456789+-*/^()=.,% {}\\fracsqrt!$\nx<>"), max_size=60)
)
def test_no_text_of_arithmetic_signs_raises(text: str) -> None:
    check_equalities(text)
    Arithmetic().bind(canonical(f"What is {text}?"))
