"""Units whose conversion is exact by definition, and how people spell them.

Left out is what is one thing here and another there: gallons, pints, cups, ounces and
tons (United States or imperial, fluid or not), kilobytes (1000 or 1024 bytes), months
and years. Sources: the international yard and pound agreement of 1959 for inch, foot,
yard, mile and pound; the SI brochure for the rest; IEC 80000-13 for kibibytes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; a value in it times ``factor`` plus ``offset`` is in the standard one."""

    kind: str
    one: str
    many: str
    symbol: str
    factor: Fraction
    offset: Fraction = Fraction(0)

    def to_standard(self, value: Fraction) -> Fraction:
        """A value in this unit as one in the standard unit of its kind."""
        return value * self.factor + self.offset

    def from_standard(self, value: Fraction) -> Fraction:
        """A value in the standard unit as one in this unit."""
        return (value - self.offset) / self.factor


# kind | singular, spelled otherwise | plural | symbols, the usual one first | factor
_TABLE = """
    length | millimetre millimeter | millimetres millimeters | mm | 0.001
    length | centimetre centimeter | centimetres centimeters | cm | 0.01
    length | decimetre decimeter | decimetres decimeters | dm | 0.1
    length | metre meter | metres meters | m | 1
    length | kilometre kilometer | kilometres kilometers | km | 1000
    length | inch | inches | | 0.0254
    length | foot | feet | ft | 0.3048
    length | yard | yards | yd yds | 0.9144
    length | mile | miles | mi | 1609.344
    mass | milligram | milligrams | mg | 0.001
    mass | gram gramme | grams grammes | g | 1
    mass | kilogram kilogramme kilo | kilograms kilogrammes kilos | kg | 1000
    mass | tonne | tonnes | | 1000000
    mass | pound | pounds | lb lbs | 453.59237
    time | millisecond | milliseconds | ms | 0.001
    time | second | seconds | s sec secs | 1
    time | minute | minutes | min mins | 60
    time | hour | hours | h hr hrs | 3600
    time | day | days | | 86400
    time | week | weeks | | 604800
    volume | millilitre milliliter | millilitres milliliters | ml mL | 0.001
    volume | centilitre centiliter | centilitres centiliters | cl cL | 0.01
    volume | litre liter | litres liters | l L | 1
    memory | byte | bytes | | 1
    memory | kibibyte | kibibytes | KiB | 1024
    memory | mebibyte | mebibytes | MiB | 1048576
    memory | gibibyte | gibibytes | GiB | 1073741824
    memory | tebibyte | tebibytes | TiB | 1099511627776
"""
_KELVIN = Fraction(27315, 100)
_FIVE_NINTHS = Fraction(5, 9)
_DEGREES = (
    (
        Unit("heat", "degree Celsius", "degrees Celsius", "°C", Fraction(1), _KELVIN),
        "C",
    ),
    (
        Unit(
            "heat",
            "degree Fahrenheit",
            "degrees Fahrenheit",
            "°F",
            _FIVE_NINTHS,
            _KELVIN - 32 * _FIVE_NINTHS,
        ),
        "F",
    ),
)


def _rows() -> Iterator[tuple[Unit, list[str]]]:
    for line in filter(str.strip, _TABLE.splitlines()):
        kind, ones, manys, symbols, factor = (cell.split() for cell in line.split("|"))
        symbol = symbols[0] if symbols else manys[0]
        unit = Unit(kind[0], ones[0], manys[0], symbol, Fraction(factor[0]))
        yield unit, [*ones, *manys, *symbols]
    for unit, letter in _DEGREES:
        name = unit.one.split()[1]
        degrees = [
            f"{word} {end}" for word in ("degree", "degrees") for end in (name, letter)
        ]
        yield unit, [name, name.lower(), *degrees, f"°{letter}", f"° {letter}", letter]
    kelvin = Unit("heat", "kelvin", "kelvins", "K", Fraction(1))
    yield kelvin, ["kelvin", "kelvins", "Kelvin", "K"]


# A symbol means what it means in its own case only; a word in any.
_SPELLED = {spelling: unit for unit, spellings in _rows() for spelling in spellings}
_IN_ANY_CASE = {
    spelling.lower(): unit for spelling, unit in _SPELLED.items() if len(spelling) > 3
}
_LONGEST_FIRST = sorted({*_SPELLED, *_IN_ANY_CASE}, key=len, reverse=True)
SPELLING = "|".join(map(re.escape, _LONGEST_FIRST))


def unit_of(spelling: str) -> Unit | None:
    """The unit that is spelled so; None if it is none of ours."""
    return _SPELLED.get(spelling) or _IN_ANY_CASE.get(spelling.lower())


def converted(value: Fraction, source: Unit, target: Unit) -> Fraction:
    """A value in ``source`` as one in ``target``; they must be of one kind."""
    return target.from_standard(source.to_standard(value))
