"""Steps -> answer, and the integrity check of the whole."""

import itertools
import re
from collections.abc import Sequence

from stepcache_proxy.reuse.model import Reject, Step, Verdict
from stepcache_proxy.reuse.protocols import Verifier
from stepcache_proxy.reuse.segment import segment

_NUMBERED = re.compile(
    r"[*#_]{0,6}\s{0,4}(?:step\s{1,4})?(\d{1,3})(?:[.):][*_]{0,3}|[*_]{2,3})\s",
    re.IGNORECASE,
)


def stitch(steps: Sequence[Step]) -> str:
    """The answer the steps make, byte for byte."""
    return "".join(step.text for step in steps)


def check_integrity(verifier: Verifier, answer: str) -> Verdict:
    """The verdict on a stitched answer: step numbers rise, the verifier agrees.

    Accept is a proof. A leftover constant of the donor cannot pass: the verifier
    knows this request only, and accepts no number it cannot explain from it.
    """
    numbers = [
        int(found.group(1))
        for step in segment(answer)
        if (found := _NUMBERED.match(step.text.lstrip()))
    ]
    if any(later <= earlier for earlier, later in itertools.pairwise(numbers)):
        return Reject("the step numbers do not rise")
    return verifier.check_answer(answer)
