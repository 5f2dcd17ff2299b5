"""Items of an answer -> sentences: operations, statements, claims and plain words."""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Literal, NamedTuple

from stepcache_proxy.tasks.linear_equation.algebra import Balance, Linear
from stepcache_proxy.tasks.linear_equation.expressions import Node
from stepcache_proxy.tasks.linear_equation.items import (
    Break,
    Item,
    Span,
    Unread,
    Word,
    read_items,
)
from stepcache_proxy.tasks.linear_equation.wording import (
    ALL_SOLUTIONS,
    CLAIM_PARTS,
    NO_SOLUTION,
)
from stepcache_proxy.tasks.linear_equation.words import Prose

MAX_CHARACTERS = 20_000
MAX_TOKENS = 3_000

Verb = Literal["add", "subtract", "multiply", "divide", "move"]

_VERBS: dict[str, Verb] = {
    **dict.fromkeys(("add", "adding", "added", "adds"), "add"),
    **dict.fromkeys(("subtract", "subtracting", "subtracted", "subtracts"), "subtract"),
    **dict.fromkeys(
        ("multiply", "multiplying", "multiplied", "multiplies"), "multiply"
    ),
    **dict.fromkeys(("divide", "dividing", "divided", "divides"), "divide"),
    **dict.fromkeys(("move", "moving", "bring", "bringing"), "move"),
}
_SIDES = (("both", "sides"), ("each", "side"), ("both", "the", "sides"))
_OF_EQUATION = (("of", "the", "equation"), ("of", "the", "original", "equation"))


class Operation(NamedTuple):
    """Something done to both sides; ``link`` is the "from" or "to" of the sentence."""

    verb: Verb
    word: Word
    operand: Span
    link: Word | None = None

    @property
    def form(self) -> Linear:
        """What is added, subtracted, multiplied or divided with."""
        return self.operand.chain.forms[0]

    def applied(self, balance: Balance) -> Balance | None:
        """``balance`` after it; None where it cannot be done."""
        match self.verb:
            case "add":
                return balance.plus(self.form)
            case "subtract":
                return balance.plus(self.form.negative)
            case "move":
                return self._moved(balance)
            case "multiply" | "divide":
                return self._scaled(balance, is_division=self.verb == "divide")

    def undone(self, balance: Balance) -> Balance | None:
        """What ``balance`` was before it; None where it cannot have been done."""
        match self.verb:
            case "add":
                return balance.plus(self.form.negative)
            case "subtract" | "move":
                return balance.plus(self.form)
            case "multiply" | "divide":
                return self._scaled(balance, is_division=self.verb == "multiply")

    def _scaled(self, balance: Balance, *, is_division: bool) -> Balance | None:
        factor = self.form.rest
        if self.form.slope != 0 or factor == 0:
            return None
        return balance.over(factor) if is_division else balance.scaled(factor)

    def _moved(self, balance: Balance) -> Balance | None:
        """A term may be moved only where it stands."""
        form = self.form
        for side in (balance.left, balance.right):
            if form in (Linear(side.slope, 0), Linear(0, side.rest)):
                return balance.plus(form.negative)
        return None

    @property
    def is_idle(self) -> bool:
        """Whether nothing changes: nothing added, or a factor of one."""
        form = self.form
        if self.verb in {"multiply", "divide"}:
            return form == (0, 1)
        return form == (0, 0)


class Claim(NamedTuple):
    """That there is no solution, or that every number is one."""

    solved: Literal["none", "all"]


Event = Operation | Span | Claim
Fill = Callable[[tuple[Node, ...]], tuple[Node, ...]]


