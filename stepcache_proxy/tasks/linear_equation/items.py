"""Text -> words and spans of mathematics in reading order, for given unknowns."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from stepcache_proxy.tasks.linear_equation.expressions import (
    Chain,
    Unknown,
    read_chain,
)
from stepcache_proxy.tasks.linear_equation.tokens import Kind, Token, tokenize

MAX_SPAN_TOKENS = 120

_LETTER, _WORD, _LINE, _MARK = Kind.LETTER, Kind.WORD, Kind.LINE, Kind.MARK
_HARD = (Kind.STOP, Kind.LINE)
_SOFT = (Kind.PAUSE, Kind.ARROW, Kind.DELIMITER)
_MATHEMATICS = (Kind.NUMBER, Kind.OPERATOR, Kind.FRACTION)


class Place(NamedTuple):
    """A stretch of the text, ``end`` exclusive."""

    start: int
    end: int


class Word(NamedTuple):
    """A word of prose in lower case."""

    text: str
    place: Place


class Span(NamedTuple):
    """A chain of expressions with the place of each side."""

    chain: Chain
    places: tuple[Place, ...]

    @property
    def is_lone_unknown(self) -> bool:
        """Whether it only names the unknown."""
        return len(self.chain.sides) == 1 and isinstance(self.chain.sides[0], Unknown)

    @property
    def is_bare(self) -> bool:
        """Whether it is one expression without an equals sign."""
        return not self.chain.is_equation

    @property
    def place(self) -> Place:
        """From the first side to the last."""
        return Place(self.places[0].start, self.places[-1].end)


class Break(NamedTuple):
    """Punctuation; a hard one ends a sentence."""

    is_hard: bool
    mark: str


class Unread(NamedTuple):
    """Something that is neither a plain word nor readable mathematics."""

    place: Place


Item = Word | Span | Break | Unread

Read = Callable[[Sequence[Token]], Chain | None]

_ARTICLES = {"a", "A", "I"}
# No article stands before these: "for a in", "6a and".
_NO_NOUNS = {
    "and",
    "are",
    "as",
    "by",
    "for",
    "from",
    "if",
    "in",
    "into",
    "is",
    "of",
} | {*("on", "or", "so", "then", "to", "when", "where", "which", "with")}
_TURNS = {
    ("is",),
    ("equals",),
    ("is", "equal", "to"),
    ("must", "be"),
    ("must", "equal"),
}


def read_items(
    text: str, unknowns: str, *, limit: int, read: Read = read_chain
) -> tuple[Item, ...] | None:
    """The items of ``text``; None where it has over ``limit`` tokens.

    Every letter of ``unknowns`` is one; ``read`` makes a chain of a run of tokens.
    """
    tokens = tokenize(text, limit=limit)
    if tokens is None:
        return None
    lines = _with_articles(_without_marks(_joined_lines(tokens)), unknowns)
    return tuple(_stated(list(_items(lines, unknowns, read))))


def _joined_lines(tokens: Sequence[Token]) -> list[Token]:
    """Marks dropped; a line that begins with an equals sign goes on with the last."""
    kept: list[Token] = []
    for token in tokens:
        if token.kind is _MARK:
            continue
        if token.text == "=":
            while kept and kept[-1].kind is Kind.LINE:
                kept.pop()
        kept.append(token)
    return kept


def _without_marks(tokens: Sequence[Token]) -> list[Token]:
    """The tokens less "Step 1:" and "1." at the beginning of a line."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        if at == 0 or tokens[at - 1].kind is _LINE:
            at += step_mark_length(tokens[at : at + 4])
        if at < len(tokens):
            kept.append(tokens[at])
        at += 1
    return kept


def step_mark_length(tokens: Sequence[Token]) -> int:
    """How many of these first tokens of a line are its number."""
    kinds = [token.kind for token in tokens]
    if not tokens:
        return 0
    if tokens[0].text.lower() == "step" and kinds[1:2] == [Kind.NUMBER]:
        return 3 if len(tokens) > 2 and tokens[2].text in {":", ".", ")"} else 2
    if kinds[0] is not Kind.NUMBER or len(tokens) < 3 or kinds[2] is Kind.LINE:
        return 0
    return 2 if tokens[1].text in {".", ")"} else 0


def _with_articles(tokens: list[Token], unknowns: str) -> list[Token]:
    """The tokens, "a" and "I" read as words where they cannot be a second unknown."""
    read = list(tokens)
    for at, token in enumerate(tokens):
        if token.text not in _ARTICLES or token.text in unknowns:
            continue
        if _is_word(tokens[at - 1 : at], tokens[at + 1 : at + 2], token):
            read[at] = token._replace(kind=Kind.WORD)
    return read


def _is_word(before: Sequence[Token], after: Sequence[Token], token: Token) -> bool:
    if not after or after[0].kind is not Kind.WORD:
        return False
    if after[0].text.lower() in _NO_NOUNS:
        return False
    return not (before and before[0].is_operand_end and before[0].end == token.start)


def _items(tokens: Sequence[Token], unknowns: str, read: Read) -> Iterator[Item]:
    run: list[Token] = []
    for token in tokens:
        if _is_mathematics(token, unknowns):
            run.append(token)
            continue
        if run:
            yield from _spans(tuple(run), read)
            run = []
        yield _item(token)
    if run:
        yield from _spans(tuple(run), read)


