"""What is worked anew without proof is served under a bound, and never kept."""

from dataclasses import replace

from stepcache_proxy.reuse.ask import Forward, Served
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.tasks.verbatim import Verbatim
from stepcache_proxy.tasks.word_problem import WordProblem
from tests.fakes import Cache, ask

ASKED = "Ann buys 4 pens at $3 each. How much does she pay?"
OTHER = "Ann buys 5 pens at $3 each. How much does she pay?"
ANSWER = "She pays 4 * $3 = $12."


def cache_of_problems(max_error: float = 0.01) -> Cache:
    return Cache(tasks=(WordProblem(), Verbatim()), max_error=max_error)


async def test_other_numbers_are_answered_in_the_stored_words() -> None:
    cache = cache_of_problems()
    await cache.learn(ask(ASKED), ANSWER)
    reply = await cache.reply(ask(OTHER))
    assert isinstance(reply, Served)
    assert reply.outcome is Outcome.REUSE
    assert reply.answer.text == "She pays 5 * $3 = $15."
    assert reply.steps is not None
    assert (reply.steps.kept, reply.steps.derived) == (0, 1)


async def test_it_becomes_no_record() -> None:
    cache = cache_of_problems()
    await cache.learn(ask(ASKED), ANSWER)
    assert isinstance(await cache.reply(ask(OTHER)), Served)
    await cache.background.run()
    assert await cache.pipeline.exact(ask(OTHER)) is None


async def test_a_record_that_was_wrong_is_worked_no_more() -> None:
    cache = cache_of_problems()
    id_ = await cache.learn(ask(ASKED), ANSWER)
    await cache.ledger.observe(id_, is_right=False)
    reply = await cache.forward(ask(OTHER))
    assert (reply.outcome, reply.reason) == (Outcome.SKIP, "bound")


async def test_who_trusts_only_observations_gets_none() -> None:
    cache = cache_of_problems(max_error=0.005)
    await cache.learn(ask(ASKED), ANSWER)
    assert (await cache.forward(ask(OTHER))).reason == "bound"


async def test_near_a_reported_answer_nothing_is_worked() -> None:
    cache = cache_of_problems()
    await cache.learn(ask(ASKED), ANSWER)
    bad = await cache.learn(ask(OTHER), "She pays 5 * $3 = $15.")
    assert await cache.keeper.quarantine(bad)
    third = ask(ASKED.replace("4", "9"))
    assert (await cache.forward(third)).reason == "quarantine"


async def test_without_derivation_nothing_is_worked() -> None:
    cache = cache_of_problems()
    await cache.learn(ask(ASKED), ANSWER)
    searcher = replace(cache.searcher, may_derive=False)
    reply = await replace(cache.pipeline, searcher=searcher).answer(ask(OTHER))
    assert isinstance(reply, Forward)
    assert (reply.outcome, reply.reason) == (Outcome.SKIP, "step:1")


async def test_a_fresh_answer_is_never_held_and_lends() -> None:
    cache = cache_of_problems()
    forward = await cache.forward(ask(ASKED))
    assert not forward.is_held
    await cache.learn(ask(ASKED), ANSWER)
    same = await cache.reply(ask("Hello! " + ASKED))
    assert isinstance(same, Served)
    assert same.answer.text == ANSWER


async def test_an_answer_past_a_stop_string_is_not_served() -> None:
    cache = cache_of_problems()
    await cache.learn(ask(ASKED, stop=["15"]), ANSWER)
    assert (await cache.forward(ask(OTHER, stop=["15"]))).reason == "step:1"
