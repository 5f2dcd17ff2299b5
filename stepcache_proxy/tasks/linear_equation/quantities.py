"""The quantities of an equation that a worked solution would name, always in one order.

Two equations that are put together alike have the same quantities at the same places:
what a number of the one's solution is to its equation, another is to the other's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stepcache_proxy.tasks.linear_equation.algebra import Exact, tidy
from stepcache_proxy.tasks.linear_equation.problem import Problem

COLLECTED = 6
"""How many coefficients come first that are not of a part as written."""


class Match(NamedTuple):
    """Places of the quantities that have a value, and of those that have its negative.

    The most telling come first.
    """

    same: tuple[int, ...]
    opposite: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quantities:
    """Numbers, and coefficients of the unknown, most telling first."""

    numbers: tuple[Exact, ...]
    coefficients: tuple[Exact, ...]

    @property
    def factors(self) -> tuple[Exact, ...]:
        """What both sides might be multiplied with."""
        return self.coefficients + self.numbers


def quantities(problem: Problem, *, has_places: bool) -> Quantities:
    """The quantities; ``has_places``: with those of every part as it is written."""
    parts = problem.parts if has_places else ()
    root = problem.solved
    at_root = () if isinstance(root, str) else [part.at(root) for part in parts]
    return Quantities(
        (*_numbers(problem), *(part.rest for part in parts), *at_root, 0),
        (*_coefficients(problem), *(part.slope for part in parts)),
    )


def _coefficients(problem: Problem) -> Iterator[Exact]:
    balance = problem.balance
    gap = balance.difference.slope
    for scale in (1, problem.cleared):
        yield tidy(gap * scale)
        yield tidy(balance.left.slope * scale)
        yield tidy(balance.right.slope * scale)


def _numbers(problem: Problem) -> Iterator[Exact]:
    balance, cleared = problem.balance, problem.cleared
    gap = balance.difference.rest
    root = 0 if isinstance(problem.solved, str) else problem.solved
    yield root
    for scale in (1, cleared):
        yield tidy(-gap * scale)
        yield tidy(balance.left.rest * scale)
        yield tidy(balance.right.rest * scale)
    yield cleared
    yield balance.common_factor
    for side in balance:
        yield tidy(side.slope * root)
        yield side.at(root)


class Index:
    """Tells which quantities have a value, or its negative; None explains nothing."""

    def __init__(self, values: Sequence[Exact | None]) -> None:
        found: dict[Exact, list[int]] = {}
        for place, value in enumerate(values):
            if value is not None:
                found.setdefault(value, []).append(place)
        self._places = {value: tuple(places) for value, places in found.items()}

    def match(self, value: Exact) -> Match:
        """Where the value is, and where its negative is."""
        opposite = self._places.get(-value, ()) if value else ()
        return Match(self._places.get(value, ()), opposite)


def matched(match: Match, values: Sequence[Exact]) -> tuple[Exact, ...]:
    """The values at the places of a match, each once."""
    found = [values[place] for place in match.same]
    found += [-values[place] for place in match.opposite]
    return tuple(dict.fromkeys(found))
