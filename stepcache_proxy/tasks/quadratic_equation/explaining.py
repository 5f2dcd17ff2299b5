"""Numbers of a worked answer, explained by its equation and worked out for another.

A number is explained by every quantity of the donor's equation that has its value: a
coefficient, a root, the discriminant, a factor. Each explanation proposes the same
quantity of the new equation. A proposal is no answer: :mod:`deriving` keeps one only if
the checker proves it in its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TypeVar

from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Either,
    Negated,
    Node,
    Number,
    Poly,
    Root,
    Square,
    Symbol,
    Unknown,
    has,
    has_either,
    literal,
    number,
    poly,
    terms,
)
from stepcache_proxy.tasks.quadratic_equation.numeric import follows
from stepcache_proxy.tasks.quadratic_equation.printing import (
    Style,
    number_node,
    term_node,
    total,
)
from stepcache_proxy.tasks.quadratic_equation.problem import Problem, quantities
from stepcache_proxy.tasks.quadratic_equation.templates import SameFormulas

MAX_PROPOSALS = 80

_T = TypeVar("_T")
_CONSTANTS = tuple((Fraction(n), Fraction(n)) for n in (0, 1, 2, 4))


@dataclass(frozen=True, slots=True)
class Explainer:
    """Proposes for parts of an answer about ``given`` what to write about ``asked``.

    ``pairs`` are the same quantity of both equations, most telling first.
    """

    given: Problem
    asked: Problem
    style: Style
    pairs: tuple[tuple[Fraction, Fraction], ...]
    formulas: SameFormulas

    def sides(self, sides: Sequence[Node]) -> list[tuple[Node, ...]]:
        """Proposals for all sides of a chain together."""
        if tuple(sides) == (self.given.left, self.given.right):
            return [(self.asked.left, self.asked.right)]
        chains: list[tuple[Node, ...]] = [()]
        for at, side in enumerate(sides):
            proposals = self._factor(side) if _is_factor(side) else self._side(side)
            if at == 0:
                chains = [(new,) for new in proposals]
            else:
                chains = _longer(chains, proposals, sides[at - 1], side)
        return chains

    def _side(self, node: Node) -> tuple[Node, ...]:
        return _unique(islice(self._whole(node), MAX_PROPOSALS))

    def _whole(self, node: Node) -> Iterator[Node]:
        """A side as it was given, perhaps with a root put in; or term by term."""
        given, asked = self.given, self.asked
        if has(node, Symbol):
            yield node
            return
        is_plain = not isinstance(node, Binary | Root) or has(node, Unknown)
        formula = None if is_plain else self.formulas.of(node)
        if formula is not None:
            yield formula
            return
        for old, new in ((given.left, asked.left), (given.right, asked.right)):
            if not has(old, Unknown):
                continue
            if old == node:
                yield new
            for was, now in zip(given.roots, asked.roots, strict=True):
                if _put(old, number_node(was, self.style)) == node:
                    yield _put(new, number_node(now, self.style))
        yield from self._parts(node)

    def _parts(self, node: Node) -> Iterator[Node]:
        choices = [tuple(self._term(*term)) for term in terms(node)]
        for chosen in islice(product(*choices), MAX_PROPOSALS):
            kept = [part for part in chosen if literal(part) != 0]
            yield total(kept) if kept else Number(Fraction(0))

    def _term(self, is_less: bool, term: Node) -> Iterator[Node]:  # noqa: FBT001
        """Proposals for a term; its sign is part of what is explained."""
        sign = -1 if is_less else 1
        value = literal(term)
        if value is not None:
            for new in self._match(value * sign):
                yield number_node(new, self.style)
        if value is None or isinstance(term, Binary):
            yield from self._composed(sign, term)

    def _composed(self, sign: int, term: Node) -> Iterator[Node]:
        coefficient, variable = _monomial(term)
        if variable is not None:
            for new in (
                *self._one(coefficient * sign),
                *self._match(coefficient * sign),
            ):
                yield term_node(new, variable, self.style) if new else Number(new)
            return
        for inner in self._inner(term):
            yield Negated(inner) if sign < 0 else inner
        if sign < 0 and isinstance(term, Binary) and term.symbol in "*/":
            yield from self._signed(term)

    @staticmethod
    def _one(coefficient: Fraction) -> tuple[Fraction, ...]:
        return (coefficient,) if coefficient == 1 else ()

    def _signed(self, term: Binary) -> Iterator[Node]:
        """A product that is taken away, its sign given to its first number."""
        first = term.left
        value = literal(first)
        if value is not None:
            firsts = [number_node(new, self.style) for new in self._match(-value)]
        elif isinstance(first, Binary) and first.symbol in "*/":
            firsts = list(islice(self._signed(first), MAX_PROPOSALS))
        else:
            return
        for left, right in product(firsts, self._side(term.right)):
            yield _signed_product(term, left, right)

    def _inner(self, term: Node) -> Iterator[Node]:
        match term:
            case Square(inner) | Root(inner) | Negated(inner):
                yield from map(type(term), self._side(inner))
            case Either(inner):
                yield from (Either(p) for p in self._side(inner) if _is_positive(p))
            case Binary(symbol, left, right):
                for first, second in product(self._factor(left), self._factor(right)):
                    if symbol != "±" or _is_positive(second):
                        yield Binary(symbol, first, second)
            case _:
                return

    def _factor(self, node: Node) -> tuple[Node, ...]:
        """A factor with the unknown must have a root, or be what is squared."""
        proposals = self._side(node)
        if not has(node, Unknown):
            return proposals
        return tuple(p for p in proposals if self._is_same_factor(node, p))

    def _is_same_factor(self, old: Node, new: Node) -> bool:
        """``x - 2`` becomes ``2x - 1``, and ``x - 1/2`` becomes ``x - 1/3``."""
        was, now = _line(old), _line(new)
        if was is None or now is None:
            return was is now
        half = -self.asked.whole.b / (2 * self.asked.whole.a)
        if was.c == 0 and _zero(was) not in self.given.roots:
            return old == new
        if _zero(was) not in self.given.roots:
            return _zero(now) == half
        if _zero(now) not in self.asked.roots:
            return False
        is_whole = was.b == _zero(was).denominator
        return now.b == (_zero(now).denominator if is_whole else 1)

    def _match(self, value: Fraction) -> tuple[Fraction, ...]:
        return _unique(new for old, new in self.pairs if old == value)


def explainer(given: Problem, asked: Problem, style: Style) -> Explainer:
    """What explains the numbers of an answer about ``given``."""
    pairs = zip(quantities(given), quantities(asked), strict=True)
    formulas = SameFormulas(given, asked, style)
    return Explainer(given, asked, style, _unique((*_CONSTANTS, *pairs)), formulas)


def _monomial(term: Node) -> tuple[Fraction, Node | None]:
    """The coefficient and the power of the unknown that a term is made of."""
    match term:
        case Unknown() | Square(Unknown()):
            return Fraction(1), term
        case Binary("*", left, Unknown() | Square(Unknown()) as power):
            value = literal(left)
            return (Fraction(1), None) if value is None else (value, power)
        case Negated(inner):
            coefficient, variable = _monomial(inner)
            return -coefficient, variable
        case _:
            return Fraction(1), None


def _signed_product(term: Binary, left: Node, right: Node) -> Node:
    """The sign of the first factor before the whole product."""
    if isinstance(left, Negated):
        return Negated(Binary(term.symbol, left.inner, right))
    return Binary(term.symbol, left, right)


def _is_positive(node: Node) -> bool:
    return not isinstance(node, Negated)


def _line(node: Node) -> Poly | None:
    """The form of an expression of degree one."""
    form = None if has_either(node) else poly(node)
    return form if form is not None and form.degree == 1 else None


def _zero(form: Poly) -> Fraction:
    return -form.c / form.b


def _is_factor(side: Node) -> bool:
    """``x - 2``, but not ``x`` alone."""
    form = _line(side)
    return form is not None and form.c != 0


def _longer(
    chains: Sequence[tuple[Node, ...]], tails: Sequence[Node], was: Node, after: Node
) -> list[tuple[Node, ...]]:
    """Chains with one more side; numbers that were the same are the same again."""
    old = number(was), number(after)
    if None in old or old[0] != old[1]:
        both = islice(product(chains, tails), MAX_PROPOSALS)
        return [(*head, tail) for head, tail in both]
    worth = [(tail, value) for tail in tails if (value := number(tail)) is not None]
    is_worked = follows((was, after))
    longer = (
        (*head, tail)
        for head in chains
        for now in [number(head[-1])]
        for tail, value in worth
        if value == now and (not is_worked or follows((head[-1], tail)))
    )
    return list(islice(longer, MAX_PROPOSALS))


def _put(node: Node, value: Node) -> Node:
    """The expression with ``value`` in the place of the unknown."""
    match node:
        case Unknown():
            return value
        case Negated(inner):
            return Negated(_put(inner, value))
        case Square(inner):
            return Square(_put(inner, value))
        case Binary(symbol, left, right):
            return Binary(symbol, _put(left, value), _put(right, value))
        case _:
            return node


def _unique(items: Iterator[_T] | Sequence[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
