"""An answer counts its tokens by the upstream's own count."""

import pytest

from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.jsonvalue import JsonObject


def answer(content: str | None, usage: JsonObject) -> Answer:
    return Answer(content=content, finish_reason="stop", model="m", usage=usage)


def test_the_counts_are_the_upstreams() -> None:
    given = answer("one two", {"prompt_tokens": 3, "completion_tokens": 2})
    assert (given.prompt_tokens, given.completion_tokens, given.most_tokens) == (
        3,
        2,
        2,
    )


@pytest.mark.parametrize("usage", [{}, {"completion_tokens": None}])
def test_an_untold_count_is_at_most_the_bytes(usage: JsonObject) -> None:
    given = answer("é!", usage)
    assert (given.prompt_tokens, given.completion_tokens, given.most_tokens) == (
        0,
        0,
        3,
    )


def test_no_content_is_empty_text() -> None:
    assert answer(None, {}).text == ""
    assert answer(None, {}).most_tokens == 0
