"""The kept steps stay, only the region is asked for, and what passes is proved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.errors import UpstreamError, UpstreamStatusError
from stepcache_proxy.reuse.ask import Ask, Finding
from stepcache_proxy.reuse.events import FellBack, Repaired
from stepcache_proxy.reuse.model import (
    Accept,
    Candidate,
    Patch,
    Region,
    Reject,
    TaskName,
    Unknown,
)
from stepcache_proxy.reuse.patch import (
    Mended,
    NotMended,
    draft_from,
    draft_of,
)
from stepcache_proxy.reuse.protocols import Task, Verifier
from stepcache_proxy.tasks.json_object import JsonObjectTask
from stepcache_proxy.tasks.linear_equation import LinearEquation
from stepcache_proxy.tasks.linear_equation.asking import read_request
from stepcache_proxy.tasks.linear_equation.task import EquationVerifier
from stepcache_proxy.tasks.verbatim import Verbatim
from stepcache_proxy.wire.jsonvalue import Json
from tests.fakes import (
    Cache,
    Said,
    ScriptedUpstream,
    ask,
    canonical,
    format_of,
    record_of,
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
REGION = "".join(OTHER_STEPS)
DONOR = INTRO + EQUATION.worked
REJECTED, ACCEPTED = Repaired(TASK, "rejected"), Repaired(TASK, "accepted")


def bound(asked: Ask, task: Task | None = None) -> Verifier:
    verifier = (task or LinearEquation()).bind(asked.request)
    assert verifier is not None
    return verifier


async def mend(
    cache: Cache, asked: Ask, text: str, *, only_parts: bool = True
) -> Mended | NotMended:
    task = JsonObjectTask() if asked.request.format else LinearEquation()
    verifier = bound(asked, task)
    draft = draft_of(verifier, text, "wrong")
    return await cache.mender.mend(verifier, asked, draft, only_parts=only_parts)


def cache_of(*script: Said | UpstreamError) -> Cache:
    return Cache(upstream=ScriptedUpstream(list(script)))


async def test_the_upstream_continues_the_kept_steps() -> None:
    cache, asked = cache_of(Said(REGION, completion_tokens=33)), ask(OTHER_SHAPE)
    mended = await mend(cache, asked, DONOR)
    assert isinstance(mended, Mended)
    assert mended.text == INTRO + REGION
    assert (mended.kept, mended.patched, mended.generated) == (1, 3, 33)
    assert (mended.fallback, mended.meta is not None) == (None, True)
    (prompt,) = cache.upstream.prompts
    assert (prompt.prefix, prompt.body) == (INTRO, asked.request.body)
    assert (prompt.endpoint, prompt.headers) == ("chat", asked.headers)
    assert cache.recording.story == [ACCEPTED]


async def test_a_reply_is_broken_off_at_the_first_wrong_step() -> None:
    wrong = "Step 1: Subtract 3x from both sides: 4x = 3.\n" + "and so on\n\n" * 9
    cache = cache_of(Said(wrong), Said(REGION))
    mended = await mend(cache, ask(OTHER_SHAPE), DONOR)
    assert isinstance(mended, Mended)
    assert mended.text == INTRO + REGION
    assert len(cache.upstream.given) < wrong.count("\n") + len(OTHER_STEPS)
    assert cache.upstream.closed == 2
    assert cache.recording.story == [REJECTED, ACCEPTED]


async def test_right_steps_of_a_failed_reply_are_kept() -> None:
    first, second, last = OTHER_STEPS
    cache = cache_of(Said(first + "Step 2: Divide both sides by 4: x = 9.\n" + last))
    cache.upstream.script.append(Said(second + last))
    mended = await mend(cache, ask(OTHER_SHAPE), DONOR)
    assert isinstance(mended, Mended)
    assert (mended.text, mended.kept, mended.patched) == (INTRO + REGION, 2, 2)
    assert [prompt.prefix for prompt in cache.upstream.prompts] == [
        INTRO,
        INTRO + first,
    ]


async def test_a_worse_reply_costs_no_kept_step() -> None:
    cache = cache_of(Said("", "length"), Said(REGION))
    assert isinstance(await mend(cache, ask(OTHER_SHAPE), DONOR), Mended)
    assert {prompt.prefix for prompt in cache.upstream.prompts} == {INTRO}


async def test_a_cut_reply_is_not_accepted() -> None:
    cache = cache_of(Said(REGION, "length"), Said(REGION, "length"))
    mended = await mend(cache, ask(OTHER_SHAPE), DONOR)
    assert isinstance(mended, Mended)
    assert mended.fallback == TASK
    assert cache.recording.story == [REJECTED, REJECTED, FellBack(TASK)]


async def test_repairs_are_bounded_and_then_the_fallback_answers() -> None:
    cache = cache_of(*[Said("Bananas.\n")] * 9)
    asked = ask(OTHER_SHAPE)
    mended = await mend(cache, asked, DONOR)
    assert isinstance(mended, Mended)
    assert (mended.fallback, mended.kept, mended.generated) == (TASK, 0, 2)
    assert bound(asked).check_answer(mended.text) == Accept()
    assert len(cache.upstream.prompts) == cache.attempts == 2


async def test_without_attempts_the_fallback_answers_at_once() -> None:
    cache = Cache(attempts=0)
    mended = await mend(cache, ask(OTHER_SHAPE), DONOR)
    assert isinstance(mended, Mended)
    assert (mended.generated, mended.meta) == (0, None)
    assert cache.recording.story == [FellBack(TASK)]


@given(equations, garbage, garbage, garbage, st.booleans())
async def test_whatever_the_upstream_says_the_answer_is_right(
    equation: Equation, draft: str, one: str, two: str, only_parts: bool
) -> None:
    cache, asked = cache_of(Said(one), Said(two)), ask(equation.question)
    mended = await mend(cache, asked, draft, only_parts=only_parts)
    assert isinstance(mended, Mended)
    assert bound(asked).check_answer(mended.text) == Accept()
    assert mended.kept >= 0
    assert mended.patched >= 0
    assert len(cache.upstream.prompts) <= 2


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"max_tokens": 40}, id="over the limit"),
        pytest.param({"stop": ["Step 2"]}, id="past a stop string"),
    ],
)
async def test_what_the_request_does_not_allow_is_not_served(
    fields: dict[str, Json],
) -> None:
    cache = cache_of(Said(REGION, completion_tokens=30))
    mended = await mend(cache, ask(OTHER_SHAPE, None, **fields), DONOR)
    assert mended == NotMended(30)
    assert cache.recording.story == [ACCEPTED]


async def test_a_fallback_within_the_limit_is_served() -> None:
    cache = cache_of()
    asked = ask(OTHER_SHAPE, max_tokens=100)
    mended = cache.mender.fall_back(bound(asked), asked)
    assert isinstance(mended, Mended)


class BoastfulVerifier(EquationVerifier):
    """An equation's verifier whose author has miscalculated the fallback."""

    def fallback(self) -> str:
        return "Step 1: Start from 7x = 3x + 2.\nAnswer: x = 99"


