"""What no model is given, and what no vector is made of."""

import numpy as np
import pytest

from stepcache_proxy.adapters.sentences import is_encodable, vector_of


@pytest.mark.parametrize(
    ("text", "is_fine"),
    [("", True), ("a\u0000é😀", True), ("a\ud800", False), ("\udc00\ud800", False)],
    ids=["empty", "odd", "half a character", "halves the wrong way round"],
)
def test_half_a_character_is_not_encodable(text: str, is_fine: bool) -> None:
    assert is_encodable(text) is is_fine


def test_a_row_becomes_a_vector_of_the_same_numbers() -> None:
    row = np.array([0.5, -0.25], np.float32)
    assert list(vector_of(row) or ()) == [0.5, -0.25]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_row_without_a_number_is_no_vector(value: float) -> None:
    assert vector_of(np.array([1.0, value], np.float32)) is None
