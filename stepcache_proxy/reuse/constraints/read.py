"""Text -> what its answer must respect (paper: semantic changes refuse reuse)."""

import re
from dataclasses import dataclass, fields

from stepcache_proxy.reuse.constraints import tables
from stepcache_proxy.reuse.constraints.lexer import ASK, BOUNDARIES, Lexed, lex
from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.constraints.phrases import FORMAT_MARK, HOW
from stepcache_proxy.reuse.constraints.rewrite import canonical

# A longer text is only ever equal to itself; reading it would cost too much.
MAX_READ_CHARS = 8000

_CODE = re.compile(r"```|~~~|[{}\\]|;\s*\n|=>|->|==|\(\)|<[/A-Za-z]")
_FOREIGN_WORDS = words("""
    der die das und nicht ist wie kann ich ein eine mein el la los las que como puedo
    para por est les des une pas je comment mon il di che come posso het een niet och
    att jag hur og ikke hvordan nie jak czy nao uma meu
""")
_FAR_LETTERS = re.compile("[\u0250-\U0010ffff]")
_QUESTION_STARTS = (
    tables.QUESTION_WORDS | tables.AUXILIARIES | tables.ASKED_FORMS | {HOW}
)
_UNITS = frozenset(short or name for name, short in tables.UNITS.items())


@dataclass(frozen=True, slots=True)
class Constraints:
    """What the answer to a text must respect, in the text's own order.

    ``order`` is the whole request in canonical marks and decides; the other fields
    say in which respect two requests differ. ``is_readable`` is False for a text that
    can only be compared as it stands (too long, code, not English, nothing but
    courtesy): then ``order`` is the text alone.
    """

    numbers: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    polarity: tuple[str, ...] = ()
    comparison: tuple[str, ...] = ()
    quantifiers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    language: tuple[str, ...] = ("en",)
    time_words: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    is_readable: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """The canonical marks of a text, and in ``order`` those of them that decide."""

    marks: list[str]
    order: tuple[str, ...]

    @property
    def is_readable(self) -> bool:
        """Whether more is said than in which form to answer."""
        return any(mark[0] not in "%=" for mark in self.order)


def lexed(text: str) -> Lexed:
    """The marks of a stripped text; none if it must be compared as it stands."""
    if len(text) > MAX_READ_CHARS or _CODE.search(text):
        return Lexed([], ())
    found = lex(text)
    return Lexed([], ()) if _is_foreign(text, found.marks) else found


def said(marks: list[str], kept: frozenset[str]) -> Said:
    """What lexed marks say; a word in ``kept`` is never read as another's plural."""
    found = canonical(marks, kept) if marks else []
    return Said(found, _ordered(found))


def constraints(text: str, said: Said, names: tuple[str, ...]) -> Constraints:
    """The constraints of a stripped text that says this and writes these as names."""
    if not said.is_readable:
        return _unread(text)
    return _sorted_out(said.order, said.marks, names)


def describe(constraints: Constraints) -> dict[str, list[str]]:
    """The constraints as lists by name, for people; empty ones are left out."""
    values = {f.name: getattr(constraints, f.name) for f in fields(constraints)}
    return {name: list(v) for name, v in values.items() if isinstance(v, tuple) and v}


def _unread(text: str) -> Constraints:
    language = "en"
    if len(text) <= MAX_READ_CHARS and not _CODE.search(text):
        language = "other" if _is_foreign(text, lex(text).marks) else "en"
    return Constraints(
        language=(language,), content=(text,), order=(text,), is_readable=False
    )


def _is_foreign(text: str, marks: list[str]) -> bool:
    """Whether English rules may not be used on the text."""
    if any(c.isalpha() for c in _FAR_LETTERS.findall(text)):
        return True
    said = [mark for mark in marks if mark[0].isalpha()]
    english = sum(word in tables.FUNCTION_WORDS for word in said)
    foreign = sum(word in _FOREIGN_WORDS for word in said)
    return foreign > english or (len(said) > 5 and not english)


def _ordered(marks: list[str]) -> tuple[str, ...]:
    """The marks that decide: no boundaries, no owner where there is one person."""
    persons = {tables.PERSONS[mark] for mark in marks if mark in tables.PERSONS}
    dropped = BOUNDARIES if len(persons) > 1 else BOUNDARIES | tables.OWNERS
    return tuple(m for m in marks if m not in dropped and m[0] != FORMAT_MARK)


def _sorted_out(
    order: tuple[str, ...], marks: list[str], names: tuple[str, ...]
) -> Constraints:
    exact = [mark for mark in order if not mark[0].isalpha()]
    named = [mark for mark in order if mark[0].isalpha()]
    return Constraints(
        numbers=tuple(m for m in exact if m[0] == "#"),
        names=names,
        identifiers=tuple(m for m in exact if m[0] in "@!="),
        quoted=tuple(m for m in exact if m[0] == '"'),
        question=_question(order, marks),
        format=_format(marks),
        time_words=_time_words(marks),
        personal=_persons(marks),
        content=tuple(sorted(order)),
        order=order,
        units=tuple(filter(_UNITS.__contains__, named)),
        polarity=tuple(filter(tables.POLARITY.__contains__, named)),
        comparison=tuple(filter(tables.COMPARISON.__contains__, named)),
        quantifiers=tuple(filter(tables.QUANTIFIERS.__contains__, named)),
    )


def _question(order: tuple[str, ...], marks: list[str]) -> tuple[str, ...]:
    asked = tuple(m for m in order if m in tables.QUESTION_WORDS or m == HOW)
    is_asked = asked or ASK in marks or order[0] in _QUESTION_STARTS
    return (ASK, *asked) if is_asked else ()


def _format(marks: list[str]) -> tuple[str, ...]:
    asked = {m for m in marks if m[0] == FORMAT_MARK}
    return (*sorted(asked), *(m for m in marks if m in tables.FORMATS))


def _persons(marks: list[str]) -> tuple[str, ...]:
    found = {tables.PERSONS[mark] for mark in marks if mark in tables.PERSONS}
    return tuple(sorted(found | {"i"} if HOW in marks else found))


_MAYBE_TIME_BOUND = tables.TIME_BOUND | tables.PERIOD_POINTERS


def _time_words(marks: list[str]) -> tuple[str, ...]:
    if _MAYBE_TIME_BOUND.isdisjoint(marks):
        return ()
    return tuple(m for i, m in enumerate(marks) if _is_time_bound(marks, i))


def _is_time_bound(marks: list[str], at: int) -> bool:
    mark = marks[at]
    before = marks[at - 1] if at else ""
    after = marks[at + 1] if at + 1 < len(marks) else ""
    if mark == "current":
        return (
            after not in tables.TIMELESS_AFTER_CURRENT
            and before not in tables.TIMELESS_BEFORE_CURRENT
        )
    if mark in tables.PERIOD_POINTERS:
        return after in tables.PERIODS
    return mark in tables.TIME_BOUND