def test_a_fallback_that_is_wrong_is_not_served() -> None:
    cache, asked = cache_of(), ask(OTHER_SHAPE)
    request = read_request(OTHER_SHAPE)
    assert request is not None
    verifier = BoastfulVerifier(request)
    assert cache.mender.fall_back(verifier, asked, 3) == NotMended(3)
    assert cache.recording.story == []


@pytest.mark.parametrize(
    "error", [UpstreamError("gone"), UpstreamStatusError(500, [], b"")]
)
async def test_an_upstream_that_is_gone_is_told(error: UpstreamError) -> None:
    with pytest.raises(type(error)):
        await mend(cache_of(error), ask(OTHER_SHAPE), DONOR)


async def test_a_task_without_repair_or_fallback_mends_nothing() -> None:
    cache, asked = cache_of(), ask("Tell me a story.")
    verifier = bound(asked, Verbatim())
    draft = draft_of(verifier, "Once.", "wrong")
    assert await cache.mender.mend(
        verifier, asked, draft, only_parts=False
    ) == NotMended(0)
    assert cache.recording.story == []


PERSON = format_of(
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
)
JSON = TaskName("json_object")


async def test_only_the_missing_members_are_asked_for() -> None:
    cache = cache_of(Said('{"age": 30}'))
    asked = ask("Who is she?", response_format=PERSON)
    mended = await mend(cache, asked, '{"name": "Ann"}')
    assert isinstance(mended, Mended)
    assert bound(asked, JsonObjectTask()).check_answer(mended.text) == Accept()
    assert "Ann" in mended.text
    (prompt,) = cache.upstream.prompts
    assert prompt.prefix == ""
    assert prompt.body["response_format"] != PERSON
    messages = prompt.body["messages"]
    assert isinstance(messages, list)
    assert len(messages) == 1
    assert messages[0]["role"] == "user"
    assert messages[0]["content"] != "Who is she?"
    assert cache.recording.story == [Repaired(JSON, "accepted")]


async def test_a_reply_of_no_use_has_failed() -> None:
    cache = cache_of(Said("I do not know."), Said('{"age": 30}'))
    asked = ask("Who is she?", response_format=PERSON)
    assert isinstance(await mend(cache, asked, '{"name": "Ann"}'), Mended)
    failed, accepted = Repaired(JSON, "failed"), Repaired(JSON, "accepted")
    assert cache.recording.story == [failed, accepted]


@pytest.mark.parametrize("only_parts", [True, False])
async def test_a_whole_answer_is_asked_for_only_where_it_may_be(
    only_parts: bool,
) -> None:
    cache = cache_of(Said('{"name": "Ann", "age": 30}'))
    asked = ask("Who is she?", response_format=PERSON)
    mended = await mend(cache, asked, "I do not know.", only_parts=only_parts)
    if only_parts:
        assert (mended, cache.upstream.prompts) == (NotMended(0), [])
    else:
        assert isinstance(mended, Mended)
        assert (mended.kept, mended.patched) == (0, 1)


async def test_a_prompt_is_replaced_where_there_are_no_messages() -> None:
    cache = cache_of(Said(REGION))
    fields: dict[str, Json] = {"messages": None, "prompt": OTHER_SHAPE}
    chat = ask("", None, **fields)
    assert isinstance(await mend(cache, chat, "x = 9", only_parts=False), Mended)
    (prompt,) = cache.upstream.prompts
    assert prompt.body["prompt"] not in (None, OTHER_SHAPE)


def test_a_draft_keeps_the_steps_before_the_first_gap() -> None:
    draft = draft_of(bound(ask(OTHER_SHAPE)), DONOR, "why")
    assert (draft.text, draft.kept, draft.reason) == (DONOR, 1, "why")


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (Reject("wrong"), "wrong"),
        (Unknown("unread"), "unread"),
        (Accept(), "not verified"),
    ],
    ids=["rejected", "unread", "accepted"],
)
def test_the_draft_of_a_candidate_says_why(
    verdict: Accept | Reject | Unknown, reason: str
) -> None:
    donor = record_of(canonical(EQUATION.question), DONOR)
    verdicts = (Accept(), verdict, Accept(), Accept(), Accept())
    found = Finding(Candidate(donor), Patch(Region(1, 5)), verdicts)
    draft = draft_from(found, 1)
    assert (draft.text, draft.kept, draft.reason) == (DONOR, 1, reason)
    assert [step.text for step in draft.steps] == list(donor.steps)
