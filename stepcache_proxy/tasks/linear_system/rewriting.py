"""The places of a line that depend on the system, and what is written there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.expressions import Node, Unknown
from stepcache_proxy.tasks.linear_equation.items import Place, Span, Word
from stepcache_proxy.tasks.linear_equation.notation import local_notation
from stepcache_proxy.tasks.linear_equation.printing import show_node
from stepcache_proxy.tasks.linear_system.algebra import Affine
from stepcache_proxy.tasks.linear_system.pairs import Both
from stepcache_proxy.tasks.linear_system.sentences import Operation
from stepcache_proxy.tasks.linear_system.writing import form_node

_PAIRS = (
    ("add", "subtract"),
    ("adding", "subtracting"),
    ("added", "subtracted"),
    ("adds", "subtracts"),
    ("from", "to"),
)
_OPPOSITE = dict(_PAIRS) | {second: first for first, second in _PAIRS}
_NAMING_WORDS = frozenset(
    {"for", "of", "in", "variable", "unknown", "isolate", "find", "solve", "and"}
    | {"eliminate", "eliminating", "express"}
)


@dataclass(frozen=True, slots=True)
class Edit:
    """Texts for places of a line."""

    texts: tuple[tuple[Place, str], ...]


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


def rewritten(text: str, span: Span, sides: Sequence[Node], both: Both) -> Edit:
    """Other sides in the places of the old ones, in the notation of the place."""
    written = text[span.place.start : span.place.end]
    style = local_notation(written, "".join(both.given.names), both.style)
    shown = (show_node(side, "", style) for side in sides)
    return Edit(tuple(zip(span.places, shown, strict=True)))


def name(text: str, span: Span, both: Both) -> Iterator[Edit]:
    """The name of the same unknown; an article that looks like one is not renamed."""
    side = span.chain.sides[0]
    if not isinstance(side, Unknown):
        return
    new = both.asked.names[both.given.names.index(side.name)]
    if side.name in {"a", "A", "I"} and new != side.name:
        words = text[: span.place.start].lower().replace("$", " ").split()
        if not (words and words[-1] in _NAMING_WORDS):
            return
    yield Edit(((span.place, new),))


def operated(
    text: str, operation: Operation, form: Affine, both: Both
) -> tuple[Edit, Operation]:
    """The operation with another amount; the verb turns where the sign would."""
    is_turned = (
        operation.verb in {"add", "subtract"} and (form.x or form.y or form.c) < 0
    )
    new = replace(operation, form=form)
    texts: list[tuple[Place, str]] = []
    if is_turned:
        form = form.scaled(Fraction(-1))
        new = (
            replace(operation, form=form, verb="subtract")
            if operation.verb == "add"
            else replace(operation, form=form, verb="add")
        )
        texts += _turned(text, operation)
    shown = show_node(form_node(form, both.asked, both.style), "", both.style)
    return Edit(((operation.operand.place, shown), *texts)), new


def _turned(text: str, operation: Operation) -> Iterator[tuple[Place, str]]:
    for word in (operation.word, operation.link):
        if isinstance(word, Word):
            yield word.place, _in_case(text, word.place, _OPPOSITE[word.text])


def _in_case(text: str, place: Place, word: str) -> str:
    old = text[place.start : place.end]
    if old.isupper():
        return word.upper()
    return word.capitalize() if old[0].isupper() else word
