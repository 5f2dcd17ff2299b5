"""What the Locust clients ask, and how each answer is checked. Needs nothing else."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

Check = Callable[[str], bool]

_KNOWN = 40  # questions that come again and again
_WORDINGS = (
    "Solve {eq} for {v}. Show your steps.",
    "Please solve {eq} for {v} and show your steps.",
    "What is {v} if {eq}? Show your steps.",
    "Find the value of {v} in the equation {eq}. Show your steps.",
)
_KEYS = ("name", "city", "stars", "owner", "view")


@dataclass(frozen=True)
class Question:
    """One question; ``is_right`` judges the text of an answer."""

    kind: str
    text: str
    is_right: Check
    fields: dict[str, object] = field(default_factory=dict)


def repeat(dice: random.Random) -> Question:
    """A question that was asked before, soon: an equation or an object."""
    number = dice.randrange(_KNOWN)
    if number % 4 == 0:
        return _object(f"hotel {_name(number)}", 3)
    return _equation(2 + number % 9, number, 3 + number % 7, "x", _WORDINGS[0])


def reworded(dice: random.Random) -> Question:
    """A known equation in other words."""
    number = dice.randrange(_KNOWN)
    words = dice.choice(_WORDINGS[1:])
    return _equation(2 + number % 9, number, 3 + number % 7, "x", words, "reworded")


def new_constants(dice: random.Random) -> Question:
    """An equation with numbers and a letter of its own."""
    a, b, s = dice.randrange(2, 40), dice.randrange(1, 90), dice.randrange(-40, 40)
    return _equation(a, b, s, dice.choice("xyzn"), dice.choice(_WORDINGS), "constants")


def new(dice: random.Random) -> Question:
    """A question that nobody asked yet."""
    name = _name(dice.getrandbits(60))
    if dice.random() < 0.3:
        return _object(f"hotel {name}", dice.randrange(3, 6), "new")
    text = f"Tell me in one sentence about the wreck called {name}."
    return Question("new", text, lambda answer: bool(answer.strip()))


def _equation(
    a: int, b: int, root: int, unknown: str, words: str, kind: str = "repeat"
) -> Question:
    shown = f"{a}{unknown} + {b} = {a * root + b}"
    text = words.format(eq=shown, v=unknown)
    said = re.compile(rf"(?<![A-Za-z0-9]){unknown} *= *(-?\d+(?:/\d+)?)")

    def is_right(answer: str) -> bool:
        found = said.findall(answer[-2_000:])
        return bool(found) and Fraction(found[-1]) == root

    return Question(kind, text, is_right)


def _object(thing: str, count: int, kind: str = "repeat") -> Question:
    keys = _KEYS[:count]
    schema: dict[str, object] = {
        "type": "object",
        "properties": {key: {"type": "string", "maxLength": 40} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }
    wanted = {"name": "thing", "schema": schema}
    format_ = {"type": "json_schema", "json_schema": wanted}

    def is_right(answer: str) -> bool:
        try:
            value = json.loads(answer)
        except ValueError:
            return False
        return isinstance(value, dict) and set(value) == set(keys)

    text = f"Describe the {thing} as a JSON object."
    return Question(kind, text, is_right, {"response_format": format_})


def _name(number: int) -> str:
    """A number as a word, so that the question has no constant in it."""
    letters = ""
    while number:
        number, digit = divmod(number, 26)
        letters += chr(ord("a") + digit)
    return f"v{letters}w"
