"""What an old and a new answer have in common so far: the same equations, paired."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Unknown,
)
from stepcache_proxy.tasks.linear_equation.printing import Style, number_node
from stepcache_proxy.tasks.linear_system.algebra import (
    UNKNOWNS,
    Affine,
    Equality,
    Names,
    affine,
    measure_of,
    number,
)
from stepcache_proxy.tasks.linear_system.problem import System, put
from stepcache_proxy.tasks.linear_system.writing import term, total

Sides = tuple[Node, ...]
_Solved = tuple[int, Node, Node]

_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Pair:
    """The same chain of both systems, as written; ``ends`` equate its outer sides."""

    old: Sides
    new: Sides
    ends: tuple[Equality, Equality]


# Not slotted: what follows from it is worked out once.
@dataclass(frozen=True)
class Both:
    """The donor's system and the new one; unknown 0 of one is unknown 0 of the other.

    ``style`` is the notation of the donor's answer.
    """

    given: System
    asked: System
    style: Style

    def pair(self, old: Sides, new: Sides) -> Pair:
        """Two chains, paired."""
        was, now = stated(old, self.given), stated(new, self.asked)
        ends = (
            Equality(was[0].left, was[-1].right),
            Equality(now[0].left, now[-1].right),
        )
        return Pair(old, new, ends)

    def beginning(self) -> tuple[Pair, ...]:
        """The equations as given."""
        both = zip(self.given.given, self.asked.given, strict=True)
        return tuple(self.pair(old.sides, new.sides) for old, new in both)

    @cached_property
    def consequences(self) -> tuple[tuple[Equality, Equality], ...]:
        """What follows for both: the values, and one unknown eliminated."""
        return tuple(self._consequences())

    def _consequences(self) -> Iterator[tuple[Equality, Equality]]:
        for index in (0, 1):
            yield (
                Equality(UNKNOWNS[index], number(self.given.point[index])),
                Equality(UNKNOWNS[index], number(self.asked.point[index])),
            )
        for sign in (1, -1):
            yield (
                _sum(self.given, Fraction(1), Fraction(sign)),
                _sum(self.asked, Fraction(1), Fraction(sign)),
            )
        for index in (0, 1):
            yield _eliminated(self.given, index), _eliminated(self.asked, index)


def stated(sides: Sides, system: System) -> tuple[Equality, ...]:
    """The equations between neighbours of a chain."""
    forms = [affine(side, system.names) for side in sides]
    known = [form for form in forms if form is not None]
    return tuple(map(Equality, known, known[1:]))


def _sum(system: System, first: Fraction, second: Fraction) -> Equality:
    one, other = system.equalities
    return one.collected.scaled(first).plus(other.collected.scaled(second), 1)


def _eliminated(system: System, index: int) -> Equality:
    """The equations combined so that an unknown goes."""
    first, second = (e.collected.left.coefficient(index) for e in system.equalities)
    measure = measure_of(first, second) or Fraction(1)
    return _sum(system, second / measure, -first / measure)


def counterparts(both: Both, pairs: Sequence[Pair], side: Node) -> Iterator[Node]:
    """What a side becomes that is one of an earlier chain, the newest first.

    As it was written, with known unknowns put in, or multiplied out.
    """
    solved = tuple(_solved(both, pairs))
    for pair in reversed(pairs):
        for old, new in zip(pair.old, pair.new, strict=True):
            for was, now in _with_values(both, old, new, solved):
                if was == side:
                    yield now
                elif expanded(was, both.given, both.style) == side:
                    yield expanded(now, both.asked, both.style)


def _with_values(
    both: Both, old: Node, new: Node, solved: Sequence[_Solved]
) -> Iterator[tuple[Node, Node]]:
    """A side of both, as written and with one or both unknowns put in."""
    yield old, new
    for index, was, now in solved:
        one = (
            put(old, both.given.names[index], was),
            put(new, both.asked.names[index], now),
        )
        if one == (old, new):
            continue
        yield one
        for other, was_too, now_too in solved if index == 0 else ():
            if other == 1:
                yield (
                    put(one[0], both.given.names[1], was_too),
                    put(one[1], both.asked.names[1], now_too),
                )


def _solved(both: Both, pairs: Sequence[Pair]) -> Iterator[_Solved]:
    """Unknowns that stand alone on one side, and what they equal, in both."""
    found: list[_Solved] = []
    for pair in pairs:
        for at in (0, -1):
            alone = pair.old[at], pair.new[at]
            for index in (0, 1):
                names = both.given.names[index], both.asked.names[index]
                if alone == (Unknown(names[0]), Unknown(names[1])):
                    rest = zip(pair.old, pair.new, strict=True)
                    found += [(index, o, n) for o, n in rest if (o, n) != alone]
    return iter(dict.fromkeys(found))


def expanded(node: Node, system: System, style: Style) -> Node:
    """Products with a sum multiplied out, term by term, nothing collected."""
    terms: list[Node] = []
    for form in _flat(node, system.names):
        amounts = (form.x, form.y)
        terms += [
            term(amount, name, style)
            for amount, name in zip(amounts, system.names, strict=True)
            if amount != 0
        ]
        if form.c != 0:
            terms.append(number_node(form.c, style))
    return total(terms)


def _flat(node: Node, names: Names, factor: Fraction = _ONE) -> Iterator[Affine]:
    match node:
        case Negated(inner):
            yield from _flat(inner, names, -factor)
        case Binary("+" | "-" as symbol, left, right):
            yield from _flat(left, names, factor)
            yield from _flat(right, names, factor if symbol == "+" else -factor)
        case Binary("*", left, right):
            first, second = affine(left, names), affine(right, names)
            if first is not None and first.is_number:
                yield from _flat(right, names, factor * first.c)
            elif second is not None:
                yield from _flat(left, names, factor * second.c)
        case _:
            form = affine(node, names)
            if form is not None:
                yield form.scaled(factor)
