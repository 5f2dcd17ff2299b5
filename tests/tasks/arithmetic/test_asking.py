"""A request is bound only if it asks for one value and cannot mean anything else."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.arithmetic.asking import read_request

ONLY = " Reply with only the number."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("What is 9/11?", id="a day"),
        pytest.param("What is 24/7?", id="an idiom"),
        pytest.param("What is 555-1234?", id="a telephone number"),
        pytest.param("What is 6/2(1+2)?", id="read in two ways"),
        pytest.param("Calculate 200 + 10%", id="percent of what"),
        pytest.param("Compute -2^2", id="signed power"),
        pytest.param("Compute 2^3^2", id="power of a power"),
        pytest.param("What is 3 x 4?", id="a letter"),
        pytest.param("What is 2 + 2 in binary?", id="another base"),
        pytest.param("What is $2 + $3?", id="currency"),
        pytest.param("What is 2 + 2? Explain.", id="more than asked"),
        pytest.param("Calculate 1/0", id="no value"),
        pytest.param("What is 12?", id="nothing to do"),
        pytest.param("What is 10 / 3?" + ONLY, id="no number to write"),
        pytest.param("What is 2 + 2 = 5?", id="a claim"),
        pytest.param("What is love?", id="no number"),
    ],
)
def test_what_may_be_meant_otherwise_is_not_bound(text: str) -> None:
    assert read_request(text) is None


def test_what_was_asked_is_kept_as_written() -> None:
    asked = read_request("Please calculate the value of 2*(3 + 4), please.")
    assert asked is not None
    assert (asked.expression, asked.value) == ("2*(3 + 4)", Fraction(14))
    assert not asked.is_number_only
