"""The arithmetic task: evaluate one expression, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.model import (
    Accept,
    CanonicalRequest,
    Donor,
    Step,
    TaskName,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.arithmetic.asking import Asked, read_request
from stepcache_proxy.tasks.arithmetic.checking import check_answer, check_step
from stepcache_proxy.tasks.arithmetic.percents import renumbered
from stepcache_proxy.tasks.arithmetic.printing import show, show_rounded
from stepcache_proxy.tasks.plain_text import is_plain_text

NAME = TaskName("arithmetic")


class Arithmetic:
    """Requests to evaluate an expression of numbers and nothing else."""

    @property
    def name(self) -> TaskName:
        """``arithmetic``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "ExpressionVerifier | None":
        """A verifier if every word of the request was understood."""
        if request.is_exact_only or not is_plain_text(request.format):
            return None
        # "Work modulo 5" or "only hint" said before would make a right answer wrong.
        if not request.is_alone:
            return None
        asked = read_request(request.text)
        return ExpressionVerifier(asked) if asked else None

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """``constraint:task`` or ``constraint:form`` where the donor cannot serve."""
        asked = read_request(request.text)
        given = read_request(donor.text) if is_plain_text(donor.format) else None
        if asked is None or given is None:
            return "constraint:task"
        return None if _is_alike(asked, given) else "constraint:form"


@dataclass(frozen=True, slots=True)
class ExpressionVerifier:
    """The task bound to one expression."""

    asked: Asked

    @property
    def task(self) -> TaskName:
        """``arithmetic``."""
        return NAME

    def check_step(self, step: Step) -> Verdict:
        """Accept only a step that is right on its own, whatever stood before it."""
        return check_step(self.asked, step.text)

    def check_answer(self, answer: str) -> Verdict:
        """Accept only an answer right throughout that ends with the asked value."""
        return check_answer(self.asked, answer)

    def derive(self, donor: Donor) -> str | None:
        """The donor's one-sentence answer with its numbers for this expression.

        Only where the donor states nothing but its expression and its value, so that
        each is found and replaced as written; and what comes out is proved.
        """
        given = read_request(donor.text)
        if given is None or not _is_alike(given, self.asked):
            return None
        if not isinstance(check_answer(given, donor.answer), Accept):
            return None
        for rewrite in (_rewritten, _renumbered):
            text = rewrite(donor.answer, given, self.asked)
            if text is not None and isinstance(self.check_answer(text), Accept):
                return text
        return None

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """None: the value is known, so no model need be asked for it."""
        del kept, rejected, reason
        return None

    def fallback(self) -> str:
        """The expression and its value, or the value alone where that was asked."""
        if self.asked.is_share:
            return self._share()
        value = show(self.asked.value)
        if self.asked.is_number_only:
            return value
        told = value if value == self.asked.expression else self._equation(value)
        return f"{told} ≈ {show_rounded(self.asked.value)}" if "/" in value else told

    def _share(self) -> str:
        hundredths = self.asked.value * 100
        value = show(hundredths)
        if "/" not in value:
            return self._equation(f"{value}%")
        return f"{self.asked.expression} ≈ {show_rounded(hundredths)}%"

    def _equation(self, value: str) -> str:
        return f"{self.asked.expression} = {value}"


def _is_alike(asked: Asked, given: Asked) -> bool:
    kinds = [(one.is_number_only, one.is_share) for one in (asked, given)]
    return kinds[0] == kinds[1]


def _renumbered(answer: str, given: Asked, asked: Asked) -> str | None:
    """The answer to a question about a percentage with its numbers replaced."""
    if given.percentage is None or asked.percentage is None:
        return None
    return renumbered(answer, given.percentage, asked.percentage)


def _rewritten(answer: str, given: Asked, asked: Asked) -> str | None:
    """The answer with expression and value replaced, if they are all its digits."""
    before, after = show(given.value), show(asked.value)
    if "/" in before or "/" in after:
        return None
    head, found, tail = answer.rpartition(before)
    if not found or any(map(str.isdigit, tail)):
        return None
    if head[-1:].isdigit() or head[-1:] in {"-", "."}:
        return None
    if any(map(str.isdigit, head)):
        start, found, rest = head.partition(given.expression)
        if not found or any(map(str.isdigit, start + rest)):
            return None
        head = start + asked.expression + rest
    return head + after + tail
