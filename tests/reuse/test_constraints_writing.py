"""Where the very letters count, only the identical text shares an answer."""

import pytest

from stepcache_proxy.reuse.constraints import ConstraintReason, difference


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param("base64 of ABC", "base64 of abc", id="encoding"),
        pytest.param(
            "How many letters are in Hello?",
            "How many letters are in hello?",
            id="letters",
        ),
        pytest.param(
            "Explain the RAVEN protocol", "Explain the raven protocol", id="name"
        ),
        pytest.param(
            "Why does it fail?\nif a:\n    b()\nc()",
            "Why does it fail?\nif a:\n    b()\n    c()",
            id="indentation",
        ),
        pytest.param("How do I change my PIN?", "How do I change my pin?", id="PIN"),
        pytest.param("Explain The Who", "Explain who", id="a band"),
        pytest.param("Who wrote It?", "Who wrote it?", id="a book"),
        pytest.param("Who directed Up?", "who directed up?", id="a film"),
        pytest.param("Translate good bread", "translate good bread", id="translation"),
    ],
)
def test_another_case_or_layout_is_another_request(a: str, b: str) -> None:
    assert difference(a, b) is ConstraintReason.WORDS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(
            "Please tell me how to reset my Password",
            "please tell me how to reset my password",
            id="everyday-words",
        ),
        pytest.param("Hi, How do I pay?", "hi, how do i pay?", id="after a comma"),
        pytest.param("Can I pay if I'm ill?", "can i pay if i'm ill?", id="I"),
        pytest.param("Marmots eat what?", "marmots eat what?", id="sentence-start"),
    ],
)
def test_case_that_means_nothing_does_not_count(a: str, b: str) -> None:
    assert difference(a, b) is None


@pytest.mark.parametrize("word", ["IT", "US", "WHO"])
def test_a_small_word_in_capitals_is_another_word(word: str) -> None:
    small = word.lower()
    assert difference(f"What is the fee of {word}?", f"What is the fee of {small}?")
