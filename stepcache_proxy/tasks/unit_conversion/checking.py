"""Steps and answers, proved, refused or left open for one asked conversion.

Every number of an accepted text is the asked quantity, its result, or a true factor
between two units; every word is plain connecting prose.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.unit_conversion.asking import Asked
from stepcache_proxy.tasks.unit_conversion.chains import Chain, Side, read_chain
from stepcache_proxy.tasks.unit_conversion.figures import (
    Written,
    is_cut,
    is_right,
    is_rounded,
    read_number,
    show_to,
)
from stepcache_proxy.tasks.unit_conversion.reading import (
    MAX_CHARACTERS,
    Mark,
    Token,
    segments,
)
from stepcache_proxy.tasks.unit_conversion.units import Unit, converted

_PROSE = words("""
    the answer result value this that we get have it to convert converting from into
    in you can use using conversion factor formula first next now sure here let us
    let's calculate calculating a an of your is are equals know for by multiply
    multiplying divide dividing number there unit units know final
""")
_CLOSE = Fraction(1, 50_000)
_FORMULAS = re.compile(
    r"(?:°?F|Fahrenheit) ?= ?\(?(?:°?C|Celsius) ?[×*·] ?(?:9/5|1\.8)\)? ?\+ ?32"
    r"|(?:°?C|Celsius) ?= ?\((?:°?F|Fahrenheit) ?[-−–] ?32\) ?(?:[×*·] ?5/9|/ ?1\.8)"
    r"|(?:°?C|Celsius) ?= ?5/9 ?[×*·]? ?\((?:°?F|Fahrenheit) ?[-−–] ?32\)"
    r"|K(?:elvin)? ?= ?(?:°?C|Celsius) ?\+ ?273\.15"
    r"|(?:°?C|Celsius) ?= ?K(?:elvin)? ?[-−–] ?273\.15"
)
# Numbers of the formulas for temperatures.
_OF_HEAT = frozenset(map(Fraction, ("32", "9", "5", "9/5", "5/9", "1.8", "273.15")))


@dataclass(frozen=True, slots=True)
class _Said:
    """The verdict on a segment, and whether it states the result with its unit."""

    verdict: Verdict
    is_result: bool = False


_NEUTRAL = _Said(Accept())


def check_step(asked: Asked, text: str) -> Verdict:
    """Accept only a step that is right on its own."""
    return _joint(_all_said(asked, text))


def check_answer(asked: Asked, text: str) -> Verdict:
    """Accept only an answer that is right throughout and states the result.

    Reject where everything was read and something is wrong; else Unknown.
    """
    if asked.is_number_only:
        return _bare(asked, text)
    said = _all_said(asked, text)
    joint = _joint(said)
    if not isinstance(joint, Accept):
        return joint
    if not any(one.is_result for one in said):
        return Unknown("the result is not stated")
    return Accept()


def _bare(asked: Asked, text: str) -> Verdict:
    written = read_number(text.strip().removesuffix("."))
    if written is None:
        return Unknown("more than the number")
    return _result(asked, written).verdict


def _joint(said: Sequence[_Said]) -> Verdict:
    """Wrong only where all was read: prose that is not read may explain it."""
    verdicts = [one.verdict for one in said]
    unread = next((v for v in verdicts if isinstance(v, Unknown)), None)
    refused = next((v for v in verdicts if isinstance(v, Reject)), None)
    return unread or refused or Accept()


def _all_said(asked: Asked, text: str) -> list[_Said]:
    if len(text) > MAX_CHARACTERS:
        return [_Said(Unknown("too long to be read"))]
    plain = _FORMULAS.sub("", text)
    return [_said(asked, segment) for segment in segments(plain)]


def _said(asked: Asked, segment: Sequence[Token]) -> _Said:
    start = 0
    while start < len(segment) and segment[start].mark is Mark.WORD:
        start += 1
    before = [token.text.lower() for token in segment[:start]]
    if not set(before) <= _PROSE:
        return _Said(Unknown("prose that is not read"))
    if start == len(segment):
        return _NEUTRAL
    units = [token for token in segment[start:] if token.mark is Mark.UNIT]
    if _is_prose_with_units(segment[start:]):
        return _NEUTRAL if len(units) <= 2 else _Said(Unknown("many units"))
    chain = read_chain(segment[start:])
    if chain is None:
        return _Said(Unknown("not readable"))
    return _judged(asked, chain, before)


def _is_prose_with_units(segment: Sequence[Token]) -> bool:
    """``convert kilometres to metres``: no number, nothing that is claimed."""
    return all(
        token.mark is Mark.UNIT
        or (token.mark is Mark.WORD and token.text.lower() in {"to", "into", "from"})
        for token in segment
    )


def _judged(asked: Asked, chain: Chain, before: Sequence[str]) -> _Said:
    sides = chain.sides
    if len(sides) == 1:
        return _alone(asked, sides[0], before)
    quantity = (asked.value, asked.source)
    if any(side.is_literal and (side.value, side.unit) == quantity for side in sides):
        return _of_quantity(asked, sides)
    if all(side.unit in {None, asked.target} for side in sides):
        return _of_quantity(asked, sides)
    return _factor(sides)


def _alone(asked: Asked, side: Side, before: Sequence[str]) -> _Said:
    """A quantity, or a number to multiply or divide by, that stands alone."""
    if not side.is_literal:
        return _Said(Unknown("a calculation without its result"))
    if side.unit == asked.target:
        return _result(asked, side.written)
    if (side.value, side.unit) == (asked.value, asked.source):
        return _NEUTRAL
    is_factor = side.unit is None and before[-1:] == ["by"]
    if is_factor and _is_operand(asked, side.written, before):
        return _NEUTRAL
    return _Said(Unknown("a number that is not explained"))


def _is_operand(asked: Asked, written: Written, before: Sequence[str]) -> bool:
    factor = _factor_of(asked.source, asked.target)
    if factor is None or set(before) >= {"multiply", "divide"}:
        return False
    if {"multiply", "multiplying"} & set(before):
        return is_right(factor, written)
    return bool({"divide", "dividing"} & set(before)) and is_right(1 / factor, written)


def _factor_of(source: Unit, target: Unit) -> Fraction | None:
    """What a value in ``source`` is multiplied with; None for temperatures."""
    if source.offset or target.offset:
        return None
    return source.factor / target.factor


def _of_quantity(asked: Asked, sides: Sequence[Side]) -> _Said:
    """A chain of which every side is the asked quantity."""
    said = [_side(asked, side, sides[at + 1 :]) for at, side in enumerate(sides)]
    joint = _joint(said)
    if not isinstance(joint, Accept):
        return _Said(joint)
    return _Said(joint, any(one.is_result for one in said))


def _side(asked: Asked, side: Side, after: Sequence[Side]) -> _Said:
    """One side; without a unit it is in that of the next side that has one."""
    unit = side.unit or next((later.unit for later in after if later.unit), None)
    if unit is None and not after and side.unit is None:
        return _Said(Unknown("a number without its unit"))
    unit = unit or asked.target
    if unit.kind != asked.source.kind:
        return _Said(Reject("another kind of unit"))
    exact = converted(asked.value, asked.source, unit)
    if not side.is_literal:
        return _calculation(asked, side, exact)
    if unit == asked.target:
        said = _result(asked, side.written)
        return _Said(said.verdict, said.is_result and side.unit is not None)
    if unit == asked.source:
        is_same = side.value == asked.value
        return _NEUTRAL if is_same else _Said(Reject("another quantity"))
    return _NEUTRAL if is_right(exact, side.written) else _Said(Unknown("another unit"))


def _calculation(asked: Asked, side: Side, exact: Fraction) -> _Said:
    if side.counted not in {None, (asked.value, asked.source)}:
        return _Said(Unknown("a quantity that was not asked for"))
    if not all(_is_known(asked, number) for number in side.numbers):
        return _Said(Unknown("a number that is not explained"))
    if abs(side.value - exact) <= abs(exact) * _CLOSE:
        return _NEUTRAL
    return _Said(Unknown("a calculation of something else"))


def _is_known(asked: Asked, number: Written) -> bool:
    """Whether a number in a calculation is the value, a factor, or of a formula."""
    if number.value == abs(asked.value):
        return True
    factor = _factor_of(asked.source, asked.target)
    if factor is not None:
        return is_right(factor, number) or is_right(1 / factor, number)
    return number.value in _OF_HEAT


def _result(asked: Asked, written: Written) -> _Said:
    """Whether a number is the result: exact, or rounded as asked or fairly."""
    exact = asked.result
    if asked.places is not None:
        wanted = Fraction(show_to(exact, asked.places))
        is_so = written.value == wanted and written.places <= asked.places
        if is_so:
            return _Said(Accept(), is_result=True)
        if written.value == exact or is_right(exact, written):
            return _Said(Unknown("not rounded as asked"))
    elif is_right(exact, written):
        return _Said(Accept(), is_result=True)
    if is_rounded(exact, written) or is_cut(exact, written):
        return _Said(Unknown("rounded otherwise"))
    return _Said(Reject("wrong value"))


def _factor(sides: Sequence[Side]) -> _Said:
    """``1 mile = 1.609344 km``, for any two units of one kind."""
    if len(sides) != 2 or not all(side.is_literal for side in sides):
        return _Said(Unknown("a quantity that was not asked for"))
    first, second = sides if sides[0].value == 1 else (sides[1], sides[0])
    if first.value != 1 or first.unit is None or second.unit is None:
        return _Said(Unknown("a quantity that was not asked for"))
    if first.unit.kind != second.unit.kind or first.unit == second.unit:
        return _Said(Reject("another kind of unit"))
    factor = _factor_of(first.unit, second.unit)
    if factor is None:
        return _Said(Unknown("temperatures have no factor"))
    if is_right(factor, second.written):
        return _NEUTRAL
    is_close = is_rounded(factor, second.written) or is_cut(factor, second.written)
    return _Said(Unknown("a rough factor") if is_close else Reject("wrong factor"))
