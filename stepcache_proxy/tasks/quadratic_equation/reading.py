"""Text -> sentences of words and spans of mathematics, for one unknown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from stepcache_proxy.tasks.linear_equation.items import step_mark_length
from stepcache_proxy.tasks.linear_equation.tokens import Kind, Token, tokenize
from stepcache_proxy.tasks.quadratic_equation.expressions import Node, Unknown, has
from stepcache_proxy.tasks.quadratic_equation.parsing import (
    EITHER_SIGNS,
    ROOT_SIGNS,
    read_sides,
)

MAX_CHARACTERS = 8_000
MAX_TOKENS = 2_000
MAX_SPANS = 120
MAX_SPAN_TOKENS = 80

_LETTERS = frozenset("abc")
_DISCRIMINANT = frozenset({"D", "Δ", "\\Delta"})
_BESIDE = frozenset("=+-*/^") | EITHER_SIGNS
_MAX_BRACKETS = 4
_OPENING = {"(": ")", "{": "}"}
_ARTICLES = frozenset({"a", "A", "I"})


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of the text, ``end`` exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word of prose in lower case."""

    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """Expressions joined by equals signs; one alone where there is no sign."""

    sides: tuple[Node, ...]
    places: tuple[Place, ...]

    @property
    def is_bare(self) -> bool:
        """Whether there is no equals sign."""
        return len(self.sides) == 1

    @property
    def has_unknown(self) -> bool:
        """Whether the unknown is written anywhere."""
        return any(has(side, Unknown) for side in self.sides)

    @property
    def is_name(self) -> bool:
        """Whether it only names the unknown."""
        return self.sides == (Unknown(),)


@dataclass(frozen=True, slots=True)
class Pause:
    """Punctuation inside a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that is neither a plain word nor readable mathematics."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a sentence."""

    text: str


Item = Word | Span | Pause | Unread | Stop


