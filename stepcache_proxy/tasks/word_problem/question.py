"""A word problem -> its words and its quantities, in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.word_problem.number_words import PARTS
from stepcache_proxy.tasks.word_problem.tokens import Kind, Token, tokens

MAX_CHARS = 3_000
MAX_QUANTITIES = 40


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that the problem states, as it states it.

    ``over`` and ``under`` are of one written as a fraction. ``noun`` is the word
    behind it. ``is_difference``: by so much one thing is more than another. ``product``
    is how it was worked out where it is said as one (``half of 40``).
    """

    value: Fraction
    over: int = 0
    under: int = 0
    is_percent: bool = False
    is_money: bool = False
    is_said: bool = False
    noun: str = ""
    is_difference: bool = False
    product: str = ""

    @property
    def is_fraction(self) -> bool:
        """Whether it is written as a fraction."""
        return self.under != 0


Item = Quantity | str


@dataclass(frozen=True, slots=True)
class Question:
    """The words (in lower case) and quantities of a problem, in their order.

    ``last`` are the words of its last sentence, ``counts`` says how many things it
    lists by name (``Ann, Ben and Cem``: 3), ``words`` is every word once, with ``%``
    and ``$`` where quantities have them.
    """

    items: tuple[Item, ...]
    last: tuple[str, ...] = ()
    counts: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities, in their order."""
        return tuple(item for item in self.items if isinstance(item, Quantity))


# A capital before a number makes it a name ("Route 66"), unless one of these begins
# a sentence.
_PLAIN_OPENINGS = words("""
    a about after all an and another approximately around at before buying by during
    each every exactly for from given has have he her his how i if in it its last my
    nearly of on one only or our out over she some the their there they this those
    to today tomorrow total up we when while with within yesterday you your
""")
_MONTHS = words("""
    january february march april may june july august september october november
    december
