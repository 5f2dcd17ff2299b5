"""The steps of an answer join to it byte for byte, wherever its stream was cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.reuse.model import Step
from stepcache_proxy.reuse.segment import Segmenter, segment

PIECES = st.sampled_from(
    [
        *(
            "\n",
            "\n\n",
            "\r\n",
            " ",
            "   ",
            "\t",
            "text",
            "x = 2",
            "1. ",
            "2) ",
            "12.5",
        ),
        *(
            "Step 1: ",
            "**Step 2**",
            "# ",
            "- ",
            "* ",
            "Answer: 4",
            "The final answer is ",
        ),
        *(
            "```",
            "```python",
            "~~~",
            "~~~~",
            "| a | b |",
            "|---|---|",
            "$$",
            "\\[",
            "\\]",
        ),
        *(
            "\\begin{align}",
            "\\end{align}",
            "\\\\[2pt]",
            "{",
            '{"a": 1}',
            "}",
            "[",
            "]",
        ),
        *("[1, 2]", '"', "é", "\u2028", "\x00", "y" * 70),
    ]
)
ANSWERS = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200)


def texts(answer: str) -> list[str]:
    return [step.text for step in segment(answer)]


def streamed(pieces: list[str]) -> tuple[Step, ...]:
    segmenter = Segmenter()
    steps = [step for piece in pieces for step in segmenter.push(piece)]
    return (*steps, *segmenter.flush())


@given(ANSWERS)
def test_steps_join_to_the_answer(answer: str) -> None:
    steps = segment(answer)
    assert "".join(step.text for step in steps) == answer
    assert [step.index for step in steps] == list(range(len(steps)))
    assert all(step.text for step in steps)


@given(ANSWERS, st.lists(st.integers(0, 400), max_size=12))
def test_every_cut_of_a_stream_gives_the_same_steps(
    answer: str, cuts: list[int]
) -> None:
    places = sorted({min(cut, len(answer)) for cut in cuts} | {0, len(answer)})
    pieces = [answer[a:b] for a, b in pairwise(places)]
    assert streamed(pieces) == segment(answer)


@given(ANSWERS)
def test_a_stream_of_single_characters_gives_the_same_steps(answer: str) -> None:
    assert streamed(list(answer)) == segment(answer)


@given(ANSWERS, ANSWERS)
def test_a_released_step_is_never_withdrawn(before: str, after: str) -> None:
    released = Segmenter().push(before)
    assert list(segment(before + after)[: len(released)]) == released


@given(st.lists(st.sampled_from(["a", "```", "$$", "1. b", "", "- c"]), max_size=12))
def test_a_closed_fence_is_never_split(body: list[str]) -> None:
    fenced = "\n".join(["~~~", *body, "~~~"])
    assert any(fenced in step for step in texts(f"Before.\n\n{fenced}\n\nAfter."))


def test_the_empty_answer_has_no_steps() -> None:
    assert segment("") == ()
    assert Segmenter().flush() == []


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(["1. Subtract 3.\n", "2. Divide by 2.\nx = 4"], id="dots"),
        pytest.param(["1) Subtract.\n", "2) Divide."], id="brackets"),
        pytest.param(["(1) Subtract.\n", "(2) Divide."], id="in-brackets"),
        pytest.param(["Step 1: a\n", "Step 2: b\n", "Answer: 4"], id="step-lines"),
        pytest.param(["**Step 1**\na\n", "**Step 2:** b"], id="bold-steps"),
        pytest.param(["Intro\n", "# One\ntext\n", "## Two\ntext"], id="headings"),
        pytest.param(["Intro:\n", "- one\n", "- two\n", "* three"], id="list-items"),
        pytest.param(["First.\nStill first.\n\n", "Second."], id="paragraphs"),
        pytest.param(["First.\r\n \r\n\r\n", "Second.\r\n"], id="windows-line-ends"),
        pytest.param(["We get 4.\n", "The final answer is 4."], id="final-answer"),
        pytest.param(["We get 4.\n", "So the answer is 4."], id="so-the-answer"),
        pytest.param(["\n\n1. a\n", "2. b"], id="leading-blank-lines"),
    ],
)
def test_a_step_begins_at(steps: list[str]) -> None:
    assert texts("".join(steps)) == steps


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("```python\na = 1\n\n# not a heading\n- b\n```", id="fence"),
        pytest.param("~~~~\n~~~\n\n1. x\n~~~~", id="longer-fence"),
        pytest.param("- ```\n  a\n\n  b\n  ```", id="fence-in-a-list-item"),
        pytest.param("```\nnever closed\n\n1. x", id="open-fence"),
        pytest.param("| a | b |\n|---|---|\n| 1. | - x |", id="table"),
        pytest.param("$$\nx = 1\n\n- y\n$$", id="dollars"),
        pytest.param("\\[\nx\n\n- y \\\\[2pt]\n\n1. z\n\\]", id="brackets"),
        pytest.param(
            "\\begin{align}\n\n\\begin{cases}\n\n\\end{cases}\n\n- c\n\\end{align}",
            id="nested-environments",
        ),
        pytest.param('{"a": "1. x\\n\\n- y",\n\n "b": [1,\n\n2]}\n', id="object"),
        pytest.param('  [\n\n1,\n\n{"a": 2}]', id="array"),
        pytest.param("It costs\n1.5 euros\n-2 of them", id="not-markers"),
    ],
)
def test_one_step_stays_one(answer: str) -> None:
    assert texts(answer) == [answer]


def test_an_answer_that_only_opens_like_json_is_read_as_text() -> None:
    answer = '["a" is the first.\n\n1. one\n2. two'
    assert texts(answer) == ['["a" is the first.\n\n', "1. one\n", "2. two"]
    assert texts("[see](x)\n\nmore") == ["[see](x)\n\n", "more"]


def test_a_stray_end_of_an_environment_hides_nothing() -> None:
    assert texts("a \\end{x} \\]\n\nb") == ["a \\end{x} \\]\n\n", "b"]


def test_inline_code_in_three_backticks_opens_nothing() -> None:
    assert texts("```a``` is\n\n- b") == ["```a``` is\n\n", "- b"]


def test_a_step_is_released_before_the_next_line_is_complete() -> None:
    segmenter = Segmenter()
    assert segmenter.push("1. one\n2") == []
    assert segmenter.push(". " + "w" * 70) == [Step(0, "1. one\n")]
    assert segmenter.push(" end\n") == []
    assert segmenter.flush() == [Step(1, "2. " + "w" * 70 + " end\n")]
