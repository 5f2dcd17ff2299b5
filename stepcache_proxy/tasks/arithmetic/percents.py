"""Percentages in plain words: a part, a rise or a fall, what share something is."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import counted
from stepcache_proxy.reuse.constraints.tables import TENS
from stepcache_proxy.tasks.arithmetic.printing import is_printable, show

_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,12})(?:\.[0-9]{1,8})?"
_UNITS = counted("one two three four five six seven eight nine", start=1)
_TEENS = counted(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    start=10,
)
_WORD = "|".join([*_UNITS, *_TEENS])
_SAID = rf"(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(_UNITS)}))?|{_WORD}|hundred)"


class Kind(StrEnum):
    """What is asked about a percentage."""

    PART = "part"
    MORE = "more"
    LESS = "less"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Percentage:
    """``rate`` hundredths of ``base`` are ``part``; ``kind`` tells what is asked."""

    kind: Kind
    base: Fraction
    rate: Fraction
    part: Fraction

    @property
    def result(self) -> Fraction:
        """What is asked for; of a share the fraction, 3/20 for 15%."""
        match self.kind:
            case Kind.PART:
                return self.part
            case Kind.MORE:
                return self.base + self.part
            case Kind.LESS:
                return self.base - self.part
            case Kind.SHARE:
                return self.rate / 100

    @property
    def expression(self) -> str:
        """The calculation, written so that it can be read again."""
        base, part = show(self.base), show(self.part)
        match self.kind:
            case Kind.PART:
                return f"{show(self.rate)}% of {base}"
            case Kind.MORE:
                return f"{base} + {show(self.rate)}% of {base}"
            case Kind.LESS:
                return f"{base} - {show(self.rate)}% of {base}"
            case Kind.SHARE:
                return f"{part} / {base}"

    @property
    def quantities(self) -> tuple[Fraction, ...]:
        """The numbers that an answer may name, in a fixed order."""
        rise = self.part if self.kind in {Kind.MORE, Kind.LESS} else Fraction(0)
        total = self.base + rise * (1 if self.kind is Kind.MORE else -1)
        return self.base, self.rate, self.part, total


_PERCENT = r"(?: ?%| ?percent| per cent)"
_RATE = rf"(?P<rate>{_NUMBER}|{_SAID}){_PERCENT}"
_BASE = rf"(?P<base>{_NUMBER})"
_PART = rf"(?P<part>{_NUMBER})"
_SHARED = r"(?:percentage|percent|per cent)"
# Where the words before are "what is", "calculate" or the like.
_VALUES = (
    (Kind.PART, rf"{_RATE} of {_BASE}"),
    (Kind.MORE, rf"{_BASE} increased by {_RATE}"),
    (Kind.LESS, rf"{_BASE} (?:decreased|reduced) by {_RATE}"),
    (Kind.MORE, rf"{_RATE} more than {_BASE}"),
    (Kind.LESS, rf"{_RATE} less than {_BASE}"),
)
# Whole requests; "please" and the like are allowed around them.
_WHOLE = (
    (Kind.MORE, rf"increase {_BASE} by {_RATE}"),
    (Kind.LESS, rf"(?:decrease|reduce) {_BASE} by {_RATE}"),
    (Kind.SHARE, rf"what {_SHARED} of {_BASE} is {_PART}"),
    (Kind.SHARE, rf"{_PART} is what {_SHARED} of {_BASE}"),
    (Kind.SHARE, rf"what {_SHARED} is {_PART} of {_BASE}"),
)
_VALUE_PATTERNS = tuple((k, re.compile(p, re.IGNORECASE)) for k, p in _VALUES)
_WHOLE_PATTERNS = tuple(
    (
        kind,
        re.compile(
            rf"(?:(?:please|kindly|can you|could you),? )?{pattern}(?:,? please)?"
            r"(?P<end> ?[.?]?)(?P<only> (?:reply|answer|respond) with (?:only|just)"
            r" the number(?:, nothing else)?\.?)?",
            re.IGNORECASE,
        ),
    )
    for kind, pattern in _WHOLE
)


def read_value(said: str) -> Percentage | None:
    """What is to be worked out, if all of ``said`` is about one percentage."""
    for kind, pattern in _VALUE_PATTERNS:
        found = pattern.fullmatch(said)
        if found is not None:
            return _percentage(kind, found)
    return None


def read_whole(text: str) -> tuple[Percentage, bool] | None:
    """What a whole request asks, and whether only the number is wanted."""
    plain = " ".join(text.split())
    for kind, pattern in _WHOLE_PATTERNS:
        found = pattern.fullmatch(plain)
        if found is not None:
            asked = _percentage(kind, found)
            return None if asked is None else (asked, found["only"] is not None)
    return None


def _percentage(kind: Kind, found: re.Match[str]) -> Percentage | None:
    base = _number(found["base"])
    if kind is Kind.SHARE:
        part = _number(found["part"])
        rate = part / base * 100 if base else Fraction(0)
    else:
        rate = _number(found["rate"])
        part = base * rate / 100
    if not (base and rate) or not is_printable(part):
        return None
    return Percentage(kind, base, rate, part)


def _number(said: str) -> Fraction:
    plain = said.lower().replace(",", "")
    if plain[0].isdigit():
        return Fraction(plain)
    words = plain.replace("-", " ").split()
    tables = {**_UNITS, **_TEENS, **TENS, "hundred": 100}
    return Fraction(sum(tables[word] for word in words))


_WRITTEN_PERCENT = re.compile(rf"({_NUMBER}) ?(?:percent|per cent)\b", re.IGNORECASE)
_CHANGE = re.compile(
    rf"\b(?:(?P<verb>increas|decreas|reduc)(?:e|ing) (?P<first>{_NUMBER})"
    rf"|(?<![0-9.,])(?P<second>{_NUMBER}) (?P<done>increas|decreas|reduc)ed)"
    rf" by (?P<rate>{_NUMBER})%",
    re.IGNORECASE,
)
_ABOUT = r"(?P<about>(?:about |approximately |roughly |≈ ?)?)"
_IS_SHARE = re.compile(
    rf"(?<![0-9.,])(?P<part>{_NUMBER}) is {_ABOUT}(?P<rate>{_NUMBER})% of"
    rf" (?P<base>{_NUMBER})(?![0-9%]|[.,][0-9])",
    re.IGNORECASE,
)
_SHARE_IS = re.compile(
    rf"(?<![0-9.,]){_ABOUT}(?P<rate>{_NUMBER})% of (?P<base>{_NUMBER})"
    rf" (?:is|=) (?P<part>{_NUMBER})(?![0-9%]|[.,][0-9])",
    re.IGNORECASE,
)


def restated(text: str, *, is_share: bool) -> str:
    """The text with what it says of percentages as calculations that mean the same."""
    text = _WRITTEN_PERCENT.sub(r"\1%", text)
    text = _CHANGE.sub(_as_sum, text)
    if is_share:
        text = _SHARE_IS.sub(_as_quotient, _IS_SHARE.sub(_as_quotient, text))
    return text


def _as_sum(found: re.Match[str]) -> str:
    base = found["first"] or found["second"]
    verb = (found["verb"] or found["done"]).lower()
    sign = "+" if verb == "increas" else "-"
    return f"({base} {sign} {found['rate']}% of {base})"


def _as_quotient(found: re.Match[str]) -> str:
    sign = "≈" if found["about"] else "="
    return f"{found['part']} / {found['base']} {sign} {found['rate']}%"


def renumbered(answer: str, given: Percentage, asked: Percentage) -> str | None:
    """The answer with every number replaced by the same quantity of ``asked``.

    None where a number is none of the quantities, or is two that part ways.
    """
    if given.kind is not asked.kind:
        return None
    pieces: list[str] = []
    end = 0
    for found in re.finditer(_NUMBER, answer):
        value = Fraction(found[0].replace(",", ""))
        pairs = zip(given.quantities, asked.quantities, strict=True)
        news = {new for old, new in pairs if old == value}
        shown = {show(new) for new in news}
        if len(shown) != 1 or "/" in min(shown):
            return None
        pieces += [answer[end : found.start()], min(shown)]
        end = found.end()
    return "".join([*pieces, answer[end:]])
