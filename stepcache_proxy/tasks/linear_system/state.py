"""What a worked answer has established so far, and what an action makes of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from stepcache_proxy.tasks.linear_system.algebra import Equality
from stepcache_proxy.tasks.linear_system.problem import System
from stepcache_proxy.tasks.linear_system.sentences import (
    Action,
    Combination,
    Operation,
    Reference,
    Substitution,
)

_MOST_VERSIONS = 6
_MOST_KNOWN = 24

Versions = tuple[Equality, ...]


@dataclass(frozen=True, slots=True)
class State:
    """What has been said so far.

    ``first`` and ``second`` are the forms in which the two equations were written,
    oldest first; ``known`` is every equation that was stated. ``latest`` is the last
    one, None where nothing before is known. ``pending`` are actions whose result is
    not stated yet. ``final`` maps an unknown to whether its last value was reduced;
    ``ending`` are the unknowns whose values the last sentence with values stated.
    ``eliminating`` are those that were said to be about to go.
    """

    first: Versions
    second: Versions
    known: Versions
    sizes: frozenset[Fraction]
    latest: Equality | None = None
    pending: tuple[Action, ...] = ()
    final: tuple[tuple[str, bool], ...] = ()
    ending: frozenset[str] = frozenset()
    equations: int = 0
    is_checking: bool = False
    eliminating: frozenset[str] = frozenset()

    def versions(self, index: int) -> Versions:
        """The forms in which an equation was written."""
        return self.first if index == 0 else self.second

    def with_versions(self, index: int, versions: Versions) -> "State":
        """The same with other forms of an equation."""
        if index == 0:
            return replace(self, first=versions)
        return replace(self, second=versions)

    def stating(self, equality: Equality) -> "State":
        """The state after an equation that was found right."""
        state = replace(self, known=_added(self.known, equality, _MOST_KNOWN))
        if equality.has_unknown:
            state = replace(state, latest=equality)
        for index, given in ((0, self.first[0]), (1, self.second[0])):
            if equality.line == given.line:
                versions = _added(state.versions(index), equality, _MOST_VERSIONS)
                state = state.with_versions(index, versions)
        return state


def beginning(system: System) -> State:
    """Nothing said yet; the two equations are given."""
    first, second = system.equalities
    return State((first,), (second,), (first, second), system.sizes)


def _added(versions: Versions, one: Equality, most: int) -> Versions:
    """The given one always stays, first."""
    rest = [known for known in versions if known != one or known == versions[0]]
    if one == versions[0]:
        return versions
    return (versions[0], *rest[1:][-most + 2 :], one)


def results(action: Action, state: State) -> tuple[Equality, ...]:
    """What may stand after an action."""
    match action:
        case Operation():
            return tuple(_operated(action, state))
        case Combination():
            return tuple(_combined(action, state))
        case Substitution(index):
            bases = state.known if index is None else state.versions(index)
            return tuple(_put(bases, state.known))
        case Reference(index):
            versions = state.versions(index)
            return (*versions, *_put(versions, state.known))


def is_result(action: Action, stated: Equality, state: State) -> bool:
    """Whether an equation is what an action leads to."""
    found = results(action, state)
    if isinstance(action, Operation):
        return stated in found
    if isinstance(action, Combination):
        return any(stated.says(one) for one in found)
    if stated in found or stated.swapped in found:
        return True
    # Terms that were moved must have been moved to where they belong.
    gap = stated.difference
    if not stated.has_unknown or not ((gap.x and gap.y) or stated.is_settled):
        return False
    return any(stated.line == one.line for one in found if one.has_unknown)


def after(action: Action, state: State) -> State:
    """The state with the unstated results of an action in the place of what it used."""
    found = results(action, state)
    if isinstance(action, Operation) and action.index is not None:
        return state.with_versions(action.index, found) if found else state
    if len(found) == 1:
        return replace(state, latest=found[0])
    return state


def _operated(operation: Operation, state: State) -> Iterator[Equality]:
    if operation.index is not None:
        starts = state.versions(operation.index)
    elif state.latest is not None:
        starts = (state.latest,)
    else:
        starts = (*state.first, *state.second)
    return filter(None, (_applied(operation, start) for start in starts))


def _applied(operation: Operation, start: Equality) -> Equality | None:
    """The equation after it; None where it cannot be done."""
    form = operation.form
    match operation.verb:
        case "add":
            return start.shifted(form)
        case "subtract":
            return start.shifted(form.scaled(Fraction(-1)))
        case _ if not form.is_number or form.c == 0:
            return None
        case "multiply":
            return start.scaled(form.c)
        case "divide":
            return start.scaled(1 / form.c)


def _combined(combination: Combination, state: State) -> Iterator[Equality]:
    latest = (state.latest,) if state.latest is not None else ()
    firsts, seconds = (
        latest if index is None else state.versions(index)
        for index in (combination.first, combination.second)
    )
    turned = ((a.turned, b.turned) for a, b in product(firsts, seconds))
    for first, second in turned:
        if combination.verb == "add":
            yield first.plus(second, 1)
            continue
        yield first.plus(second, -1)
        if combination.is_either:
            yield second.plus(first, -1)


def _put(bases: Sequence[Equality], known: Sequence[Equality]) -> Iterator[Equality]:
    """What is known of the unknowns, put into equations, one unknown or both."""
    solved = list(dict.fromkeys(s for e in known if (s := e.solved_for) is not None))
    values = [(index, form) for index, form in solved if form.is_number]
    for base in bases:
        for index, form in solved:
            if base.left.coefficient(index) or base.right.coefficient(index):
                yield base.put(index, form)
        for (one, value), (other, amount) in product(values, values):
            if one < other:
                yield base.put(one, value).put(other, amount)
