"""The quadratic_equation task: bind a request, compare two, verify, write answers."""

from collections.abc import Sequence
from dataclasses import dataclass
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
from stepcache_proxy.tasks.plain_text import is_plain_text
from stepcache_proxy.tasks.quadratic_equation.asking import (
    MAX_CHARACTERS,
    Asked,
    Form,
    read_request,
)
from stepcache_proxy.tasks.quadratic_equation.checking import check_answer, check_step
from stepcache_proxy.tasks.quadratic_equation.deriving import derive
from stepcache_proxy.tasks.quadratic_equation.worked import equation_of, work
from stepcache_proxy.wire.jsonvalue import JsonObject

NAME = TaskName("quadratic_equation")
_MOST_REQUESTS = 256


class QuadraticEquation:
    """Requests to solve one quadratic equation in one unknown with rational roots."""

    def __init__(self) -> None:
        # The same donors are asked about again and again.
        self._read = lru_cache(_MOST_REQUESTS)(read_request)

    @property
    def name(self) -> TaskName:
        """``quadratic_equation``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "QuadraticVerifier | None":
        """A verifier if every word of the request was understood."""
        # "Only the positive root" said before would make a right answer wrong.
        if request.is_exact_only or not request.is_alone:
            return None
        asked = self._asked(request.text, request.format)
        return QuadraticVerifier(asked) if asked else None

    def group(self, request: CanonicalRequest) -> str | None:
        """The form of the answer and the kind of equation, numbers left out."""
        asked = self._asked(request.text, request.format)
        if asked is None:
            return None
        whole = asked.problem.whole
        traits = (
            asked.problem.is_double,
            asked.problem.is_standard,
            abs(whole.a) == 1,
            whole.b == 0,
            whole.c == 0,
        )
        return f"{asked.form}:{''.join(str(int(trait)) for trait in traits)}"

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """``constraint:task`` or ``constraint:form`` where the donor cannot serve."""
        asked = self._asked(request.text, request.format)
        given = self._asked(donor.text, donor.format)
        if asked is None or given is None:
            return "constraint:task"
        return None if asked.form is given.form else "constraint:form"

    def _asked(self, text: str, format_fields: JsonObject) -> Asked | None:
        if len(text) > MAX_CHARACTERS or not is_plain_text(format_fields):
            return None
        return self._read(text)


@dataclass(frozen=True, slots=True)
class QuadraticVerifier:
    """The task bound to one equation and one form of answer."""

    asked: Asked

    @property
    def task(self) -> TaskName:
        """``quadratic_equation``."""
        return NAME

    def check_step(self, step: Step) -> Verdict:
        """Accept only a step that is right on its own, whatever stood before it."""
        return check_step(self.asked, step.text)

    def check_answer(self, answer: str) -> Verdict:
        """Accept only a whole, right answer in the form that was asked for."""
        return check_answer(self.asked, answer)

    def derive(self, donor: Donor) -> str | None:
        """The donor's proved answer, re-worked for this equation and proved again."""
        is_text = is_plain_text(donor.format)
        given = read_request(donor.text) if is_text else None
        if given is None or given.form is not self.asked.form:
            return None
        if not isinstance(check_answer(given, donor.answer), Accept):
            return None
        if isinstance(self.check_answer(donor.answer), Accept):
            return donor.answer
        derived = derive(self.asked.problem, given.problem, donor.answer)
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
        """A worked solution by factoring, in the form that was asked for."""
        return work(self.asked)


def _prompt(asked: Asked) -> str:
    equation, unknown = equation_of(asked.problem), asked.problem.unknown
    if asked.form is Form.ANSWER:
        return f"Solve {equation} for {unknown}. Reply with only the solutions."
    return (
        f"Solve {equation} for {unknown}. Number the steps, write the equation that"
        f" each step leads to, and end with the line Answer: {unknown} = followed by"
        " every solution."
    )
