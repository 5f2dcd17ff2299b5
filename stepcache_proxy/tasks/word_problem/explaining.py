"""Where every number of a worked answer comes from, and what it becomes.

A number is a quantity of the problem, the result of an earlier calculation, or a
constant. Often it may be several of these at once (an 8 where there are two). Then
every way to read the answer is worked through. A way counts if it is thrifty: it uses
every quantity that changes, and every result but the last. The answer is explained if
there is such a way, and if all of them come to the same numbers everywhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from stepcache_proxy.tasks.word_problem.aligning import Slot
from stepcache_proxy.tasks.word_problem.expressions import (
    InexactError,
    factors_in,
    value,
)
from stepcache_proxy.tasks.word_problem.question import Question
from stepcache_proxy.tasks.word_problem.sources import Reading, Sources
from stepcache_proxy.tasks.word_problem.wording import stands_behind
from stepcache_proxy.tasks.word_problem.worked import Calculation, Worked

MAX_EVALUATIONS = 250

Readings = Mapping[int, Reading]


class _SpentError(Exception):
    """There are more ways to read the answer than we look at."""


def explain(
    worked: Worked, slots: Sequence[Slot], question: Question
) -> dict[int, Reading] | None:
    """A reading for every number in a calculation, by its place; None if not clear.

    ``question`` is the problem that the answer solves.
    """
    search = _Search(worked, Sources.of(slots, question))
    first: dict[int, Fraction] | None = None
    sure: Readings | None = None
    try:
        for way in search.ways():
            numbers = {place: reading.becomes for place, reading in way.items()}
            if first is not None and numbers != first:
                return None
            first = numbers
            if sure is None and not any(r.is_guess for r in way.values()):
                sure = way
    except _SpentError:
        return None
    return None if sure is None else dict(sure)


@dataclass(slots=True)
class _Search:
    """Every thrifty way to read one answer."""

    worked: Worked
    sources: Sources
    _left: int = field(default=MAX_EVALUATIONS)

    def ways(self) -> Iterator[Readings]:
        """Readings of all numbers in calculations."""
        return filter(self._is_thrifty, self._from(0, {}, {}))

    def _is_thrifty(self, way: Readings) -> bool:
        """Whether quantities and results are used as often as they should be."""
        uses = [
            {way[p] for p in calculation.operands if p in way}
            for calculation in self.worked.calculations
        ]
        inner = range(len(uses) - 1)
        results = {reading.result for used in uses for reading in used}
        if not results.issuperset(inner):
            return False
        slots = [{reading.slot for reading in used} for used in uses]
        return all(
            self._is_used_well(slot, sum(at in used for used in slots))
            for at, slot in enumerate(self.sources.slots)
        )

    def _is_used_well(self, slot: Slot, count: int) -> bool:
        """Whether a quantity may be used in so many calculations.

        A difference is no amount, so it is used once. What is not used at all does
        not change, and is no figure: it may be a limit that was not reached. Where a
        word may bring the same number along, the quantity may be idle: such ways
        have to be looked at, too.
        """
        if count:
            return count == 1 or not slot.given.is_difference
        is_idle = slot.given.is_said and not slot.is_changed
        return is_idle or stands_behind(slot.given.value, self.sources.question)

    def _from(
        self, at: int, way: dict[int, Reading], results: dict[int, Reading]
    ) -> Iterator[Readings]:
        if at == len(self.worked.calculations):
            yield way
            return
        calculation = self.worked.calculations[at]
        places = [p for p in calculation.operands if p not in self.worked.ties]
        factors = {p for tree in calculation.trees for p in factors_in(tree)}
        choices = [
            self.sources.readings(
                self.worked, place, results, is_factor=place in factors
            )
            for place in places
        ]
        for chosen in product(*choices):
            more = dict(zip(places, chosen, strict=True))
            made = self._made(calculation, more)
            if made is None:
                continue
            stated = dict.fromkeys(calculation.results, Reading(made))
            known = results | {at: Reading(made, result=at)}
            yield from self._from(at + 1, way | more | stated, known)

    def _made(self, calculation: Calculation, way: Readings) -> Fraction | None:
        """The new value of a calculation, if its expressions still agree."""
        if not self._left:
            raise _SpentError
        self._left -= 1
        ties = self.worked.ties
        numbers = {
            place: way[ties.get(place, place)].becomes for place in calculation.operands
        }
        try:
            made = {value(tree, numbers) for tree in calculation.trees}
        except InexactError:
            return None
        return made.pop() if len(made) == 1 else None
