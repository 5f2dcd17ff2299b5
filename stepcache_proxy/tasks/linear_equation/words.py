"""The words of one sentence, and what they are about, whatever the equation is."""

from dataclasses import dataclass

from stepcache_proxy.tasks.linear_equation.once import once
from stepcache_proxy.tasks.linear_equation.wording import (
    ANSWER_WORDS,
    CHECK_WORDS,
    COLLECT_WORDS,
    DECIMAL_WORDS,
    GIVEN_WORDS,
    GONE_WORDS,
    QUOTIENT_WORDS,
    SCOPE_WORDS,
    SIMPLIFY_WORDS,
    SUM_WORDS,
)

_FORM_WORDS = SUM_WORDS | QUOTIENT_WORDS | DECIMAL_WORDS | GONE_WORDS


# Not slotted: a sentence is judged for many equations, its words are looked up once.
@dataclass(frozen=True)
class Prose:
    """What a sentence has beside mathematics; ``words`` are those outside of claims."""

    words: tuple[str, ...]
    has_unread: bool
    is_question: bool

    @once
    def all(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(self.words)

    @once
    def is_scoped(self) -> bool:
        """Whether something is denied, supposed, one of several or asked."""
        return self.is_question or not self.all.isdisjoint(SCOPE_WORDS)

    @once
    def is_understood(self) -> bool:
        """Whether every word and sign is."""
        return not self.has_unread and self.all <= ANSWER_WORDS

    @once
    def names_form(self) -> bool:
        """Whether it speaks of brackets, fractions, decimals or a variable gone."""
        return not self.all.isdisjoint(_FORM_WORDS)

    @once
    def is_checking(self) -> bool:
        """Whether the solution is put in."""
        return not self.all.isdisjoint(CHECK_WORDS)

    @once
    def is_given(self) -> bool:
        """Whether the equation is said to be the one that was given."""
        return not self.is_checking and not self.all.isdisjoint(GIVEN_WORDS)

    @once
    def is_collecting(self) -> bool:
        """Whether terms are said to be collected."""
        return not self.all.isdisjoint(COLLECT_WORDS)

    @once
    def is_simplifying(self) -> bool:
        """Whether sides are said to be simplified."""
        return not self.all.isdisjoint(SIMPLIFY_WORDS)
