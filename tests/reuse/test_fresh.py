"""A fresh answer is kept if it is right, mended if it is wrong, else left alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.errors import (
    StructuredOutputError,
    UpstreamError,
    UpstreamStatusError,
    UpstreamTimeoutError,
)
from stepcache_proxy.reuse.ask import Forward, StepCounts
from stepcache_proxy.reuse.fresh import Settled
from stepcache_proxy.reuse.model import (
    Accept,
    Answer,
    Outcome,
    Provenance,
    Record,
    RecordId,
    Reject,
)
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import Cache, Said, ScriptedUpstream, answer, ask, canonical, format_of
from tests.strategies import (
    EQUATION,
    INTRO,
    OTHER_SHAPE,
    OTHER_STEPS,
    Equation,
    equations,
    garbage,
)

ASKED = ask(EQUATION.question)
WRONG = INTRO + "Step 1: Start from 2x + 3 = 11.\nAnswer: x = 5"
RIGHT_END = EQUATION.worked.split("\n", 1)[1]
AGE: dict[str, Json] = {
    "type": "object",
    "properties": {"age": {"type": "integer"}},
    "required": ["age"],
    "additionalProperties": False,
}
STRICT, LOOSE = format_of(AGE, is_strict=True), format_of(AGE)

upstream_errors = pytest.mark.parametrize(
    "error",
    [
        pytest.param(UpstreamError("gone"), id="gone"),
        pytest.param(UpstreamTimeoutError("late"), id="late"),
        pytest.param(UpstreamStatusError(503, [], b""), id="refusing"),
    ],
)


def cache_of(*script: Said | UpstreamError) -> Cache:
    return Cache(upstream=ScriptedUpstream(list(script)))


async def stored(cache: Cache, id_: RecordId | None) -> Record:
    assert id_ is not None
    (record,) = await cache.store.get([id_])
    assert record is not None
    return record


async def test_a_right_answer_goes_out_as_it_came_and_is_kept_as_proved() -> None:
    cache = cache_of()
    settled = await cache.settle(ASKED, answer(EQUATION.worked))
    assert settled == Settled(record=ASKED.request.id)
    record = await stored(cache, settled.record)
    assert (record.is_proved, record.task) == (True, "linear_equation")
    assert record.provenance is Provenance.FRESH


async def test_an_answer_without_a_task_is_kept_unproved() -> None:
    cache, asked = cache_of(), ask("Tell me a story.")
    settled = await cache.settle(asked, answer("Once."))
    assert settled.served is None
    record = await stored(cache, settled.record)
    assert (record.is_proved, record.task) == (False, None)


async def test_what_no_task_reads_is_kept() -> None:
    cache = cache_of()
    forward = Forward(Outcome.MISS, "no-candidate")
    settled = await cache.settler.settle(ASKED, forward, answer("Once."))
    assert settled.record == ASKED.request.id
    await cache.background.run()


async def test_what_may_not_be_kept_has_no_record() -> None:
    asked = ask(EQUATION.question, {"cache-control": "no-store"})
    settled = await cache_of().settle(asked, answer(EQUATION.worked))
    assert settled == Settled()


async def test_a_wrong_answer_is_repaired_from_its_right_steps() -> None:
    cache = cache_of(Said(RIGHT_END, completion_tokens=9))
    settled = await cache.settle(ASKED, answer(WRONG, tokens=20))
    served = settled.served
    assert served is not None
    first = EQUATION.worked.split("\n", 1)[0]
    assert served.answer.content == f"{INTRO}{first}\n{RIGHT_END}"
    assert (served.outcome, served.reason) == (Outcome.PATCH, "step:3")
    assert served.steps == StepCounts(kept=2, patched=3)
    assert (served.generated, served.fallback, served.is_stored) == (29, None, True)
    record = await stored(cache, settled.record)
    assert (record.provenance, record.is_proved) == (Provenance.PATCHED, True)


async def test_a_wrong_answer_that_no_repair_mends_falls_back() -> None:
    cache = cache_of(Said("Bananas."), Said("Bananas."))
    settled = await cache.settle(ASKED, answer(WRONG))
    served = settled.served
    assert served is not None
    assert served.fallback == "linear_equation"
    record = await stored(cache, settled.record)
    assert record.provenance is Provenance.FALLBACK


@upstream_errors
async def test_an_upstream_that_is_gone_leaves_the_fallback(
    error: UpstreamError,
) -> None:
    cache = cache_of(error)
    settled = await cache.settle(ASKED, answer(WRONG, tokens=20))
    served = settled.served
    assert served is not None
    assert (served.fallback, served.generated) == ("linear_equation", 20)
    assert settled.record == ASKED.request.id


@upstream_errors
async def test_without_a_fallback_the_answer_goes_out_as_it_came(
    error: UpstreamError,
) -> None:
    asked = ask("How old?", response_format=LOOSE)
    assert await cache_of(error).settle(asked, answer("Old.")) == Settled()


@upstream_errors
async def test_a_strict_schema_is_an_error_even_if_nobody_can_repair(
    error: UpstreamError,
) -> None:
    asked = ask("How old?", response_format=STRICT)
    with pytest.raises(StructuredOutputError, match="does not fit the schema"):
        await cache_of(error).settle(asked, answer("Old."))


async def test_a_wrong_end_after_right_steps_fails_as_a_whole() -> None:
    asked = ask("Solve 7x = 3x + 2 for x. Show your steps.")
    cache = cache_of(Said("".join(OTHER_STEPS[1:])))
    settled = await cache.settle(asked, answer(OTHER_STEPS[0], finish="stop"))
    served = settled.served
    assert served is not None
    assert (served.reason, served.steps) == ("integrity", StepCounts(1, 0, 2))


async def test_a_fence_is_taken_off_without_asking_again() -> None:
    asked = ask("How old?", response_format=LOOSE)
    cache = cache_of()
    settled = await cache.settle(asked, answer('```json\n{"age": 3}\n```', tokens=11))
    served = settled.served
    assert served is not None
    assert served.answer.content == '{"age": 3}'
    assert (served.reason, served.generated) == ("integrity", 11)
    assert served.steps == StepCounts(patched=1)
    record = await stored(cache, settled.record)
    assert (record.is_proved, record.task) == (True, "json_object")


async def test_a_strict_schema_that_the_model_cannot_fill_is_an_error() -> None:
    asked = ask("How old?", response_format=STRICT)
    cache = cache_of(Said("Old."), Said("Very old."))
    with pytest.raises(StructuredOutputError):
        await cache.settle(asked, answer("Old."))
    assert await cache.store.get([asked.request.id]) == [None]


@pytest.mark.parametrize(
    ("given_format", "finish"),
    [
        pytest.param(LOOSE, "stop", id="no strict schema"),
        pytest.param(STRICT, "length", id="cut by its own limit"),
        pytest.param({"type": "json_object"}, "stop", id="no schema"),
        pytest.param({"type": "json_schema", "json_schema": 1}, "stop", id="no object"),
    ],
)
async def test_an_answer_that_cannot_be_mended_goes_out_as_it_came(
    given_format: dict[str, Json], finish: str
) -> None:
    asked = ask("How old?", response_format=given_format, max_tokens=50)
    cache = cache_of(Said("Old."), Said("Old."))
    forward = await cache.forward(asked)
    settled = await cache.settler.settle(asked, forward, answer("Old.", finish=finish))
    await cache.background.run()
    assert settled.served is None


async def test_an_answer_that_cannot_be_read_is_for_the_same_request_alone() -> None:
    text = EQUATION.worked.replace("Step 1: Start", "Zounds! Step 1: Start")
    cache = cache_of()
    settled = await cache.settle(ASKED, answer(text))
    assert settled == Settled(record=ASKED.request.id)
    (record,) = await cache.store.get([ASKED.request.id])
    assert record is not None
    assert record.is_exact_only
    assert not record.is_proved


async def test_what_is_not_held_is_not_mended() -> None:
    cache = cache_of()
    forward = replace(await cache.forward(ASKED), is_held=False)
    assert await cache.settler.settle(ASKED, forward, answer(WRONG)) == Settled()


async def test_tokens_of_failed_patches_are_counted() -> None:
    cache = cache_of(Said(RIGHT_END, completion_tokens=9))
    forward = replace(await cache.forward(ASKED), spent=100)
    settled = await cache.settler.settle(ASKED, forward, answer(WRONG, tokens=20))
    assert settled.served is not None
    assert settled.served.generated == 129
    await cache.background.run()


@given(equations, garbage, st.lists(garbage, min_size=2, max_size=2), st.booleans())
async def test_whatever_the_upstream_says_no_wrong_answer_goes_out(
    equation: Equation, fresh: str, repairs: list[str], is_cut: bool
) -> None:
    cache, asked = cache_of(*map(Said, repairs)), ask(equation.question)
    given_answer = answer(fresh, finish="length" if is_cut else "stop")
    settled = await cache.settle(asked, given_answer)
    shown = settled.served.answer if settled.served else given_answer
    await judged(asked.request.text, shown, settled)


async def judged(question: str, shown: Answer, settled: Settled) -> None:
    verifier = LinearEquation().bind(canonical(question))
    assert verifier is not None
    verdict = verifier.check_answer(shown.text)
    assert not isinstance(verdict, Reject)
    if settled.record is not None or settled.served is not None:
        assert verdict == Accept()


async def test_a_request_of_another_shape_is_settled_alike() -> None:
    settled = await cache_of(Said("?"), Said("?")).settle(ask(OTHER_SHAPE), answer("?"))
    assert settled.served is not None
    assert settled.served.answer.text.endswith("Answer: x = 1/2")


@pytest.mark.parametrize("finish", ["content_filter", "tool_calls"])
async def test_what_the_upstream_withheld_is_not_replaced(finish: str) -> None:
    cache = cache_of()
    assert await cache.settle(ASKED, answer(WRONG, finish=finish)) == Settled()
