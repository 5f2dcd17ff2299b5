"""The unit_conversion task: convert one quantity by exactly defined factors."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Donor,
    Step,
    TaskName,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.plain_text import is_plain_text
from stepcache_proxy.tasks.unit_conversion.asking import Asked, read_request
from stepcache_proxy.tasks.unit_conversion.checking import check_answer, check_step
from stepcache_proxy.tasks.unit_conversion.deriving import derive
from stepcache_proxy.tasks.unit_conversion.figures import (
    is_short,
    places_for,
    show,
    show_to,
)
from stepcache_proxy.tasks.unit_conversion.units import Unit
from stepcache_proxy.wire.jsonvalue import JsonObject

NAME = TaskName("unit_conversion")


class UnitConversion:
    """Requests to convert one quantity into another unit and nothing else."""

    @property
    def name(self) -> TaskName:
        """``unit_conversion``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "ConversionVerifier | None":
        """A verifier if every word of the request was understood."""
        if request.is_exact_only or not request.is_alone:
            return None
        asked = _asked(request.text, request.format)
        return ConversionVerifier(asked) if asked else None

    def group(self, request: CanonicalRequest) -> str | None:
        """The two units and the form of the answer, whatever the words."""
        asked = _asked(request.text, request.format)
        if asked is None:
            return None
        form = "number" if asked.is_number_only else "text"
        return f"{asked.source.one}:{asked.target.one}:{form}:{asked.places}"

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """``constraint:task`` or ``constraint:form`` where the donor cannot serve."""
        asked = _asked(request.text, request.format)
        given = _asked(donor.text, donor.format)
        if asked is None or given is None:
            return "constraint:task"
        return None if _is_alike(asked, given) else "constraint:form"


@dataclass(frozen=True, slots=True)
class ConversionVerifier:
    """The task bound to one conversion."""

    asked: Asked

    @property
    def task(self) -> TaskName:
        """``unit_conversion``."""
        return NAME

    def check_step(self, step: Step) -> Verdict:
        """Accept only a step that is right on its own, whatever stood before it."""
        return check_step(self.asked, step.text)

    def check_answer(self, answer: str) -> Verdict:
        """Accept only an answer right throughout that states the result."""
        return check_answer(self.asked, answer)

    def derive(self, donor: Donor) -> str | None:
        """The donor's proved answer with the numbers of this request, proved again."""
        given = _asked(donor.text, donor.format)
        if given is None or not _is_alike(self.asked, given):
            return None
        if not isinstance(check_answer(given, donor.answer), Accept):
            return None
        if isinstance(self.check_answer(donor.answer), Accept):
            return donor.answer
        derived = derive(self.asked, given, donor.answer)
        if derived is None or not isinstance(self.check_answer(derived), Accept):
            return None
        return derived

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """None: the result is known, so no model need be asked for it."""
        del kept, rejected, reason
        return None

    def fallback(self) -> str:
        """Both quantities, or the number alone where that was asked."""
        sign, result = _shown(self.asked)
        if self.asked.is_number_only:
            return result
        value = show(self.asked.value)
        source = _quantity(value, self.asked.value, self.asked.source)
        target = _quantity(result, Fraction(result), self.asked.target)
        told = f"{source} {sign} {target}"
        if not self.asked.is_american:
            return told
        return told.replace("metre", "meter").replace("litre", "liter")


def _asked(text: str, format_fields: JsonObject) -> Asked | None:
    return read_request(text) if is_plain_text(format_fields) else None


def _is_alike(asked: Asked, given: Asked) -> bool:
    return (asked.is_number_only, asked.places) == (given.is_number_only, given.places)


def _shown(asked: Asked) -> tuple[str, str]:
    """The result as text with the sign that stands before it."""
    exact = asked.result
    if asked.places is not None:
        shown = show_to(exact, asked.places)
    elif is_short(exact):
        shown = show(exact)
    else:
        shown = show_to(exact, places_for(exact))
    return ("=" if Fraction(shown) == exact else "≈"), shown


def _quantity(shown: str, value: Fraction, unit: Unit) -> str:
    if unit.symbol.startswith("°"):
        return f"{shown} {unit.symbol}"
    return f"{shown} {unit.one if value == 1 else unit.many}"
