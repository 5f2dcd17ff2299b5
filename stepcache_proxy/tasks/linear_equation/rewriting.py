"""The places of a line that depend on the equation, and what may be written there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stepcache_proxy.tasks.linear_equation.algebra import Balance, Linear
from stepcache_proxy.tasks.linear_equation.explaining import (
    MAX_PROPOSALS,
    Amount,
    Pupil,
    Side,
    Teacher,
)
from stepcache_proxy.tasks.linear_equation.expressions import Chain, Node, linear
from stepcache_proxy.tasks.linear_equation.items import Place, Span
from stepcache_proxy.tasks.linear_equation.notation import local_notation
from stepcache_proxy.tasks.linear_equation.printing import (
    Style,
    as_read,
    form_node,
    show_node,
)
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import (
    Claim,
    Operation,
    Sentence,
)

_PAIRS = (
    ("add", "subtract"),
    ("adding", "subtracting"),
    ("added", "subtracted"),
    ("adds", "subtracts"),
    ("from", "to"),
)
_OPPOSITE = dict(_PAIRS) | {second: first for first, second in _PAIRS}
_NAMING_WORDS = frozenset(
    ["for", "of", "in", "variable", "unknown", "isolate", "find", "solve"]
)

_Proposal = tuple[Node, Linear | None]


class Edit(NamedTuple):
    """One reading of one event: texts for places; idle where nothing would be done.

    ``event`` is what the text should be read as; None where only reading it can tell.
    """

    texts: tuple[tuple[Place, str], ...]
    event: Span | Operation | None = None
    is_idle: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """A place where the donor names the unknown; an article would not be renamed."""

    span: Span
    name: str
    is_article: bool

    def edits(self, pupil: Pupil) -> tuple[Edit, ...]:
        """The new name."""
        new = pupil.asked.unknown
        if new == self.name:
            return (Edit((), self.span),)
        return () if self.is_article else (Edit(((self.span.place, new),), self.span),)


@dataclass(frozen=True, slots=True)
class Stated:
    """An equation of the donor, or an expression, in its local notation.

    ``truths`` tells of each pair of neighbours whether the unknown is in it and
    whether it is an identity. ``is_given``: it is the equation that was asked.
    """

    span: Span
    sides: tuple[Side, ...]
    truths: tuple[tuple[bool, bool], ...]
    is_given: bool
    style: Style

    def edits(self, pupil: Pupil) -> tuple[Edit, ...]:
        """The same said of the new equation, in every way that is explained."""
        unknown, places = pupil.asked.unknown, self.span.places
        shown: dict[tuple[str, ...], Chain] = {}
        for chain in self._readings(pupil):
            texts = tuple(show_node(node, unknown, self.style) for node in chain.sides)
            shown.setdefault(texts, chain)
        return tuple(
            Edit(tuple(zip(places, texts, strict=True)), self._read(chain))
            for texts, chain in shown.items()
        )

    def _readings(self, pupil: Pupil) -> list[Chain]:
        """Proposals for all sides together that say as much of the new equation."""
        asked = pupil.asked
        if self.is_given:
            return [Chain((asked.left, asked.right), tuple(asked.balance))]
        readings: list[tuple[_Proposal, ...]] = [()]
        for number, side in enumerate(self.sides):
            proposals = [(node, linear(node)) for node in pupil.sides(side)]
            readings = [
                (*head, tail)
                for head in readings
                for tail in proposals
                if not number or self._is_as_true(number - 1, head[-1], tail, asked)
            ][: MAX_PROPOSALS**2]
        return [_chain(reading) for reading in readings]

    def _read(self, chain: Chain) -> Span | None:
        """What the text of the chain should be read as; None where it has no form."""
        if len(chain.forms) != len(chain.sides):
            return None
        sides = tuple(as_read(node, self.style) for node in chain.sides)
        return Span(Chain(sides, chain.forms), self.span.places)

    def _is_as_true(
        self, number: int, left: _Proposal, right: _Proposal, asked: Problem
    ) -> bool:
        """Whether an identity stays one, and an equation has its solutions."""
        if left[1] is None or right[1] is None:
            return False
        now = Balance(left[1], right[1])
        has_unknown, is_identity = self.truths[number]
        if now.has_unknown != has_unknown:
            return False
        solved = now.solved
        return (is_identity and solved == "all") or solved == asked.solved


@dataclass(frozen=True, slots=True)
class Done:
    """Something that the donor does to both sides.

    ``opposite`` are the words that turn where the amount would be negative; None
    where one of them has no opposite.
    """

    operation: Operation
    amount: Amount | None
    opposite: tuple[tuple[Place, str], ...] | None
    style: Style

    def edits(self, pupil: Pupil) -> tuple[Edit, ...]:
        """The same done with every amount that is explained."""
        edits = [self._edit(a, pupil.asked) for a in pupil.amounts(self.amount)]
        return tuple(edit for edit in edits if edit is not None)

    def _edit(self, amount: Linear, asked: Problem) -> Edit | None:
        """The operation with another amount; the verb turns where the sign would."""
        verb, sign = self.operation.verb, amount.slope or amount.rest
        is_turned = verb in {"add", "subtract"} and sign < 0
        if is_turned and self.opposite is None:
            return None
        if is_turned:
            amount = amount.negative
        node = form_node(amount, self.style)
        places = self.operation.operand.places
        texts = ((places[0], show_node(node, asked.unknown, self.style)),)
        is_idle = self._is_idle(amount)
        if is_turned:
            return Edit((*texts, *(self.opposite or ())), None, is_idle)
        operand = Span(Chain((node,), (amount,)), places)
        done = Operation(verb, self.operation.word, operand, self.operation.link)
        return Edit(texts, done, is_idle)

    def _is_idle(self, amount: Linear) -> bool:
        if self.operation.verb in {"multiply", "divide"}:
            return amount in ((0, 0), (0, 1))
        return amount == (0, 0)


Part = Named | Stated | Done


def parts_of(text: str, sentences: Sequence[Sentence], teacher: Teacher) -> list[Part]:
    """What in a line depends on the equation, explained."""
    return [
        _part(text, event, teacher)
        for sentence in sentences
        for event in sentence.events
        if not isinstance(event, Claim)
    ]


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The line with the texts of all edits in their places."""
    pieces = sorted(
        (piece for edit in edits for piece in edit.texts),
        key=lambda piece: piece[0].start,
        reverse=True,
    )
    for place, new in pieces:
        text = text[: place.start] + new + text[place.end :]
    return text


