"""Items of an answer -> sentences: what is done to which equation, and statements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from stepcache_proxy.tasks.linear_equation.expressions import Number
from stepcache_proxy.tasks.linear_equation.items import (
    Break,
    Item,
    Span,
    Unread,
    Word,
)
from stepcache_proxy.tasks.linear_system.algebra import Affine, Names
from stepcache_proxy.tasks.linear_system.statements import forms_of, read_statements
from stepcache_proxy.tasks.linear_system.wording import SUBSTITUTE_WORDS

MAX_CHARACTERS = 20_000
MAX_TOKENS = 3_000

Verb = Literal["add", "subtract", "multiply", "divide"]
Index = Literal[0, 1]

_VERBS: dict[str, Verb] = {
    **dict.fromkeys(("add", "adding", "added", "adds"), "add"),
    **dict.fromkeys(("subtract", "subtracting", "subtracted", "subtracts"), "subtract"),
    **dict.fromkeys(
        ("multiply", "multiplying", "multiplied", "multiplies"), "multiply"
    ),
    **dict.fromkeys(("divide", "dividing", "divided", "divides"), "divide"),
}
_SIDES = (("both", "sides"), ("each", "side"), ("both", "the", "sides"))
_BOTH = (
    ("the", "two", "equations"),
    ("the", "equations"),
    ("both", "equations"),
    ("these", "two", "equations"),
    ("these", "equations"),
    ("them",),
)
_LATEST = (("this", "equation"), ("this",), ("it",), ("the", "result"))
_ORDINALS: dict[str, Index] = {"first": 0, "second": 1}
_NUMBERS: dict[Fraction, Index] = {Fraction(1): 0, Fraction(2): 1}


@dataclass(frozen=True, slots=True)
class Operation:
    """Something done to both sides of an equation; of the latest, without ``index``.

    ``link`` is the "from" or "to" of the sentence.
    """

    verb: Verb
    word: Word
    operand: Span
    form: Affine
    link: Word | None = None
    index: Index | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing changes: nothing added, or a factor of one."""
        if not self.form.is_number:
            return False
        return self.form.c == (1 if self.verb in {"multiply", "divide"} else 0)


@dataclass(frozen=True, slots=True)
class Combination:
    """One equation added to or subtracted from another.

    ``first`` is what stands alone or is subtracted from, None for the latest
    equation. ``is_either``: the order is left open.
    """

    verb: Literal["add", "subtract"]
    first: Index | None
    second: Index | None
    is_either: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """What is known of an unknown put into an equation, any where none is named."""

    index: Index | None


@dataclass(frozen=True, slots=True)
class Reference:
    """An equation named as the source of what follows."""

    index: Index


Action = Operation | Combination | Substitution | Reference
Event = Action | Span


@dataclass(frozen=True, slots=True)
class Sentence:
    """What one sentence says."""

    events: tuple[Event, ...]
    words: frozenset[str]
    has_unread: bool
    is_question: bool

    @property
    def equations(self) -> tuple[Span, ...]:
        """The statements with an equals sign in order."""
        return tuple(e for e in self.events if isinstance(e, Span) and not e.is_bare)


def read_sentences(text: str, names: Names) -> tuple[Sentence, ...] | None:
    """The sentences of ``text``; None where it is too long to be read."""
    if len(text) > MAX_CHARACTERS:
        return None
    items = read_statements(text, names, limit=MAX_TOKENS)
    return None if items is None else tuple(_sentences(items, names))


def _sentences(items: Sequence[Item], names: Names) -> Iterator[Sentence]:
    held: list[Item] = []
    for item in items:
        if not isinstance(item, Break) or not item.is_hard:
            held.append(item)
            continue
        if held or item.mark == "?":
            yield _sentence(held, names, is_question=item.mark == "?")
        held = []
    if held:
        yield _sentence(held, names, is_question=False)


def _sentence(items: Sequence[Item], names: Names, *, is_question: bool) -> Sentence:
    # Delimiters of LaTeX stand inside of phrases: Subtract $6$ from both sides.
    kept = [i for i in items if not isinstance(i, Break) or i.mark != "$"]
    words = frozenset(item.text for item in kept if isinstance(item, Word))
    return Sentence(
        tuple(_Phrases(kept, words, names).events()),
        words,
        has_unread=any(isinstance(item, Unread) for item in kept),
        is_question=is_question,
    )


