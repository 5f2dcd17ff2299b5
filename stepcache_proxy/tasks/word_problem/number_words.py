"""Numbers in English words."""

from collections.abc import Sequence
from fractions import Fraction

from stepcache_proxy.reuse.constraints.tables import SMALL_NUMBERS, TENS

_SCALES = {"thousand": 1_000, "million": 1_000_000}
NUMBER_WORDS = frozenset({*SMALL_NUMBERS, *TENS, *_SCALES, "hundred"})
"""Words that a number may begin with."""

PARTS = {
    "half": 2,
    "third": 3,
    "thirds": 3,
    "fourth": 4,
    "fourths": 4,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "sixth": 6,
    "sixths": 6,
    "seventh": 7,
    "sevenths": 7,
    "eighth": 8,
    "eighths": 8,
    "ninth": 9,
    "ninths": 9,
    "tenth": 10,
    "tenths": 10,
}
"""Words for the parts of a whole, with how many of them make it."""

_WORDS = {number: word for word, number in SMALL_NUMBERS.items()} | {20: "twenty"}


def said_number(words: Sequence[str]) -> tuple[int, Fraction]:
    """How many of ``words`` make a number from the first on, and the number.

    0 words where there is none: ``forty-two`` is (2, 42), ``hundred`` (1, 100).
    """
    total, taken = 0, 0
    while taken < len(words):
        length, value = _below_thousand(words[taken:])
        scale = _scale(words, taken + length)
        if not length and not (scale and not taken):
            break
        total += (value if length else 1) * (scale or 1)
        taken += length + bool(scale)
        if not scale:
            break
    return taken, Fraction(total)


def word_for(number: int) -> str | None:
    """The word for a small number, None for one that people write in digits."""
    return _WORDS.get(number)


def _scale(words: Sequence[str], at: int) -> int:
    return _SCALES.get(words[at], 0) if at < len(words) else 0


def _below_thousand(words: Sequence[str]) -> tuple[int, int]:
    length, value = _below_hundred(words)
    if length < len(words) and words[length] == "hundred":
        hundreds, length = (value if length else 1) * 100, length + 1
        skip = length + (length < len(words) and words[length] == "and")
        more, rest = _below_hundred(words[skip:])
        return (skip + more, hundreds + rest) if more else (length, hundreds)
    return length, value


def _below_hundred(words: Sequence[str]) -> tuple[int, int]:
    if not words:
        return 0, 0
    if words[0] in SMALL_NUMBERS:
        return 1, SMALL_NUMBERS[words[0]]
    if words[0] not in TENS:
        return 0, 0
    unit = SMALL_NUMBERS.get(words[1], 0) if len(words) > 1 else 0
    return (2, TENS[words[0]] + unit) if 0 < unit < 10 else (1, TENS[words[0]])
