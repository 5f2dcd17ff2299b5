"""Hypothesis strategies: requests, answers, equations and what a model may babble."""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from stepcache_proxy.reuse.model import (
    Accept,
    Reject,
    Step,
    Unknown,
    Verdict,
)
from stepcache_proxy.wire.answer import Answer
from stepcache_proxy.wire.jsonvalue import Json

# What no JSON text can carry is left out.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
prose = st.lists(st.sampled_from(["one", "two,", "3", "\n", "  ", "\t", "é"])).map(
    "".join
)
names = st.text("abcdefghij_", min_size=1, max_size=8)
# Larger floats are not read exactly; requests that hold one are not cached at all.
numbers = st.integers(-(2**40), 2**40) | st.floats(
    -(2.0**52), 2.0**52, allow_nan=False, allow_infinity=False
)

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
    ),
    max_leaves=8,
)

verdicts: st.SearchStrategy[Verdict] = st.sampled_from(
    [Accept(), Reject("wrong"), Unknown("unread")]
)


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Json]:
    """A well-formed chat body with fields known and unknown."""
    roles = st.sampled_from(["system", "user", "assistant"])
    earlier = st.lists(st.fixed_dictionaries({"role": roles, "content": texts}))
    fields = draw(st.dictionaries(names | st.just("temperature"), json_values))
    last: Json = {"role": "user", "content": draw(texts)}
    return {**fields, "model": draw(names), "messages": [*draw(earlier), last]}


@st.composite
def tool_calls(draw: st.DrawFn) -> list[Json]:
    """Tool calls as a server numbers them."""
    count = draw(st.integers(1, 3))
    return [
        {
            "id": f"call-{index}",
            "type": "function",
            "function": {"name": draw(names), "arguments": draw(texts)},
        }
        for index in range(count)
    ]


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """A chat answer that is not streamed, with text, reasoning or tool calls."""
    message: dict[str, Json] = {"role": "assistant"}
    content = draw(prose.filter(bool))
    if draw(st.booleans()):
        message["reasoning_content"] = draw(prose.filter(bool))
    if draw(st.booleans()):
        message["refusal"] = draw(texts.filter(bool))
    calls = draw(st.none() | tool_calls())
    if calls is not None:
        message["tool_calls"] = calls
    has_text = calls is None or draw(st.booleans())
    return Answer(
        content=content if has_text else None,
        finish_reason="stop" if calls is None else "tool_calls",
        model=draw(names),
        usage={"prompt_tokens": 3, "completion_tokens": draw(st.integers(0, 99))},
        message=message,
        envelope={"object": "chat.completion", "system_fingerprint": draw(names)},
    )


@dataclass(frozen=True, slots=True)
class Equation:
    """``a unknown + b = c``, and how it is asked for."""

    a: int
    b: int
    c: int
    unknown: str = "x"

    @property
    def shown(self) -> str:
        """As it is written."""
        sign = "-" if self.b < 0 else "+"
        return f"{self.a}{self.unknown} {sign} {abs(self.b)} = {self.c}"

    @property
    def question(self) -> str:
        """The request to solve it."""
        return f"Solve {self.shown} for {self.unknown}. Show your steps."

    @property
    def solution(self) -> Fraction:
        """The one number that solves it."""
        return Fraction(self.c - self.b, self.a)

    @property
    def worked(self) -> str:
        """A right answer in four steps."""
        x, rest = self.unknown, self.c - self.b
        verb, side = ("Add", "to") if self.b < 0 else ("Subtract", "from")
        return (
            f"Step 1: Start from {self.shown}.\n"
            f"Step 2: {verb} {abs(self.b)} {side} both sides: {self.a}{x} = {rest}.\n"
            f"Step 3: Divide both sides by {self.a}: {x} = {self.solution}.\n"
            f"Answer: {x} = {self.solution}"
        )


equations = st.builds(
    Equation,
    a=st.integers(2, 60),
    b=st.integers(-60, 60).filter(bool),
    c=st.integers(-60, 60),
    unknown=st.sampled_from("xyt"),
)

_lines = st.sampled_from(
    [
        "Step 1: Start from 2x + 3 = 11.\n",
        "Step 2: Subtract 3 from both sides: 2x = 8.\n",
        "Step 3: Divide both sides by 2: x = 4.\n",
        "Answer: x = 4",
        "Answer: x = 5\n",
        "The answer is 12.",
        "x = 4 or x = 7\n\n",
        "Bananas are yellow.\n",
        "```\n",
        "4",
        "\n",
    ]
)
garbage = st.lists(_lines, max_size=6).map("".join) | texts


def steps_of(*parts: str) -> tuple[Step, ...]:
    """The parts as steps."""
    return tuple(Step(index, text) for index, text in enumerate(parts))


EQUATION = Equation(2, 3, 11)
INTRO = "To solve the equation, we isolate the unknown.\n\n"
# Of another shape, so that no answer to the former can be worked over for it.
OTHER_SHAPE = "Solve 7x = 3x + 2 for x. Show your steps."
OTHER_STEPS = (
    "Step 1: Subtract 3x from both sides: 4x = 2.\n",
    "Step 2: Divide both sides by 4: x = 1/2.\n",
    "Answer: x = 1/2",
)
