"""A reported record is gone at once, and near it only what is proved is served."""

import pytest

from stepcache_proxy.errors import StoreUnavailableError
from stepcache_proxy.reuse.ask import Served
from stepcache_proxy.reuse.model import Outcome
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import BrokenStore, Cache, ask
from tests.strategies import EQUATION, Equation

CAPITAL = ask("What is the capital of France?")
REWORDED = ask("What's the capital of France?")
ONCE_MORE = ask("Please tell me: what is the capital of France?")
OTHER = Equation(5, -2, 9)


async def reported(cache: Cache, question: str, text: str, **fields: Json) -> None:
    id_ = await cache.learn(ask(question, None, **fields), text)
    assert await cache.keeper.quarantine(id_)
    await cache.background.run()
    cache.recording.events.clear()


async def test_a_reported_record_is_not_served_again() -> None:
    cache = Cache()
    await reported(cache, CAPITAL.request.text, "It is Lyon.")
    assert await cache.pipeline.exact(CAPITAL) is None
    for asked in (CAPITAL, REWORDED):
        assert (await cache.forward(asked)).outcome in (Outcome.MISS, Outcome.SKIP)


async def test_a_better_answer_takes_its_place() -> None:
    cache = Cache()
    await reported(cache, CAPITAL.request.text, "It is Lyon.")
    await cache.learn(CAPITAL, "It is Paris.")
    reply = await cache.reply(CAPITAL)
    assert isinstance(reply, Served)
    assert reply.answer.text == "It is Paris."


async def test_what_is_near_and_not_proved_is_refused() -> None:
    cache = Cache()
    await cache.learn(REWORDED, "It is Paris.")
    assert isinstance(await cache.reply(ONCE_MORE), Served)
    await reported(cache, CAPITAL.request.text, "It is Lyon.")
    forward = await cache.forward(ONCE_MORE)
    assert (forward.outcome, forward.reason) == (Outcome.SKIP, "quarantine")


async def test_what_is_near_and_proved_is_served() -> None:
    cache = Cache()
    await cache.learn(ask(OTHER.question), OTHER.worked)
    await reported(cache, EQUATION.question, EQUATION.worked)
    reply = await cache.reply(ask(Equation(7, 3, 8).question))
    assert isinstance(reply, Served)
    assert reply.outcome is Outcome.REUSE


async def test_the_marker_lives_as_long_as_its_record_would_have() -> None:
    cache = Cache()
    await cache.learn(REWORDED, "It is Paris.")
    await reported(cache, CAPITAL.request.text, "It is Lyon.")
    cache.now += 86_399
    await cache.learn(REWORDED, "It is Paris.")
    assert (await cache.forward(ONCE_MORE)).reason == "quarantine"
    cache.now += 1
    assert isinstance(await cache.reply(ONCE_MORE), Served)


async def test_a_record_with_tools_leaves_no_vector() -> None:
    cache = Cache()
    tools: Json = [{"type": "function", "function": {"name": "f"}}]
    await reported(cache, CAPITAL.request.text, "It is Lyon.", tools=tools)
    assert cache.index.size() == 0


async def test_an_unknown_record_cannot_be_reported() -> None:
    assert not await Cache().keeper.quarantine(CAPITAL.request.id)


async def test_a_store_that_is_down_is_told() -> None:
    cache = Cache()
    cache.store = BrokenStore(cache.read_now)
    with pytest.raises(StoreUnavailableError):
        await cache.keeper.quarantine(CAPITAL.request.id)
