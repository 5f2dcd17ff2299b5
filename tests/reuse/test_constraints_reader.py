"""A reader that remembers texts says of them what one says that does not."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.constraints import Reader, difference, wording
from stepcache_proxy.reuse.constraints.reader import LONGEST, Reading
from tests.reuse.test_constraints_properties import TEXTS


@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_texts_compare_the_same_however_often_they_were_read(texts: list[str]) -> None:
    reader = Reader(3)
    for _ in range(2):
        for one in texts:
            assert reader.wording(one) == wording(one)
            for other in texts:
                assert reader.difference(one, other) == difference(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Explain The Who", "Explain the who", id="case"),
        pytest.param("Sort it", " Sort it", id="indentation"),
        pytest.param("Who sells tablets?", "Who sells Tablet?", id="name"),
        pytest.param("How do I recieve it?", "How do I receive it?", id="slip"),
        pytest.param("Is 3 odd?", "Is 4 odd?", id="number"),
    ],
)
def test_texts_that_look_alike_are_never_taken_for_each_other(
    one: str, other: str
) -> None:
    reader = Reader(8)
    for text in (one, other, one, other):
        assert reader.wording(text) == wording(text)
    for plain in ("What is it?", one, other):
        assert reader.difference(plain, one) == difference(plain, one)
        assert reader.difference(plain, other) == difference(plain, other)


@pytest.mark.parametrize("padding", [0, LONGEST])
def test_a_text_is_read_the_same_however_long_it_is(padding: int) -> None:
    reader, blank = Reader(8), " " * padding
    for _ in range(2):
        assert reader.difference(f"Draw it{blank}", f"Please draw it{blank}") is None
        assert reader.difference(f"Draw 2{blank}", f"Draw 3{blank}") is not None


def test_only_so_many_texts_are_remembered_and_no_long_one() -> None:
    reader = Reader(2)
    for number in range(20):
        reader.wording(f"Draw {number} zebras")
    reader.wording("Draw 30 zebras" + " " * LONGEST)
    gc.collect()
    kept = [each.text for each in gc.get_objects() if isinstance(each, Reading)]
    texts = [text for text in kept if text.rstrip().endswith("zebras")]
    assert sorted(texts) == ["Draw 18 zebras", "Draw 19 zebras"]