class Sentence(NamedTuple):
    """What one sentence says, and in what words."""

    events: tuple[Event, ...]
    prose: Prose

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations in order."""
        return tuple(e for e in self.events if isinstance(e, Operation))

    @property
    def equations(self) -> tuple[Span, ...]:
        """The statements with an equals sign in order."""
        return tuple(e for e in self.events if isinstance(e, Span) and not e.is_bare)

    def says_the_same(self, other: "Sentence", fill: Fill = tuple) -> bool:
        """Whether nothing differs but the places in the text.

        ``fill`` makes of the sides of every span here those that are compared.
        """
        if self.prose != other.prose or len(self.events) != len(other.events):
            return False
        return all(map(_is_same, self.events, other.events, repeat(fill)))


def _is_same(event: Event, other: Event, fill: Fill) -> bool:
    """Sides that are the same have the same forms."""
    if isinstance(event, Span):
        if not isinstance(other, Span):
            return False
        return fill(event.chain.sides) == other.chain.sides
    if isinstance(event, Operation):
        if not isinstance(other, Operation) or event.verb != other.verb:
            return False
        return _is_same(event.operand, other.operand, fill)
    return isinstance(other, Claim) and event.solved == other.solved


def read_sentences(text: str, unknown: str) -> tuple[Sentence, ...] | None:
    """The sentences of ``text``; None where it is too long to be read."""
    if len(text) > MAX_CHARACTERS:
        return None
    items = read_items(text, unknown, limit=MAX_TOKENS)
    return None if items is None else tuple(_sentences(items))


def say_the_same(
    first: Sequence[Sentence], second: Sequence[Sentence], fill: Fill = tuple
) -> bool:
    """Whether texts say the same, sentence by sentence."""
    if len(first) != len(second):
        return False
    pairs = zip(first, second, strict=True)
    return all(one.says_the_same(other, fill) for one, other in pairs)


def _sentences(items: Sequence[Item]) -> Iterator[Sentence]:
    held: list[Item] = []
    for item in items:
        if not isinstance(item, Break) or not item.is_hard:
            held.append(item)
            continue
        if held or item.mark == "?":
            yield _sentence(held, is_question=item.mark == "?")
        held = []
    if held:
        yield _sentence(held, is_question=False)


def _sentence(items: Sequence[Item], *, is_question: bool) -> Sentence:
    # Delimiters of LaTeX stand inside of phrases: Subtract $6$ from both sides.
    kept = [i for i in items if not isinstance(i, Break) or i.mark != "$"]
    events: list[Event] = []
    words, claims = _claims(kept)
    at = 0
    while at < len(kept):
        item = kept[at]
        operation, width = _operation(kept, at) if _is_verb(item) else (None, 1)
        if operation is not None:
            events.append(operation)
        elif isinstance(item, Span):
            events.append(item)
        at += width
    has_unread = any(isinstance(item, Unread) for item in kept)
    return Sentence((*events, *claims), Prose(words, has_unread, is_question))


def _claims(items: Sequence[Item]) -> tuple[tuple[str, ...], tuple[Claim, ...]]:
    spelled = map(_spelled, items)
    prose = " ".join(word for word in spelled if word)
    claims: tuple[Claim, ...] = ()
    if any(part in prose for part in CLAIM_PARTS):
        prose, nothing = NO_SOLUTION.subn(" ", prose)
        prose, everything = ALL_SOLUTIONS.subn(" ", prose)
        claims = (*[Claim("none")] * nothing, *[Claim("all")] * everything)
    prose = prose.replace("one side", "side")
    return tuple(w for w in prose.split() if w not in {"VALUE", "|"}), claims


def _spelled(item: Item) -> str:
    if isinstance(item, Word):
        return item.text
    if isinstance(item, Span):
        return "VALUE" if item.is_lone_unknown else "|"
    return "|" if isinstance(item, Break) else ""


def _is_verb(item: Item) -> bool:
    return isinstance(item, Word) and item.text in _VERBS


def _operation(items: Sequence[Item], at: int) -> tuple[Operation | None, int]:
    """The operation that begins at ``at`` and how many items it takes, at least 1."""
    word = items[at]
    if not isinstance(word, Word) or word.text not in _VERBS:
        return None, 1
    verb = _VERBS[word.text]
    after = at + 1
    sides = _sides_length(items, after)
    if sides or verb in {"multiply", "divide"}:
        after += sides
        return _by_operation(items, at, after, verb, word)
    return _plain_operation(items, at, verb, word)


def _by_operation(
    items: Sequence[Item], at: int, after: int, verb: Verb, word: Word
) -> tuple[Operation | None, int]:
    """``divide both sides by 4``, ``divide by 4``."""
    operand = _bare(items, after + 1)
    if operand is None or verb == "move" or not _says(items, after, ("by",)):
        return None, 1
    return Operation(verb, word, operand), after + 2 - at


def _plain_operation(
    items: Sequence[Item], at: int, verb: Verb, word: Word
) -> tuple[Operation | None, int]:
    """``subtract 6 from both sides``, ``subtract 6``, ``move 6 to the other side``."""
    after = at + 1
    if verb == "move" and _says(items, after, ("the",)):
        after += 1
    operand = _bare(items, after)
    if operand is None:
        return None, 1
    link = items[after + 1] if after + 1 < len(items) else None
    if not isinstance(link, Word) or link.text not in {"from", "to", "over", "onto"}:
        is_whole = verb != "move"
        return (Operation(verb, word, operand) if is_whole else None), (
            after + 1 - at if is_whole else 1
        )
    width = _goal_length(items, after + 2, verb)
    if not width:
        return None, 1
    return Operation(verb, word, operand, link), after + 2 + width - at


def _goal_length(items: Sequence[Item], at: int, verb: Verb) -> int:
    if verb != "move":
        return _sides_length(items, at)
    for where in ("left", "right", "other", "left-hand", "right-hand"):
        for phrase in (("the", where), ("to", "the", where)):
            if _says(items, at, phrase):
                return len(phrase)
    return 0


def _sides_length(items: Sequence[Item], at: int) -> int:
    for phrase in _SIDES:
        if _says(items, at, phrase):
            length = len(phrase)
            for tail in _OF_EQUATION:
                if _says(items, at + length, tail):
                    return length + len(tail)
            return length
    return 0


def _says(items: Sequence[Item], at: int, phrase: Sequence[str]) -> bool:
    heard = items[at : at + len(phrase)]
    return [i.text if isinstance(i, Word) else "" for i in heard] == list(phrase)


def _bare(items: Sequence[Item], at: int) -> Span | None:
    item = items[at] if at < len(items) else None
    return item if isinstance(item, Span) and item.is_bare else None
