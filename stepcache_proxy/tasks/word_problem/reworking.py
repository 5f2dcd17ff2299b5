"""An earlier problem, its worked answer, a new problem -> the answer worked anew.

The way of the earlier answer is taken over as it is. It is refused wherever other
numbers might ask for another way: a difference that changes its sign, a count that is
no longer whole, a word that speaks of a limit.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction

from stepcache_proxy.tasks.word_problem.aligning import Slot, aligned
from stepcache_proxy.tasks.word_problem.explaining import explain
from stepcache_proxy.tasks.word_problem.expressions import Binary, Node, parts, value
from stepcache_proxy.tasks.word_problem.limits import may_turn, portions
from stepcache_proxy.tasks.word_problem.mentioning import read_mentions
from stepcache_proxy.tasks.word_problem.number_words import PARTS
from stepcache_proxy.tasks.word_problem.printing import printed
from stepcache_proxy.tasks.word_problem.question import Question
from stepcache_proxy.tasks.word_problem.script import Script, read_script
from stepcache_proxy.tasks.word_problem.sources import Reading
from stepcache_proxy.tasks.word_problem.wording import (
    CLAIMS,
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
    if slots is None or may_turn(given) or _splits_portion(given, slots):
        return None
    script = read_script(answer, _fractions(given))
    if script is None or _says_multiple(script, slots, given.words):
        return None
    worked = read_worked(script)
    if worked is None:
        return None
    readings = explain(worked, slots, given)
    if readings is None or not _takes_same_way(worked, readings, slots):
        return None
    mentioned = read_mentions(worked, readings, slots, given)
    if mentioned is None:
        return None
    written = _written(answer, worked, readings | mentioned)
    return None if written is None else _products(slots) + written


def _splits_portion(given: Question, slots: Sequence[Slot]) -> bool:
    """Whether what came in whole packs of 6 no longer does."""
    whole = [
        slot for slot, is_one in zip(slots, portions(given), strict=True) if is_one
    ]
    return any(
        (slot.given.value / pack.given.value).denominator == 1
        and (
            not pack.asked.value
            or (slot.asked.value / pack.asked.value).denominator > 1
        )
        for pack in whole
        if pack.given.value
        for slot in slots
        if slot is not pack and slot.given.value >= pack.given.value
    )


def _products(slots: Sequence[Slot]) -> str:
    """A line for each new quantity that has to be worked out before it is used."""
    products = dict.fromkeys(slot.asked.product for slot in slots if slot.asked.product)
    return "".join(f"{product}\n" for product in products)


def _fractions(question: Question) -> frozenset[tuple[int, int]]:
    return frozenset((q.over, q.under) for q in question.quantities if q.is_fraction)


def _says_multiple(script: Script, slots: Sequence[Slot], said: Set[str]) -> bool:
    """Whether its own words (``twice``, ``even``) may tell of what changes."""
    if not CLAIMS.isdisjoint(script.words - said):
        return True
    changed = [slot.given for slot in slots if slot.is_changed]
    values, unders = {q.value for q in changed}, {q.under for q in changed}
    if any(PARTS[word] in unders for word in script.words & PARTS.keys()):
        return True
    own = (script.words & MULTIPLES.keys()) - said
    return any(not MULTIPLES[word].isdisjoint(values) for word in own)


def _takes_same_way(
    worked: Worked, readings: Mapping[int, Reading], slots: Sequence[Slot]
) -> bool:
    """Whether signs stay, what must be whole still is, and no limit is passed."""
    if _may_pass_limit(worked, readings, slots):
        return False
    before = {place: token.value for place, token in worked.numbers.items()}
    after = {
        place: readings[worked.ties.get(place, place)].becomes
        for place in worked.numbers
        if worked.ties.get(place, place) in readings
    }
    return all(
        _keeps_signs(calculation, before, after)
        and _stays_whole(worked, calculation, before, after)
        and not any(_may_be_product(tree, before, after) for tree in calculation.trees)
        for calculation in worked.calculations
    )


def _may_pass_limit(
    worked: Worked, readings: Mapping[int, Reading], slots: Sequence[Slot]
) -> bool:
    """Whether another quantity or result passes one that the answer does not use.

    "Groups of 10 pay less" is of no use for 12 people, and turns the way for 8.
    """
    used = Counter(token.value for token in worked.numbers.values())
    stated = Counter(slot.given.value for slot in slots)
    pairs = [(slot.given.value, slot.asked.value) for slot in slots]
    pairs += [(worked.numbers[p].value, r.becomes) for p, r in readings.items()]
    return any(
        (before > slot.given.value) != (after > slot.asked.value)
        or (before < slot.given.value) != (after < slot.asked.value)
        for slot in slots
        if stated[slot.given.value] > used[slot.given.value]
        and not slot.given.is_percent
        for before, after in pairs
    )


def _may_be_product(
    tree: Node, before: Mapping[int, Fraction], after: Mapping[int, Fraction]
) -> bool:
    """Whether ``3 + 3 + 3``, now of fours, may have been three times three."""
    terms = list(_terms(tree))
    return (
        len(terms) > 1
        and {value(term, before) for term in terms} == {len(terms)}
        and value(terms[0], after) != len(terms)
    )


def _terms(tree: Node) -> Iterator[Node]:
    if isinstance(tree, Binary) and tree.sign == "+":
        yield from _terms(tree.left)
        yield from _terms(tree.right)
    else:
        yield tree


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
    inner = (part for tree in calculation.trees for part in parts(tree) if part != tree)
    if any(_breaks(part, before, after) for part in inner):
        return False
    places = calculation.results
    if not places or before[places[0]].denominator > 1:
        return True
    return after[places[0]].denominator == 1 or any(
        place in worked.money or is_continuous(worked.nouns.get(place, ""))
        for place in places
    )


def _breaks(
    part: Node, before: Mapping[int, Fraction], after: Mapping[int, Fraction]
) -> bool:
    """Whether a quotient inside was whole and no longer is: so many full boxes."""
    if not isinstance(part, Binary) or part.sign != "/":
        return False
    is_whole = value(part, before).denominator == 1
    return is_whole and value(part, after).denominator > 1


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
