"""What a number of a worked answer can be: a quantity, a result, or a constant."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain

from stepcache_proxy.tasks.word_problem.aligning import Slot, stem
from stepcache_proxy.tasks.word_problem.question import Question
from stepcache_proxy.tasks.word_problem.wording import (
    is_continuous,
    may_be_unsaid,
    stands_behind,
)
from stepcache_proxy.tasks.word_problem.worked import Worked

_MOST_COUNTED = 31
_MOST_COMBINED = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a number: what it becomes, and what that uses up.

    ``slot`` and ``result`` are numbered from 0. ``fraction`` is of a quantity that is
    written as one. ``is_guess``: nothing in the texts says so, but it may be meant.
    """

    becomes: Fraction
    slot: int | None = None
    result: int | None = None
    fraction: tuple[int, int] | None = None
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """The distinct quantities of a problem, and the problem."""

    slots: tuple[Slot, ...]
    question: Question
    _known: dict[int, tuple[tuple[Reading, ...], bool]] = field(
        default_factory=dict[int, tuple[tuple[Reading, ...], bool]], compare=False
    )

    @classmethod
    def of(cls, slots: Sequence[Slot], question: Question) -> "Sources":
        """Quantities that were equal and still are count once."""
        seen: dict[object, Slot] = {}
        for slot in slots:
            given, asked = slot.given, slot.asked
            key = (given.value, asked.value, given.is_percent, given.is_fraction)
            seen.setdefault((*key, given.is_difference), slot)
        return cls(tuple(seen.values()), question)

    def readings(
        self,
        worked: Worked,
        place: int,
        results: Mapping[int, Reading],
        *,
        is_factor: bool,
    ) -> tuple[Reading, ...]:
        """Every way to read the number at ``place``.

        ``results`` are of the calculations before. ``is_factor``: something is
        multiplied with it or divided by it.
        """
        number = worked.numbers[place].value
        quantities, is_named = self.quantities(worked, place)
        before = [made for at, made in results.items() if _stated(worked, at) == number]
        found = (*quantities, *before)
        if is_named:
            return found
        # A way that leaves it as it is need not be looked at twice.
        is_kept = any(reading.becomes == number for reading in found)
        unsaid = () if is_kept else (Reading(number),)
        if number == 1 or stands_behind(number, self.question):
            return (*found, *unsaid)
        if not is_factor:
            return found
        if found:
            unsaid = unsaid if may_be_unsaid(number) else ()
            return (*found, *unsaid, *self._beside(number))
        is_count = number.denominator == 1 and number <= _MOST_COUNTED
        if is_count and not self._is_reached(worked, number, results):
            return (Reading(number),)
        return ()

    def quantities(
        self, worked: Worked, place: int
    ) -> tuple[tuple[Reading, ...], bool]:
        """Readings as a quantity; only those of the same noun where there are any.

        Looked up once a place.
        """
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = self._quantities(worked, place)
        return known

    def _quantities(
        self, worked: Worked, place: int
    ) -> tuple[tuple[Reading, ...], bool]:
        number = worked.numbers[place].value
        found = [
            (slot, reading)
            for at, slot in enumerate(self.slots)
            for reading in _slot_readings(number, at, slot)
        ]
        named = [r for slot, r in found if _has_same_noun(worked, place, slot)]
        return tuple(named or (r for _, r in found)), bool(named)

    def _beside(self, number: Fraction) -> Iterator[Reading]:
        """Readings as one more than are counted: Lena and her 3 friends."""
        for at, slot in enumerate(self.slots):
            if slot.given.value + 1 == number and _may_count_people(slot):
                yield Reading(slot.asked.value + 1, slot=at, is_guess=True)

    def _is_reached(
        self, worked: Worked, number: Fraction, results: Mapping[int, Reading]
    ) -> bool:
        """Whether one step (and 1 more or less) makes the number of what changes."""
        known = [(s.given.value, s.asked.value) for s in self.slots]
        known += [(_stated(worked, at), made.becomes) for at, made in results.items()]
        known += [(Fraction(1), Fraction(1)), (Fraction(2), Fraction(2))]
        if len(known) > _MOST_COMBINED:
            return True
        steps = chain.from_iterable(_steps(a, b) for a in known for b in known)
        return any(
            before != after and abs(before - number) in (0, 1)
            for before, after in steps
        )


def _may_count_people(slot: Slot) -> bool:
    given = slot.given
    is_measure = given.is_money or given.is_percent or is_continuous(given.noun)
    return not is_measure and given.noun not in {"time", "times"}


def _steps(
    a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]
) -> Iterator[tuple[Fraction, Fraction]]:
    yield a
    yield a[0] + b[0], a[1] + b[1]
    yield a[0] - b[0], a[1] - b[1]
    yield a[0] * b[0], a[1] * b[1]
    if b[0] and b[1]:
        yield a[0] / b[0], a[1] / b[1]


def _stated(worked: Worked, at: int) -> Fraction:
    """What a calculation came to, nothing if it is not written down."""
    results = worked.calculations[at].results
    return worked.numbers[results[0]].value if results else Fraction(-1)


def _has_same_noun(worked: Worked, place: int, slot: Slot) -> bool:
    places = (place, *(p for p, tied in worked.ties.items() if tied == place))
    if slot.given.is_money:
        return any(p in worked.money for p in places)
    nouns = {stem(worked.nouns[p]) for p in places if p in worked.nouns}
    return stem(slot.given.noun) in nouns


def _slot_readings(number: Fraction, at: int, slot: Slot) -> Iterator[Reading]:
    """How a number may come from a quantity, alone or as a part of it."""
    given, asked = slot.given, slot.asked
    for before, after in _views(given.value, asked.value, slot):
        if before == number:
            over_under = (asked.over, asked.under) if asked.is_fraction else None
            yield Reading(after, slot=at, fraction=over_under)
    if given.is_fraction and asked.is_fraction:
        if number == given.over:
            yield Reading(Fraction(asked.over), slot=at)
        if number == given.under:
            yield Reading(Fraction(asked.under), slot=at)


def _views(
    given: Fraction, asked: Fraction, slot: Slot
) -> Iterator[tuple[Fraction, Fraction]]:
    """The quantity, and what people write for it: a share, what it leaves, dollars."""
    yield given, asked
    if slot.given.is_percent:
        yield given / 100, asked / 100
        yield 1 - given / 100, 1 - asked / 100
        yield 1 + given / 100, 1 + asked / 100
        yield 100 - given, 100 - asked
        yield 100 + given, 100 + asked
    elif slot.given.noun in {"cent", "cents"}:
        yield given / 100, asked / 100
