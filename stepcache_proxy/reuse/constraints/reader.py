"""The reader of the gate: texts -> whether they ask for the same answer."""

from functools import cached_property, lru_cache

from stepcache_proxy.reuse.constraints.compare import compared
from stepcache_proxy.reuse.constraints.lexer import Lexed
from stepcache_proxy.reuse.constraints.read import (
    Constraints,
    Said,
    constraints,
    lexed,
    said,
)
from stepcache_proxy.reuse.constraints.reasons import ConstraintReason
from stepcache_proxy.reuse.constraints.spelling import mended, slips_between
from stepcache_proxy.reuse.constraints.writing import (
    Forms,
    are_alike,
    forms_of,
    is_literal,
)

LONGEST = 2_000  # a longer text is read anew rather than kept


class Reading:
    """What one text says; each part is worked out when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stripped = text.strip()

    @cached_property
    def lexed(self) -> Lexed:
        """Its marks; none of one that must be compared as it stands."""
        return lexed(self.stripped)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words it writes like names."""
        return frozenset(self.lexed.names)

    @cached_property
    def said(self) -> Said:
        """What it says by itself."""
        return said(self.lexed.marks, self.names)

    @cached_property
    def constraints(self) -> Constraints:
        """What its answer must respect."""
        return constraints(self.stripped, self.said, self.lexed.names)

    @cached_property
    def wording(self) -> str | None:
        """What it has in common with texts that ask the same, slips mended."""
        names, marks = self.names, self.lexed.marks
        meant = [mark if mark in names else mended(mark) for mark in marks]
        found = self.said if meant == marks else said(meant, names)
        # Together: one may join words that another writes apart.
        return "".join(found.order) if found.is_readable else None

    @cached_property
    def forms(self) -> Forms:
        """How each of its words is written."""
        return forms_of(self.text)

    @cached_property
    def is_literal(self) -> bool:
        """Whether only the identical text may share its answer."""
        return is_literal(self.text)

    def beside(self, slips: dict[str, str], names: frozenset[str]) -> Constraints:
        """Its constraints beside a text that tells its slips and has names, too."""
        if not slips and names == self.names:
            return self.constraints
        marks = [slips.get(mark, mark) for mark in self.lexed.marks]
        return constraints(self.stripped, said(marks, names), self.lexed.names)


class Reader:
    """Reads texts and compares them; the same for the same texts, whoever asks.

    It keeps what the last ``most`` texts say, those of more than 2,000 characters
    excepted. Nothing tells what others asked but the time that a reading takes.
    """

    def __init__(self, most: int) -> None:
        self._kept = lru_cache(most)(Reading)

    def difference(self, a: str, b: str) -> ConstraintReason | None:
        """The same as the function ``difference``."""
        return None if a == b else _difference(self._reading(a), self._reading(b))

    def wording(self, text: str) -> str | None:
        """The same as the function ``wording``."""
        return self._reading(text).wording

    def _reading(self, text: str) -> Reading:
        return self._kept(text) if len(text) <= LONGEST else Reading(text)


def difference(a: str, b: str) -> ConstraintReason | None:
    """None when both texts ask for the same answer, else the first difference.

    Identical texts never differ. Symmetric; never raises; linear in both lengths.
    """
    return None if a == b else _difference(Reading(a), Reading(b))


def wording(text: str) -> str | None:
    """What texts that ask for the same answer have in common; None: unreadable.

    Nearly all texts between which ``difference`` sees none have it in common. It
    proposes only: texts that share it may differ.
    """
    return Reading(text).wording


def read(text: str) -> Constraints:
    """The constraints of ``text``. Never raises; linear time, bounded length."""
    return Reading(text).constraints


def _difference(a: Reading, b: Reading) -> ConstraintReason | None:
    if a.stripped == b.stripped:
        return None
    reason = compared(*_pair(a, b))
    if reason is None and not _are_written_alike(a, b):
        return ConstraintReason.WORDS
    return reason


def _pair(a: Reading, b: Reading) -> tuple[Constraints, Constraints]:
    """The constraints of two texts, a slip of the keyboard in one mended."""
    slips = slips_between(a.lexed.marks, b.lexed.marks)
    names = a.names | b.names
    for name in names:
        slips.pop(name, None)
    return a.beside(slips, names), b.beside(slips, names)


def _are_written_alike(a: Reading, b: Reading) -> bool:
    """Whether the very letters are the same where they may mean something."""
    if a.is_literal or b.is_literal:
        return False
    if a.text.isupper() or b.text.isupper():
        return True
    return are_alike(a.forms, b.forms)
