"""Parts of a worked answer, explained by what stood before them, for another system.

Every equation of the donor is explained by one that both systems have: a given one, one
that was stated, what an action makes of them, a consequence. The same is then done for
the new system. A proposal is no answer: :mod:`deriving` keeps one only if the checker
proves it in its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise, product
from typing import TypeVar

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Unknown,
)
from stepcache_proxy.tasks.linear_equation.literals import is_reduced
from stepcache_proxy.tasks.linear_equation.printing import number_node
from stepcache_proxy.tasks.linear_system.algebra import (
    Affine,
    Equality,
    affine,
    common_denominator,
    measure_of,
    number,
    replace_coefficient,
)
from stepcache_proxy.tasks.linear_system.layout import alike, layout_of
from stepcache_proxy.tasks.linear_system.pairs import Both, Pair, Sides, counterparts
from stepcache_proxy.tasks.linear_system.sentences import Operation
from stepcache_proxy.tasks.linear_system.state import State

MAX_PROPOSALS = 12
_MOST_COMBINED = 60

_T = TypeVar("_T")
Sources = Sequence[tuple[Equality, Equality]]
Amounts = Sequence[tuple[Fraction, Fraction]]


# Not slotted: what it looks through is put together once.
@dataclass(frozen=True)
class Explainer:
    """Proposes for parts of an answer what to write for the new system.

    ``pairs`` are the chains of both answers so far, ``results`` what the pending
    actions lead to.
    """

    both: Both
    pairs: tuple[Pair, ...]
    results: Sources

    def chain(self, sides: Sides) -> Iterator[Sides]:
        """Proposals for a chain, each as true as the old one."""
        if given := self._restated(sides):
            yield given
            return
        found: list[Sides] = []
        for proposals in (self._set_out(sides), self._side_by_side(sides)):
            for new in proposals:
                if new in found or not self._is_alike(sides, new):
                    continue
                found.append(new)
                yield new
                if len(found) == MAX_PROPOSALS:
                    return
            if found:
                return

    def expression(self, side: Node) -> tuple[Node, ...]:
        """Proposals for an expression that stands alone."""
        return _unique(list(self._side(side)))[:MAX_PROPOSALS]

    def _restated(self, sides: Sides) -> Sides | None:
        for pair in self.pairs:
            if pair.old == sides:
                return pair.new
        return None

    @cached_property
    def _sources(self) -> Sources:
        stated = (pair.ends for pair in reversed(self.pairs))
        return [*self.results, *stated, *self.both.consequences]

    def _set_out(self, sides: Sides) -> Iterator[Sides]:
        """Whole equations with collected sides, set out like the old one."""
        layout = layout_of(sides, self.both.given.names)
        stated = self._equality(sides)
        if layout is None or stated is None:
            return
        for old, new in self._sources:
            for one in alike(stated, layout, old, new):
                yield layout.nodes(one, self.both.asked, self.both.style)

    def _equality(self, sides: Sides) -> Equality | None:
        forms = [affine(side, self.both.given.names) for side in sides]
        match forms:
            case [Affine() as left, Affine() as right]:
                return Equality(left, right)
            case _:
                return None

    def _side_by_side(self, sides: Sides) -> Iterator[Sides]:
        yield from self._ended(sides)
        choices = [_unique(list(self._side(side))) for side in sides]
        yield from islice(product(*choices), _MOST_COMBINED)

    def _ended(self, sides: Sides) -> Iterator[Sides]:
        """A longer chain whose ends are an equation set out like the old one."""
        if len(sides) < 3:
            return
        for first, last in islice(self._set_out((sides[0], sides[-1])), MAX_PROPOSALS):
            choices = [_unique(list(self._side(side))) for side in sides[1:-1]]
            for middle in islice(product(*choices), _MOST_COMBINED):
                yield (first, *middle, last)

    def _side(self, side: Node) -> Iterator[Node]:
        """Proposals for one side, whatever stands on the other."""
        if isinstance(side, Unknown):
            index = self.both.given.names.index(side.name)
            yield Unknown(self.both.asked.names[index])
            return
        known = _unique(list(counterparts(self.both, self.pairs, side)))
        yield from known
        if known and not is_reduced(side):
            return
        form = affine(side, self.both.given.names)
        if form is None or not form.is_number:
            return
        if is_reduced(side):
            for value in _match(self._numbers, form.c):
                yield number_node(value, self.both.style)
        else:
            yield from islice(self._arithmetic(side), MAX_PROPOSALS)

    def _arithmetic(self, node: Node) -> Iterator[Node]:
        """Arithmetic with every number replaced by the same quantity."""
        match node:
            case Negated(inner) if not is_reduced(node):
                for one in self._arithmetic(inner):
                    yield Negated(one)
            case Binary(symbol, left, right) if not is_reduced(node):
                firsts = _unique(list(self._arithmetic(left)))[:MAX_PROPOSALS]
                seconds = _unique(list(self._arithmetic(right)))[:MAX_PROPOSALS]
                for first, second in product(firsts, seconds):
                    yield _combined(symbol, first, second)
            case _:
                form = affine(node, self.both.given.names)
                if form is not None:
                    for value in _match(self._numbers, form.c):
                        yield number_node(value, self.both.style)

    @cached_property
    def _numbers(self) -> list[tuple[Fraction, Fraction]]:
        found: list[tuple[Fraction, Fraction]] = []
        for old, new in self._sources:
            for was, now in ((old.left, new.left), (old.right, new.right)):
                found += [(was.c, now.c), (was.x, now.x), (was.y, now.y)]
                at = self.both.given.point, self.both.asked.point
                found += [
                    (was.x * at[0][0], now.x * at[1][0]),
                    (was.y * at[0][1], now.y * at[1][1]),
                    (was.at(at[0]), now.at(at[1])),
                ]
        return list(dict.fromkeys(found))

    def _is_alike(self, old: Sides, new: Sides) -> bool:
        """Whether the new chain holds and says as much as the old, link by link."""
        was = [affine(side, self.both.given.names) for side in old]
        now = [affine(side, self.both.asked.names) for side in new]
        for (a, b), (c, d) in zip(pairwise(was), pairwise(now), strict=True):
            if a is None or b is None or c is None or d is None:
                return False
            before, link = Equality(a, b), Equality(c, d)
            if not link.holds_at(self.both.asked.point):
                return False
            if _kind(before) != _kind(link):
                return False
        return True


def _kind(equality: Equality) -> tuple[bool, bool, bool]:
    gap = equality.difference
    return equality.has_unknown, gap.x == 0 and gap.y != 0, gap.y == 0 and gap.x != 0


def _combined(symbol: str, first: Node, second: Node) -> Node:
    match symbol:
        case "+" if isinstance(second, Negated):
            return Binary("-", first, second.inner)
        case "-" if isinstance(second, Negated):
            return Binary("+", first, second.inner)
        case "+":
            return Binary("+", first, second)
        case "-":
            return Binary("-", first, second)
        case "*":
            return Binary("*", first, second)
        case _:
            return Binary("/", first, second)


def operands(operation: Operation, given: State, asked: State) -> tuple[Affine, ...]:
    """Proposals for what is added, subtracted, multiplied or divided with."""
    if operation.verb in {"add", "subtract"}:
        return _unique(list(_shifts(operation, given, asked)))[:MAX_PROPOSALS]
    if not operation.form.is_number:
        return ()
    found = _match(list(_factors(operation, given, asked)), operation.form.c)
    if operation.index is not None:  # so that adding, or subtracting, eliminates
        found = _unique([*found, *(-value for value in found)])
    return tuple(number(value) for value in found if value != 0)[:MAX_PROPOSALS]


def _shifts(operation: Operation, given: State, asked: State) -> Iterator[Affine]:
    """A term that stands on a side of the latest equation."""
    if given.latest is None or asked.latest is None:
        return
    zero = Fraction(0)
    sides = (
        (given.latest.left, asked.latest.left),
        (given.latest.right, asked.latest.right),
    )
    for was, now in sides:
        terms = [(number(was.c), number(now.c))]
        for index in (0, 1):
            one, other = (
                replace_coefficient(number(zero), index, form.coefficient(index))
                for form in (was, now)
            )
            terms.append((one, other))
        for old, new in terms:
            for sign in (Fraction(1), Fraction(-1)):
                if operation.form == old.scaled(sign):
                    yield new.scaled(sign)


def _factors(
    operation: Operation, given: State, asked: State
) -> Iterator[tuple[Fraction, Fraction]]:
    """What brings two coefficients together, then coefficients and denominators."""
    if operation.index is not None:
        own, other = operation.index, 1 - operation.index
        for unknown in (0, 1):
            yield from _multipliers(given, asked, own, other, unknown)
    sources = [(given.latest, asked.latest)]
    if operation.index is not None:
        sources = [
            (given.versions(operation.index)[-1], asked.versions(operation.index)[-1])
        ]
    for old, new in sources:
        if old is None or new is None:
            continue
        for was, now in ((old.left, new.left), (old.right, new.right)):
            yield was.x, now.x
            yield was.y, now.y
        yield Fraction(common_denominator(old)), Fraction(common_denominator(new))


def _multipliers(
    given: State, asked: State, own: int, other: int, unknown: int
) -> Iterator[tuple[Fraction, Fraction]]:
    def coefficient(state: State, index: int) -> Fraction:
        last = (state.first if index == 0 else state.second)[-1]
        return last.difference.coefficient(unknown)

    old = coefficient(given, own), coefficient(given, other)
    new = coefficient(asked, own), coefficient(asked, other)
    measures = measure_of(*old), measure_of(*new)
    if not all((*old, *new)):
        return
    yield abs(old[1] / measures[0]), abs(new[1] / measures[1])
    yield old[1] / measures[0], new[1] / measures[1]
    yield abs(old[1]), abs(new[1])
    yield old[1], new[1]


def _match(pairs: Amounts, value: Fraction) -> tuple[Fraction, ...]:
    """The new values of every quantity that has this value, or its negative."""
    same = [new for old, new in pairs if old == value]
    opposite = [-new for old, new in pairs if old == -value and value != 0]
    return _unique([*same, *opposite])


def _unique(values: Sequence[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))
