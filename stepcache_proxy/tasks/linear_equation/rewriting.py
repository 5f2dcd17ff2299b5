"""The places of a line that depend on the equation, and what may be written there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.algebra import Balance, Linear
from stepcache_proxy.tasks.linear_equation.explaining import MAX_PROPOSALS, Explainer
from stepcache_proxy.tasks.linear_equation.expressions import Node, linear
from stepcache_proxy.tasks.linear_equation.items import Place, Span, Word
from stepcache_proxy.tasks.linear_equation.notation import local_notation
from stepcache_proxy.tasks.linear_equation.printing import show_form, show_node
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


@dataclass(frozen=True, slots=True)
class Edit:
    """One reading of one event: texts for places; idle where nothing would be done."""

    texts: tuple[tuple[Place, str], ...]
    is_idle: bool = False


def edits_of(
    text: str, sentences: Sequence[Sentence], explainer: Explainer
) -> list[tuple[Edit, ...]] | None:
    """For every event of a line what may stand there; None where nothing can."""
    choices: list[tuple[Edit, ...]] = []
    for sentence in sentences:
        for event in sentence.events:
            match event:
                case Claim():
                    continue
                case Operation():
                    found = _operation(text, event, explainer)
                case Span():
                    found = _span(text, event, explainer)
            if not found:
                return None
            choices.append(found)
    return choices


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The line with the texts of all edits in their places."""
    pieces = sorted(
        ((place, new) for edit in edits for place, new in edit.texts),
        key=lambda piece: piece[0].start,
        reverse=True,
    )
    for place, new in pieces:
        text = text[: place.start] + new + text[place.end :]
    return text


def _span(text: str, span: Span, explainer: Explainer) -> tuple[Edit, ...]:
    if span.is_lone_unknown:
        return _name(text, span, explainer)
    unknown = explainer.asked.unknown
    written = text[span.place.start : span.place.end]
    style = local_notation(written, explainer.given.unknown, explainer.style)
    shown = dict.fromkeys(
        tuple(show_node(node, unknown, style) for node in sides)
        for sides in _readings(span, explainer)
    )
    return tuple(Edit(tuple(zip(span.places, one, strict=True))) for one in shown)


def _readings(span: Span, explainer: Explainer) -> Sequence[tuple[Node, ...]]:
    """Proposals for all sides together that say as much of the new equation."""
    if given := explainer.as_given(span.chain.sides):
        return [given]
    readings: list[tuple[Node, ...]] = [()]
    for number, side in enumerate(span.chain.sides):
        was = span.chain.balances[number - 1] if number else None
        readings = [
            (*head, tail)
            for head in readings
            for tail in explainer.sides(side)
            if was is None or _says_the_same(was, head[-1], tail, explainer.asked)
        ][: MAX_PROPOSALS**2]
    return readings


def _says_the_same(was: Balance, left: Node, right: Node, asked: Problem) -> bool:
    """Whether an identity stays one, and an equation has the solutions it must have."""
    forms = linear(left), linear(right)
    if forms[0] is None or forms[1] is None:
        return False
    now = Balance(forms[0], forms[1])
    if now.has_unknown != was.has_unknown:
        return False
    is_identity = was.solved == "all" and now.solved == "all"
    return is_identity or now.solved == asked.solved


def _name(text: str, span: Span, explainer: Explainer) -> tuple[Edit, ...]:
    """The name of the unknown; an article that looks like one is not renamed."""
    old, new = explainer.given.unknown, explainer.asked.unknown
    if old == new:
        return (Edit(()),)
    words = text[: span.place.start].lower().replace("$", " ").split()
    if old in {"a", "A", "I"} and not (words and words[-1] in _NAMING_WORDS):
        return ()
    return (Edit(((span.place, new),)),)


def _operation(
    text: str, operation: Operation, explainer: Explainer
) -> tuple[Edit, ...]:
    if operation.verb in {"multiply", "divide"}:
        amounts = explainer.factors(operation.form)
    else:
        amounts = explainer.amounts(operation.form)
    return tuple(_amount(text, operation, amount, explainer) for amount in amounts)


def _amount(
    text: str, operation: Operation, amount: Linear, explainer: Explainer
) -> Edit:
    """The operation with another amount; the verb turns where the sign would."""
    operand = operation.operand.place
    is_turned = operation.verb in {"add", "subtract"} and (amount.a or amount.b) < 0
    if is_turned:
        amount = amount.scaled(Fraction(-1))
    shown = show_form(amount, explainer.asked.unknown, explainer.style)
    texts = [(operand, shown)]
    if is_turned:
        texts += _turned(text, operation)
    return Edit(tuple(texts), is_idle=_is_idle(operation, amount))


def _is_idle(operation: Operation, amount: Linear) -> bool:
    if operation.verb in {"multiply", "divide"}:
        return amount.a == 0 and amount.b in {0, 1}
    return amount.a == 0 and amount.b == 0


def _turned(text: str, operation: Operation) -> Iterator[tuple[Place, str]]:
    for word in (operation.word, operation.link):
        if isinstance(word, Word):
            yield word.place, _in_case(text, word.place, _OPPOSITE[word.text])


def _in_case(text: str, place: Place, word: str) -> str:
    old = text[place.start : place.end]
    if old.isupper():
        return word.upper()
    return word.capitalize() if old[0].isupper() else word
