"""What words of a problem say: constants behind them, thresholds, kinds of units."""

from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.word_problem.question import Question

_TWO = words("half halves halved twice double doubles doubled doubling both pair pairs")
_YEARS = words("year years yearly annual annually")
_MONTHS = words("month months monthly")
_DAYS = words("day days daily")
_WEEKS = words("week weeks weekly biweekly")
_CLOCK = words("hour hours hourly minute minutes second seconds")
_PERCENT = words("percent percentage % cent cents")
_METRIC = words(
    "km kg kilometer kilometers kilogram kilograms liter liters meter meters gram grams"
)
_QUARTERS = words("quarter quarters quarterly fourth fourths")
_THIRDS = words("third thirds")
_LENGTHS = words("foot feet inch inches")

_BEHIND: dict[Fraction, frozenset[str]] = {
    Fraction(2): _TWO | words("couple couples"),
    Fraction(1, 2): words("half halves"),
    Fraction(50): words("half"),
    Fraction(3): _THIRDS | words("triple tripled triples thrice yard yards"),
    Fraction(1, 3): _THIRDS,
    Fraction(4): _QUARTERS | words("quadruple quadrupled gallon gallons quart quarts"),
    Fraction(1, 4): _QUARTERS,
    Fraction(5): words("weekday weekdays workweek nickel nickels fifth fifths"),
    Fraction(7): _WEEKS | _DAYS,
    Fraction(10): words("dime dimes decade decades tenth tenths millimeters cm"),
    Fraction(12): _YEARS | _MONTHS | _LENGTHS | words("dozen dozens"),
    Fraction(16): words("pound pounds ounce ounces"),
    Fraction(24): _DAYS | words("hour hours"),
    Fraction(25): _QUARTERS,
    Fraction(30): _MONTHS | _DAYS,
    Fraction(36): words("yard yards inch inches"),
    Fraction(52): _YEARS | _WEEKS,
    Fraction(60): _CLOCK,
    Fraction(100): _PERCENT | words("meter meters century"),
    Fraction(1, 100): _PERCENT,
    Fraction(365): _YEARS | _DAYS,
    Fraction(1000): _METRIC | words("ton tons"),
    Fraction(3600): _CLOCK,
}
_MOST_UNSAID = 6

_CONTINUOUS = words("""
    dollar dollars hour hours minute minutes second seconds mile miles mph kilometer
    kilometers km meter meters centimeter centimeters cm foot feet inch inches yard
    yards pound pounds lb lbs ounce ounces oz kg kilogram kilograms gram grams liter
    liters litre litres gallon gallons quart quarts pint pints cup cups percent
    square cubic acre acres degree degrees ton tons ml milliliters
""")

MULTIPLES: dict[str, frozenset[Fraction]] = {
    "half": frozenset({Fraction(2), Fraction(1, 2)}),
    **dict.fromkeys(
        ("twice", "double", "doubled", "doubles", "both", "pair", "couple"),
        frozenset({Fraction(2)}),
    ),
    **dict.fromkeys(
        ("thrice", "triple", "tripled", "triples"), frozenset({Fraction(3)})
    ),
}
"""Words that an answer may put for a number, with the numbers they stand for."""


CLAIMS = words("""
    even odd prime dozen dozens majority minority enough exactly barely coincidentally
    equally same divisible
""")
"""Words of an answer's own that may be true of its numbers only."""


def is_continuous(noun: str) -> bool:
    """Whether there can be a part of what the noun names."""
    return noun in _CONTINUOUS


def stands_behind(value: Fraction, question: Question) -> bool:
    """Whether the problem brings the constant along: ``week`` 7, a list its length."""
    if value in question.counts:
        return True
    return not _BEHIND.get(value, frozenset()).isdisjoint(question.words)


def may_be_unsaid(value: Fraction) -> bool:
    """Whether an equal factor may be a count that the problem does not state."""
    return value.denominator == 1 and value <= _MOST_UNSAID
