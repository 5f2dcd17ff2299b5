"""A row whose text is near is never missed, whatever was put, moved and dropped."""

from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.row_words import RowWords
from stepcache_proxy.reuse.sketch import are_near, words_of

SYLLABLES = [a + e for a in "bdfgklmnprst" for e in "aeiou"]
words = st.lists(st.sampled_from(SYLLABLES), min_size=2, max_size=3).map("".join)
texts = st.lists(words, max_size=40).map(" ".join)


@given(st.lists(texts, max_size=30), texts)
def test_the_rows_agree_with_comparing_every_text(rows: list[str], asked: str) -> None:
    kept = RowWords()
    for row, text in enumerate(rows):
        kept.put(row, words_of(text))
    expected = any(are_near(words_of(text), words_of(asked)) for text in rows)
    assert kept.is_any_near(words_of(asked)) is expected


@given(st.lists(texts, min_size=1, max_size=20), texts, st.data())
def test_a_dropped_row_is_filled_with_the_last(
    rows: list[str], asked: str, draw: st.DataObject
) -> None:
    kept = RowWords()
    for row, text in enumerate(rows):
        kept.put(row, words_of(text))
    gone = draw.draw(st.integers(0, len(rows) - 1))
    kept.fill(gone)
    rows[gone] = rows[-1]
    rows.pop()
    if rows:
        kept.put(len(rows) - 1, words_of("another text altogether"))
        rows[-1] = "another text altogether"
    expected = any(are_near(words_of(text), words_of(asked)) for text in rows)
    assert kept.is_any_near(words_of(asked)) is expected


def test_where_very_many_rows_look_near_they_are_not_compared() -> None:
    kept = RowWords()
    for row in range(200):
        kept.put(row, words_of("where does the heron sleep"))
    assert kept.is_any_near(words_of("the heron sleeps"))
    assert not kept.is_any_near(words_of("who painted bridges"))
