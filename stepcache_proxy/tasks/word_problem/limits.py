"""Problems whose answer may take another course for other numbers.

A limit (overtime, a discount from so many on), a choice (the cheapest), a question for
who or whether: the way of an earlier answer proves nothing there.
"""

from collections.abc import Sequence
from itertools import pairwise

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.word_problem.question import Item, Quantity, Question

_WORDS = words("""
    overtime limit limited minimum maximum max min nearest round rounded rounding
    remainder leftover exceed exceeds exceeding exceeded threshold unless until free
    median mode range largest smallest highest lowest biggest greatest least fewest
    tallest shortest oldest youngest longest cheapest most possible bonus capacity
    bulk whichever maximize minimize prime even odd consecutive digit digits divisible
    factor factors multiple whether otherwise
""")
_BEFORE_LIMIT = words("over above beyond under below exceeding within")
_COMPARED = words("more less fewer greater")
_OR = words("more less fewer above over under older younger greater better")
_ASKS_AMOUNT = words("""
    many much long old far tall fast heavy big large deep wide high often
""")
_ORDERS = words("calculate find determine compute give")
_AMOUNTS = words("""
    total number amount cost price average mean sum difference profit distance length
    area volume perimeter weight age height speed rate percentage percent ratio share
    value income salary score revenue balance change depth
""")
_NEAR = 4
_PORTIONS = words("""
    pack packs package packages packet packets box boxes can cans carton cartons bag
    bags bundle bundles case cases set sets bottle bottles crate crates roll rolls
    group groups
""")
_GROWS = words(
    "doubles triples quadruples halves doubling tripling compounded compounds"
)
_AGAIN = frozenset({"every", "each"})


def may_turn(question: Question) -> bool:
    """Whether other numbers may turn the answer another way, as far as words tell."""
    return (
        not _asks_amount(question.last)
        or not _WORDS.isdisjoint(question.words)
        or not (_GROWS.isdisjoint(question.words) or _AGAIN.isdisjoint(question.words))
        or any(_is_limit(question.items, at) for at in range(len(question.items)))
    )


def portions(question: Question) -> tuple[bool, ...]:
    """For each quantity, whether only whole ones may count: ``packs of 6``."""
    items = question.items
    return tuple(
        _is_portion(items[max(0, at - 2) : at])
        for at, item in enumerate(items)
        if isinstance(item, Quantity)
    )


def _is_portion(before: Sequence[Item]) -> bool:
    if before[-1:] == ("every",):
        return True
    return len(before) == 2 and before[0] in _PORTIONS and before[1] == "of"


def _asks_amount(sentence: Sequence[str]) -> bool:
    """Whether the last sentence asks for a number, not for who, when or whether."""
    if any(a == "how" and b in _ASKS_AMOUNT for a, b in pairwise(sentence)):
        return True
    if not _ORDERS.isdisjoint(sentence) or "what" in sentence or "what's" in sentence:
        return not _AMOUNTS.isdisjoint(sentence)
    return False


def _is_limit(items: Sequence[Item], at: int) -> bool:
    """Whether a quantity at a place is a bound: ``over 40``, ``10 or more``."""
    if not isinstance(items[at], Quantity):
        return False
    before, behind = items[max(0, at - 2) : at], items[at + 1 : at + 1 + _NEAR]
    if before and before[-1] in _BEFORE_LIMIT:
        return True
    if any(a == "or" and b in _OR for a, b in pairwise(behind)):
        return True
    is_compared = len(before) == 2 and before[0] in _COMPARED and before[1] == "than"
    if not is_compared:
        return False
    said = items[max(0, at - 2 - _NEAR) : at - 2]
    return not any(isinstance(item, Quantity) for item in said)
