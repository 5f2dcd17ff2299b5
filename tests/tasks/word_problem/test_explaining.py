"""Numbers are explained in one way only, or not at all."""

from fractions import Fraction

import pytest

from stepcache_proxy.tasks.word_problem.aligning import Slot, aligned
from stepcache_proxy.tasks.word_problem.explaining import explain
from stepcache_proxy.tasks.word_problem.mentioning import read_mentions
from stepcache_proxy.tasks.word_problem.question import Question, read_question
from stepcache_proxy.tasks.word_problem.script import read_script
from stepcache_proxy.tasks.word_problem.sources import Sources
from stepcache_proxy.tasks.word_problem.worked import Worked, read_worked


def prepared(
    given: str, asked: str, answer: str
) -> tuple[Question, tuple[Slot, ...], Worked]:
    before, after = read_question(given), read_question(asked)
    script = read_script(answer, frozenset())
    assert before is not None
    assert after is not None
    assert script is not None
    slots, worked = aligned(before, after), read_worked(script)
    assert slots is not None
    assert worked is not None
    return before, slots, worked


def becomes(given: str, asked: str, answer: str) -> list[str] | None:
    question, slots, worked = prepared(given, asked, answer)
    readings = explain(worked, slots, question)
    if readings is None:
        return None
    return [str(readings[place].becomes) for place in sorted(readings)]


@pytest.mark.parametrize(
    ("given", "asked", "answer", "numbers"),
    [
        pytest.param(
            "9 boxes of 20 pens",
            "8 boxes of 30 pens",
            "9 * 20 = 180",
            ["8", "30", "240"],
            id="two quantities",
        ),
        pytest.param(
            "9 red and 9 blue pens",
            "8 red and 8 blue pens",
            "9 + 9 = 18",
            ["8", "8", "16"],
            id="equal before and after",
        ),
        pytest.param(
            "9 red and 9 blue pens",
            "8 red and 7 blue pens",
            "9 + 9 = 18",
            None,
            id="equal before, not after",
        ),
        pytest.param(
            "9 boxes of 20 pens",
            "9 boxes of 30 pens",
            "20 + 1 = 21",
            None,
            id="a quantity is idle",
        ),
        pytest.param(
            "9 boxes of 20 pens",
            "8 boxes of 30 pens",
            "9 * 20 = 180\n20 - 9 = 11",
            None,
            id="a result is idle",
        ),
        pytest.param(
            "9 boxes of 20 pens",
            "8 boxes of 30 pens",
            "9 * 20 = 180\n180 + 44 = 224",
            None,
            id="a number from nowhere",
        ),
    ],
)
def test_every_thrifty_way_must_agree(
    given: str, asked: str, answer: str, numbers: list[str] | None
) -> None:
    assert becomes(given, asked, answer) == numbers


def test_a_noun_tells_equal_quantities_apart() -> None:
    question, slots, worked = prepared(
        "3 pens and 3 cups", "4 pens and 5 cups", "3 pens + 3 cups = 6"
    )
    sources = Sources.of(slots, question)
    found = [sources.quantities(worked, place) for place in sorted(worked.numbers)]
    assert [[r.becomes for r in readings] for readings, _ in found[:2]] == [
        [Fraction(4)],
        [Fraction(5)],
    ]


@pytest.mark.parametrize(
    ("prose", "said"),
    [
        pytest.param("With 9 boxes", ["8"], id="a quantity"),
        pytest.param("With the two kinds", ["2"], id="a count"),
        pytest.param("With 31 friends", None, id="from nowhere"),
    ],
)
def test_numbers_in_prose_follow_what_they_speak_of(
    prose: str, said: list[str] | None
) -> None:
    question, slots, worked = prepared(
        "9 boxes of 20 pens", "8 boxes of 30 pens", f"{prose}:\n9 * 20 = 180"
    )
    readings = explain(worked, slots, question)
    assert readings is not None
    found = read_mentions(worked, readings, slots, question)
    assert (found and [str(r.becomes) for r in found.values()]) == said
