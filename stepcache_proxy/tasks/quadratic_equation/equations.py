"""One equation of an answer: does it hold for the roots, and come from there?"""

from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Either,
    Negated,
    Node,
    Number,
    Poly,
    Root,
    Sign,
    Square,
    Symbol,
    Symbols,
    Unknown,
    has,
    has_either,
    literal,
    poly,
    walk,
)
from stepcache_proxy.tasks.quadratic_equation.problem import Problem, discriminant

_OTHER = "an equation that does not come from this problem"
_SIGNS: tuple[Sign, Sign] = (1, -1)


@dataclass(frozen=True, slots=True)
class Equation:
    """What two neighbours of a chain are; ``scale`` where they fix it."""

    role: str
    wrong: str = ""
    doubt: str = ""
    scale: Fraction | None = None


def judge_pair(problem: Problem, left: Node, right: Node, letters: Symbols) -> Equation:
    """Two neighbours of a chain in which the unknown is written."""
    if not (_is_grounded(left, problem) and _is_grounded(right, problem)):
        ground = "a number that does not come from the equation"
    else:
        ground = ""
    if has_either(left) or has_either(right):
        found = _with_either(problem, left, right, letters)
    else:
        found = _plain(problem, left, right, letters)
    if found.wrong or found.doubt or not ground:
        return found
    return Equation(found.role, doubt=ground)


def is_part(problem: Problem, form: Poly) -> bool:
    """Whether it is the whole polynomial, or a factor of it."""
    if form.degree == 2:
        return any(problem.whole.scaled(scale) == form for scale in problem.scales)
    return form.degree == 1 and _is_factor(problem, form)


def _plain(problem: Problem, left: Node, right: Node, letters: Symbols) -> Equation:
    first, second = poly(left, 1, letters), poly(right, 1, letters)
    if first is None or second is None:
        return Equation("unread", doubt="an equation that is not read")
    gap = first.minus(second)
    if gap.degree == 2:
        return _quadratic(problem, (left, right), (first, second))
    if gap.degree == 1:
        return _branch(problem, (left, right), (first, second))
    if gap.c != 0:
        return Equation("numbers", wrong="wrong arithmetic")
    return _identity(problem, (left, right), first)


def _quadratic(
    problem: Problem, nodes: tuple[Node, Node], sides: tuple[Poly, Poly]
) -> Equation:
    gap = sides[0].minus(sides[1])
    scale = gap.a / problem.whole.a
    if gap != problem.whole.scaled(scale):
        return Equation("quadratic", wrong="not an equation of this problem")
    is_expanded = scale in problem.scales and _is_expanded(nodes[0])
    if nodes == (problem.left, problem.right):
        return Equation("given", scale=scale if is_expanded else None)
    if not (_is_moved(problem, sides, scale) or _is_completed(sides)):
        return Equation("quadratic", doubt=_OTHER)
    role = "standard" if sides[1].degree == 0 and sides[1].c == 0 else "quadratic"
    return Equation(role, scale=scale if is_expanded else None)


def _is_expanded(node: Node) -> bool:
    """Whether no sum is left in brackets."""
    for part in walk(node):
        inner: tuple[Node, ...] = ()
        match part:
            case Binary("*" | "/", left, right):
                inner = (left, right)
            case Square(base):
                inner = (base,)
            case _:
                pass
        if any(isinstance(one, Binary) and one.symbol in "+-" for one in inner):
            return False
    return True


def _is_moved(problem: Problem, sides: tuple[Poly, Poly], scale: Fraction) -> bool:
    """Whether whole terms of the collected sides were moved, at a usual scale."""
    if scale not in problem.scales:
        return False
    given = [side.scaled(scale).parts for side in problem.sides]
    stated = (sides[0].parts, sides[1].parts)
    return all(
        _is_placed(part[:2], part[2:]) for part in zip(*given, *stated, strict=True)
    )