""")
_COMPARED = frozenset({"more", "less"})
_DIFFERENCE_REACH = 5
_DASHES = frozenset({"-", "–", "—"})
_LONGEST_LIST = 20
_OWNERS = words("his her their my our your")
_TITLES = words("mr mrs ms dr st prof sr jr")
_ENDS = frozenset('.?!\n"“”:')
_FRACTION_GOES_ON = words("of as more less fewer the full")


def read_question(text: str) -> Question | None:
    """The problem, None if it states no number or one that cannot be read."""
    if len(text) > MAX_CHARS:
        return None
    found = tokens(text)
    count = sum(token.kind is Kind.NUMBER for token in found)
    if not 0 < count <= MAX_QUANTITIES:
        return None
    if any(_is_signed(found, at) or _is_date(found, at) for at in range(len(found))):
        return None
    items = tuple(_items(found))
    if not any(isinstance(item, Quantity) for item in items):
        return None
    counts = frozenset(_counts(found))
    return Question(items, _last_sentence(found), counts, _words_of(items))


def _words_of(items: Sequence[Item]) -> frozenset[str]:
    quantities = [item for item in items if isinstance(item, Quantity)]
    words = {item for item in items if isinstance(item, str)}
    words |= {"%" for quantity in quantities if quantity.is_percent}
    return frozenset(words | {"$" for quantity in quantities if quantity.is_money})


def _counts(found: Sequence[Token]) -> Iterator[int]:
    """How long the lists are: any of three and more, and pairs of people."""
    for at, token in enumerate(found[:-1]):
        if token.lower not in {"and", "&"} or not at:
            continue
        count = 2 + _listed_before(found, at - 1)
        after = found[at + 1]
        is_name = found[at - 1].text[0].isupper() and after.text[0].isupper()
        if count > 2 or is_name or after.lower in _OWNERS:
            yield count


def _listed_before(found: Sequence[Token], at: int) -> int:
    """How many parts of a list end with a comma before its last but one."""
    at -= found[at].text == ","
    count = 0
    while count < _LONGEST_LIST:
        comma = next(
            (i for i in range(at - 1, max(-1, at - 5), -1) if found[i].text == ","),
            None,
        )
        if comma is None or any(t.text in _ENDS for t in found[comma:at]):
            return count
        count, at = count + 1, comma - 1
    return count


def _last_sentence(found: Sequence[Token]) -> tuple[str, ...]:
    sentence: list[str] = []
    for at in range(len(found) - 1, -1, -1):
        token = found[at]
        if token.text in _ENDS and sentence and not _is_title(found, at - 1):
            break
        if token.kind is not Kind.BREAK:
            sentence.append(token.lower)
    return tuple(reversed(sentence))


def _is_title(found: Sequence[Token], at: int) -> bool:
    return at >= 0 and found[at].lower in _TITLES


def _is_signed(found: Sequence[Token], at: int) -> bool:
    """Whether a dash makes a negative number or a range."""
    token = found[at]
    if token.text not in _DASHES or at + 1 == len(found):
        return False
    if found[at + 1].kind is not Kind.NUMBER:
        return False
    before = found[at - 1] if at else None
    if before is not None and before.kind is Kind.NUMBER:
        return True
    is_glued = found[at + 1].start == token.end
    return is_glued and (before is None or before.end < token.start)


def _is_date(found: Sequence[Token], at: int) -> bool:
    """Whether ``1/2/2020`` goes on here."""
    if found[at].text != "/" or at + 2 >= len(found):
        return False
    return found[at + 2].text == "/" and found[at + 1].kind is Kind.NUMBER


def _items(found: Sequence[Token]) -> Iterator[Item]:
    at = 0
    while at < len(found):
        token = found[at]
        if token.kind is Kind.NUMBER and not _is_name(found, at):
            quantity, at = _quantity(found, at)
            yield quantity
            continue
        at += 1
        is_silent = token.kind is Kind.BREAK or token.text in _DASHES
        if not is_silent and not _is_folded_mark(found, at - 1):
            yield token.lower


def _is_folded_mark(found: Sequence[Token], at: int) -> bool:
    """Whether a sign of currency belongs to the number behind it."""
    following = found[at + 1] if at + 1 < len(found) else None
    return (
        found[at].text == "$"
        and following is not None
        and following.kind is Kind.NUMBER
    )


def _is_name(found: Sequence[Token], at: int) -> bool:
    """Whether a number is part of a name or a date."""
    after = found[at + 1] if at + 1 < len(found) else None
    if after is not None and after.lower in _MONTHS and after.text[0].isupper():
        return True
    before = found[at - 1] if at else None
    if before is None or before.kind is Kind.BREAK:
        return False
    if before.text == "#":
        return True
    if before.kind is Kind.NUMBER or before.text == before.text.lower():
        return False
    starts = at < 2 or found[at - 2].text in _ENDS
    return not starts or before.lower not in _PLAIN_OPENINGS


def _quantity(found: Sequence[Token], at: int) -> tuple[Quantity, int]:
    """The quantity that starts at a number, and the place behind it."""
    token = found[at]
    is_money = at > 0 and found[at - 1].text == "$"
    value, over, under = token.value, 0, 0
    part = _part(found, at)
    mixed = _part(found, at + 1) if not part and _follows(found, at) else None
    end = at + 1
    if part:
        over, under, end = part
        value = Fraction(over, under)
    elif mixed:
        value += Fraction(mixed[0], mixed[1])
        end = mixed[2]
    after = found[end] if end < len(found) else None
    is_percent = after is not None and after.lower in {"%", "percent"}
    end += is_percent
    behind = [other.lower for other in found[end : end + _DIFFERENCE_REACH]]
    quantity = Quantity(
        value=value,
        over=over,
        under=under,
        is_percent=is_percent,
        is_money=is_money,
        is_said=token.is_said and not mixed,
        noun=behind[0] if behind else "",
        is_difference=_is_difference(behind),
    )
    return quantity, end


def _is_difference(behind: Sequence[str]) -> bool:
    """Whether the words behind a number are like ``more apples than``."""
    if "than" not in behind or not {"time", "times"}.isdisjoint(behind):
        return False
    between = behind[: behind.index("than")]
    return any(word in _COMPARED or word.endswith("er") for word in between)


def _follows(found: Sequence[Token], at: int) -> bool:
    return at + 1 < len(found) and found[at + 1].kind is Kind.NUMBER


def _part(found: Sequence[Token], at: int) -> tuple[int, int, int] | None:
    """A fraction at ``at``: ``3/4`` or ``three fourths of``, and the place behind."""
    token = found[at]
    if token.value.denominator != 1 or at + 1 == len(found):
        return None
    if token.is_said:
        return _said_part(found, at)
    sign = found[at + 1]
    if sign.text != "/" or sign.start != token.end or at + 2 == len(found):
        return None
    below = found[at + 2]
    is_whole = below.kind is Kind.NUMBER and below.value.denominator == 1
    if not is_whole or below.start != sign.end or not below.value:
        return None
    return int(token.value), int(below.value), at + 3


def _said_part(found: Sequence[Token], at: int) -> tuple[int, int, int] | None:
    """A fraction in words: ``two thirds of``, ``one half``, ``three-fourths``."""
    place = at + 1 + (found[at + 1].text == "-")
    word = found[place].lower if place < len(found) else ""
    under = PARTS.get(word, 0)
    goes_on = place + 1 < len(found) and found[place + 1].lower in _FRACTION_GOES_ON
    if not under or not (goes_on or word == "half" or place > at + 1):
        return None
    return int(found[at].value), under, place + 1
