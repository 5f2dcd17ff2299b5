"""An answer is read whole: every sign of arithmetic belongs to a right calculation."""

import pytest

from stepcache_proxy.tasks.word_problem.script import read_script
from stepcache_proxy.tasks.word_problem.worked import Worked, read_worked


def worked(text: str, *fractions: tuple[int, int]) -> Worked | None:
    script = read_script(text, frozenset(fractions))
    return read_worked(script) if script else None


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        pytest.param("It is 3 * 4 = 12 pens.", [["3", "4"]], id="plain"),
        pytest.param("So 3 pens x $4/pen = $12", [["3", "4"]], id="units"),
        pytest.param("3*4=<<3*4=12>>12", [["3", "4", "3", "4"]], id="noted"),
        pytest.param("1 + 2 = 3. 3 * 5 = 15", [["1", "2"], ["3", "5"]], id="two"),
        pytest.param("2(3 + 4) = 14", [["2", "3", "4"]], id="brackets"),
        pytest.param("20% of $50 = $10", [["20", "50"]], id="of"),
        pytest.param("2 * 6 = 3 * 4 = 12", [["2", "6", "3", "4"]], id="chain"),
        pytest.param("- Step 2: 8 – 3 = 5", [["8", "3"]], id="labels"),
        pytest.param("2/5 * 20 = 8", [["2/5", "20"]], id="fraction"),
    ],
)
def test_calculations_are_read(text: str, operands: list[list[str]]) -> None:
    read = worked(text, (2, 5))
    assert read is not None
    found = [
        [read.numbers[place].text for place in calculation.operands]
        for calculation in read.calculations
    ]
    assert found == operands


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("3 * 4 = 13", id="wrong"),
        pytest.param("10 / 3 = 3.33", id="rounded"),
        pytest.param("3 * 4 = 12 < 15", id="comparison"),
        pytest.param("2x + 3 = 11, 4 * 2 = 8", id="unknown"),
        pytest.param("3 + 4, 3 * 4 = 12", id="no value"),
        pytest.param("3 * 4 = <<3*4=12>>13", id="another value than noted"),
        pytest.param("It is <<12=12>>12", id="a note that calculates nothing"),
        pytest.param("2^3 = 8", id="power"),
        pytest.param("3 * 4 = twelve", id="a value in words"),
        pytest.param("She has 12 pens.", id="nothing calculated"),
    ],
)
def test_what_is_not_read_whole_is_not_read(text: str) -> None:
    assert worked(text) is None


def test_numbers_in_prose_are_mentions_and_the_last_line_states_the_answer() -> None:
    read = worked("With 5 friends she has 3 * 4 = 12 pens.\n#### 12")
    assert read is not None
    mentioned = [read.numbers[place].text for place in sorted(read.mentions)]
    assert mentioned == ["5", "12"]
    assert [read.numbers[place].text for place in read.finals] == ["12"]
