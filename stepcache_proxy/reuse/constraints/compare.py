"""What two texts ask -> the first respect in which it is something else."""

from stepcache_proxy.reuse.constraints.read import Constraints
from stepcache_proxy.reuse.constraints.reasons import ConstraintReason
from stepcache_proxy.reuse.constraints.synonyms import OPPOSITES

# Where two requests differ in several respects, the first of these is told.
_RESPECTS: tuple[tuple[str, ConstraintReason], ...] = (
    ("language", ConstraintReason.LANGUAGE),
    ("numbers", ConstraintReason.NUMBER),
    ("units", ConstraintReason.UNIT),
    ("quoted", ConstraintReason.QUOTED),
    ("identifiers", ConstraintReason.IDENTIFIER),
    ("polarity", ConstraintReason.POLARITY),
    ("comparison", ConstraintReason.COMPARISON),
    ("quantifiers", ConstraintReason.QUANTIFIER),
    ("format", ConstraintReason.FORMAT),
    ("question", ConstraintReason.QUESTION),
    ("personal", ConstraintReason.PERSONAL),
)


def compared(a: Constraints, b: Constraints) -> ConstraintReason | None:
    """None when both ask for the same answer, else the first difference."""
    if a.time_words or b.time_words:
        return ConstraintReason.TIME
    if a.language == b.language and not (a.is_readable and b.is_readable):
        return ConstraintReason.WORDS
    for name, reason in _RESPECTS:
        if sorted(getattr(a, name)) != sorted(getattr(b, name)):
            return reason
    if a.order == b.order or _is_spaced(a, b):
        return None
    return ConstraintReason.ORDER if a.content == b.content else _unmatched(a, b)


def _is_spaced(a: Constraints, b: Constraints) -> bool:
    """Whether one joins words that the other writes apart ("call out", "callout")."""
    short, long = sorted((a.order, b.order), key=len)
    if len(long) != len(short) + 1:
        return False
    at = next((i for i, x in enumerate(short) if x != long[i]), len(short))
    if at == len(short) or short[at + 1 :] != long[at + 2 :]:
        return False
    parts = long[at : at + 2]
    is_words = all(len(part) > 2 and part.isalpha() for part in parts)
    return is_words and "".join(parts) == short[at]


def _unmatched(a: Constraints, b: Constraints) -> ConstraintReason:
    """Which kind of word one text has and the other has not."""
    only_a = set(a.content) - set(b.content)
    only_b = set(b.content) - set(a.content)
    if any(_is_opposite(x, y) for x in only_a for y in only_b):
        return ConstraintReason.POLARITY
    if (only_a | only_b) & {*a.names, *b.names}:
        return ConstraintReason.NAME
    return ConstraintReason.WORDS


_PREFIXES = ("un", "in", "im", "dis", "non", "de", "ir", "il")


def _is_opposite(x: str, y: str) -> bool:
    if frozenset({x, y}) in OPPOSITES:
        return True
    short, long = sorted((x, y), key=len)
    return any(long == prefix + short for prefix in _PREFIXES)
