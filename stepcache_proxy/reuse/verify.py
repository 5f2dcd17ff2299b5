"""Steps of a record, judged for a new request; then the decision.

Theory. Similarity found the candidate and has no further say. A verifier, bound to
the new request alone, looks at each step of the old answer:

  Accept    the step is proved right for this request, or says nothing it could be
            wrong about
  Reject    the step is proved wrong for this request
  Unknown   the step could not be read

Unverified is not verified, so Unknown counts like Reject, with one exception: where
both requests ask the same in every respect that the constraints can express (the
verbatim gate), a step that was right for the one is right for the other, and an
Unknown step may stand. A Reject never stands.

The first step that does not stand starts the region; what follows may depend on it,
so the region reaches to the end. Nothing stands of an answer whose first step fails.
"""

from collections.abc import Sequence

from stepcache_proxy.reuse.model import (
    Accept,
    Decision,
    Patch,
    Region,
    Reject,
    Reuse,
    SkipReuse,
    Step,
    Verdict,
)
from stepcache_proxy.reuse.protocols import Verifier


def verify(verifier: Verifier, steps: Sequence[Step]) -> tuple[Verdict, ...]:
    """One verdict a step, in order."""
    return tuple(verifier.check_step(step) for step in steps)


def decide(
    verdicts: Sequence[Verdict], whole: Verdict, *, is_same_question: bool
) -> Decision:
    """What to do with a candidate whose steps and whole answer got these verdicts.

    ``is_same_question``: the verbatim gate found no difference at all.
    """
    if not verdicts:
        return SkipReuse("integrity")
    refused = [isinstance(verdict, Reject) for verdict in (*verdicts, whole)]
    if is_same_question and not any(refused):
        return Reuse()
    kept = leading_accepts(verdicts)
    if kept < len(verdicts):
        return Patch(Region(kept, len(verdicts)))
    return Reuse() if isinstance(whole, Accept) else SkipReuse("integrity")


def leading_accepts(verdicts: Sequence[Verdict]) -> int:
    """How many steps from the start are accepted without a gap."""
    for index, verdict in enumerate(verdicts):
        if not isinstance(verdict, Accept):
            return index
    return len(verdicts)
