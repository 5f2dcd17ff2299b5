"""A user's message -> the two equations it asks to solve, if all is understood."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from stepcache_proxy.tasks.linear_equation.asking import (
    Form,
    asked_form,
    reads_two_ways,
)
from stepcache_proxy.tasks.linear_equation.expressions import Unknown, walk
from stepcache_proxy.tasks.linear_equation.items import (
    Break,
    Item,
    Span,
    Unread,
    Word,
)
from stepcache_proxy.tasks.linear_system.algebra import Names, intersection
from stepcache_proxy.tasks.linear_system.problem import Given, System
from stepcache_proxy.tasks.linear_system.statements import (
    equalities_of,
    read_statements,
    without_labels,
)
from stepcache_proxy.tasks.linear_system.wording import (
    ASKING_WORDS,
    BOTH_OF_TWO,
    SYSTEM_OF,
)

MAX_CHARACTERS = 2_000
MAX_TOKENS = 240
_MAX_LETTERS = 4
_NAMING_WORDS = frozenset(["in", "the", "two", "both", "variables", "unknowns", "and"])


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message asks: the system, the unknowns wanted and the form.

    ``wanted`` are names in the order of the system's.
    """

    system: System
    wanted: tuple[str, ...]
    form: Form


def read_request(text: str) -> Asked | None:
    """What ``text`` asks; None unless it is one system and nothing strange.

    A system without exactly one solution is not read, either.
    """
    if len(text) > MAX_CHARACTERS or text.count("=") < 2:
        return None
    if text.count("(1)") != text.count("(2)") or reads_two_ways(without_labels(text)):
        return None  # not numbers of equations
    letters = dict.fromkeys(re.findall(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", text))
    if len(letters) > _MAX_LETTERS:
        return None
    pairs = combinations(letters, 2)
    readings = [asked for pair in pairs if (asked := _read(text, pair))]
    return readings[0] if len(readings) == 1 else None


def _read(text: str, names: Names) -> Asked | None:
    items = read_statements(text, names, limit=MAX_TOKENS)
    if items is None or any(isinstance(item, Unread) for item in items):
        return None
    spans = [item for item in items if isinstance(item, Span)]
    stated = [span for span in spans if not span.is_bare]
    if any(span.is_bare and not span.is_lone_unknown for span in spans):
        return None
    system = _system(stated)
    form = asked_form(_prose(items), ASKING_WORDS)
    if system is None or form is None:
        return None
    wanted = _wanted(items, system.names)
    if form is Form.NUMBER and len(wanted) > 1:
        return None
    return Asked(system, wanted, form)


def _system(stated: Sequence[Span]) -> System | None:
    if [len(span.chain.sides) for span in stated] != [2, 2]:
        return None
    names = _names(stated)
    if names is None:
        return None
    first, second = (_given(span, names) for span in stated)
    point = intersection(first.equality, second.equality)
    return None if point is None else System(names, (first, second), point)


def _names(stated: Sequence[Span]) -> Names | None:
    """The two unknowns in the order in which the equations name them."""
    sides = (side for span in stated for side in span.chain.sides)
    found = [n.name for side in sides for n in walk(side) if isinstance(n, Unknown)]
    match tuple(dict.fromkeys(found)):
        case (first, second):
            return first, second
        case _:
            return None


def _given(span: Span, names: Names) -> Given:
    left, right = span.chain.sides
    return Given(left, right, equalities_of(span.chain, names)[0])


def _prose(items: Sequence[Item]) -> str:
    prose = SYSTEM_OF.sub(" equation ", " ".join(_written(items)))
    return BOTH_OF_TWO.sub(" ", prose)


def _written(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        match item:
            case Word(text):
                yield text
            case Span():
                yield "VALUE" if item.is_bare else "EQUATION"
            case Break(mark="." | "!" | "?" | "\n" | ";"):
                yield "|"
            case _:
                pass


def _wanted(items: Sequence[Item], names: Names) -> tuple[str, ...]:
    """The unknowns that are asked for; both where none is, "in x and y" aside."""
    named: set[str] = set()
    is_naming = False
    for item in items:
        match item:
            case Word(text):
                is_naming = text == "in" or (is_naming and text in _NAMING_WORDS)
            case Span() if item.is_lone_unknown and not is_naming:
                named |= {n.name for n in item.chain.sides if isinstance(n, Unknown)}
            case _:
                pass
    return tuple(name for name in names if name in named) or names
