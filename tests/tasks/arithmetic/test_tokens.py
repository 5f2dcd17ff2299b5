"""Plain text, Unicode signs and LaTeX are one language of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.arithmetic.tokens import MAX_CHARS, Mark, tokens


def shown(text: str) -> str:
    return " ".join(token.text for token in tokens(text))


@pytest.mark.parametrize(
    "text", ["3 * 4 = 12", "3 × 4=12", r"3 \times 4 = 12", r"3 \cdot 4 & = 12"]
)
def test_the_same_is_written_in_many_ways(text: str) -> None:
    assert shown(text) == "3 * 4 = 12"


@pytest.mark.parametrize("text", ["1,200.50", "1{,}200.50", r"1\,200.50", "$1200.50"])
def test_a_number_is_read_with_its_decimals(text: str) -> None:
    (token,) = tokens(text)
    assert (float(token.value), token.places) == (1200.5, 2)


def test_what_stands_close_is_glued() -> None:
    assert [token.is_glued for token in tokens("2x + y(3)")] == [
        *(False, True, False, False, True, True, True)
    ]


@pytest.mark.parametrize(
    "text", [pytest.param("9" * 41, id="long"), "٣", "|", r"\pi", "..."]
)
def test_what_is_no_arithmetic_is_opaque(text: str) -> None:
    assert [token.mark for token in tokens(text)] == [Mark.OPAQUE]


@given(st.text(max_size=100))
def test_no_text_raises(text: str) -> None:
    assert len(tokens(text)) <= len(text)


def test_a_long_text_is_cut() -> None:
    assert len(tokens("1 " * MAX_CHARS)) == MAX_CHARS // 2
