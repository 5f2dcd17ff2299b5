"""What the scripted model says: every answer follows from the request alone.

The load test computes the right answer of each of its own requests with the same
functions, so that a wrong or somebody else's answer cannot pass unnoticed.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from hashlib import blake2b

_EQUATION = re.compile(r"(\d+)([a-z]) ([+-]) (\d+) = (-?\d+)")
_SUBJECT = re.compile(r"Describe (\w+) as a JSON object")
_SHARE_WRONG = 4  # one equation in so many is solved wrongly
_SHARE_SHORT = 5  # one object in so many lacks its last key


def mark(*parts: str) -> str:
    """A word that nobody else's request leads to."""
    return blake2b("\0".join(parts).encode(), digest_size=6).hexdigest()


def canary(credential: str) -> str:
    """What every answer to this credential, and no other, contains."""
    return "canary" + mark("canary", credential)


def plain_text(credential: str, question: str) -> str:
    """The answer to a question of no task: several steps with the canary in each."""
    word = canary(credential)
    lines = [f"{n}. {word} says {mark(question, str(n))}" for n in range(1, 6)]
    return "\n".join(lines)


def member(credential: str, subject: str, key: str) -> str:
    """The value of one key of an object."""
    return f"{canary(credential)} {mark(subject, key)}"


def members(
    credential: str, question: str, schema: Mapping[str, object], *, is_first: bool
) -> dict[str, str]:
    """The object that a schema asks for, short of a key at some first attempts."""
    found = _SUBJECT.search(question)
    subject = found[1] if found else ""
    required = schema.get("required")
    keys = [str(key) for key in required] if isinstance(required, list) else []
    if is_first and len(keys) > 1 and _number(subject) % _SHARE_SHORT == 0:
        keys.pop()
    return {key: member(credential, subject, key) for key in keys}


def solution(question: str) -> tuple[str, Fraction] | None:
    """The unknown of the equation in a question, and its value."""
    found = _EQUATION.search(question)
    if found is None:
        return None
    factor, unknown, sign, constant, right = found.groups()
    moved = int(constant) if sign == "+" else -int(constant)
    return unknown, Fraction(int(right) - moved, int(factor))


def worked_text(credential: str, question: str) -> str | None:
    """The equation solved in steps, wrongly at some; None if there is none."""
    found = _EQUATION.search(question)
    if found is None:
        return None
    factor, unknown, sign, constant, right = found.groups()
    moved = int(constant) if sign == "+" else -int(constant)
    rest = int(right) - moved
    slip = 1 if _number(found[0]) % _SHARE_WRONG == 0 else 0
    back = "Subtract" if sign == "+" else "Add"
    side = "from" if sign == "+" else "to"
    value = Fraction(rest + slip, int(factor))
    return (
        f"1. {back} {constant} {side} both sides: {factor}{unknown} = {rest + slip}\n"
        f"2. Divide both sides by {factor}: {unknown} = {value}\n"
        f"The solution is {unknown} = {value}."
    )


def _number(text: str) -> int:
    return int(mark(text), 16)
