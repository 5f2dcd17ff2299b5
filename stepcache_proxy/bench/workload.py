"""The demo's dozen requests, and how to tell without the proxy what is right."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from jsonschema import Draft202012Validator

from stepcache_proxy.wire.jsonvalue import Json, JsonObject

MAX_TOKENS = 160
_MAX_ANSWER = 20_000
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?(?:/\d{1,12})?")

Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request; ``check`` is None where no answer is right or wrong."""

    name: str
    body: JsonObject
    check: Check | None = None

    @property
    def is_streaming(self) -> bool:
        """Whether the answer comes as server-sent events."""
        return self.body.get("stream") is True


def solves(variable: str, solution: Fraction) -> Check:
    """A check that the last statement ``variable = …`` of an answer is right.

    It reads numbers as fractions and shares no code with the proxy's own task.
    """
    statement = re.compile(rf"(?<![A-Za-z0-9]){variable} *= *([^=\n]*)")

    def check(answer: str) -> bool:
        said = statement.findall(answer[-_MAX_ANSWER:])
        return bool(said) and _number(said[-1]) == solution

    return check


def _number(text: str) -> Fraction | None:
    plain = re.sub(r"[\s$*\\()]", "", text.replace("−", "-")).rstrip(".,;")
    if not _NUMBER.fullmatch(plain):
        return None
    try:
        return Fraction(plain)
    except (ValueError, ZeroDivisionError):
        return None


def fits(schema: JsonObject) -> Check:
    """A check that an answer is one JSON value and valid against ``schema``."""
    validator = Draft202012Validator(schema)

    def check(answer: str) -> bool:
        try:
            return bool(validator.is_valid(json.loads(answer)))
        except json.JSONDecodeError:
            return False

    return check


def demo_workload() -> tuple[Ask, ...]:
    """A dozen requests that a step cache sees in this order, each a real one."""
    return (*_equations(), *_questions(), *_objects())


def _equations() -> tuple[Ask, ...]:
    first = "Solve 2x + 3 = 11 for x. Show your steps."
    four = solves("x", Fraction(4))
    return (
        Ask("equation", _chat(first), four),
        Ask(
            "same equation, other words",
            _chat("Please solve for x, showing your steps: 2x + 3 = 11."),
            four,
        ),
        Ask(
            "other constants",
            _chat("Solve 3x + 5 = 26 for x. Show your steps."),
            solves("x", Fraction(7)),
        ),
        Ask(
            "another variable",
            _chat("Solve 2y + 3 = 11 for y. Show your steps."),
            solves("y", Fraction(4)),
        ),
        Ask(
            "unknown on both sides",
            _chat("Solve 5x - 4 = 2x + 11 for x. Show your steps."),
            solves("x", Fraction(5)),
        ),
        Ask(
            "first equation again, streamed",
            _chat(first, stream=True, stream_options={"include_usage": True}),
            four,
        ),
    )


def _questions() -> tuple[Ask, ...]:
    on = "In one sentence, how do I turn on the night light of a lamp?"
    return (
        Ask("plain question", _chat(on)),
        Ask("the same question again", _chat(on)),
        Ask("its opposite (on -> off)", _chat(on.replace("turn on", "turn off"))),
    )


def _objects() -> tuple[Ask, ...]:
    text = "Describe a hotel in Lisbon as a JSON object."
    small = _schema({"name": "string", "city": "string", "stars": "integer"})
    large = _schema(
        {"name": "string", "city": "string", "stars": "integer", "rooms": "integer"}
    )
    asked = _chat(text, response_format=_format(small))
    return (
        Ask("JSON by a schema", asked, fits(small)),
        Ask(
            "the schema with one more key",
            _chat(text, response_format=_format(large)),
            fits(large),
        ),
        Ask(
            "JSON again, members in another order",
            {name: asked[name] for name in sorted(asked)},
            fits(small),
        ),
    )


def _chat(text: str, **more: Json) -> JsonObject:
    return {
        "model": "SmolLM2-135M-Instruct",
        "messages": [{"role": "user", "content": text}],
        "temperature": 0,
        "max_tokens": MAX_TOKENS,
        **more,
    }


def _schema(members: Mapping[str, str]) -> JsonObject:
    return {
        "type": "object",
        "properties": {
            name: {"type": kind, **({"maxLength": 40} if kind == "string" else {})}
            for name, kind in members.items()
        },
        "required": list(members),
        "additionalProperties": False,
    }


def _format(schema: JsonObject) -> JsonObject:
    return {
        "type": "json_schema",
        "json_schema": {"name": "hotel", "strict": True, "schema": schema},
    }
