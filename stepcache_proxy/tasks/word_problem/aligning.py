"""Two problems in the same words -> which quantity became which."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stepcache_proxy.tasks.word_problem.phrases import product_at
from stepcache_proxy.tasks.word_problem.question import Item, Quantity, Question


@dataclass(frozen=True, slots=True)
class Slot:
    """A quantity of the earlier problem and what stands in its place now.

    ``asked`` is in the unit of ``given`` (both are percentages or neither is).
    """

    given: Quantity
    asked: Quantity

    @property
    def is_changed(self) -> bool:
        """Whether its value is another one."""
        return self.given.value != self.asked.value


# How far behind a number its noun may stand in the singular or the plural.
_PLURAL_REACH = 3


def aligned(given: Question, asked: Question) -> tuple[Slot, ...] | None:
    """The slots, None unless all words are the same in the same order.

    Only the ending of a noun behind a number may differ in number. A new quantity may
    be said as a product (``half of 40``, ``0.5 times of forty``).
    """
    slots: list[Slot] = []
    i, j, reach = 0, 0, 0
    while i < len(given.items):
        item = given.items[i]
        if j >= len(asked.items):
            return None
        if isinstance(item, Quantity):
            found = _said_in_place(given.items, i, asked.items, j)
            slot = _slot(item, found[0]) if found else None
            if found is None or slot is None:
                return None
            slots.append(slot)
            j, reach = found[1], _PLURAL_REACH
        elif not _is_same_word(item, asked.items[j], may_bend=reach > 0):
            return None
        else:
            j, reach = j + 1, reach - 1
        i += 1
    return tuple(slots) if j == len(asked.items) else None


def outline(question: Question) -> str:
    """The words alone: the same for problems that may be aligned."""
    shown: list[str] = []
    at = 0
    while at < len(question.items):
        found = product_at(question.items, at) or _plain(question.items, at)
        if found is None:
            word = question.items[at]
            shown.append(_plain_form(word) if isinstance(word, str) else "")
            at += 1
        else:
            shown.append("#")
            at = found[1]
    return " ".join(shown)


def _said_in_place(
    given: Sequence[Item], i: int, asked: Sequence[Item], j: int
) -> tuple[Quantity, int] | None:
    """The quantity at ``j`` and the place behind it, whichever lets words go on."""
    plain = _plain(asked, j)
    if plain and _goes_on(given, i + 1, asked, plain[1]):
        return plain
    phrase = product_at(asked, j)
    if phrase and _goes_on(given, i + 1, asked, phrase[1]):
        return phrase
    return None


def _plain(items: Sequence[Item], at: int) -> tuple[Quantity, int] | None:
    item = items[at]
    return (item, at + 1) if isinstance(item, Quantity) else None


def _goes_on(given: Sequence[Item], i: int, asked: Sequence[Item], j: int) -> bool:
    if i == len(given) or j == len(asked):
        return i == len(given) and j == len(asked)
    a, b = given[i], asked[j]
    if isinstance(a, Quantity) or isinstance(b, Quantity):
        return isinstance(a, Quantity) and (isinstance(b, Quantity) or b == "half")
    return _is_same_word(a, b, may_bend=True)


def _is_same_word(a: str, b: Item, *, may_bend: bool) -> bool:
    if isinstance(b, Quantity):
        return False
    if a == b or {a, b} == {"a", "an"}:
        return True
    return may_bend and stem(a) == stem(b)


def _plain_form(word: str) -> str:
    return "a" if word == "an" else stem(word)


def stem(word: str) -> str:
    """The word without the ending of a plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    is_plural = len(word) > 2 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


def _slot(given: Quantity, asked: Quantity) -> Slot | None:
    """The slot, if both quantities are of one kind or can be read as one."""
    if given.is_money != asked.is_money:
        return None
    if given.is_percent == asked.is_percent:
        return Slot(given, asked)
    if given.is_percent and _is_share(asked):
        value = asked.value * 100
        return Slot(given, Quantity(value, is_percent=True, noun=asked.noun))
    if asked.is_percent and _is_share(given):
        value = asked.value / 100
        return Slot(given, replace(asked, value=value, is_percent=False))
    return None


def _is_share(quantity: Quantity) -> bool:
    """Whether a number without a percent sign is a part of a whole all the same."""
    return quantity.is_fraction or (quantity.noun == "of" and quantity.value < 1)
