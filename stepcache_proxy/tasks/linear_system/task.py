"""The linear_system task: bind a request, compare two, verify and write answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Donor,
    Step,
    TaskName,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.linear_equation.asking import Form
from stepcache_proxy.tasks.linear_equation.expressions import shape
from stepcache_proxy.tasks.linear_equation.printing import PLAIN
from stepcache_proxy.tasks.linear_system.asking import (
    MAX_CHARACTERS,
    Asked,
    read_request,
)
from stepcache_proxy.tasks.linear_system.checking import check_answer, check_step
from stepcache_proxy.tasks.linear_system.deriving import derive
from stepcache_proxy.tasks.linear_system.worked import work
from stepcache_proxy.tasks.linear_system.writing import show_sides
from stepcache_proxy.tasks.plain_text import is_plain_text
from stepcache_proxy.wire.jsonvalue import JsonObject

NAME = TaskName("linear_system")

_MOST_READINGS = 256


class LinearSystem:
    """Requests to solve two linear equations in two unknowns."""

    def __init__(self) -> None:
        # The same donors are asked about again and again.
        self._read = lru_cache(_MOST_READINGS)(read_request)
        self._judged = lru_cache(_MOST_READINGS)(self._is_accepted)

    @property
    def name(self) -> TaskName:
        """``linear_system``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "SystemVerifier | None":
        """A verifier if every word of the request was understood."""
        if request.is_exact_only or not is_plain_text(request.format):
            return None
        # "Work modulo 5" or "only hint" said before would make a right answer wrong.
        if not request.is_alone:
            return None
        asked = self.asked(request.text, request.format)
        return SystemVerifier(asked, self) if asked else None

    def group(self, request: CanonicalRequest) -> str | None:
        """What is wanted in which form, and the shapes, numbers left out."""
        asked = self.asked(request.text, request.format)
        if asked is None:
            return None
        return f"{asked.form}:{len(asked.wanted)}:{_shape(asked)}"

    def kin(self, request: CanonicalRequest) -> str | None:
        """The form of the answer: a way to write it may serve other shapes, too."""
        asked = self.asked(request.text, request.format)
        return None if asked is None else f"{NAME}:{asked.form}:{len(asked.wanted)}"

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """``constraint:task`` or ``constraint:form`` where the donor cannot serve."""
        asked = self.asked(request.text, request.format)
        given = self.asked(donor.text, donor.format)
        if asked is None or given is None:
            return "constraint:task"
        return None if _is_alike(asked, given) else "constraint:form"

    def asked(self, text: str, format_fields: JsonObject) -> Asked | None:
        """What a text asks under fields that demand a format."""
        if len(text) > MAX_CHARACTERS or not is_plain_text(format_fields):
            return None
        return self._read(text)

    def given(self, donor: Donor) -> Asked | None:
        """What a donor was asked, if its answer is proved right for it."""
        asked = self.asked(donor.text, donor.format)
        if asked is None:
            return None
        is_short = len(donor.answer) <= MAX_CHARACTERS
        judge = self._judged if is_short else self._is_accepted
        return asked if judge(donor.text, donor.answer) else None

    def _is_accepted(self, text: str, answer: str) -> bool:
        asked = self._read(text)
        return asked is not None and isinstance(check_answer(asked, answer), Accept)


@dataclass(frozen=True, slots=True)
class SystemVerifier:
    """The task bound to one system, what is wanted of it, and one form of answer."""

    asked: Asked
    family: LinearSystem = field(compare=False, repr=False)
    # One answer is judged several times on its way: as it is, derived, stitched.
    _judged: dict[str, Verdict] = field(default_factory=dict, compare=False, repr=False)

    @property
    def task(self) -> TaskName:
        """``linear_system``."""
        return NAME

    def check_step(self, step: Step) -> Verdict:
        """Accept only a step that is right on its own, whatever stood before it."""
        return check_step(self.asked, step.text)

    def check_answer(self, answer: str) -> Verdict:
        """Accept only a whole, right answer in the form that was asked for."""
        if answer not in self._judged:
            self._judged[answer] = check_answer(self.asked, answer)
        return self._judged[answer]

    def derive(self, donor: Donor) -> str | None:
        """The donor's proved answer, re-worked for this system and proved again."""
        given = self.family.given(donor)
        if given is None or not _is_alike(self.asked, given):
            return None
        if isinstance(self.check_answer(donor.answer), Accept):
            return donor.answer
        derived = derive(self.asked, given, donor.answer)
        if derived is None or not isinstance(self.check_answer(derived), Accept):
            return None
        return derived

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair:
        """Go on after the kept steps; with none kept, ask for a worked solution."""
        prefix = "".join(step.text for step in kept)
        if prefix:
            return Repair(merge=lambda reply: prefix + reply)
        return Repair(
            merge=lambda reply: reply or None,
            prompt=_prompt(self.asked),
            is_whole=True,
        )

    def fallback(self) -> str:
        """A worked solution in exact fractions, in the form that was asked for."""
        return work(self.asked)


def _is_alike(asked: Asked, given: Asked) -> bool:
    """Whether both want as many values in the same form."""
    return asked.form is given.form and len(asked.wanted) == len(given.wanted)


def _shape(asked: Asked) -> str:
    sides = (side for given in asked.system.given for side in given.sides)
    return "=".join(shape(side) for side in sides)


def _prompt(asked: Asked) -> str:
    first, second = (show_sides(given.sides, PLAIN) for given in asked.system.given)
    question = f"Solve {first}, {second} for {' and '.join(asked.wanted)}."
    if asked.form in {Form.ANSWER, Form.NUMBER}:
        return f"{question} Reply with the answer only."
    values = ", ".join(f"{name} = its value" for name in asked.wanted)
    return (
        f"{question} Number the steps, write the equation that each step leads to, and"
        f" end with the line Answer: {values}, exact."
    )
