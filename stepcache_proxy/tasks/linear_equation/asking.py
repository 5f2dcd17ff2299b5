"""A user's message -> the one equation it asks to solve, if all is understood."""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from stepcache_proxy.tasks.linear_equation.algebra import Balance
from stepcache_proxy.tasks.linear_equation.expressions import Node
from stepcache_proxy.tasks.linear_equation.items import (
    Break,
    Item,
    Span,
    Unread,
    Word,
    read_items,
)
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.wording import (
    ASKING_WORDS,
    NAMED_UNKNOWN,
    OTHER_QUESTION,
)

MAX_CHARACTERS = 2_000
MAX_TOKENS = 200
_MAX_LETTERS = 5


class Form(StrEnum):
    """How the answer is asked for."""

    PLAIN = "plain"
    STEPS = "steps"
    ANSWER = "answer"
    NUMBER = "number"


FormOf = Callable[[str], Form | None]
ProblemOf = Callable[[str, Node, Node, Balance], Problem]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message asks: the equation and the form of the answer."""

    problem: Problem
    form: Form

    def __hash__(self) -> int:
        return hash(self.problem)


_STEPS = re.compile(
    r"\b(?:showing|show|with|write|give|include|including|explaining|explain)"
    r"(?: (?:me|down|out|all|each|every|your|the|of|and))*"
    r" (?:steps?|work|working|workings|reasoning)\b"
    r"|\bstep by step\b|\bstepwise\b|\b(?:worked|detailed) (?:solution|steps)\b"
    r"|\bin steps\b"
)
_SHORT = (
    r"(?:(?:please|give|state|reply|respond|answer|return|write"
    r"|me|with|the|final|value|of|for)\s)*"
)
_NUMBER = re.compile(
    rf"\b(?:only|just) {_SHORT}number\b|\b(?:the )?number only\b|\bonly a number\b"
)
_ANSWER = re.compile(
    rf"\b(?:only|just) {_SHORT}(?:answer|solution|result|VALUE)(?: (?:of|for) VALUE)?\b"
    r"|\b(?:the )?(?:final )?(?:answer|solution|result) only\b"
)
_VERB = re.compile(r"\b(?:solve|solving|isolate)\b")
_SEEK = re.compile(
    r"\b(?:find|finding|determine|determining|calculate|calculating|compute|computing"
    r"|obtain|tell me|give me|know|get|figure out|working|work)\b(?! if)"
    r"|\b(?:what (?:is|are|must|should|does|value|number)|which value)\b|\bwhat's\b"
)
_THING = re.compile(r"\b(?:VALUE|value|solution|root|answer)\b")
# The number of an equation behind it, the value of a function.
_TWO_WAYS = re.compile(
    r"[0-9A-Za-z)}\]](?:[ \t~]|\*\*|\\(?:[,:;! ]|q?quad|text\{)){1,8}"
    r"[(\[{][0-9.]{1,6}[)\]}]"
    r"|(?<![A-Za-z\\])(?:[f-hF-H]\(|[A-Za-z]\([0-9.]{1,9}\))"
)
_LEFT_OVER = {
    "only",
    "just",
    "show",
    "showing",
    "explain",
    "explaining",
    "step",
    "steps",
    "work",
    "working",
    "workings",
    "reasoning",
    "stepwise",
    "worked",
    "detailed",
}


_BREAKS = (".", "!", "?", "\n", ";")


def read_request(
    text: str, form_of: FormOf | None = None, problem_of: ProblemOf = Problem
) -> Asked | None:
    """What ``text`` asks; None unless it is one equation and nothing strange.

    ``form_of`` is ``form_in_words`` and ``problem_of`` makes a problem, or they are
    those that remember what was read.
    """
    if len(text) > MAX_CHARACTERS or "=" not in text or reads_two_ways(text):
        return None
    letters = _lone_letters(text)
    if len(letters) > _MAX_LETTERS:
        return None
    readings = [
        asked
        for letter in letters
        if (asked := _read(text, letter, form_of or form_in_words, problem_of))
    ]
    return readings[0] if len(readings) == 1 else None


def reads_two_ways(text: str) -> bool:
    """Whether brackets may be no product: ``x = 7 (2)``, ``f(3) = 9``."""
    return _TWO_WAYS.search(text) is not None


def _lone_letters(text: str) -> tuple[str, ...]:
    found = re.findall(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", text)
    return tuple(dict.fromkeys(found))


def _read(
    text: str, unknown: str, form_of: FormOf, problem_of: ProblemOf
) -> Asked | None:
    items = read_items(text, unknown, limit=MAX_TOKENS)
    if items is None or any(isinstance(item, Unread) for item in items):
        return None
    spans = [item for item in items if isinstance(item, Span)]
    equations = [span for span in spans if not span.is_bare]
    if len(equations) != 1 or not all(
        span.is_lone_unknown for span in spans if span.is_bare
    ):
        return None
    chain = equations[0].chain
    if len(chain.sides) != 2 or not chain.has_unknown:
        return None
    form = form_of(" ".join(_written(items)))
    if form is None:
        return None
    return Asked(problem_of(unknown, *chain.sides, chain.balances[0]), form)


def form_in_words(prose: str) -> Form | None:
    """The same as ``asked_form``, for requests about one equation."""
    return asked_form(prose, ASKING_WORDS)


def asked_form(prose: str, known: Set[str]) -> Form | None:
    """The asked form; None where a word is not understood or nothing is asked.

    In ``prose`` an equation is EQUATION, the name of an unknown VALUE, and | a break.
    """
    if not all(word in known for word in prose.split()):
        return None
    form, rest = _form_of(prose)
    if form is None or _LEFT_OVER & set(rest.split()):
        return None
    return form if _is_question(prose) else None


def _written(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Word):
            yield item.text
        elif isinstance(item, Span):
            yield "VALUE" if item.is_bare else "EQUATION"
        elif isinstance(item, Break) and item.mark in _BREAKS:
            yield "|"


def _form_of(prose: str) -> tuple[Form | None, str]:
    forms = ((_STEPS, Form.STEPS), (_NUMBER, Form.NUMBER), (_ANSWER, Form.ANSWER))
    found: list[Form] = []
    for pattern, form in forms:
        shorter = pattern.sub(" ", prose)
        if shorter != prose:
            found.append(form)
            prose = shorter
    if len(found) > 1:
        return None, prose
    rest = re.sub(r"\b(?:work|working) (?:out|through)\b", " ", prose)
    return (found[0] if found else Form.PLAIN), rest


def _is_question(prose: str) -> bool:
    """Whether a solution is asked for; a bare equation asks for it, too."""
    if not set(prose.split()) - {"EQUATION", "|"}:
        return True
    if OTHER_QUESTION.search(NAMED_UNKNOWN.sub("VALUE", prose)):
        return False
    if _VERB.search(prose):
        return True
    return bool(_SEEK.search(prose) and _THING.search(prose))
