"""Tokens of a segment -> quantities and calculations joined by "is" and "="."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.arithmetic.reading import read
from stepcache_proxy.tasks.arithmetic.tokens import tokens as arithmetic_tokens
from stepcache_proxy.tasks.unit_conversion.figures import Written, read_number
from stepcache_proxy.tasks.unit_conversion.reading import Mark, Token, sign_of
from stepcache_proxy.tasks.unit_conversion.units import Unit, unit_of

_TURNS = words("is are equals equal in makes")
_SOFTENING = words("approximately about roughly equal to the same")


@dataclass(frozen=True, slots=True)
class Side:
    """A number or a calculation, and its unit if one is written.

    ``numbers`` are those that are written, ``written`` the only one of a literal;
    ``counted`` is the quantity that a calculation begins with, in its own unit.
    """

    value: Fraction
    numbers: tuple[Written, ...]
    is_literal: bool
    unit: Unit | None
    counted: tuple[Fraction, Unit] | None = None

    @property
    def written(self) -> Written:
        """The literal with its decimals."""
        return Written(self.value, self.numbers[0].places)


@dataclass(frozen=True, slots=True)
class Chain:
    """Sides that are said to be the same."""

    sides: tuple[Side, ...]


def read_chain(segment: Sequence[Token]) -> Chain | None:
    """The chain that all the tokens are; else None."""
    parts: list[list[Token]] = [[]]
    at = 0
    while at < len(segment):
        width = _turn_width(segment, at)
        if width:
            parts.append([])
            at += width
        else:
            parts[-1].append(segment[at])
            at += 1
    sides = [_side(part) for part in parts]
    if len(sides) > 1 and parts[0] == []:
        return None
    return Chain(tuple(s for s in sides if s)) if all(sides) else None


def _turn_width(segment: Sequence[Token], at: int) -> int:
    """How many tokens "is approximately equal to" takes here; 0 for none."""
    token = segment[at]
    is_word = token.mark is Mark.WORD and token.text.lower() in _TURNS
    if token.mark is not Mark.RELATION and not is_word:
        return 0
    end = at + 1
    while end < len(segment) and segment[end].text.lower() in _SOFTENING:
        end += 1
    return end - at


def _side(part: Sequence[Token]) -> Side | None:
    if part and part[0].text.lower() in _SOFTENING:
        return _side(part[1:])
    unit: Unit | None = None
    if part and part[-1].mark is Mark.UNIT:
        unit = unit_of(part[-1].text)
        part = part[:-1]
    counted = _counted(part)
    if counted is not None:
        part = [part[0], *part[2:]]
    if not part or any(t.mark not in {Mark.NUMBER, Mark.SIGN} for t in part):
        return None
    numbers = [read_number(t.text) for t in part if t.mark is Mark.NUMBER]
    signed = "".join(sign_of(t) for t in part)
    literal = read_number(signed)
    if literal is not None and counted is None:
        return Side(literal.value, (literal,), is_literal=True, unit=unit)
    done = arithmetic_tokens(" ".join(sign_of(t) for t in part))
    found = read(done)
    if found is None or found.end != len(done) or found.value.is_unsure:
        return None
    known = tuple(number for number in numbers if number is not None)
    if len(known) < len(numbers):
        return None
    return Side(found.value.exact, known, is_literal=False, unit=unit, counted=counted)


def _counted(part: Sequence[Token]) -> tuple[Fraction, Unit] | None:
    """``5 km`` in ``5 km × 1000``."""
    if len(part) < 4 or part[1].mark is not Mark.UNIT:
        return None
    number, unit = read_number(part[0].text), unit_of(part[1].text)
    if number is None or unit is None or sign_of(part[2]) not in "*/":
        return None
    return number.value, unit