@dataclass(frozen=True, slots=True)
class Sentence:
    """The items of one sentence, with the mark that ended it."""

    items: tuple[Item, ...]
    end: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words in order."""
        return tuple(item.text for item in self.items if isinstance(item, Word))

    @property
    def spans(self) -> tuple[Span, ...]:
        """The mathematics in order, names of the unknown left out."""
        spans = (item for item in self.items if isinstance(item, Span))
        return tuple(span for span in spans if not span.is_name)

    @property
    def has_unread(self) -> bool:
        """Whether something was not read."""
        return any(isinstance(item, Unread) for item in self.items)


def normalised(text: str) -> str:
    """The text with its raised two as ``^2``."""
    return text.replace("²", "^2")


def read_sentences(text: str, unknown: str) -> tuple[Sentence, ...] | None:
    """The sentences of a normalised text; None where it is too long to be read."""
    if len(text) > MAX_CHARACTERS:
        return None
    items = read_items(text, unknown, limit=MAX_TOKENS)
    if items is None or sum(isinstance(i, Span) for i in items) > MAX_SPANS:
        return None
    return tuple(_sentences(items))


def read_items(text: str, unknown: str, *, limit: int) -> tuple[Item, ...] | None:
    """The items of a normalised text; None where it has over ``limit`` tokens."""
    found = tokenize(text, limit=limit)
    if found is None:
        return None
    tokens = _joined_lines(_formula_letters(found, unknown))
    return tuple(_items(_without_marks(tokens), unknown))


def _sentences(items: Sequence[Item]) -> Iterator[Sentence]:
    held: list[Item] = []
    for item in items:
        if not isinstance(item, Stop):
            held.append(item)
            continue
        if held or item.text == "?":
            yield Sentence(tuple(held), item.text)
        held = []
    if held:
        yield Sentence(tuple(held))


def _formula_letters(tokens: Sequence[Token], unknown: str) -> Iterator[Token]:
    """``4ac`` and ``bx`` letter by letter, and every sign of the discriminant as D."""
    letters = _LETTERS - {unknown} | {unknown}
    for at, token in enumerate(tokens):
        if token.text in _DISCRIMINANT and unknown != "D":
            yield token._replace(kind=Kind.LETTER, text="D")
        elif _is_product(token, tokens[at - 1] if at else None, letters):
            for offset, letter in enumerate(token.text):
                start = token.start + offset
                yield Token(Kind.LETTER, letter, start, start + 1)
        else:
            yield token


def _is_product(token: Token, before: Token | None, letters: frozenset[str]) -> bool:
    """A word of two letters of the formula that are written close to a sign."""
    if token.kind is not Kind.WORD or len(token.text) != 2:
        return False
    if not set(token.text) <= letters or before is None:
        return False
    return before.kind is Kind.NUMBER or before.text in _BESIDE


def _joined_lines(tokens: Iterator[Token]) -> list[Token]:
    """Marks dropped; a line that begins with an equals sign goes on with the last."""
    kept: list[Token] = []
    for token in tokens:
        if token.kind is Kind.MARK and token.text != "_":
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
        if at == 0 or tokens[at - 1].kind is Kind.LINE:
            at += step_mark_length(tokens[at : at + 4])
        if at < len(tokens):
            kept.append(tokens[at])
        at += 1
    return kept


def _items(tokens: Sequence[Token], unknown: str) -> Iterator[Item]:
    marked = [
        (token, _is_mathematics(tokens, at, unknown)) for at, token in enumerate(tokens)
    ]
    for is_mathematics, group in groupby(marked, key=lambda pair: pair[1]):
        run = tuple(token for token, _ in group)
        if is_mathematics:
            yield from _spans(run, unknown)
        else:
            yield from map(_item, run)


def _is_mathematics(tokens: Sequence[Token], at: int, unknown: str) -> bool:
    token = tokens[at]
    if token.kind is Kind.LETTER:
        return token.text == unknown or _is_formula_letter(tokens, at)
    if token.kind in {Kind.NUMBER, Kind.OPERATOR, Kind.FRACTION}:
        return True
    return token.text in {"^", *ROOT_SIGNS, *EITHER_SIGNS}


def _is_formula_letter(tokens: Sequence[Token], at: int) -> bool:
    """A letter of the formula, told from an article by the sign beside it."""
    token = tokens[at]
    if token.text not in {*_LETTERS, "D"}:
        return False
    before = tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is not None and after.text in _BESIDE:
        return True
    if before is None:
        return False
    is_close = before.end == token.start
    if token.text == "D" and before.text in {"{", "("}:
        return True
    is_factor = before.kind in {Kind.NUMBER, Kind.LETTER} and is_close
    return is_factor or before.text in _BESIDE


def _item(token: Token) -> Item:
    match token.kind:
        case Kind.WORD:
            return Word(token.text.lower())
        case Kind.LETTER if token.text in _ARTICLES:
            return Word(token.text.lower())
        case Kind.STOP | Kind.LINE:
            return Stop(token.text)
        case Kind.PAUSE | Kind.ARROW | Kind.DELIMITER:
            return Pause(token.text)
        case _:
            return Unread()


def _spans(run: tuple[Token, ...], unknown: str) -> Iterator[Item]:
    length = len(run)
    run = _trimmed(run)
    if length - len(run) > _MAX_BRACKETS:
        yield Unread()
    elif len(run) > 1 and _is_named_before(run):
        yield _span(run[:1], unknown)
        yield from _spans(run[1:], unknown)
    elif run:
        yield _span(run, unknown)


def _is_named_before(run: Sequence[Token]) -> bool:
    """``for x 4x^2 = 9``: a name, a gap, and the equation."""
    is_name = run[0].kind is Kind.LETTER
    return is_name and run[1].kind is Kind.NUMBER and run[1].start > run[0].end


def _span(run: Sequence[Token], unknown: str) -> Span | Unread:
    sides = read_sides(run, unknown) if len(run) <= MAX_SPAN_TOKENS else None
    return Unread() if sides is None else Span(sides, tuple(_side_places(run)))


def _side_places(run: Sequence[Token]) -> Iterator[Place]:
    for is_sign, side in groupby(run, key=lambda token: token.text == "="):
        if not is_sign:
            tokens = tuple(side)
            yield Place(tokens[0].start, tokens[-1].end)


def _trimmed(run: tuple[Token, ...]) -> tuple[Token, ...]:
    """The run less brackets of the prose around it."""
    lonely = _unmatched(run)
    start, end = 0, len(run)
    while start < end and start in lonely:
        start += 1
    while end > start and end - 1 in lonely:
        end -= 1
    run = run[start:end]
    if all(token.text in {"(", ")", "{", "}"} for token in run):
        return ()
    return run[1:-1] if _is_wrapped(run) else run


def _unmatched(run: Sequence[Token]) -> set[int]:
    opened: list[int] = []
    lonely: set[int] = set()
    for at, token in enumerate(run):
        if token.text in _OPENING:
            opened.append(at)
        elif token.text in _OPENING.values():
            if opened and _OPENING[run[opened[-1]].text] == token.text:
                opened.pop()
            else:
                lonely.add(at)
    return lonely | set(opened)


def _is_wrapped(run: Sequence[Token]) -> bool:
    """``{x = 2}``: one bracket around all of it, and an equals sign inside."""
    if run[0].text not in _OPENING or run[-1].text not in _OPENING.values():
        return False
    inside = run[1:-1]
    return any(token.text == "=" for token in inside) and not _unmatched(inside)
