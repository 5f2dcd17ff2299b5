"""The task binds plain problems, groups them by their words, and proves nothing."""

import pytest

from stepcache_proxy.reuse.model import Donor, Step, Unknown
from stepcache_proxy.reuse.protocols import Verifier
from stepcache_proxy.reuse.roles import is_grouping, is_reworking
from stepcache_proxy.tasks.word_problem import WordProblem
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import canonical

GIVEN = "Ann buys 4 pens at $3 each. How much does she pay?"
ASKED = "Ann buys 5 pens at $3 each. How much does she pay?"
DONOR = Donor(GIVEN, {}, "She pays 4 * $3 = $12.")


def test_a_problem_is_bound_and_worked_from_another() -> None:
    verifier = WordProblem().bind(canonical(ASKED))
    assert verifier is not None
    assert is_reworking(verifier)
    assert verifier.rework(DONOR) == "She pays 5 * $3 = $15."


def test_nothing_is_proved() -> None:
    verifier: Verifier | None = WordProblem().bind(canonical(ASKED))
    assert verifier is not None
    assert verifier.derive(DONOR) is None
    assert verifier.fallback() is None
    assert verifier.check_answer("She pays 5 * $3 = $15.") == Unknown()
    assert verifier.check_step(Step(0, "She pays $12.")) == Unknown()
    assert verifier.repair((), "", "") is None


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param("How do I bake bread?", {}, id="no numbers"),
        pytest.param(ASKED, {"response_format": {"type": "json_object"}}, id="format"),
        pytest.param(
            ASKED,
            {
                "messages": [
                    {"role": "system", "content": "Prices double today."},
                    {"role": "user", "content": ASKED},
                ]
            },
            id="something said before",
        ),
    ],
)
def test_other_requests_are_left_to_others(text: str, fields: dict[str, Json]) -> None:
    task = WordProblem()
    assert task.bind(canonical(text, **fields)) is None
    assert task.group(canonical(text, **fields)) is None


def test_the_words_are_the_group() -> None:
    task = WordProblem()
    assert is_grouping(task)
    groups = {task.group(canonical(text)) for text in (GIVEN, ASKED)}
    assert len(groups) == 1
    assert task.group(canonical(ASKED.replace("pens", "cups"))) not in groups


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(ASKED, None, id="other numbers"),
        pytest.param(GIVEN.upper(), None, id="the same in capitals"),
        pytest.param(ASKED.replace("pens", "cups"), "constraint:number", id="words"),
        pytest.param(GIVEN.replace("pens", "cups"), "constraint:words", id="things"),
        pytest.param(
            GIVEN.replace("4 pens", "some pens"), "constraint:number", id="vague"
        ),
    ],
)
def test_only_numbers_may_differ(text: str, reason: str | None) -> None:
    assert WordProblem().compare(canonical(text), DONOR) == reason
    other = Donor(GIVEN, {"response_format": {"type": "json_object"}}, "{}")
    assert WordProblem().compare(canonical(text), other) == "constraint:format"
