"""What the scripted model says: right answers, and right ones with a planted slip.

A slip is one that models make: an arithmetic error in one step, carried on to the
end; a constant read wrongly at the start; a missing key; prose around the JSON.
"""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.bench.perturb_json import is_whole_number
from stepcache_proxy.bench.scripted_algebra import Sides, read_equation
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_THING = re.compile(
    r"(?:describe|description of) (an? [A-Za-z ]+?)(?=[.?!,]|$)", re.IGNORECASE
)
_KEYS = re.compile(r"\bkeys:? ([a-z_, ]+? and [a-z_]+)(?=[.?!,]| and no|$)")
_WORDS = ("quiet", "bright", "northern", "old", "famous", "small", "warm", "early")
_STYLES = ("{n}. {line}", "Step {n}: {line}", "**Step {n}:** {line}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the last user message asks, with the schema that came along."""

    text: str
    schema: JsonObject | None = None

    @property
    def is_json(self) -> bool:
        """Whether an object is wanted."""
        return self.schema is not None or "JSON" in self.text


def write(asked: Asked, prefix: str, dice: random.Random, *, is_right: bool) -> str:
    """The answer after ``prefix``, wrong where ``is_right`` is False."""
    if asked.is_json:
        return _object(asked, dice, is_right=is_right)
    sides = read_equation(asked.text)
    if sides is None:
        return f"I would say {dice.choice(_WORDS)}."
    return _worked(sides, prefix, dice, is_right=is_right)


def _object(asked: Asked, dice: random.Random, *, is_right: bool) -> str:
    names = _names(asked)
    thing = _THING.search(asked.text)
    subject = thing[1] if thing else "it"
    value: dict[str, Json] = {name: _value(name, subject, dice) for name in names}
    if is_right:
        return json.dumps(value)
    if dice.random() < 0.5 and len(names) > 1:
        value.pop(dice.choice(names))
        return json.dumps(value)
    return f"Here is the JSON object:\n\n{json.dumps(value, indent=2)}\n\nEnjoy!"


def _names(asked: Asked) -> list[str]:
    properties = asked.schema.get("properties") if asked.schema else None
    if isinstance(properties, dict):
        return list(properties)
    found = _KEYS.search(asked.text)
    return re.split(r", | and ", found[1]) if found else ["name"]


def _value(name: str, subject: str, dice: random.Random) -> Json:
    if is_whole_number(name):
        return dice.randrange(2, 400)
    bare = subject.split(" ", 1)[-1]
    return f"{dice.choice(_WORDS)} {name} of the {bare}"[:40]


def _worked(sides: Sides, prefix: str, dice: random.Random, *, is_right: bool) -> str:
    style = dice.choice(_STYLES)
    right = {s: _lines(sides, s, slip_at=None) for s in _STYLES}
    for name, lines in right.items():
        if prefix and "".join(lines).startswith(prefix):
            style = name
    lines = right[style]
    done = _done(lines, prefix)
    if not is_right:
        # A continued answer keeps what stands: the slip comes after it.
        at = dice.randrange(min(done, len(lines) - 2), len(lines) - 1)
        lines = _lines(sides, style, slip_at=at, slip=dice.choice((-2, -1, 1, 2)))
    whole = "".join(lines)
    if whole.startswith(prefix):
        return whole[len(prefix) :]
    return "".join(lines[done:])


def _done(lines: Sequence[str], prefix: str) -> int:
    """How many lines of the answer the prefix makes."""
    begun = [line for line in prefix.splitlines() if line.strip()]
    return min(len(begun), len(lines) - 1)


def _lines(
    sides: Sides, style: str, *, slip_at: int | None, slip: int = 0
) -> list[str]:
    """The steps, and the answer; from step ``slip_at`` on a constant is off."""
    steps: list[str] = []
    show, v = sides.show, sides.unknown

    def add(words: str, state: Sides) -> Sides:
        now = state.off(slip) if len(steps) == slip_at else state
        line = f"{words}: {now}"
        steps.append(style.format(n=len(steps) + 1, line=line) + "\n")
        return now

    now = add("Start with the equation", sides)
    if now.right.a:
        words = f"Subtract {show(now.right.a)}{v} from both sides"
        now = add(words, now.less(now.right.a, Fraction(0)))
    if now.left.b:
        verb = "Subtract {} from" if now.left.b > 0 else "Add {} to"
        words = f"{verb.format(show(abs(now.left.b)))} both sides"
        now = add(words, now.less(Fraction(0), now.left.b))
    if now.left.a != 1:
        now = add(_isolating(now), now.over(now.left.a))
    return [*steps, f"Answer: {v} = {show(now.right.b)}"]


def _isolating(sides: Sides) -> str:
    factor = sides.left.a
    if factor.numerator == 1:
        return f"Multiply both sides by {factor.denominator}"
    return f"Divide both sides by {sides.show(factor)}"