@dataclass(slots=True)
class _Phrases:
    """Finds the actions of one sentence; each method says how far it read."""

    items: Sequence[Item]
    words: frozenset[str]
    names: Names

    def events(self) -> Iterator[Event]:
        is_substituting = self._is_substituting()
        if is_substituting:
            yield Substitution(self._only_reference())
        at = 0
        while at < len(self.items):
            found, width = self._event(at, is_substituting=is_substituting)
            yield from found
            at += width

    def _is_substituting(self) -> bool:
        return bool(self.words & SUBSTITUTE_WORDS) and "standard" not in self.words

    def _only_reference(self) -> Index | None:
        """The one equation that a sentence names."""
        named = (self._named(at) for at in range(len(self.items)))
        found = list[Index](dict.fromkeys(one[0] for one in named if one is not None))
        return found[0] if len(found) == 1 else None

    def _event(
        self, at: int, *, is_substituting: bool
    ) -> tuple[tuple[Event, ...], int]:
        item = self.items[at]
        verb = _VERBS.get(item.text) if isinstance(item, Word) else None
        if verb is not None:
            found = self._action(at, verb)
            if found is not None:
                return found
        reference = self._named(at)
        if reference is not None:
            index, width = reference
            return (() if is_substituting else (Reference(index),)), width
        return ((item,) if isinstance(item, Span) else ()), 1

    def _action(self, at: int, verb: Verb) -> tuple[tuple[Event, ...], int] | None:
        match verb:
            case "multiply" | "divide":
                return self._scaling(at, verb)
            case _:
                return self._combination(at, verb) or self._shift(at, verb)

    def _scaling(self, at: int, verb: Verb) -> tuple[tuple[Event, ...], int] | None:
        """``multiply the first equation by 3 and the second by 2``."""
        word = self.items[at]
        assert isinstance(word, Word)
        events: list[Event] = []
        after, found = at + 1, self._scaled(at + 1)
        while found is not None:
            index, operand, end = found
            events.append(self._operation(verb, word, operand, index=index))
            after = end
            is_more = self._says(end, ("and",)) and self._reference(end + 1) is not None
            found = self._scaled(end + 1) if is_more else None
        return (tuple(events), after - at) if events else None

    def _scaled(self, at: int) -> tuple[Index | None, Span, int] | None:
        """An equation, "by", and a number."""
        index: Index | None = None
        sides = self._first_of(at, _SIDES)
        at += sides
        if sides and self._says(at, ("of",)) and self._reference(at + 1) is not None:
            at += 1
        reference = self._reference(at)
        if reference is not None:
            index, width = reference
            at += width
        operand = self._bare(at + 1)
        if operand is None or not self._says(at, ("by",)):
            return None
        return index, operand, at + 2

    def _shift(self, at: int, verb: Verb) -> tuple[tuple[Event, ...], int] | None:
        """``subtract 6 from both sides``, ``subtract 6``."""
        word, operand = self.items[at], self._bare(at + 1)
        if operand is None or not isinstance(word, Word):
            return None
        link = self.items[at + 2] if at + 2 < len(self.items) else None
        if not isinstance(link, Word) or link.text not in {"from", "to"}:
            return (self._operation(verb, word, operand),), 2
        width = self._first_of(at + 3, _SIDES)
        if not width:
            return None
        return (self._operation(verb, word, operand, link),), 3 + width

    def _operation(
        self,
        verb: Verb,
        word: Word,
        operand: Span,
        link: Word | None = None,
        index: Index | None = None,
    ) -> Operation:
        form = forms_of(operand.chain, self.names)[0]
        return Operation(verb, word, operand, form, link, index)

    def _combination(self, at: int, verb: Verb) -> tuple[tuple[Event, ...], int] | None:
        assert verb in {"add", "subtract"}
        kind: Literal["add", "subtract"] = "add" if verb == "add" else "subtract"
        both = self._both(at + 1)
        if both:
            return (Combination(kind, 0, 1, is_either=True),), 1 + both
        one = self._operand(at + 1)
        if one is None:
            return None
        first, width = one
        after = at + 1 + width
        links = ("to", "and", "with") if kind == "add" else ("from",)
        other = self._operand(after + 1)
        if other is None or not any(self._says(after, (link,)) for link in links):
            return None
        second, more = other
        if first == second:
            return None
        # "Subtract A from B" is B less A.
        return (Combination(kind, second, first),), 2 + width + more

    def _both(self, at: int) -> int:
        width = self._first_of(at, _BOTH)
        return 0 if width and self._literal(at + width) is not None else width

    def _operand(self, at: int) -> tuple[Index | None, int] | None:
        reference = self._reference(at)
        if reference is not None:
            return reference
        width = self._first_of(at, _LATEST)
        return (None, width) if width else None

    def _named(self, at: int) -> tuple[Index, int] | None:
        """A reference that says "equation"; an ordinal alone may be an adverb."""
        found = self._reference(at)
        if found is None:
            return None
        said = self.items[at : at + found[1]]
        words = {item.text for item in said if isinstance(item, Word)}
        return found if words & {"equation", "equations"} else None

    def _reference(self, at: int) -> tuple[Index, int] | None:
        start = at
        for word in ("the", "original", "given"):
            at += self._says(at, (word,))
        item = self.items[at] if at < len(self.items) else None
        if not isinstance(item, Word):
            return None
        if item.text in _ORDINALS:
            has_noun = self._says(at + 1, ("equation",))
            return _ORDINALS[item.text], at + 1 + has_noun - start
        literal = self._literal(at + 1)
        index = None if literal is None else _NUMBERS.get(literal)
        if item.text in {"equation", "equations"} and index is not None:
            return index, at + 2 - start
        return None

    def _literal(self, at: int) -> Fraction | None:
        span = self._bare(at)
        side = span.chain.sides[0] if span is not None else None
        return side.value if isinstance(side, Number) else None

    def _first_of(self, at: int, phrases: Sequence[Sequence[str]]) -> int:
        return next((len(p) for p in phrases if self._says(at, p)), 0)

    def _says(self, at: int, phrase: Sequence[str]) -> bool:
        heard = self.items[at : at + len(phrase)]
        return [i.text if isinstance(i, Word) else "" for i in heard] == list(phrase)

    def _bare(self, at: int) -> Span | None:
        item = self.items[at] if at < len(self.items) else None
        return item if isinstance(item, Span) and item.is_bare else None
