"""A user's message -> the one quadratic equation it asks to solve, if all is read."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stepcache_proxy.tasks.linear_equation.asking import reads_two_ways
from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Node,
    Symbol,
    has,
    has_either,
)
from stepcache_proxy.tasks.quadratic_equation.expressions import Root as RootNode
from stepcache_proxy.tasks.quadratic_equation.problem import Problem, make_problem
from stepcache_proxy.tasks.quadratic_equation.reading import (
    Item,
    Pause,
    Span,
    Stop,
    Unread,
    Word,
    normalised,
    read_items,
)

MAX_CHARACTERS = 600
MAX_TOKENS = 120
_MAX_LETTERS = 3


class Form(StrEnum):
    """How the answer is asked for."""

    PLAIN = "plain"
    STEPS = "steps"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message asks: the equation and the form of the answer."""

    problem: Problem
    form: Form


_POLITE = (
    r"(?:(?:hi|hello|hey) (?:\| )?)?(?:(?:please|kindly) )?"
    r"(?:(?:can|could|would|will) you (?:please )?(?:help me )?"
    r"|help me (?:to )?|i (?:need|want|have) to |let's )?"
)
_EQUATION = (
    r"(?:(?:the|this|that|following|given|quadratic) )*(?:equation )?(?:\| )?EQUATION"
)
_ROOTS = (
    r"(?:(?:all|both|the|of|its|any|real|rational) )*"
    r"(?:roots|solutions|solution set|zeros|solution|root)"
)
_VALUES = (
    r"(?:(?:all|both|the|of|any|possible|real) )*"
    r"(?:values?(?: of)? VALUE|values? for VALUE|VALUE)"
)
_FIND = (
    r"(?:find|determine|calculate|compute|give|give me|get|state|list|tell me|work out"
    r"|what are|what is|what's)"
)
_THAT = (
    r"(?:that|which)"
    r" (?:satisfy|satisfies|solve|solves|make|makes) " + _EQUATION + r"(?: true)?"
)
_GOAL = (
    rf"(?:solve(?: it)?(?: for VALUE)?|{_FIND} {_ROOTS}(?: of the equation)?"
    rf"|{_FIND} {_VALUES})"
)
_CORES = (
    rf"solve(?: for VALUE(?: in)?)?(?: \|)? {_EQUATION}(?: for VALUE)?",
    rf"{_FIND} {_ROOTS} (?:of|to|for) {_EQUATION}",
    rf"{_FIND} {_VALUES} {_THAT}",
    rf"{_FIND} {_VALUES} (?:if|when|given|given that|where|in|from) {_EQUATION}",
    rf"(?:what|which) values? of VALUE (?:satisfy|satisfies|solves?) {_EQUATION}",
    rf"for (?:what|which) values? of VALUE (?:is {_EQUATION}(?: true)?"
    rf"|does {_EQUATION} hold)",
    rf"(?:given|given that|if|when) {_EQUATION} (?:\| )?(?:then )?{_GOAL}",
    r"EQUATION(?: \|)? solve(?: it)?(?: for VALUE)?",
    r"EQUATION",
)
_CORE = "|".join(f"(?:{core})" for core in _CORES)
_STEPS = (
    r"step by step|stepwise|in steps|(?:showing|show|with) (?:(?:me|all|the|your|each"
    r"|every|of) )*(?:steps?|work|working|reasoning)"
)
_ONLY = (
    r"(?:(?:give|reply with|answer with|respond with|return|state) )?(?:me )?"
    r"(?:only|just) (?:the )?(?:final )?(?:answers?|solutions?|roots?)"
    r"|(?:the )?(?:final )?(?:answers?|solutions?|roots?) only"
)
_TAILS = (
    rf"(?: \|)?(?: (?:and|please))?(?: (?P<steps>{_STEPS})| (?P<only>{_ONLY}))?"
    r"(?: \|)?(?: please| thanks| thank you)?(?: \|)?"
)
_REQUEST = re.compile(rf"{_POLITE}(?:{_CORE}){_TAILS}")


def read_request(text: str) -> Asked | None:
    """What ``text`` asks; None unless it is one equation and nothing strange."""
    if len(text) > MAX_CHARACTERS or "=" not in text or reads_two_ways(text):
        return None
    text = normalised(text)
    found = re.findall(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", text)
    letters = tuple(dict.fromkeys(found))
    if len(letters) > _MAX_LETTERS:
        return None
    readings = [asked for letter in letters if (asked := _read(text, letter))]
    return readings[0] if len(readings) == 1 else None


def _read(text: str, unknown: str) -> Asked | None:
    items = read_items(text, unknown, limit=MAX_TOKENS)
    if items is None or any(isinstance(item, Unread) for item in items):
        return None
    spans = [item for item in items if isinstance(item, Span) and not item.is_name]
    if len(spans) != 1 or len(spans[0].sides) != 2:
        return None
    left, right = spans[0].sides
    form = _form(items)
    if form is None or not (_is_plain(left) and _is_plain(right)):
        return None
    problem = make_problem(unknown, left, right)
    return Asked(problem, form) if problem else None


def _is_plain(side: Node) -> bool:
    return not (has(side, Symbol) or has(side, RootNode) or has_either(side))


def _form(items: Sequence[Item]) -> Form | None:
    """The asked form; None where a word is not understood or nothing is asked."""
    prose = re.sub(r"\|(?: \|)+", "|", " ".join(_written(items)))
    found = _REQUEST.fullmatch(prose.strip(" |"))
    if found is None:
        return None
    if found["steps"]:
        return Form.STEPS
    return Form.ANSWER if found["only"] else Form.PLAIN


def _written(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        match item:
            case Word(text):
                yield text
            case Span():
                yield "VALUE" if item.is_name else "EQUATION"
            case Stop() | Pause(text=":" | ","):
                yield "|"
            case _:
                pass
