"""Requests that ask for the same answer in other words; nothing is proved."""

from collections.abc import Sequence

from stepcache_proxy.reuse import constraints
from stepcache_proxy.reuse.constraints import ConstraintReason
from stepcache_proxy.reuse.model import CanonicalRequest, Donor, Step, TaskName, Unknown
from stepcache_proxy.reuse.protocols import Repair

_NAME = TaskName("verbatim")
_MOST_TEXTS = 128  # whose reading is kept: a donor is compared again and again


class Verbatim:
    """The task of every request in plain text: only the verbatim gate guards it."""

    def __init__(self) -> None:
        self._reader = constraints.Reader(_MOST_TEXTS)

    @property
    def name(self) -> TaskName:
        """``verbatim``."""
        return _NAME

    @property
    def is_whole_gate(self) -> bool:
        """True: requests that compare alike are the same question."""
        return True

    def bind(self, request: CanonicalRequest) -> "VerbatimVerifier | None":
        """A verifier that proves nothing, unless the request is exact-only."""
        is_plain = bool(request.text.strip()) and not request.format
        if request.is_exact_only or not is_plain:
            return None
        return VerbatimVerifier()

    def group(self, request: CanonicalRequest) -> str | None:
        """What all wordings of one question have in common."""
        return self._reader.wording(request.text)

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """None if both ask for the same answer in the same format (the gate)."""
        if donor.format != request.format:
            return ConstraintReason.FORMAT
        return self._reader.difference(request.text, donor.text)


class VerbatimVerifier:
    """Leaves every step Unknown: it stands only because the requests are the same."""

    @property
    def task(self) -> TaskName:
        """``verbatim``."""
        return _NAME

    def check_step(self, step: Step) -> Unknown:
        """Unknown, always."""
        del step
        return Unknown()

    def check_answer(self, answer: str) -> Unknown:
        """Unknown, always."""
        del answer
        return Unknown()

    def derive(self, donor: Donor) -> None:
        """None: free text has no constants to carry over."""
        del donor

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """None: a step that is not rejected needs no repair."""
        del kept, rejected, reason
        return None

    def fallback(self) -> None:
        """None: there is no right answer to fall back to."""
