"""Requests of no particular family: reused only where both ask the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from stepcache_proxy.reuse.constraints import difference
from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    Donor,
    Step,
    TaskName,
    Unknown,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Repair

NAME = TaskName("verbatim")


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The task of last resort; it proves nothing."""

    @property
    def name(self) -> TaskName:
        """``verbatim``."""
        return NAME

    def bind(self, request: CanonicalRequest) -> "VerbatimVerifier | None":
        """A verifier for any plain text request."""
        if request.is_exact_only or not request.text or request.format:
            return None
        return VerbatimVerifier()

    def compare(self, request: CanonicalRequest, donor: Donor) -> str | None:
        """The first constraint that differs."""
        if request.format != donor.format:
            return "constraint:format"
        return difference(request.text, donor.text)


@dataclass(frozen=True, slots=True)
class VerbatimVerifier:
    """Finds every step Unknown, so that only the verbatim gate lets one stand."""

    @property
    def task(self) -> TaskName:
        """``verbatim``."""
        return NAME

    def check_step(self, step: Step) -> Verdict:
        """Nothing is proved."""
        return Unknown("no task verifies this text")

    def check_answer(self, answer: str) -> Verdict:
        """Nothing is proved."""
        return Unknown("no task verifies this text")

    def derive(self, donor: Donor) -> str | None:
        """Nothing can be derived."""
        return None

    def repair(self, kept: Sequence[Step], rejected: str, reason: str) -> Repair | None:
        """Nothing is ever rejected."""
        return None

    def fallback(self) -> str | None:
        """No answer is known."""
        return None
