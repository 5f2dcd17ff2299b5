"""The worked solution of a linear equation, exact, in the form that was asked for."""

from collections.abc import Iterator
from dataclasses import replace

from stepcache_proxy.tasks.linear_equation.algebra import (
    Balance,
    Linear,
    constant,
    ratio,
)
from stepcache_proxy.tasks.linear_equation.asking import Asked, Form
from stepcache_proxy.tasks.linear_equation.printing import (
    PLAIN,
    Style,
    show_equation,
    show_form,
    show_node,
    show_number,
)
from stepcache_proxy.tasks.linear_equation.problem import Problem


def work(asked: Asked) -> str:
    """A right answer: numbered steps and the solution, or the solution alone."""
    problem = asked.problem
    if asked.form is Form.NUMBER and not isinstance(problem.solved, str):
        return show_number(problem.solved, _style(problem))
    solution = state_solution(problem)
    if asked.form in {Form.ANSWER, Form.NUMBER}:
        return solution[0].upper() + solution[1:] if " = " not in solution else solution
    lines = [*_steps(problem)]
    numbered = [f"Step {number}: {line}" for number, line in enumerate(lines, 1)]
    return "\n".join([*numbered, f"Answer: {solution}"])


def state_solution(problem: Problem) -> str:
    """``x = 5``, or how many solutions there are, in words."""
    match problem.solved:
        case "none":
            return "there is no solution"
        case "all":
            return "every number is a solution"
        case value:
            return f"{problem.unknown} = {show_number(value, _style(problem))}"


def _steps(problem: Problem) -> Iterator[str]:
    left = show_node(problem.left, problem.unknown, _style(problem))
    right = show_node(problem.right, problem.unknown, _style(problem))
    yield f"Start from {left} = {right}."
    balance = problem.balance
    stated = f"{left} = {right}"
    if stated != _show(problem, balance):
        yield f"Simplify both sides: {_show(problem, balance)}."
    cleared = balance.common_denominator
    if cleared != 1 and not problem.has_decimal:
        balance = balance.scaled(cleared)
        yield f"Multiply both sides by {cleared}: {_show(problem, balance)}."
    yield from _isolation(problem, balance)


def _isolation(problem: Problem, balance: Balance) -> Iterator[str]:
    away = _unknown_to_remove(balance)
    if away is not None:
        balance = balance.plus(away.negative)
        yield f"{_removal(problem, away)}: {_show(problem, balance)}."
    side, other = balance.left, balance.right
    if side.slope == 0:
        side, other = other, side
    if side.slope != 0 and side.rest != 0:
        balance = balance.plus(constant(-side.rest))
        yield f"{_removal(problem, constant(side.rest))}: {_show(problem, balance)}."
    if side.slope not in (0, 1):
        factor = side.slope
        balance = balance.scaled(ratio(1, factor))
        shown = show_number(factor, _style(problem))
        yield f"Divide both sides by {shown}: {_show(problem, balance)}."
    if isinstance(problem.solved, str):
        truth = "never" if problem.solved == "none" else "always"
        yield f"The variable has gone, and {_show(problem, balance)} is {truth} true."


def _unknown_to_remove(balance: Balance) -> Linear | None:
    """The term of the side with the smaller coefficient, if both sides have one."""
    left, right = balance.left.slope, balance.right.slope
    if left == 0 or right == 0:
        return None
    return Linear(min(left, right), 0)


def _removal(problem: Problem, form: Linear) -> str:
    sign = form.slope or form.rest
    shown = show_form(
        form if sign > 0 else form.negative,
        problem.unknown,
        _style(problem),
    )
    if sign > 0:
        return f"Subtract {shown} from both sides"
    return f"Add {shown} to both sides"


def _style(problem: Problem) -> Style:
    """Decimals only for an equation that has some, and only where they are exact."""
    return replace(PLAIN, has_decimals=problem.has_decimal)


def _show(problem: Problem, balance: Balance) -> str:
    return show_equation(balance, problem.unknown, _style(problem))
