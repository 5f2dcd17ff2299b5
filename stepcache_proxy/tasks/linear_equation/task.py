"""The linear_equation task: bind a request, compare two, verify and write answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Donor,
    Step,
    TaskName,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.linear_equation.asking import Asked, Form
from stepcache_proxy.tasks.linear_equation.checking import (
    check_derived,
)
from stepcache_proxy.tasks.linear_equation.deriving import Work, derive
from stepcache_proxy.tasks.linear_equation.printing import PLAIN, show_node
from stepcache_proxy.tasks.linear_equation.readings import Readings
from stepcache_proxy.tasks.linear_equation.worked import work
from stepcache_proxy.tasks.plain_text import is_plain_text

NAME = TaskName("linear_equation")


class LinearEquation:
    """Requests to solve one linear equation in one unknown."""

    def __init__(self) -> None:
        self._readings = Readings()

    @property
    def name(self) -> TaskName:
        """``linear_equation``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "EquationVerifier | None":
        """A verifier if every word of the request was understood."""
        if request.is_exact_only or not is_plain_text(request.format):
            return None
        # "Work modulo 5" or "only hint" said before would make a right answer wrong.
        if not request.is_alone:
            return None
        asked = self._readings.asked(request.text)
        return EquationVerifier(asked, self._readings) if asked else None

    def group(self, request: CanonicalRequest) -> str | None:
        """The form of the answer and the shape of the equation, numbers left out."""
        if not is_plain_text(request.format):
            return None
        asked = self._readings.asked(request.text)
        if asked is None:
            return None
        return f"{asked.form}:{asked.problem.shape}"

    def kin(self, request: CanonicalRequest) -> str | None:
        """The form of the answer: a way to write it may serve other shapes, too."""
        asked = self._readings.asked(request.text)
        return None if asked is None else f"{NAME}:{asked.form}"

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """``constraint:task`` or ``constraint:form`` where the donor cannot serve."""
        asked = self._readings.asked(request.text)
        given = _asked_of(donor, self._readings)
        if asked is None or given is None:
            return "constraint:task"
        return None if asked.form is given.form else "constraint:form"


@dataclass(frozen=True, slots=True)
class EquationVerifier:
    """The task bound to one equation and one form of answer."""

    asked: Asked
    readings: Readings = field(default_factory=Readings, compare=False)
    # One answer is judged several times on its way: as it is, derived, stitched.
    _judged: dict[str, Verdict] = field(default_factory=dict, compare=False, repr=False)

    @property
    def task(self) -> TaskName:
        """``linear_equation``."""
        return NAME

    def check_step(self, step: Step) -> Verdict:
        """Accept only a step that is right on its own, whatever stood before it."""
        return self.readings.check_step(self.asked.problem, step.text)

    def check_answer(self, answer: str) -> Verdict:
        """Accept only a whole, right answer in the form that was asked for."""
        if answer not in self._judged:
            self._judged[answer] = self.readings.check_answer(self.asked, answer)
        return self._judged[answer]

    def derive(self, donor: Donor) -> str | None:
        """The donor's proved answer, re-worked for this equation and proved again."""
        given = _asked_of(donor, self.readings)
        if given is None or given.form is not self.asked.form:
            return None
        if not self.readings.is_right(donor.text, donor.answer):
            return None
        if self._may_be_answered_by(given) and isinstance(
            self.check_answer(donor.answer), Accept
        ):
            return donor.answer
        work = self.readings.work(donor.text, donor.answer)
        return None if work is None else self._derived(work)

    def _derived(self, work: Work) -> str | None:
        """The work, re-worked and accepted as a whole."""
        derived = derive(self.asked.problem, work, is_read=False)
        verdict = (
            None
            if derived is None
            else check_derived(self.asked, derived, self.readings.says)
        )
        if verdict is None and derived is not None:
            derived = derive(self.asked.problem, work, is_read=True)
        if derived is None:
            return None
        if verdict is not None:
            self._judged[derived.text] = verdict
        is_right = isinstance(self.check_answer(derived.text), Accept)
        return derived.text if is_right else None

    def _may_be_answered_by(self, given: Asked) -> bool:
        """Whether the other equation has the same solution; else no need to look."""
        return self.asked.problem.solved == given.problem.solved

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


def _asked_of(donor: Donor, readings: Readings) -> Asked | None:
    return readings.asked(donor.text) if is_plain_text(donor.format) else None


def _prompt(asked: Asked) -> str:
    problem = asked.problem
    left = show_node(problem.left, problem.unknown, PLAIN)
    right = show_node(problem.right, problem.unknown, PLAIN)
    equation = f"{left} = {right}"
    if asked.form in {Form.ANSWER, Form.NUMBER}:
        return f"Solve {equation} for {problem.unknown}. Reply with the answer only."
    return (
        f"Solve {equation} for {problem.unknown}. Number the steps, write the equation"
        f" that each step leads to, and end with the line Answer: {problem.unknown} ="
        " followed by the exact solution."
    )
