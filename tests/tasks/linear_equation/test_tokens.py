"""White space around a text is no part of it, and every token tells its place."""

from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_equation.tokens import tokenize

_LIMIT = 1_000
SPACES = " \t\r\f\v\u00a0\u2009\u202f"
blanks = st.text(SPACES, max_size=8)
written = st.text("abx12.3,'’_*-−+=/$\\()é²\n `#~:\"", max_size=40)


@given(blanks, written, blanks)
def test_white_space_around_a_text_changes_nothing_else(
    before: str, text: str, after: str
) -> None:
    bare = text.strip(SPACES)
    tokens = tokenize(before + bare + after, limit=_LIMIT)
    alone = tokenize(bare, limit=_LIMIT)
    assert tokens is not None
    assert alone is not None
    moved = [(t.kind, t.text, t.start - len(before)) for t in tokens]
    if not bare.startswith("-"):  # a dash at a line's beginning may be a list's
        assert moved == [(t.kind, t.text, t.start) for t in alone]


@given(written)
def test_a_token_is_the_text_at_its_place(text: str) -> None:
    end = 0
    for token in tokenize(text, limit=_LIMIT) or ():
        assert not text[end : token.start].strip(SPACES)
        assert token.start < token.end
        end = token.end
    assert not text[end:].strip(SPACES)


def test_a_long_stretch_of_white_space_has_no_tokens() -> None:
    assert tokenize(SPACES * 40_000, limit=1) == ()
    assert len(tokenize("x" + SPACES * 40_000, limit=1) or ()) == 1


def test_too_many_tokens_are_none_at_all() -> None:
    assert tokenize("x " * 5, limit=5) is not None
    assert tokenize("x " * 6, limit=5) is None
