"""Numbers of a worked answer, explained by its equation and worked out for another.

A number is explained by every quantity of the donor's equation that has its value: a
collected coefficient, the solution, a side's value, what stands at the same place of
an equation of the same shape. Each explanation proposes a number for the new equation.
A proposal is no answer: :mod:`deriving` keeps one only if the checker proves it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TypeVar

from stepcache_proxy.tasks.linear_equation.algebra import Linear
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
    linear,
    walk,
)
from stepcache_proxy.tasks.linear_equation.printing import (
    Style,
    number_node,
    term_node,
)
from stepcache_proxy.tasks.linear_equation.problem import Problem

MAX_PROPOSALS = 24

_T = TypeVar("_T")
Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Explainer:
    """Proposes for parts of an answer about ``given`` what to write about ``asked``.

    ``numbers`` and ``coefficients`` are pairs of the same quantity of both equations,
    most telling first.
    """

    given: Problem
    asked: Problem
    style: Style
    numbers: tuple[Pair, ...]
    coefficients: tuple[Pair, ...]

    def sides(self, node: Node) -> tuple[Node, ...]:
        """Proposals for one side of an equation, or one expression."""
        if not _is_collected(node) and (whole := self._whole(node)):
            return whole
        return _unique(tuple(self._parts(node)))

    def as_given(self, sides: Sequence[Node]) -> tuple[Node, ...]:
        """The new equation as given, if ``sides`` are the old one; else nothing."""
        if tuple(sides) == (self.given.left, self.given.right):
            return self.asked.left, self.asked.right
        return ()

    def amounts(self, form: Linear) -> tuple[Linear, ...]:
        """Proposals for what is added to both sides, multiplied or divided with."""
        zero = Fraction(0)
        if form.a == 0:
            return tuple(Linear(zero, value) for value in _match(self.numbers, form.b))
        if form.b != 0:
            return ()
        return tuple(Linear(value, zero) for value in _match(self.coefficients, form.a))

    def factors(self, form: Linear) -> tuple[Linear, ...]:
        """Proposals for a number that both sides are multiplied or divided with."""
        if form.a != 0:
            return ()
        values = _match((*self.coefficients, *self.numbers), form.b)
        return tuple(Linear(Fraction(0), value) for value in values)

    def _whole(self, node: Node) -> tuple[Node, ...]:
        """A side as it was given, or with the solution put in."""
        given, asked = self.given, self.asked
        pairs = [(given.left, asked.left), (given.right, asked.right)]
        if isinstance(given.solved, Fraction) and isinstance(asked.solved, Fraction):
            was = number_node(given.solved, self.style)
            now = number_node(asked.solved, self.style)
            pairs += [
                (_put(given.left, was), _put(asked.left, now)),
                (_put(given.right, was), _put(asked.right, now)),
            ]
        return _unique([new for old, new in pairs if old == node])

    def _parts(self, node: Node) -> Iterator[Node]:
        terms = list(_terms(node, sign=1))
        choices = [tuple(self._term(sign, term)) for sign, term in terms]
        for chosen in islice(product(*choices), MAX_PROPOSALS):
            yield _total(chosen)

    def _term(self, sign: int, term: Node) -> Iterator[Node]:
        """Proposals for a term; its sign is part of what is explained."""
        form = linear(term)
        if form is None:
            return
        if form.a == 0 and _is_literal(term):
            for value in _match(self.numbers, form.b * sign):
                yield number_node(value, self.style)
            return
        if form.b == 0 and _is_plain_term(term):
            yield from self._unknown_term(form.a * sign, term)
            return
        if isinstance(term, Binary):
            yield from self._joined(sign, term)

    def _unknown_term(self, coefficient: Fraction, term: Node) -> Iterator[Node]:
        if isinstance(term, Unknown) and coefficient == 1:
            yield term
        for value in _match(self.coefficients, coefficient):
            yield term_node(value, self.style)

    def _joined(self, sign: int, term: Binary) -> Iterator[Node]:
        """A product or a quotient that is written out, factor by factor."""
        firsts = tuple(self._factor(sign, term.left))
        seconds = tuple(self._factor(1, term.right))
        for first, second in islice(product(firsts, seconds), MAX_PROPOSALS):
            if linear(Binary(term.symbol, first, second)) is not None:
                yield Binary(term.symbol, first, second)

    def _factor(self, sign: int, node: Node) -> Iterator[Node]:
        form = linear(node)
        if form is not None and form.a == 0 and _is_literal(node):
            pairs = (*self.coefficients, *self.numbers)
            for value in _match(pairs, form.b * sign):
                yield number_node(value, self.style)
            return
        yield from islice(self._signed_parts(sign, node), MAX_PROPOSALS)

    def _signed_parts(self, sign: int, node: Node) -> Iterator[Node]:
        return self._parts(node if sign > 0 else Negated(node))


def explainer(given: Problem, asked: Problem, style: Style) -> Explainer:
    """What explains the numbers of an answer about ``given``."""
    places = tuple(_same_places(given, asked))
    numbers = [
        *_paired(given, asked, _number_quantities),
        *((old.b, new.b) for old, new in places),
        *_values_at_solution(given, asked, places),
        (Fraction(0), Fraction(0)),
    ]
    coefficients = [
        *_paired(given, asked, _coefficient_quantities),
        *((old.a, new.a) for old, new in places if old.a != 0),
    ]
    return Explainer(given, asked, style, _unique(numbers), _unique(coefficients))


def _paired(
    given: Problem, asked: Problem, quantities: Callable[[Problem], Iterator[Fraction]]
) -> Iterator[Pair]:
    return zip(quantities(given), quantities(asked), strict=True)


def _coefficient_quantities(problem: Problem) -> Iterator[Fraction]:
    balance = problem.balance
    cleared = balance.common_denominator
    gap = balance.difference.a
    for scale in (Fraction(1), Fraction(cleared)):
        yield gap * scale
        yield balance.left.a * scale
        yield balance.right.a * scale


def _number_quantities(problem: Problem) -> Iterator[Fraction]:
    balance = problem.balance
    root = problem.solved if isinstance(problem.solved, Fraction) else Fraction(0)
    cleared = balance.common_denominator
    yield root
    for scale in (Fraction(1), Fraction(cleared)):
        yield -balance.difference.b * scale
        yield balance.left.b * scale
        yield balance.right.b * scale
    yield Fraction(cleared)
    yield Fraction(balance.common_factor)
    for side in (balance.left, balance.right):
        yield side.a * root
        yield side.at(root)


def _same_places(given: Problem, asked: Problem) -> Iterator[tuple[Linear, Linear]]:
    """The forms of parts at the same place, if the equations have one shape."""
    for olds, news in ((given.left, asked.left), (given.right, asked.right)):
        if _shape(olds) != _shape(news):
            return
    for old, new in zip(given.nodes, asked.nodes, strict=True):
        old_form, new_form = linear(old), linear(new)
        if old_form is not None and new_form is not None:
            yield old_form, new_form


def _values_at_solution(
    given: Problem, asked: Problem, places: Sequence[tuple[Linear, Linear]]
) -> Iterator[Pair]:
    if isinstance(given.solved, Fraction) and isinstance(asked.solved, Fraction):
        for old, new in places:
            yield old.at(given.solved), new.at(asked.solved)


def _shape(node: Node) -> str:
    names = {Number: "n", Unknown: "x", Negated: "-"}
    return "".join(
        part.symbol if isinstance(part, Binary) else names[type(part)]
        for part in walk(node)
    )


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


def _match(pairs: Sequence[Pair], value: Fraction) -> tuple[Fraction, ...]:
    """The new values of every quantity that has this value, or its negative."""
    same = [new for old, new in pairs if old == value]
    opposite = [-new for old, new in pairs if old == -value and value != 0]
    return _unique([*same, *opposite])


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
    form = linear(node)
    return form is not None and form.a == 0 and form.b == 0


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
            return below != 0 and Fraction(above / below).denominator == below
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
