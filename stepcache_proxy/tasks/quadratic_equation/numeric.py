"""Chains of numbers in an answer: which part of a solution they are, if any.

``25 - 24 = 1`` is true of every equation and belongs to few. A chain is accepted only
where its first side is a known expression of this problem (its discriminant, a root put
into the equation as given, the two numbers of a factoring) and every further side works
the one before it out, term by term.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Poly,
    Root,
    Square,
    Symbol,
    Unknown,
    factors,
    has,
    literal,
    number,
    terms,
)
from stepcache_proxy.tasks.quadratic_equation.problem import (
    Problem,
    discriminant,
    splits,
)

_A, _B, _C = Symbol("a"), Symbol("b"), Symbol("c")
_FOUR = Number(Fraction(4))
FORMULA = Binary("-", Square(_B), Binary("*", Binary("*", _FOUR, _A), _C))


@dataclass(frozen=True, slots=True)
class Context:
    """What the words around a chain say it is about."""

    is_discriminant: bool = False
    is_check: bool = False


def symbols(whole: Poly) -> dict[str, Fraction]:
    """What the letters of the formula stand for."""
    a, b, c = whole.parts
    return {"a": a, "b": b, "c": c, "D": discriminant(whole)}


def role_of_chain(
    problem: Problem, scale: Fraction, sides: Sequence[Node], context: Context
) -> str:
    """What a true chain says of the problem times ``scale``; empty for nothing."""
    whole = problem.whole.scaled(scale)
    values = [number(side, symbols(whole)) for side in sides]
    if None in values or len(set(values)) != 1:
        return ""
    if isinstance(sides[0], Symbol) and sides[0].name in "abc":
        is_stated = len(sides) == 2 and literal(sides[1]) is not None
        return f"coefficient {sides[0].name}" if is_stated else ""
    named = [side for side in sides if has(side, Symbol)]
    plain = list(sides[len(named) :])
    if any(has(side, Symbol) for side in plain) or not follows(plain):
        return ""
    if named or context.is_discriminant:
        return _named_role(whole, named, plain)
    return _plain_role(problem, whole, plain, context)


def is_false(sides: Sequence[Node]) -> bool:
    """Whether two neighbours are numbers and not the same."""
    values = [number(side) for side in sides]
    return any(a is not None and b is not None and a != b for a, b in pairwise(values))


def _named_role(whole: Poly, named: Sequence[Node], plain: Sequence[Node]) -> str:
    """A chain that is about the discriminant or its root in so many words."""
    if all(side in (Symbol("D"), FORMULA) for side in named):
        is_it = not plain or _is_discriminant(whole, plain[0], is_named=True)
        return "discriminant" if is_it else ""
    if all(side in (Root(Symbol("D")), Root(FORMULA)) for side in named):
        return "root" if not plain or _is_root(whole, plain[0]) else ""
    return ""


def _plain_role(
    problem: Problem, whole: Poly, sides: Sequence[Node], context: Context
) -> str:
    first = sides[0]
    if _is_discriminant(whole, first, is_named=False):
        return "discriminant"
    if isinstance(first, Root) and _is_root(whole, first):
        return "root"
    for at, root in enumerate(problem.roots):
        if _is_put_in(problem, first, root, context):
            return f"check {at}"
    return _role_of_pair(whole, problem.roots, first)


def _is_root(whole: Poly, node: Node) -> bool:
    if not isinstance(node, Root):
        return literal(node) is not None
    return _is_discriminant(whole, node.inner, is_named=True)


def _is_discriminant(whole: Poly, node: Node, *, is_named: bool) -> bool:
    """``(-5)^2 - 4(1)(6)``; where it is named also ``25 - 24`` and the number alone."""
    found = list(terms(node))
    if len(found) != 2 or found[0][0]:
        return is_named and literal(node) == discriminant(whole)
    (_, first), (is_less, second) = found
    products = [literal(factor) for factor in factors(second)]
    if None in products:
        return False
    is_square = isinstance(first, Square) and _size(first.inner) == abs(whole.b)
    wanted = sorted((Fraction(4), whole.a, whole.c))
    if is_square and is_less and sorted(map(_key, products)) == wanted:
        return True
    value = number(second)
    if not is_named or len(products) > 1 or number(first) != whole.b**2:
        return False
    is_known = is_square or literal(first) is not None
    if value is None or not is_known:
        return False
    return (-value if is_less else value) == -4 * whole.a * whole.c


def _key(value: Fraction | None) -> Fraction:
    return value if value is not None else Fraction(0)


def _size(node: Node) -> Fraction | None:
    value = literal(node)
    return None if value is None else abs(value)


def _is_put_in(problem: Problem, node: Node, root: Fraction, context: Context) -> bool:
    """Whether it is a side as given with a root in the place of the unknown."""
    for template, side in zip(
        (problem.left, problem.right), problem.sides, strict=True
    ):
        if not has(template, Unknown):
            continue
        if _fits(node, template, root):
            return True
        worth = [side.a * root * root, side.b * root, side.c]
        parts = [literal(part) for _, part in terms(node)]
        is_plain = len(parts) > 1 and None not in parts
        if context.is_check and is_plain and _values(node) == worth:
            return True
    return False


def _fits(node: Node, template: Node, root: Fraction) -> bool:
    match template:
        case Unknown():
            return literal(node) == root
        case Number(value):
            return isinstance(node, Number) and node.value == value
        case Binary(symbol, left, right):
            return (
                isinstance(node, Binary)
                and node.symbol == symbol
                and _fits(node.left, left, root)
                and _fits(node.right, right, root)
            )
        case Negated(inner):
            return isinstance(node, Negated) and _fits(node.inner, inner, root)
        case Square(inner):
            return isinstance(node, Square) and _fits(node.inner, inner, root)
        case _:
            return False


def _role_of_pair(whole: Poly, roots: tuple[Fraction, ...], node: Node) -> str:
    """``(-2)(-3)`` and ``-2 + (-3)``, the numbers that the middle term is split by."""
    pair = sorted(splits(whole, roots))
    multiplied = [literal(factor) for factor in factors(node)]
    if len(multiplied) == 2 and None not in multiplied:
        return "product" if sorted(map(_key, multiplied)) == pair else ""
    added = _values(node)
    is_sum = all(literal(part) is not None for _, part in terms(node))
    return "sum" if len(added) == 2 and is_sum and sorted(added) == pair else ""


def _values(node: Node) -> list[Fraction]:
    """The values of the terms of a sum of numbers in order."""
    return [
        -value if is_less else value
        for is_less, part in terms(node)
        if (value := number(part)) is not None
    ]


def follows(sides: Sequence[Node]) -> bool:
    """Whether every side is the one before it, worked out further."""
    inner = [side.inner if isinstance(side, Root) else side for side in sides]
    steps = zip(sides, sides[1:], inner, inner[1:], strict=False)
    return all(
        after != before
        and (not isinstance(after, Root) or isinstance(before, Root))
        and _is_coarser(_values(worked if isinstance(after, Root) else after), before)
        for before, after, _, worked in steps
    )


def _is_coarser(values: Sequence[Fraction], before: Node) -> bool:
    """Whether the values are sums of neighbours among the terms before."""
    if isinstance(before, Root):
        if len(values) == 1:
            return True
        before = before.inner
    return list(_merged(values, _values(before))) == list(values)


def _merged(
    values: Sequence[Fraction], parts: Sequence[Fraction]
) -> Iterator[Fraction]:
    at = 0
    for value in values[:-1]:
        held = parts[at] if at < len(parts) else Fraction(0)
        at += 1
        while held != value and at < len(parts):
            held += parts[at]
            at += 1
        yield held
    if values:
        yield sum(parts[at:], Fraction(0))
