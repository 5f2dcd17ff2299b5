"""Numbers of a worked answer, explained by its equation and worked out for another.

A number is explained by every quantity of the donor's equation that has its value: a
collected coefficient, the solution, a side's value, what stands at the same place of
an equation of the same shape. Each explanation proposes a number for the new equation.
A proposal is no answer: :mod:`deriving` keeps one only if the checker proves it.

The explanations (:class:`Teacher`) know nothing of the new equation and are found once
a donor; the proposals (:class:`Pupil`) are made for each new equation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TypeVar

from stepcache_proxy.tasks.linear_equation.algebra import Linear, ratio
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
    linear,
)
from stepcache_proxy.tasks.linear_equation.once import once
from stepcache_proxy.tasks.linear_equation.printing import (
    Style,
    number_node,
    term_node,
)
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.quantities import (
    COLLECTED,
    Index,
    Match,
    matched,
    quantities,
)

MAX_PROPOSALS = 24

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Literal:
    """A number with its sign, explained by numbers; a factor by coefficients, too."""

    match: Match


@dataclass(frozen=True, slots=True)
class Scaled:
    """The unknown with a number before it; ``is_alone``: with none."""

    match: Match
    is_alone: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """A product or a quotient that is written out, explained factor by factor."""

    term: Binary
    first: "Literal | Sum"
    second: "Literal | Sum"


@dataclass(frozen=True, slots=True)
class Sum:
    """Signed terms; None is one that nothing explains."""

    terms: tuple[Literal | Scaled | Joined | None, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """A side of an equation, or an expression.

    ``wholes`` tells which sides of the donor's equation it is: left, right, left and
    right with the solution put in.
    """

    wholes: tuple[int, ...]
    parts: Sum


@dataclass(frozen=True, slots=True)
class Amount:
    """What both sides are changed by: a number, or an amount of the unknown."""

    match: Match
    is_factor: bool = False
    is_unknown: bool = False


class Teacher:
    """Explains parts of an answer, for equations put together alike or for others."""

    def __init__(self, given: Problem, style: Style, *, is_alike: bool) -> None:
        self.given = given
        self.style = style
        self.is_alike = is_alike
        known = quantities(given, has_places=is_alike)
        # A part without the unknown explains no coefficient.
        written = [slope or None for slope in known.coefficients[COLLECTED:]]
        coefficients = [*known.coefficients[:COLLECTED], *written]
        self._numbers = Index(known.numbers)
        self._coefficients = Index(coefficients)
        self._factors = Index([*coefficients, *known.numbers])
        self._wholes = _wholes(given, style)

    def side(self, node: Node) -> Side:
        """One side of an equation, or one expression, explained."""
        wholes: tuple[int, ...] = ()
        if not _is_collected(node):
            wholes = tuple(n for n, old in enumerate(self._wholes) if old == node)
        return Side(wholes, self._sum(node))

    def amount(self, form: Linear) -> Amount | None:
        """What is added to both sides or subtracted, explained."""
        if form.slope == 0:
            return Amount(self._numbers.match(form.rest))
        if form.rest != 0:
            return None
        return Amount(self._coefficients.match(form.slope), is_unknown=True)

    def factor(self, form: Linear) -> Amount | None:
        """What both sides are multiplied or divided with, explained."""
        if form.slope != 0:
            return None
        return Amount(self._factors.match(form.rest), is_factor=True)

    def _sum(self, node: Node) -> Sum:
        return Sum(tuple(self._term(*term) for term in _terms(node, sign=1)))

    def _term(self, sign: int, term: Node) -> Literal | Scaled | Joined | None:
        """A term; its sign is part of what is explained."""
        form = linear(term)
        if form is None:
            return None
        if form.slope == 0 and _is_literal(term):
            return Literal(self._numbers.match(form.rest * sign))
        if form.rest == 0 and _is_plain_term(term):
            coefficient = form.slope * sign
            is_alone = isinstance(term, Unknown) and coefficient == 1
            return Scaled(self._coefficients.match(coefficient), is_alone)
        if isinstance(term, Binary):
            first, second = self._factor(sign, term.left), self._factor(1, term.right)
            return Joined(term, first, second)
        return None

    def _factor(self, sign: int, node: Node) -> Literal | Sum:
        form = linear(node)
        if form is not None and form.slope == 0 and _is_literal(node):
            return Literal(self._factors.match(form.rest * sign))
        return self._sum(node if sign > 0 else Negated(node))


class Pupil:
    """Makes of what a teacher explained proposals for the equation that is asked."""

    def __init__(self, teacher: Teacher, asked: Problem) -> None:
        self.asked = asked
        self._style = teacher.style
        self._known = quantities(asked, has_places=teacher.is_alike)
        self._factors = self._known.factors

    def sides(self, side: Side) -> tuple[Node, ...]:
        """Proposals for one side of an equation, or one expression."""
        if side.wholes:
            return _unique([self._wholes[number] for number in side.wholes])
        return _unique(tuple(self._sums(side.parts)))

    def amounts(self, amount: Amount | None) -> list[Linear]:
        """Proposals for what is added to both sides, multiplied or divided with."""
        if amount is None:
            return []
        if amount.is_unknown:
            slopes = matched(amount.match, self._known.coefficients)
            return [Linear(slope, 0) for slope in slopes]
        known = self._factors if amount.is_factor else self._known.numbers
        return [Linear(0, value) for value in matched(amount.match, known)]

    @once
    def _wholes(self) -> tuple[Node, ...]:
        return _wholes(self.asked, self._style)

    def _sums(self, parts: Sum) -> Iterator[Node]:
        choices = [tuple(self._terms(term)) for term in parts.terms]
        for chosen in islice(product(*choices), MAX_PROPOSALS):
            yield _total(chosen)

    def _terms(self, term: Literal | Scaled | Joined | None) -> Iterator[Node]:
        if isinstance(term, Scaled):
            if term.is_alone:
                yield Unknown()
            for value in matched(term.match, self._known.coefficients):
                yield term_node(value, self._style)
        elif isinstance(term, Literal):
            for value in matched(term.match, self._known.numbers):
                yield number_node(value, self._style)
        elif isinstance(term, Joined):
            yield from self._joined(term)

    def _joined(self, joined: Joined) -> Iterator[Node]:
        firsts = tuple(self._written(joined.first))
        seconds = tuple(self._written(joined.second))
        for first, second in islice(product(firsts, seconds), MAX_PROPOSALS):
            term = joined.term._replace(left=first, right=second)
            if linear(term) is not None:
                yield term

    def _written(self, factor: Literal | Sum) -> Iterator[Node]:
        if isinstance(factor, Literal):
            for value in matched(factor.match, self._factors):
                yield number_node(value, self._style)
        else:
            yield from islice(self._sums(factor), MAX_PROPOSALS)


def _wholes(problem: Problem, style: Style) -> tuple[Node, ...]:
    """Both sides as they are given, then both with the solution put in."""
    left, right, root = problem.left, problem.right, problem.solved
    if isinstance(root, str):
        return left, right
    value = number_node(root, style)
    return left, right, _put(left, value), _put(right, value)


def _put(node: Node, value: Node) -> Node:
    """The expression with ``value`` in the place of the unknown."""
    match node:
        case Unknown():
            return value
        case Negated(inner):
            return Negated(_put(inner, value))
        case Binary(symbol, left, right):
            return Binary(symbol, _put(left, value), _put(right, value))
        case _:
            return node


def _terms(node: Node, *, sign: int) -> Iterator[tuple[int, Node]]:
    match node:
        case Negated(inner):
            yield from _terms(inner, sign=-sign)
        case Binary("+" | "-" as symbol, left, right):
            yield from _terms(left, sign=sign)
            yield from _terms(right, sign=sign if symbol == "+" else -sign)
        case _:
            yield sign, node


def _total(terms: Sequence[Node]) -> Node:
    """The sum of signed terms, those that are nothing left out."""
    total: Node | None = None
    for term in terms:
        if _is_nothing(term):
            continue
        if total is None:
            total = term
        elif isinstance(term, Negated):
            total = Binary("-", total, term.inner)
        else:
            total = Binary("+", total, term)
    return total if total is not None else Number(Fraction(0))


def _is_nothing(node: Node) -> bool:
    if isinstance(node, Number):
        return node.value == 0
    if isinstance(node, Unknown):
        return False
    return linear(node) == (0, 0)


def _is_collected(node: Node) -> bool:
    """Whether it is at most one term in the unknown and one number, in this order."""
    terms = [term for _, term in _terms(node, sign=1)]
    kinds = [
        "n" if _is_literal(t) else "x" if _is_plain_term(t) else "?" for t in terms
    ]
    return kinds in [["n"], ["x"], ["x", "n"]]


def _is_literal(node: Node) -> bool:
    """Whether it is one number as written, with its sign: 5, -5, 5/2."""
    match node:
        case Number():
            return True
        case Negated(inner):
            return _is_literal(inner)
        case Binary("/", Number(above), Number(below)):
            return below != 0 and ratio(above, below).denominator == below
        case _:
            return False


def _is_plain_term(node: Node) -> bool:
    """Whether it is the unknown with a number before it."""
    match node:
        case Unknown():
            return True
        case Binary("*", number, Unknown()):
            return _is_literal(number)
        case _:
            return False


def _unique(values: Sequence[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))
