"""The requests of the soak, each with what a right answer to it is."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

from loadtest.answers import canary, member, plain_text, solution
from loadtest.upstream import DROP, FAIL, MODEL
from stepcache_proxy.bench.workload import solves

TENANTS = ("Bearer tenant-one", "Bearer tenant-two")
_POOL = 40  # questions that come again and again
_KEYS = ("name", "harbour", "colour", "captain", "crew", "flag")
_REWORDED = (
    "Solve {} for {}. Show your steps.",
    "Please solve for {1}, showing your steps: {0}.",
)

Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. ``fault`` names what the upstream was asked to do wrong."""

    kind: str
    credential: str
    body: dict[str, object]
    is_right: Check
    fault: str | None = None
    leaves_early: bool = False

    @property
    def is_stream(self) -> bool:
        """Whether the answer comes as server-sent events."""
        return bool(self.body.get("stream"))

    @property
    def foreign(self) -> str:
        """What no answer to this request may contain."""
        return canary(next(t for t in TENANTS if t != self.credential))


def asks(seed: int) -> Iterator[Ask]:
    """Requests without end, the same for the same seed."""
    dice, fresh = random.Random(seed), count(seed * 1_000_000)
    makers = (_known, _new, _equation, _object, _faulty)
    while True:
        (make,) = dice.choices(makers, weights=(40, 20, 25, 12, 3))
        yield make(dice, next(fresh))


def _ask(
    dice: random.Random,
    kind: str,
    question: str,
    check: Callable[[str], Check],
    **fields: object,
) -> Ask:
    credential = dice.choice(TENANTS)
    body: dict[str, object] = {
        "model": MODEL,
        "temperature": 0,
        "messages": [{"role": "user", "content": question}],
        "stream": dice.random() < 0.5,
        **fields,
    }
    leaves = dice.random() < 0.04
    return Ask(kind, credential, body, check(credential), leaves_early=leaves)


def _plain(dice: random.Random, kind: str, question: str) -> Ask:
    def check(credential: str) -> Check:
        right = plain_text(credential, question)
        return lambda text: text == right

    return _ask(dice, kind, question, check)


def _known(dice: random.Random, _: int) -> Ask:
    return _plain(dice, "known", f"Tell me about lighthouse {dice.randrange(_POOL)}.")


def _new(dice: random.Random, number: int) -> Ask:
    return _plain(dice, "new", f"Tell me about the wreck called {_name(number)}.")


def _equation(dice: random.Random, _: int) -> Ask:
    factor, constant = dice.randrange(2, 9), dice.randrange(1, 20)
    unknown, sign = dice.choice("xyz"), dice.choice("+-")
    shown = f"{factor}{unknown} {sign} {constant} = {dice.randrange(-30, 60)}"
    question = dice.choice(_REWORDED).format(shown, unknown)
    found = solution(question)
    assert found is not None
    right = solves(*found)
    return _ask(dice, "equation", question, lambda _: right)


def _object(dice: random.Random, number: int) -> Ask:
    subject = _name(number if dice.random() < 0.3 else dice.randrange(_POOL))
    keys = _KEYS[: dice.randrange(3, len(_KEYS) + 1)]
    schema: dict[str, object] = {
        "type": "object",
        "properties": {key: {"type": "string"} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }
    wanted = {
        "type": "json_schema",
        "json_schema": {"name": "thing", "schema": schema, "strict": True},
    }
    question = f"Describe {subject} as a JSON object."

    def check(credential: str) -> Check:
        right = {key: member(credential, subject, key) for key in keys}
        return lambda text: bool(text) and json.loads(text) == right

    return _ask(dice, "object", question, check, response_format=wanted)


def _faulty(dice: random.Random, number: int) -> Ask:
    fault = dice.choice((FAIL, DROP))
    ask = _plain(dice, "faulty", f"Tell me of storm {_name(number)}, {fault}.")
    return Ask("faulty", ask.credential, ask.body, ask.is_right, fault=fault)


def _name(number: int) -> str:
    """A number as a word, so that the question has no constant in it."""
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters += chr(ord("a") + digit)
        if not number:
            return "v" + letters
