"""An earlier problem, its worked answer, a new problem -> the answer worked anew.

The way of the earlier answer is taken over as it is. It is refused wherever other
numbers might ask for another way: a difference that changes its sign, a count that is
no longer whole, a word that speaks of a limit.
"""

from collections.abc import Mapping, Sequence, Set
from fractions import Fraction

from stepcache_proxy.tasks.word_problem.aligning import Slot, aligned
from stepcache_proxy.tasks.word_problem.explaining import explain
from stepcache_proxy.tasks.word_problem.expressions import parts, value
from stepcache_proxy.tasks.word_problem.limits import may_turn
from stepcache_proxy.tasks.word_problem.mentioning import read_mentions
from stepcache_proxy.tasks.word_problem.number_words import PARTS
from stepcache_proxy.tasks.word_problem.printing import printed
from stepcache_proxy.tasks.word_problem.question import Question
from stepcache_proxy.tasks.word_problem.script import Script, read_script
from stepcache_proxy.tasks.word_problem.sources import Reading
from stepcache_proxy.tasks.word_problem.wording import (
    MULTIPLES,
    is_continuous,
)
from stepcache_proxy.tasks.word_problem.worked import Calculation, Worked, read_worked


def rework(given: Question, answer: str, asked: Question) -> str | None:
    """``answer``, which solves ``given``, with the numbers that solve ``asked``.

    None unless both are the same words, every number of the answer is explained, in
    one way only, and every calculation of it is exactly right. Pure and bounded.
    """
    slots = aligned(given, asked)
    if slots is None or may_turn(given):
        return None
    script = read_script(answer, _fractions(given))
    if script is None or _says_multiple(script, slots, given.words):
        return None
    worked = read_worked(script)
    if worked is None:
        return None
    readings = explain(worked, slots, given)
    if readings is None or not _takes_same_way(worked, readings):
        return None
    mentioned = read_mentions(worked, readings, slots, given)
    if mentioned is None:
        return None
    written = _written(answer, worked, readings | mentioned)
    return None if written is None else _products(slots) + written


def _products(slots: Sequence[Slot]) -> str:
    """A line for each new quantity that has to be worked out before it is used."""
    products = dict.fromkeys(slot.asked.product for slot in slots if slot.asked.product)
    return "".join(f"{product}\n" for product in products)


def _fractions(question: Question) -> frozenset[tuple[int, int]]:
    return frozenset((q.over, q.under) for q in question.quantities if q.is_fraction)


def _says_multiple(script: Script, slots: Sequence[Slot], said: Set[str]) -> bool:
    """Whether a word of the answer's own (``twice``) may stand for what changes."""
    changed = [slot.given for slot in slots if slot.is_changed]
    values, unders = {q.value for q in changed}, {q.under for q in changed}
    if any(PARTS[word] in unders for word in script.words & PARTS.keys()):
        return True
    own = (script.words & MULTIPLES.keys()) - said
    return any(not MULTIPLES[word].isdisjoint(values) for word in own)


def _takes_same_way(worked: Worked, readings: Mapping[int, Reading]) -> bool:
    """Whether signs stay, and what was whole and must be whole still is."""
    before = {place: token.value for place, token in worked.numbers.items()}
    after = {
        place: readings[worked.ties.get(place, place)].becomes
        for place in worked.numbers
        if worked.ties.get(place, place) in readings
    }
    return all(
        _keeps_signs(calculation, before, after)
        and _stays_whole(worked, calculation, before, after)
        for calculation in worked.calculations
    )


def _keeps_signs(
    calculation: Calculation,
    before: Mapping[int, Fraction],
    after: Mapping[int, Fraction],
) -> bool:
    for tree in calculation.trees:
        for part in parts(tree):
            a, b = value(part, before), value(part, after)
            if a < 0 or b < 0 or (a == 0) != (b == 0):
                return False
    return True


def _stays_whole(
    worked: Worked,
    calculation: Calculation,
    before: Mapping[int, Fraction],
    after: Mapping[int, Fraction],
) -> bool:
    places = calculation.results
    if not places or before[places[0]].denominator > 1:
        return True
    return after[places[0]].denominator == 1 or any(
        place in worked.money or is_continuous(worked.nouns.get(place, ""))
        for place in places
    )


def _written(
    answer: str, worked: Worked, readings: Mapping[int, Reading]
) -> str | None:
    """The answer with every number replaced where it stands."""
    written: list[str] = []
    end = 0
    for place in sorted(worked.numbers):
        token = worked.numbers[place]
        reading = readings[worked.ties.get(place, place)]
        shown = printed(reading.becomes, token, reading.fraction)
        if shown is None or _reads_wrong(worked, place, reading.becomes):
            return None
        written += [answer[end : token.start], shown]
        end = token.end
    return "".join(written) + answer[end:]


def _reads_wrong(worked: Worked, place: int, becomes: Fraction) -> bool:
    """Whether ``1 apples`` would be said of what were several."""
    noun = worked.nouns.get(place, "")
    return becomes == 1 != worked.numbers[place].value and noun.endswith("s")
