"""Numbers of a worked answer outside its calculations, and what they become."""

from collections.abc import Mapping, Sequence

from stepcache_proxy.tasks.word_problem.aligning import Slot
from stepcache_proxy.tasks.word_problem.question import Question
from stepcache_proxy.tasks.word_problem.sources import Reading, Sources
from stepcache_proxy.tasks.word_problem.wording import may_be_unsaid, stands_behind
from stepcache_proxy.tasks.word_problem.worked import Worked

_MOST_SAID = 4
_CURRENCY = frozenset({"dollar", "dollars"})


def read_mentions(
    worked: Worked,
    readings: Mapping[int, Reading],
    slots: Sequence[Slot],
    question: Question,
) -> dict[int, Reading] | None:
    """A reading for every number in prose; None if one is not clear.

    ``readings`` are of the numbers in calculations. What states the answer must be
    the last result.
    """
    found: dict[int, Reading] = {}
    for place, line in worked.mentions.items():
        if place in worked.finals:
            reading = _final(worked, readings, place)
        else:
            reading = _beside(worked, readings, place, line) or _alone(
                worked, readings, place, slots, question
            )
        if reading is None:
            return None
        found[place] = reading
    return found


def _final(
    worked: Worked, readings: Mapping[int, Reading], place: int
) -> Reading | None:
    results = worked.calculations[-1].results
    if not results:
        return None
    is_same = worked.numbers[results[-1]].value == worked.numbers[place].value
    return readings[results[-1]] if is_same else None


def _beside(
    worked: Worked, readings: Mapping[int, Reading], place: int, line: int
) -> Reading | None:
    """The reading of an equal number in a calculation on the same line."""
    number = worked.numbers[place].value
    found = {
        readings[other].becomes: readings[other]
        for calculation in worked.calculations
        if calculation.line == line
        for other in (*calculation.operands, *calculation.results)
        if other in readings and worked.numbers[other].value == number
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _alone(
    worked: Worked,
    readings: Mapping[int, Reading],
    place: int,
    slots: Sequence[Slot],
    question: Question,
) -> Reading | None:
    """The reading of a number as a quantity, a result or a constant, if it has one."""
    token = worked.numbers[place]
    meant = [slot for slot in slots if not _is_of_another_kind(worked, place, slot)]
    sources = Sources.of(meant, question)
    quantities, is_named = sources.quantities(worked, place)
    found = {reading.becomes: reading for reading in quantities}
    if not is_named and may_be_unsaid(token.value):
        found |= {token.value: Reading(token.value)} if found else {}
    for calculation in worked.calculations:
        for other in calculation.results[:1]:
            if worked.numbers[other].value == token.value:
                found[readings[other].becomes] = readings[other]
    if not found and (
        token.value == 1
        or stands_behind(token.value, question)
        or _is_counted(worked, place, meant)
    ):
        return Reading(token.value)
    return next(iter(found.values())) if len(found) == 1 else None


def _is_of_another_kind(worked: Worked, place: int, slot: Slot) -> bool:
    """Whether a number in words (``the two amounts``) can be no such price."""
    is_money = place in worked.money or worked.nouns.get(place) in _CURRENCY
    return worked.numbers[place].is_said and slot.given.is_money and not is_money


def _is_counted(worked: Worked, place: int, slots: Sequence[Slot]) -> bool:
    """Whether a small number in words only counts what does not change."""
    token = worked.numbers[place]
    return (
        token.is_said
        and token.value <= _MOST_SAID
        and not any(
            slot.is_changed and abs(slot.given.value - token.value) <= 1
            for slot in slots
        )
    )