def _is_mathematics(token: Token, unknowns: str) -> bool:
    if token.kind is _LETTER:
        return token.text in unknowns
    return token.kind in _MATHEMATICS


def _item(token: Token) -> Item:
    kind, text, start, end = token
    if kind is _WORD:
        return Word(text.lower(), Place(start, end))
    if kind in _HARD:
        return Break(is_hard=True, mark=text)
    if kind in _SOFT:
        return Break(is_hard=False, mark=text)
    return Unread(Place(start, end))


def _spans(run: tuple[Token, ...], read: Read) -> Iterator[Item]:
    place = Place(run[0].start, run[-1].end)
    if any(token.text in _BRACKETS for token in run):
        length = len(run)
        run = _trimmed(run)
        if length - len(run) > _MAX_BRACKETS:
            yield Unread(place)
            return
        if not run:
            return
    if _is_named_before(run):
        yield from _spans(run[:1], read)
        yield from _spans(run[1:], read)
        return
    yield _span(run, read)


def _is_named_before(run: Sequence[Token]) -> bool:
    """``for x 4x + 6 = 26``: a name, a gap, and the equation."""
    if len(run) < 2 or run[0].kind is not _LETTER:
        return False
    return run[1].kind is Kind.NUMBER and run[1].start > run[0].end


def _span(run: Sequence[Token], read: Read) -> Span | Unread:
    place = Place(run[0].start, run[-1].end)
    chain = read(run) if len(run) <= MAX_SPAN_TOKENS else None
    if chain is None:
        return Unread(place)
    return Span(chain, tuple(_side_places(run)))


def _side_places(run: Sequence[Token]) -> Iterator[Place]:
    start = 0
    for at, token in enumerate(run):
        if token.text != "=":
            continue
        if at > start:
            yield Place(run[start].start, run[at - 1].end)
        start = at + 1
    if start < len(run):
        yield Place(run[start].start, run[-1].end)


# Brackets of the prose around a formula: ((4x = 20)) at most.
_MAX_BRACKETS = 4
_OPENING = {"(": ")", "{": "}"}
_CLOSING = {")", "}"}
_BRACKETS = _CLOSING | set(_OPENING)


def _trimmed(run: tuple[Token, ...]) -> tuple[Token, ...]:
    """The run less brackets of the prose around it."""
    lonely = _unmatched(run)
    start, end = 0, len(run)
    while start < end and start in lonely:
        start += 1
    while end > start and end - 1 in lonely:
        end -= 1
    run = run[start:end]
    if all(token.text in _CLOSING or token.text in _OPENING for token in run):
        return ()
    return run[1:-1] if _is_wrapped_equation(run) else run


def _unmatched(run: Sequence[Token]) -> set[int]:
    opened: list[int] = []
    lonely: set[int] = set()
    for at, token in enumerate(run):
        if token.text in _OPENING:
            opened.append(at)
        elif token.text in _CLOSING:
            if opened and _OPENING[run[opened[-1]].text] == token.text:
                opened.pop()
            else:
                lonely.add(at)
    return lonely | set(opened)


def _is_wrapped_equation(run: Sequence[Token]) -> bool:
    """``(4x = 20)``: the first bracket closes at the end and a sign is inside."""
    if len(run) < 2 or run[0].text not in _OPENING or run[-1].text not in _CLOSING:
        return False
    inside = run[1:-1]
    return any(token.text == "=" for token in inside) and not _unmatched(inside)


def _stated(items: list[Item]) -> Iterator[Item]:
    """``x is 5`` and ``x equals 5`` read as ``x = 5``."""
    if not any(isinstance(item, Span) and item.is_lone_unknown for item in items):
        yield from items
        return
    at = 0
    while at < len(items):
        span, width = _statement(items, at)
        yield span
        at += width


def _statement(items: Sequence[Item], at: int) -> tuple[Item, int]:
    first = items[at]
    if not isinstance(first, Span) or not first.is_lone_unknown:
        return first, 1
    if _is_part_of(items[max(at - 2, 0) : at]):
        return first, 1
    for turn in _TURNS:
        words = items[at + 1 : at + 1 + len(turn)]
        value = items[at + 1 + len(turn) : at + 2 + len(turn)]
        if _spell(words, turn) and value and _is_value(value[0]):
            joined = _equated(first, value[0])
            return joined, len(turn) + 2
    return first, 1


def _is_part_of(before: Sequence[Item]) -> bool:
    """``the coefficient of x is 4`` is about the coefficient, not about x."""
    words = [item.text if isinstance(item, Word) else "" for item in before]
    return words[-1:] == ["of"] and words[0] != "value"


def _spell(items: Sequence[Item], turn: Sequence[str]) -> bool:
    return [i.text if isinstance(i, Word) else "" for i in items] == list(turn)


def _is_value(item: Item) -> bool:
    return isinstance(item, Span) and item.is_bare and not item.chain.has_unknown


def _equated(name: Span, value: Item) -> Item:
    if not isinstance(value, Span):
        return value
    chain = Chain(
        name.chain.sides + value.chain.sides, name.chain.forms + value.chain.forms
    )
    return Span(chain, name.places + value.places)
