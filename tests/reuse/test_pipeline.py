"""The story of a request, told by its events: what was reused, and what was not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.errors import UpstreamError, UpstreamStatusError
from stepcache_proxy.reuse.ask import Forward, Served, StepCounts
from stepcache_proxy.reuse.canonical import canonicalise
from stepcache_proxy.reuse.events import (
    FellBack,
    Repaired,
    Skipped,
    VerdictName,
    Verified,
)
from stepcache_proxy.reuse.keep import Origin
from stepcache_proxy.reuse.model import Accept, Outcome, Provenance, Reject, TaskName
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import (
    SCOPE,
    BrokenEmbedder,
    BrokenIndex,
    BrokenStore,
    Cache,
    Said,
    SleepyEmbedder,
    answer,
    ask,
    canonical,
    format_of,
)
from tests.strategies import (
    EQUATION,
    INTRO,
    OTHER_SHAPE,
    OTHER_STEPS,
    Equation,
    equations,
    garbage,
)

TASK = TaskName("linear_equation")
VERBATIM = TaskName("verbatim")
ASKED = ask(EQUATION.question)
OTHER = Equation(5, -2, 9)
REWORDED = "Please solve 2x + 3 = 11 for x and show your steps."
REGION = "".join(OTHER_STEPS)
CAPITAL = ask("What is the capital of France?")


def verified(*verdicts: VerdictName) -> Verified:
    return Verified(TASK, verdicts)


FIRST_ALONE = verified("accept", "reject", "reject", "reject", "reject")
NONE = verified("reject", "reject", "reject", "reject")


async def learned(text: str = EQUATION.worked) -> Cache:
    cache = Cache()
    await cache.learn(ASKED, text)
    return cache


async def served(cache: Cache, question: str, **fields: Json) -> Served:
    reply = await cache.reply(ask(question, None, **fields))
    assert isinstance(reply, Served)
    return reply


async def test_exact() -> None:
    cache = await learned()
    cache.now += 5
    reply = await served(cache, EQUATION.question)
    assert (reply.outcome, reply.reason) == (Outcome.EXACT, "verified")
    assert reply.answer == answer(EQUATION.worked)
    assert reply.age_seconds == 5
    assert cache.recording.story == ["template"]
    assert await cache.pipeline.exact(ASKED) == reply
    assert await cache.pipeline.exact(ask(REWORDED)) is None


async def test_miss() -> None:
    cache = Cache()
    forward = await cache.forward(ASKED)
    assert (forward.outcome, forward.reason) == (Outcome.MISS, "no-candidate")
    assert (forward.is_held, forward.spent) == (True, 0)
    assert forward.verifier is not None
    assert cache.recording.story == ["template"]


async def test_miss_of_a_request_without_a_task() -> None:
    cache = Cache()
    forward = await cache.forward(CAPITAL)
    assert (forward.outcome, forward.is_held) == (Outcome.MISS, False)
    cache.tasks = ()
    forward = await cache.forward(CAPITAL)
    assert (forward.verifier, forward.is_held) == (None, False)


async def test_reuse() -> None:
    cache = await learned()
    reply = await served(cache, REWORDED)
    assert (reply.outcome, reply.reason) == (Outcome.REUSE, "verified")
    assert (reply.record, reply.steps) == (ASKED.request.id, StepCounts(kept=4))
    assert reply.answer == answer(EQUATION.worked)
    assert cache.recording.story == [
        "template",
        "embed",
        "nearest",
        "verify",
        verified("accept", "accept", "accept", "accept"),
        "record",
    ]


async def test_what_was_reused_is_exact_from_then_on() -> None:
    cache = await learned()
    await served(cache, REWORDED)
    cache.recording.events.clear()
    assert (await served(cache, REWORDED)).outcome is Outcome.EXACT
    assert cache.recording.story == ["template"]


async def test_derived() -> None:
    cache = await learned()
    reply = await served(cache, OTHER.question)
    assert (reply.outcome, reply.steps) == (Outcome.REUSE, StepCounts(derived=4))
    assert reply.answer.text == OTHER.worked.replace("-2", "2")
    assert reply.generated == 0
    assert cache.recording.story == ["template", "verify", NONE, "record"]


async def test_reuse_without_a_proof_is_not_recorded_anew() -> None:
    cache = Cache()
    await cache.learn(CAPITAL, "It is Paris.")
    reply = await served(cache, "What's the capital of France?")
    assert reply.outcome is Outcome.REUSE
    assert cache.recording.story == [
        "template",
        "embed",
        "nearest",
        "verify",
        Verified(VERBATIM, ("unknown",)),
    ]


async def test_patch() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    cache.upstream.script = [Said(REGION, completion_tokens=30)]
    reply = await served(cache, OTHER_SHAPE)
    assert (reply.outcome, reply.reason) == (Outcome.PATCH, "step:2")
    assert reply.answer.text == INTRO + REGION
    assert (reply.steps, reply.generated) == (StepCounts(kept=1, patched=3), 30)
    assert (reply.record, reply.is_stored) == (ask(OTHER_SHAPE).request.id, True)
    assert cache.recording.story == [
        "template",
        "verify",
        FIRST_ALONE,
        "embed",
        "nearest",
        Repaired(TASK, "accepted"),
        "record",
    ]


async def test_patch_that_falls_back() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    cache.upstream.script = [Said("?"), Said("?")]
    reply = await served(cache, OTHER_SHAPE)
    assert (reply.outcome, reply.fallback) == (Outcome.PATCH, TASK)
    rejected = Repaired(TASK, "rejected")
    assert cache.recording.story[-4:] == [rejected, rejected, FellBack(TASK), "record"]


async def test_patch_whose_upstream_refuses_is_a_skip() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    cache.upstream.script = [UpstreamStatusError(500, [], b"")]
    forward = await cache.forward(ask(OTHER_SHAPE))
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "step:2")
    assert forward.vector is not None
    assert cache.recording.story[-1] == Skipped("step:2")


async def test_patch_whose_upstream_is_gone_is_told() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    cache.upstream.script = [UpstreamError("gone")]
    with pytest.raises(UpstreamError):
        await cache.pipeline.answer(ask(OTHER_SHAPE))


async def test_patch_that_nothing_mends_is_a_skip_that_counts_its_tokens() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    cache.upstream.script = [Said("?", completion_tokens=5)] * 2
    forward = await cache.forward(ask(OTHER_SHAPE, stop=["Step 1"]))
    assert (forward.outcome, forward.spent) == (Outcome.MISS, 0)
    asked = ask(EQUATION.question, stop=["Answer"])
    await cache.keeper.keep(asked, answer(INTRO + EQUATION.worked), PROVED)
    await cache.background.run()
    forward = await cache.forward(ask(OTHER_SHAPE, stop=["Answer"]))
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "step:2")
    assert forward.spent == 10


PROVED = Origin(Provenance.FRESH, TASK, is_proved=True)


async def test_skip() -> None:
    cache = Cache()
    await cache.learn(CAPITAL, "It is Paris.")
    forward = await cache.forward(ask("What is the capital of Spain?"))
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "constraint:name")
    assert forward.similarity is not None
    assert forward.vector is not None
    assert cache.recording.story == [
        "template",
        "embed",
        "nearest",
        "verify",
        Skipped("constraint:name"),
    ]


async def test_skip_of_another_parameter() -> None:
    cache = await learned()
    forward = await cache.forward(ask(EQUATION.question, seed=3))
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "differs:seed")
    assert cache.recording.story == ["template", Skipped("differs:seed")]


async def test_skip_of_an_unproved_donor() -> None:
    cache = Cache()
    await cache.keeper.keep(ASKED, answer(EQUATION.worked), Origin(Provenance.FRESH))
    await cache.background.run()
    forward = await cache.forward(ask(OTHER.question))
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "step:1")


async def test_a_donor_that_is_wrong_after_all_is_not_reused() -> None:
    cache = Cache()
    wrong = EQUATION.worked.replace("x = 4", "x = 5")
    await cache.keeper.keep(ASKED, answer(wrong), PROVED)
    await cache.background.run()
    cache.upstream.script = [Said("?"), Said("?")]
    reply = await served(cache, REWORDED)
    assert reply.answer.text.endswith("Answer: x = 4")


async def test_a_donor_of_json_lends_its_members() -> None:
    cache = Cache()
    one = format_of(schema("name"))
    both = format_of(schema("name", "town"))
    await cache.learn(ask("Who is she?", response_format=one), '{"name": "Ann"}')
    cache.upstream.script = [Said('{"town": "Rome"}')]
    reply = await cache.reply(ask("Who is she?", response_format=both))
    if isinstance(reply, Served):
        assert reply.outcome is Outcome.PATCH
        assert "Ann" in reply.answer.text
        assert "Rome" in reply.answer.text
    else:
        assert reply.reason == "constraint:keys"


def schema(*names: str) -> dict[str, Json]:
    properties: dict[str, Json] = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": list(names)}


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        pytest.param("store", "degraded:store", id="store"),
        pytest.param("index", "degraded:index", id="index"),
        pytest.param("embedder", "degraded:embedder", id="embedder"),
    ],
)
async def test_degraded(part: str, reason: str) -> None:
    cache = Cache()
    await cache.learn(CAPITAL, "It is Paris.")
    parts = {"index": BrokenIndex(), "embedder": BrokenEmbedder()}
    setattr(cache, part, parts.get(part, BrokenStore(cache.read_now)))
    forward = await cache.forward(ask("Who are you?"))
    assert (forward.outcome, forward.reason) == (Outcome.MISS, reason)


async def test_a_degraded_index_does_not_stop_the_template() -> None:
    cache = await learned()
    cache.index = BrokenIndex()
    assert (await served(cache, OTHER.question)).outcome is Outcome.REUSE


async def test_budget() -> None:
    cache = await learned()
    cache.embedder = SleepyEmbedder()
    cache.tick_seconds = 60.0
    forward = await cache.forward(ask("Who are you?"))
    assert (forward.outcome, forward.reason) == (Outcome.MISS, "budget")


async def test_only_if_cached_asks_no_upstream() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    only = {"cache-control": "only-if-cached"}
    forward = await cache.forward(ask(OTHER_SHAPE, only))
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "step:2")
    assert cache.upstream.prompts == []
    assert isinstance(await cache.reply(ask(REWORDED, only)), Served)
    assert isinstance(await cache.reply(ask(EQUATION.question, only)), Served)


async def test_exact_mode() -> None:
    cache = await learned()
    exact = {"x-stepcache-mode": "exact"}
    assert isinstance(await cache.reply(ask(EQUATION.question, exact)), Served)
    cache.recording.events.clear()
    forward = await cache.forward(ask(REWORDED, exact))
    assert (forward.outcome, forward.reason) == (Outcome.MISS, "no-candidate")
    assert cache.recording.story == ["template"]


async def test_no_cache() -> None:
    cache = await learned()
    asked = ask(EQUATION.question, {"cache-control": "no-cache"})
    forward = await cache.forward(asked)
    assert (forward.outcome, forward.reason) == (Outcome.MISS, "no-candidate")
    assert await cache.pipeline.exact(asked) is None
    assert cache.recording.story == []


async def test_no_store() -> None:
    cache = await learned()
    no_store = {"cache-control": "no-store"}
    assert isinstance(await cache.reply(ask(OTHER.question, no_store)), Served)
    assert await cache.pipeline.exact(ask(OTHER.question)) is None


async def test_no_store_names_no_record_of_a_patch() -> None:
    cache = await learned(INTRO + EQUATION.worked)
    cache.upstream.script = [Said(REGION)]
    reply = await cache.reply(ask(OTHER_SHAPE, {"cache-control": "no-store"}))
    assert isinstance(reply, Served)
    assert (reply.record, reply.is_stored) == (None, False)


async def test_max_age() -> None:
    cache = await learned()
    cache.now += 61
    young = {"cache-control": "max-age=60"}
    for question in (EQUATION.question, REWORDED, OTHER.question):
        forward = await cache.forward(ask(question, young))
        assert (forward.outcome, forward.reason) == (Outcome.MISS, "no-candidate")


async def test_an_expired_record_is_a_miss() -> None:
    cache = await learned()
    cache.now += 86_400
    for question in (EQUATION.question, REWORDED, OTHER.question):
        assert (await cache.forward(ask(question))).outcome is Outcome.MISS


async def test_tenants_and_namespaces_share_nothing() -> None:
    cache = await learned()
    request = ASKED.request
    for other in ({"tenant": "u"}, {"namespace": "n"}):
        scope = replace(SCOPE, **other)
        foreign = canonicalise("chat", request.body, scope)
        assert foreign is not None
        assert isinstance(await cache.reply(replace(ASKED, request=foreign)), Forward)


@given(
    st.lists(equations, min_size=1, max_size=3),
    equations,
    garbage,
    st.lists(garbage, min_size=2, max_size=2),
)
async def test_whatever_was_cached_and_said_the_answer_is_right(
    donors: list[Equation], asked_for: Equation, fresh: str, said: list[str]
) -> None:
    cache = Cache()
    for donor in donors:
        await cache.learn(ask(donor.question), INTRO + donor.worked)
    cache.upstream.script = [*map(Said, said), *map(Said, said)]
    asked = ask(asked_for.question)
    reply = await cache.reply(asked)
    if isinstance(reply, Forward):
        settled = await cache.settler.settle(asked, reply, answer(fresh))
        await cache.background.run()
        text = settled.served.answer.text if settled.served else fresh
        assert not isinstance(check(asked_for, text), Reject)
    else:
        assert check(asked_for, reply.answer.text) == Accept()
    again = await cache.pipeline.exact(asked)
    assert again is None or check(asked_for, again.answer.text) == Accept()


def check(equation: Equation, text: str) -> object:
    verifier = LinearEquation().bind(canonical(equation.question))
    assert verifier is not None
    return verifier.check_answer(text)


async def test_reused_json_leaves_no_copy_that_outlives_its_donor() -> None:
    cache = Cache()
    wanted = format_of(schema("name"))
    await cache.learn(
        ask("Describe a gardener.", response_format=wanted), '{"name": "Ann"}'
    )
    again = ask("Please describe a gardener.", response_format=wanted)
    reply = await cache.reply(again)
    assert isinstance(reply, Served)
    assert reply.outcome is Outcome.REUSE
    await cache.background.run()
    assert await cache.store.get([again.request.id]) == [None]
