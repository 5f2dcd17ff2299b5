"""Texts about two unknowns -> words and chains of named expressions, ordered pairs."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from stepcache_proxy.tasks.linear_equation.expressions import (
    Chain,
    Unknown,
    read_sides,
)
from stepcache_proxy.tasks.linear_equation.items import (
    Break,
    Item,
    Place,
    Span,
    Unread,
    read_items,
)
from stepcache_proxy.tasks.linear_equation.tokens import Token, tokenize
from stepcache_proxy.tasks.linear_system.algebra import (
    Affine,
    Equality,
    Names,
    affine,
)

# What stands between the commas of (x, y) = (2, 3).
_MIDDLE = re.compile(
    r"(?P<name>[A-Za-z])\s{0,4}(?:\\right)?\)\s{0,4}=\s{0,4}(?:\\left)?\("
    r"(?P<value>[^()]{1,80})"
)
_MAX_TOKENS = 20
# The number of an equation behind it: x + y = 5 (1).
_LABEL = re.compile(
    r"(?<=[0-9A-Za-z})])(?:[ \t]|\\q?quad){1,4}\([12]\)"
    r"(?=[ \t.,;$\\\])]{0,8}$)",
    re.MULTILINE,
)


def read_statements(text: str, names: Names, *, limit: int) -> tuple[Item, ...] | None:
    """The items of ``text``, every ``(x, y) = (2, 3)`` read as ``x = 2``, ``y = 3``.

    The number of an equation at the end of its line is passed over.
    None where it has over ``limit`` tokens. Chains carry no forms, see ``forms_of``.
    """
    read = partial(_read_named, names)
    text = without_labels(text)
    items = read_items(text, "".join(names), limit=limit, read=read)
    return None if items is None else tuple(_with_pairs(text, items, names))


def without_labels(text: str) -> str:
    """The text with blanks for the number of an equation at the end of its line."""
    return _LABEL.sub(lambda label: " " * len(label[0]), text)


def forms_of(chain: Chain, names: Names) -> tuple[Affine, ...]:
    """The form of every side of a chain that was read with the same names."""
    forms = [affine(side, names) for side in chain.sides]
    return tuple(form for form in forms if form is not None)


def equalities_of(chain: Chain, names: Names) -> tuple[Equality, ...]:
    """The equations between neighbouring sides."""
    forms = forms_of(chain, names)
    return tuple(map(Equality, forms, forms[1:]))


def _read_named(names: Names, tokens: Sequence[Token]) -> Chain | None:
    sides = read_sides(tokens, are_named=True)
    if sides is None or any(affine(side, names) is None for side in sides):
        return None
    return Chain(sides, ())


def _with_pairs(text: str, items: Sequence[Item], names: Names) -> Iterator[Item]:
    at = 0
    while at < len(items):
        pair = _pair(text, items[at : at + 5], names)
        if pair is None:
            yield items[at]
            at += 1
        else:
            yield from pair
            at += 5


def _pair(text: str, items: Sequence[Item], names: Names) -> tuple[Span, Span] | None:
    """Two statements where five items are ``x , y)=(2 , 3``."""
    match items:
        case (
            Span() as name,
            Break(mark=","),
            Unread(place),
            Break(mark=","),
            Span() as last,
        ) if name.is_lone_unknown and last.is_bare and not last.chain.has_unknown:
            middle = _middle(text, place, names)
        case _:
            return None
    if middle is None:
        return None
    second, first = middle
    return _equated(name, first), _equated(second, last)


def _middle(text: str, place: Place, names: Names) -> tuple[Span, Span] | None:
    found = _MIDDLE.fullmatch(text[place.start : place.end])
    if found is None or found["name"] not in names:
        return None
    value = _read_value(found["value"], place.start + found.start("value"), names)
    start = place.start + found.start("name")
    name = Span(Chain((Unknown(found["name"]),), ()), (Place(start, start + 1),))
    return None if value is None else (name, value)


def _read_value(text: str, start: int, names: Names) -> Span | None:
    tokens = tokenize(text, limit=_MAX_TOKENS)
    chain = _read_named(names, tokens) if tokens else None
    if not tokens or chain is None or chain.is_equation or chain.has_unknown:
        return None
    place = Place(start + tokens[0].start, start + tokens[-1].end)
    return Span(chain, (place,))


def _equated(name: Span, value: Span) -> Span:
    sides = name.chain.sides + value.chain.sides
    return Span(Chain(sides, ()), name.places + value.places)
