"""Switches of the benchmark, groups of requests, and what derived answers lend."""

from dataclasses import replace

from stepcache_proxy.reuse.ask import Forward, Served
from stepcache_proxy.reuse.model import Outcome, TaskName
from stepcache_proxy.reuse.patch import Mender, NotMended, draft_of
from stepcache_proxy.reuse.payoff import Payoff, RepairKind
from stepcache_proxy.tasks.linear_equation import LinearEquation
from tests.fakes import Cache, ask

ASKED = "Solve 2x + 3 = 11 for x. Show your steps."
OTHER = "Solve 5x + 1 = 36 for x. Show your steps."
REWORDED = "Please show your steps: what is x if 2x + 3 = 11?"
RIGHT = (
    "1. Subtract 3 from both sides: 2x = 8\n2. Divide both sides by 2: x = 4\n"
    "Answer: x = 4"
)


async def test_without_derivation_other_constants_are_never_derived() -> None:
    cache = Cache(attempts=0)
    await cache.learn(ask(ASKED), RIGHT)
    pipeline = cache.pipeline
    off = replace(pipeline, searcher=replace(cache.searcher, may_derive=False))
    derived, other = await pipeline.answer(ask(OTHER)), await off.answer(ask(OTHER))
    await cache.background.run()
    assert isinstance(derived, Served)
    assert derived.outcome is Outcome.REUSE
    assert isinstance(other, Served)
    assert (other.outcome, other.fallback) == (Outcome.PATCH, "linear_equation")


async def test_without_patching_a_patch_is_a_skip() -> None:
    cache = Cache(attempts=0)
    await cache.learn(ask(ASKED), RIGHT)
    searcher = replace(cache.searcher, may_derive=False)
    pipeline = replace(cache.pipeline, searcher=searcher, may_patch=False)
    reply = await pipeline.answer(ask(OTHER))
    assert isinstance(reply, Forward)
    assert (reply.outcome, reply.reason) == (Outcome.SKIP, "step:1")


def test_equations_of_one_shape_share_a_template_whatever_their_words() -> None:
    searcher = Cache().searcher
    asks = [searcher.bound(ask(text)) for text in (ASKED, OTHER, REWORDED)]
    assert len({each.request.template for each in asks}) == 1
    assert len({each.request.id for each in asks}) == 3


async def test_an_equation_of_a_new_shape_is_derived_from_any_way_that_fits() -> None:
    cache = Cache()
    short = "-4z + 6 = 2z\n6 = 6z\nz = 1"
    await cache.learn(cache.searcher.bound(ask("Solve -4z + 6 = 2z for z.")), short)
    asked = cache.searcher.bound(ask("Solve 3a + 5 - a = 21 - 2a for a."))
    reply = await cache.reply(asked)
    assert isinstance(reply, Served)
    assert (reply.outcome, reply.similarity) == (Outcome.REUSE, None)
    assert reply.answer.text.endswith("a = 4")


def test_what_no_task_binds_keeps_its_template() -> None:
    plain = ask("What is the tallest tower?", tools=[{"type": "function"}])
    assert Cache().searcher.bound(plain) is plain


def test_wordings_of_one_question_share_a_template() -> None:
    searcher = Cache().searcher
    wordings = ("What is the tallest tower?", "Hi, what's the tallest tower? Thanks.")
    one, other, third = (
        searcher.bound(ask(text)).request
        for text in (*wordings, "What is the oldest tower?")
    )
    assert one.template == other.template != third.template
    assert one.id != other.id


def test_a_slip_of_the_keyboard_shares_the_template_too() -> None:
    searcher = Cache().searcher
    texts = ("How do I cancel my insurance?", "How do I cancel my insurence?")
    one, other = (searcher.bound(ask(text)).request for text in texts)
    assert one.template == other.template


def test_a_text_that_no_rule_reads_keeps_its_template() -> None:
    code = ask("for (i = 0; i < 3; i++) { print(i) } // why?")
    assert Cache().searcher.bound(code).request.template == code.request.template


async def test_a_derived_answer_is_no_donor_beside_its_own() -> None:
    cache = Cache()
    first = await cache.learn(ask(ASKED), RIGHT)
    assert isinstance(await cache.reply(ask(OTHER)), Served)
    found = await cache.store.find(ask(OTHER).request)
    assert [record.id for record in found.records] == [first]


async def test_a_derived_answer_of_another_template_is_one() -> None:
    cache = Cache()
    await cache.learn(ask(ASKED), RIGHT)
    assert isinstance(await cache.reply(ask(REWORDED)), Served)
    found = await cache.store.find(ask(REWORDED).request)
    assert [record.id for record in found.records] == [ask(REWORDED).request.id]


async def test_repairs_that_never_pay_are_not_asked_for() -> None:
    cache = Cache()
    payoff = Payoff()
    for is_whole in (False, True):
        kind = RepairKind("m", TaskName("linear_equation"), is_whole=is_whole)
        for _ in range(8):
            payoff.note(kind, is_success=False)
    mender = Mender(cache.upstream, cache.recording, 2, payoff)
    verifier = LinearEquation().bind(ask(ASKED).request)
    assert verifier is not None
    draft = draft_of(verifier, "Answer: x = 5", "wrong")
    mended = await mender.mend(verifier, ask(ASKED), draft, only_parts=False)
    assert not isinstance(mended, NotMended)
    assert (mended.fallback, mended.generated) == ("linear_equation", 0)
    assert cache.upstream.prompts == []
