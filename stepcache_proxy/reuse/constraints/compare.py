"""Two texts -> the first respect in which they ask for something else."""

from stepcache_proxy.reuse.constraints.lexer import STOP
from stepcache_proxy.reuse.constraints.read import Constraints, read
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


def difference(a: str, b: str) -> ConstraintReason | None:
    """None when both texts ask for the same answer, else the first difference.

    Identical texts never differ. Symmetric; never raises; linear in both lengths.
    """
    if a.strip() == b.strip():
        return None
    return _difference(read(a), read(b))


def _difference(a: Constraints, b: Constraints) -> ConstraintReason | None:
    if a.time_words or b.time_words:
        return ConstraintReason.TIME
    for name, reason in _RESPECTS:
        if sorted(getattr(a, name)) != sorted(getattr(b, name)):
            return reason
    if a.content != b.content:
        return _unmatched(a, b)
    return None if a.order == b.order else ConstraintReason.ORDER


def _unmatched(a: Constraints, b: Constraints) -> ConstraintReason:
    """Which kind of word one text has and the other has not."""
    if not (a.is_readable and b.is_readable):
        return ConstraintReason.WORDS
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
