"""The worked solution of a quadratic equation, exact, in the form asked for."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from stepcache_proxy.tasks.quadratic_equation.asking import Asked, Form
from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Binary,
    Node,
    Poly,
    Square,
    factors,
    literal,
    poly,
)
from stepcache_proxy.tasks.quadratic_equation.printing import (
    PLAIN,
    Style,
    form_node,
    number_node,
    show,
)
from stepcache_proxy.tasks.quadratic_equation.problem import Problem


def work(asked: Asked) -> str:
    """A right answer: numbered steps and all solutions, or the solutions alone."""
    solution = state_solutions(asked.problem)
    if asked.form is Form.ANSWER:
        return solution
    numbered = [f"Step {n}: {line}" for n, line in enumerate(_steps(asked.problem), 1)]
    return "\n".join([*numbered, f"Answer: {solution}"])


def state_solutions(problem: Problem) -> str:
    """``x = 2 or x = 3``; a double root once."""
    style = _style(problem)
    shown = [show(number_node(root, style), "", style) for root in problem.roots]
    return " or ".join(f"{problem.unknown} = {root}" for root in shown)


def equation_of(problem: Problem) -> str:
    """The equation as given, in plain notation."""
    left, right = (
        show(side, problem.unknown, _style(problem))
        for side in (problem.left, problem.right)
    )
    return f"{left} = {right}"


def _steps(problem: Problem) -> Iterator[str]:
    style = _style(problem)
    stated = equation_of(problem)
    yield f"Start from {stated}."
    for form, line in _forms(problem):
        shown = f"{show(form_node(form, style), problem.unknown, style)} = 0"
        if shown != stated:
            stated = shown
            yield f"{line}: {stated}."
    factored = f"{show(_factored(problem), problem.unknown, PLAIN)} = 0"
    if factored != stated and not _is_factored(problem):
        yield f"Factor the left side: {factored}."
    branches = " or ".join(dict.fromkeys(_branches(problem)))
    yield f"Set each factor equal to zero: {branches}."


def _forms(problem: Problem) -> Iterator[tuple[Poly, str]]:
    if not _is_factored(problem):
        yield problem.whole, "Write the equation in standard form"
        yield problem.reduced, "Simplify the equation"


def _is_factored(problem: Problem) -> bool:
    """Whether it is given as a product of two factors that is zero."""
    if not problem.is_standard or literal(problem.right) != 0:
        return False
    worth = [poly(factor) for factor in factors(problem.left)]
    is_square = isinstance(problem.left, Square)
    return (
        is_square or sum(form is not None and form.degree == 1 for form in worth) == 2
    )


def _factors(problem: Problem) -> list[Poly]:
    """The primitive factors, the one of the larger root last."""
    zero = Fraction(0)
    return [
        Poly(zero, Fraction(root.denominator), Fraction(-root.numerator))
        for root in problem.roots
    ]


def _factored(problem: Problem) -> Node:
    first, *others = (form_node(factor, PLAIN) for factor in _factors(problem))
    if not others:
        return Square(first)
    # x(x - 3), not (x - 3)x.
    if isinstance(first, Binary) and not isinstance(others[0], Binary):
        first, others[0] = others[0], first
    return Binary("*", first, others[0])


def _branches(problem: Problem) -> Iterator[str]:
    for factor in _factors(problem):
        yield f"{show(form_node(factor, PLAIN), problem.unknown, PLAIN)} = 0"


def _style(problem: Problem) -> Style:
    """Decimals only for an equation that has some, and only where they are exact."""
    return replace(PLAIN, has_decimals=problem.has_decimal)
