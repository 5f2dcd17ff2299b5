"""Whether operations on both sides lead from one equation to another."""

from collections.abc import Sequence

from stepcache_proxy.tasks.linear_equation.algebra import Balance
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import Operation


def leads(
    operations: Sequence[Operation],
    start: Balance | None,
    end: Balance,
    problem: Problem,
) -> bool:
    """Whether the operations, in order, lead from ``start`` to ``end``.

    With no start known they must come from an equation a person would have.
    """
    if start is not None:
        reached: Balance | None = start
        for operation in operations:
            reached = reached and operation.applied(reached)
        return reached == end
    origin: Balance | None = end
    for operation in reversed(operations):
        origin = origin and operation.undone(origin)
    if origin is None or not problem.reaches(origin):
        return False
    return origin in problem.reach or origin in problem.natural


def is_natural(problem: Problem, operations: Sequence[Operation]) -> bool:
    """Whether a person would do this next, the result being left unsaid."""
    return all(_is_natural(problem, operation) for operation in operations)


def _is_natural(problem: Problem, operation: Operation) -> bool:
    form = operation.form
    for balance in problem.natural:
        for side in (balance.left, balance.right):
            if operation.verb in {"multiply", "divide"}:
                is_number = form.slope == 0 and form.rest != 0
                is_match = is_number and side.slope == form.rest
            else:
                moved = form.negative if operation.verb == "add" else form
                is_match = moved in ((side.slope, 0), (0, side.rest))
            if is_match:
                return True
    return False