def _is_placed(given: tuple[Fraction, ...], stated: tuple[Fraction, ...]) -> bool:
    gap = given[0] - given[1]
    return stated in {given, (gap, Fraction(0)), (Fraction(0), -gap)}


def _is_completed(sides: tuple[Poly, Poly]) -> bool:
    """A square on the left and a number on the right."""
    return sides[1].degree == 0 and discriminant(sides[0]) == 0


def _branch(
    problem: Problem, nodes: tuple[Node, Node], sides: tuple[Poly, Poly]
) -> Equation:
    """An equation of degree one, which has one solution."""
    gap = sides[0].minus(sides[1])
    root = -gap.c / gap.b
    if root not in problem.roots:
        return Equation("branch", wrong="wrong solution")
    if isinstance(nodes[0], Unknown):
        where = f"solution {problem.roots.index(root)}"
        return Equation(where, doubt=_OTHER if sides[1].degree else "")
    where = f"branch {problem.roots.index(root)}"
    if sides[1].degree:
        return Equation(where, doubt=_OTHER)
    half = problem.whole.b / (2 * problem.whole.a)
    is_usual = _is_factor(problem, gap) and (sides[1].c == 0 or sides[0].c == 0)
    is_square = sides[0].b == 1 and sides[0].c == half
    return Equation(where, doubt="" if is_usual or is_square else _OTHER)


def _is_factor(problem: Problem, form: Poly) -> bool:
    """Whether a person would factor it out: ``x - 2``, ``2x - 1``."""
    root = -form.c / form.b
    usual = {Fraction(1), Fraction(root.denominator), *problem.lines}
    return root in problem.roots and abs(form.b) in usual


def _identity(problem: Problem, nodes: tuple[Node, Node], form: Poly) -> Equation:
    """Two ways to write the same, of a side or of the whole polynomial."""
    if nodes[0] == nodes[1]:
        return Equation("identity", doubt="an equation that says nothing")
    if not has(nodes[0], Unknown) and not has(nodes[1], Unknown):
        return Equation("worked out")
    is_side = any(form in {side, side.scaled(Fraction(-1))} for side in problem.sides)
    is_known = is_side or (form.degree == 2 and is_part(problem, form))
    return Equation("identity", doubt="" if is_known else _OTHER)


def _with_either(
    problem: Problem, left: Node, right: Node, letters: Symbols
) -> Equation:
    """``x = (5 ± 1)/2``: both readings together have all roots, or are the same."""
    gaps: list[Poly] = []
    for sign in _SIGNS:
        first, second = poly(left, sign, letters), poly(right, sign, letters)
        if first is None or second is None or (has_either(left) and first.degree):
            return Equation("unread", doubt="an equation that is not read")
        gaps.append(first.minus(second))
    if all(gap.degree == 1 for gap in gaps):
        found = {-gap.c / gap.b for gap in gaps}
        if found != set(problem.roots):
            return Equation("both", wrong="wrong solutions")
        is_usual = isinstance(left, Unknown) or _is_half(problem, poly(left))
        return Equation("both", doubt="" if is_usual else _OTHER)
    if any(gap.degree or gap.c for gap in gaps):
        return Equation("both", wrong="wrong arithmetic")
    is_same = left == right
    return Equation("worked out", doubt="an equation that says nothing" * is_same)


def _is_half(problem: Problem, form: Poly | None) -> bool:
    """``x + b/2a``, what is squared where the square is completed."""
    if form is None or form.degree != 1:
        return False
    return form.c / form.b == problem.whole.b / (2 * problem.whole.a)


def _is_grounded(node: Node, problem: Problem) -> bool:
    """Whether every number written is a quantity of the problem."""
    value = literal(node)
    if value is not None:
        return abs(value) in problem.known
    match node:
        case Binary(_, left, right):
            return _is_grounded(left, problem) and _is_grounded(right, problem)
        case Number(value):
            return abs(value) in problem.known
        case Unknown() | Symbol():
            return True
        case Negated(inner) | Square(inner) | Either(inner) | Root(inner):
            return _is_grounded(inner, problem)
