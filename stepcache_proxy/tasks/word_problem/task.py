"""The task of word problems: an answer in stored words, worked for other numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from stepcache_proxy.reuse import constraints
from stepcache_proxy.reuse.model import CanonicalRequest, Donor, Step, TaskName, Unknown
from stepcache_proxy.reuse.protocols import Repair
from stepcache_proxy.tasks.word_problem.aligning import aligned, outline
from stepcache_proxy.tasks.word_problem.question import Question, read_question
from stepcache_proxy.tasks.word_problem.reworking import rework

NAME = TaskName("word_problem")
_REMEMBERED = 32

Read = Callable[[str], Question | None]


class WordProblem:
    """Requests that state numbers in plain words, and nothing before them.

    The last few texts are remembered as read: a request is bound, grouped and compared.
    """

    def __init__(self) -> None:
        self._read: Read = lru_cache(_REMEMBERED)(read_question)

    @property
    def name(self) -> TaskName:
        """``word_problem``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "ProblemVerifier | None":
        """A verifier that proves nothing, if the request states readable numbers."""
        question = self._question(request)
        return ProblemVerifier(question, self._read) if question else None

    def group(self, request: CanonicalRequest) -> str | None:
        """The words without the numbers: such requests may lend each other answers."""
        question = self._question(request)
        return outline(question) if question else None

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """None if both ask the same (the verbatim gate), but for their numbers."""
        if donor.format != request.format:
            return constraints.ConstraintReason.FORMAT
        reason = constraints.difference(request.text, donor.text)
        if reason is None:
            return None
        asked, given = self._read(request.text), self._read(donor.text)
        if asked and given and aligned(given, asked) is not None:
            return None
        return reason

    def _question(self, request: CanonicalRequest) -> Question | None:
        if request.is_exact_only or request.format or not request.is_alone:
            return None
        return self._read(request.text)


@dataclass(frozen=True, slots=True)
class ProblemVerifier:
    """The task bound to one problem; every step is Unknown to it."""

    question: Question
    read: Read

    @property
    def task(self) -> TaskName:
        """``word_problem``."""
        return NAME

    def check_step(self, step: Step) -> Unknown:
        """Unknown, always: sums may be right where the thought is wrong."""
        del step
        return Unknown()

    def check_answer(self, answer: str) -> Unknown:
        """Unknown, always."""
        del answer
        return Unknown()

    def derive(self, donor: Donor) -> None:
        """None: what can be worked anew here is not proved (see ``rework``)."""
        del donor

    def rework(self, donor: Donor) -> str | None:
        """The donor's answer with its numbers worked for this problem, or None."""
        given = self.read(donor.text)
        return rework(given, donor.answer, self.question) if given else None

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """None: no step is ever rejected."""
        del kept, rejected, reason
        return None

    def fallback(self) -> None:
        """None: there is no right answer to fall back to."""
