"""Where the terms of an equation stand, and another equation set out the same way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Unknown,
)
from stepcache_proxy.tasks.linear_equation.literals import is_reduced
from stepcache_proxy.tasks.linear_equation.printing import Style
from stepcache_proxy.tasks.linear_system.algebra import (
    Affine,
    Equality,
    Names,
    common_denominator,
)
from stepcache_proxy.tasks.linear_system.problem import System
from stepcache_proxy.tasks.linear_system.writing import IN_ORDER, form_node

Order = tuple[int | None, ...]
_ZERO, _ONE = Fraction(0), Fraction(1)


def signed_terms(node: Node, sign: int = 1) -> Iterator[tuple[int, Node]]:
    """The terms of a sum with their signs."""
    match node:
        case Negated(inner):
            yield from signed_terms(inner, -sign)
        case Binary("+" | "-" as symbol, left, right):
            yield from signed_terms(left, sign)
            yield from signed_terms(right, sign if symbol == "+" else -sign)
        case _:
            yield sign, node


def order_of(node: Node, names: Names) -> Order | None:
    """The terms of a side that is collected, in order; None for any other side."""
    found = [_index(term, names) for _, term in signed_terms(node)]
    order = tuple(index for index in found if index != -1)
    is_collected = len(order) == len(found) == len(set(order))
    return order if is_collected else None


def _index(term: Node, names: Names) -> int | None:
    """0 or 1 for an unknown with a number before it, None for a number, else -1."""
    match term:
        case Unknown(name):
            return names.index(name)
        case Binary("*", number, Unknown(name)) if is_reduced(number):
            return names.index(name)
        case _ if is_reduced(term):
            return None
        case _:
            return -1


@dataclass(frozen=True, slots=True)
class Layout:
    """How an equation is set out: the terms of each side, in order."""

    left: Order
    right: Order

    def nodes(
        self, equality: Equality, system: System, style: Style
    ) -> tuple[Node, Node]:
        """Another equation with its terms in the same order, side by side."""
        return (
            form_node(equality.left, system, style, _completed(self.left)),
            form_node(equality.right, system, style, _completed(self.right)),
        )

    def moved(self, gap: Affine) -> Equality:
        """``gap`` = 0 with every term on the side where it stands here."""
        left = [_ZERO, _ZERO, _ZERO]
        right = [_ZERO, _ZERO, _ZERO]
        for place, index in enumerate(IN_ORDER):
            amount = gap.c if index is None else gap.coefficient(index)
            if self._is_right(index):
                right[place] = -amount
            else:
                left[place] = amount
        return Equality(Affine(*left), Affine(*right))

    def _is_right(self, index: int | None) -> bool:
        if index in self.left:
            return False
        if index in self.right:
            return True
        # What the old equation did not have: numbers go where no unknown stands.
        return index is None and any(one is not None for one in self.left)


def _completed(order: Order) -> Order:
    return (*order, *(index for index in IN_ORDER if index not in order))


def layout_of(sides: Sequence[Node], names: Names) -> Layout | None:
    """The layout of an equation whose sides are collected."""
    if len(sides) != 2:
        return None
    left, right = (order_of(side, names) for side in sides)
    return None if left is None or right is None else Layout(left, right)


def alike(
    stated: Equality, layout: Layout, old: Equality, new: Equality
) -> Iterator[Equality]:
    """``new`` as ``stated`` is made of ``old``: scaled, turned, its terms moved."""
    if stated.line != old.line or stated.is_identity:
        return
    for one in _made(stated, layout, old, new):
        if _stands_like(stated, one):
            yield one


def _made(
    stated: Equality, layout: Layout, old: Equality, new: Equality
) -> Iterator[Equality]:
    scale = _ratio(stated.difference, old.difference)
    for factor in _scales(scale, old, new, stated):
        for was, now in ((old, new), (old.swapped, new.swapped)):
            if stated in (was.scaled(scale), was.scaled(-scale)):
                yield now.scaled(factor)
                yield now.scaled(-factor)
        if _is_collected(stated):
            yield layout.moved(new.difference.scaled(factor))


def _stands_like(old: Equality, new: Equality) -> bool:
    """Whether an unknown that stands alone, or is collected, still does."""
    if old.solved_for is not None:
        solved = new.solved_for
        return solved is not None and solved[0] == old.solved_for[0]
    gap = old.difference
    if (gap.x and gap.y) or not _is_collected(old):
        return True
    return _is_collected(new) and new.is_settled >= old.is_settled


def _is_collected(stated: Equality) -> bool:
    """Whether nothing stands on both sides."""
    pairs = (
        (stated.left.x, stated.right.x),
        (stated.left.y, stated.right.y),
        (stated.left.c, stated.right.c),
    )
    return all(0 in pair for pair in pairs)


def _ratio(over: Affine, under: Affine) -> Fraction:
    for above, below in ((over.x, under.x), (over.y, under.y), (over.c, under.c)):
        if below != 0:
            return above / below
    return _ONE


def _scales(
    scale: Fraction, old: Equality, new: Equality, stated: Equality
) -> Iterator[Fraction]:
    """What the factor is for the new equation: the same part of it, most telling first.

    An unknown that stands alone must stand alone again.
    """
    solved, gap = stated.solved_for, new.difference
    if solved is not None:
        if amount := gap.coefficient(solved[0]):
            yield 1 / amount
            yield -1 / amount
        return
    if abs(scale) == 1:
        yield scale
    for was, now in _quantities(old, new):
        for sign in (1, -1):
            if was and now and scale == sign / was:
                yield sign / now
            if was and now and scale == sign * was:
                yield sign * now


def _quantities(old: Equality, new: Equality) -> Iterator[tuple[Fraction, Fraction]]:
    was, now = old.difference, new.difference
    yield Fraction(common_denominator(old)), Fraction(common_denominator(new))
    yield was.x, now.x
    yield was.y, now.y
