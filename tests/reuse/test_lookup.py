"""All that the cache can say comes in time and never as an error."""

import pytest

from stepcache_proxy.reuse.lookup import bind, verdict_name
from stepcache_proxy.reuse.model import Accept, Reject, Reuse, Unknown
from stepcache_proxy.tasks.json_object import JsonObjectTask
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.verbatim import Verbatim
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import (
    BrokenEmbedder,
    BrokenIndex,
    BrokenStore,
    Cache,
    SleepyEmbedder,
    ask,
    canonical,
)
from tests.strategies import EQUATION, Equation

ASKED = ask(EQUATION.question)
OTHERS = [Equation(5, -2, 9), Equation(4, 1, 9), Equation(9, 4, 8)]
TASKS = (JsonObjectTask(), LinearEquation(), Verbatim())


async def learned() -> Cache:
    cache = Cache()
    await cache.learn(ASKED, EQUATION.worked)
    return cache


@pytest.mark.parametrize(
    ("text", "fields", "name"),
    [
        pytest.param(EQUATION.question, {}, "linear_equation", id="equation"),
        pytest.param("Tell me a story.", {}, "verbatim", id="text"),
        pytest.param(
            "A person.",
            {"response_format": {"type": "json_object"}},
            "json_object",
            id="object",
        ),
    ],
)
def test_the_first_task_that_understands_is_bound(
    text: str, fields: dict[str, Json], name: str
) -> None:
    bound = bind(TASKS, canonical(text, **fields))
    assert bound is not None
    assert bound.task.name == bound.verifier.task == name


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param(EQUATION.question, {"tools": [{"type": "function"}]}, id="tools"),
        pytest.param("", {}, id="nothing asked"),
    ],
)
def test_what_no_task_understands_is_not_bound(
    text: str, fields: dict[str, Json]
) -> None:
    assert bind(TASKS, canonical(text, **fields)) is None


def test_verdicts_have_names() -> None:
    named = [verdict_name(v) for v in (Accept(), Reject("a"), Unknown("b"))]
    assert named == ["accept", "reject", "unknown"]


async def test_the_exact_record_ends_the_search() -> None:
    cache = await learned()
    found = await cache.searcher.look_up(ASKED)
    assert found.exact is not None
    assert (found.findings, found.trouble) == ((), None)
    assert cache.recording.story == ["template"]
    assert await cache.searcher.exact(ASKED) == found.exact


async def test_a_thorough_search_goes_on() -> None:
    cache = await learned()
    for other in OTHERS[:2]:
        await cache.learn(ask(other.question), other.worked)
    found = await cache.searcher.look_up(ASKED, is_thorough=True)
    assert found.exact is not None
    assert len(found.findings) == 2
    assert found.vector is not None
    stages = [event for event in cache.recording.story if isinstance(event, str)]
    assert stages == ["template", "verify", "verify", "embed", "nearest"]


async def test_the_first_candidate_that_serves_is_enough() -> None:
    cache = await learned()
    await cache.learn(ask(OTHERS[0].question), OTHERS[0].worked)
    found = await cache.searcher.look_up(ask(OTHERS[1].question))
    (finding,) = found.findings
    assert finding.decision == Reuse()
    assert found.vector is None


async def test_a_candidate_is_judged_once() -> None:
    cache = await learned()
    found = await cache.searcher.look_up(
        ask("Solve 7x = 3x + 2 for x. Show your steps.")
    )
    assert len(found.findings) == 1
    stages = [event for event in cache.recording.story if isinstance(event, str)]
    assert stages.count("verify") == 1
    assert stages[-2:] == ["embed", "nearest"]


@pytest.mark.parametrize(
    "headers", [{"cache-control": "no-cache"}, {"x-stepcache-mode": "off"}]
)
async def test_what_may_not_be_served_is_not_looked_up(headers: dict[str, str]) -> None:
    cache = await learned()
    found = await cache.searcher.look_up(ask(EQUATION.question, headers))
    assert (found.exact, found.findings, cache.recording.story) == (None, (), [])
    assert found.bound is not None


async def test_no_cache_holds_for_the_exact_tier_alone_too() -> None:
    cache = await learned()
    asked = ask(EQUATION.question, {"cache-control": "no-cache"})
    assert await cache.searcher.exact(asked) is None


async def test_exact_mode_looks_no_further_than_what_differs() -> None:
    cache = await learned()
    exact = {"x-stepcache-mode": "exact"}
    found = await cache.searcher.look_up(ask(EQUATION.question, exact))
    assert found.exact is not None
    found = await cache.searcher.look_up(ask(OTHERS[0].question, exact))
    assert (found.findings, found.differs) == ((), None)
    found = await cache.searcher.look_up(ask(EQUATION.question, exact, seed=4))
    assert (found.findings, found.differs) == ((), "seed")


async def test_a_request_with_tools_looks_no_further_either() -> None:
    cache = await learned()
    tools: Json = [{"type": "function", "function": {"name": "f"}}]
    found = await cache.searcher.look_up(ask(EQUATION.question, tools=tools))
    assert (found.bound, found.findings, found.differs) == (None, (), "tools")


async def test_a_request_that_no_task_understands_has_no_findings() -> None:
    cache = await learned()
    cache.tasks = ()
    found = await cache.searcher.look_up(ask(OTHERS[0].question))
    assert (found.bound, found.findings, found.trouble) == (None, (), None)


async def test_a_request_without_text_is_not_embedded() -> None:
    cache = await learned()
    found = await cache.searcher.look_up(ask(""))
    assert (found.findings, found.vector) == ((), None)


async def test_past_the_budget_the_stage_under_way_is_broken_off() -> None:
    cache = await learned()
    cache.embedder = SleepyEmbedder()
    cache.budget_seconds = 0.01
    found = await cache.searcher.look_up(ask("Solve 7x = 3x + 2 for x."))
    assert (found.trouble, found.findings) == ("budget", ())


async def test_time_spent_on_the_exact_tier_counts() -> None:
    cache = await learned()
    cache.embedder = SleepyEmbedder()
    cache.tick_seconds = 60.0
    found = await cache.searcher.look_up(ask("Solve 7x = 3x + 2 for x."))
    assert found.trouble == "budget"


async def test_a_store_that_is_down_is_trouble_and_no_error() -> None:
    cache = Cache()
    cache.store = BrokenStore(cache.read_now)
    found = await cache.searcher.look_up(ASKED)
    assert (found.trouble, found.bound is not None) == ("degraded:store", True)
    assert await cache.searcher.exact(ASKED) is None


async def test_an_index_that_is_down_keeps_what_was_found_before() -> None:
    cache = await learned()
    cache.index = BrokenIndex()
    found = await cache.searcher.look_up(
        ask("Solve 7x = 3x + 2 for x. Show your steps.")
    )
    assert found.trouble == "degraded:index"
    assert len(found.findings) == 1


async def test_an_embedder_that_is_down_is_trouble_and_no_error() -> None:
    cache = await learned()
    cache.embedder = BrokenEmbedder()
    found = await cache.searcher.look_up(ask("Solve 7x = 3x + 2 for x."))
    assert found.trouble == "degraded:embedder"


async def test_a_raised_floor_needs_the_embedder() -> None:
    cache = await learned()
    cache.embedder = BrokenEmbedder()
    headers = {"x-stepcache-min-similarity": "0.9"}
    found = await cache.searcher.look_up(ask(OTHERS[0].question, headers))
    assert found.trouble == "degraded:embedder"
    assert found.findings == ()