def _chain(proposals: Sequence[_Proposal]) -> Chain:
    forms = tuple(form for _, form in proposals if form is not None)
    return Chain(tuple(node for node, _ in proposals), forms)


def _part(text: str, event: Span | Operation, teacher: Teacher) -> Part:
    if isinstance(event, Operation):
        return _done(text, event, teacher)
    if event.is_lone_unknown:
        return Named(event, teacher.given.unknown, _is_article(text, event, teacher))
    return _stated(text, event, teacher)


def _is_article(text: str, span: Span, teacher: Teacher) -> bool:
    words = text[: span.place.start].lower().replace("$", " ").split()
    is_like_one = teacher.given.unknown in {"a", "A", "I"}
    return is_like_one and not (words and words[-1] in _NAMING_WORDS)


def _stated(text: str, span: Span, teacher: Teacher) -> Stated:
    given, chain = teacher.given, span.chain
    written = text[span.place.start : span.place.end]
    return Stated(
        span,
        tuple(map(teacher.side, chain.sides)),
        tuple((b.has_unknown, b.solved == "all") for b in chain.balances),
        is_given=chain.sides == (given.left, given.right),
        style=local_notation(written, given.unknown, teacher.style),
    )


def _done(text: str, operation: Operation, teacher: Teacher) -> Done:
    is_factor = operation.verb in {"multiply", "divide"}
    explain = teacher.factor if is_factor else teacher.amount
    amount, opposite = explain(operation.form), _opposite(text, operation)
    return Done(operation, amount, opposite, teacher.style)


def _opposite(text: str, operation: Operation) -> tuple[tuple[Place, str], ...] | None:
    words = [w for w in (operation.word, operation.link) if w is not None]
    if any(word.text not in _OPPOSITE for word in words):
        return None
    return tuple(
        (word.place, _in_case(text, word.place, _OPPOSITE[word.text])) for word in words
    )


def _in_case(text: str, place: Place, word: str) -> str:
    old = text[place.start : place.end]
    if old.isupper():
        return word.upper()
    return word.capitalize() if old[0].isupper() else word
