"""A user's message -> the one conversion it asks for, if every word is understood."""

import re
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.unit_conversion.figures import (
    MAX_PLACES,
    NUMBER,
    is_short,
    read_number,
)
from stepcache_proxy.tasks.unit_conversion.units import (
    SPELLING,
    Unit,
    converted,
    unit_of,
)

MAX_CHARACTERS = 300
_LARGEST = 10**15


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be converted, the exact result, and how it is wanted.

    ``places`` is how many decimals are asked for, None where none are named.
    ``is_american``: metres are spelled meters.
    """

    value: Fraction
    source: Unit
    target: Unit
    result: Fraction
    places: int | None
    is_number_only: bool
    is_american: bool = False


_QUANTITY = rf"(?P<value>[-−]?{NUMBER}|an?|one) ?(?P<source>{SPELLING})"
_TARGET = rf"(?P<target>{SPELLING})"
_CORES = (
    rf"(?:convert|change|express) {_QUANTITY} (?:to|into|in) {_TARGET}",
    rf"how many {_TARGET} (?:(?:are|is) )?(?:there )?in {_QUANTITY}",
    rf"(?:what is|what's|how much is) {_QUANTITY} (?:converted )?(?:in|to|into)"
    rf" {_TARGET}",
    rf"{_QUANTITY} (?:to|in|into) {_TARGET}",
)
_PLACES = (
    r"(?:,? (?:rounded )?to (?:(?P<places>[0-9]|one|two|three|four) decimal places?"
    r"|the nearest (?P<nearest>whole number|integer|tenth|hundredth)))?"
)
_ONLY = (
    r"(?P<only> (?:reply|answer|respond) with (?:only|just) the number"
    r"(?:, nothing else)?\.?)?"
)
_REQUESTS = tuple(
    re.compile(
        rf"(?:(?:please|can you|could you)(?: please)?,? )?{core}{_PLACES}"
        rf"(?:,? please)? ?[.?!]?{_ONLY}",
        re.IGNORECASE,
    )
    for core in _CORES
)
_HOW_MANY = re.compile(r"how many|how much|\b(?:an?|one) ", re.IGNORECASE)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_NEAREST = {"whole number": 0, "integer": 0, "tenth": 1, "hundredth": 2}


def read_request(text: str) -> Asked | None:
    """What ``text`` asks; None unless it is one conversion that can mean one thing."""
    if len(text) > MAX_CHARACTERS:
        return None
    plain = " ".join(text.split())
    for request in _REQUESTS:
        found = request.fullmatch(plain)
        if found is not None:
            return _asked(found)
    return None


def _asked(found: re.Match[str]) -> Asked | None:
    source, target = unit_of(found["source"]), unit_of(found["target"])
    value = _value(found["value"])
    if source is None or target is None or value is None or source == target:
        return None
    if source.kind != target.kind or not _is_possible(value, source):
        return None
    result = converted(value, source, target)
    places = _places(found)
    if (places or 0) > MAX_PLACES or _may_be_difference(found, source):
        return None
    is_written = is_short(result) or abs(result) >= Fraction(1, 1000)
    if abs(result) >= _LARGEST or not is_written:
        return None
    is_american = re.search("meter|liter", found[0], re.IGNORECASE) is not None
    is_only = found["only"] is not None
    return Asked(value, source, target, result, places, is_only, is_american)


def _may_be_difference(found: re.Match[str], source: Unit) -> bool:
    """Whether ``how many °F are in a °C`` may ask for the size of the degree."""
    is_one = _value(found["value"]) == 1
    return bool(source.kind == "heat" and is_one and _HOW_MANY.search(found[0]))


def _value(said: str) -> Fraction | None:
    if said.lower() in {"a", "an", "one"}:
        return Fraction(1)
    written = read_number(said)
    return None if written is None else written.value


def _is_possible(value: Fraction, unit: Unit) -> bool:
    """Nothing is colder than absolute zero, and only temperatures are negative."""
    return unit.to_standard(value) >= 0


def _places(found: re.Match[str]) -> int | None:
    if found["nearest"]:
        return _NEAREST[found["nearest"].lower()]
    said = found["places"]
    if said is None:
        return None
    return _COUNTS.get(said.lower(), 0) or int(said)
