"""A worked answer -> its calculations, and every other number it mentions.

What is read is read whole: every sign of arithmetic belongs to a calculation that is
exactly right, or nothing of the answer is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stepcache_proxy.tasks.word_problem.expressions import (
    Binary,
    InexactError,
    Node,
    operands,
    parse,
    value,
)
from stepcache_proxy.tasks.word_problem.script import NOTED, Script
from stepcache_proxy.tasks.word_problem.sides import (
    clauses,
    is_arithmetic,
    last_expression,
    sides_of,
    without_units,
)
from stepcache_proxy.tasks.word_problem.tokens import Kind, Token


@dataclass(frozen=True, slots=True)
class Calculation:
    """Expressions that are equal, and the places where their value is written."""

    trees: tuple[Node, ...]
    results: tuple[int, ...]
    line: int

    @property
    def operands(self) -> tuple[int, ...]:
        """The places of all numbers it is made of, each once, in order."""
        found = [place for tree in self.trees for place in operands(tree)]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Worked:
    """An answer as calculations. A number is known by the place where it starts.

    ``nouns`` are the words behind numbers, ``money`` the numbers behind a currency.
    ``ties``: the number at a place says again what another place says (a calculation
    and its note). ``mentions`` are the numbers outside calculations with their lines,
    ``finals`` those of them that state the answer.
    """

    numbers: dict[int, Token] = field(default_factory=dict[int, Token])
    nouns: dict[int, str] = field(default_factory=dict[int, str])
    money: set[int] = field(default_factory=set[int])
    calculations: list[Calculation] = field(default_factory=list[Calculation])
    ties: dict[int, int] = field(default_factory=dict[int, int])
    mentions: dict[int, int] = field(default_factory=dict[int, int])
    finals: set[int] = field(default_factory=set[int])


class _UnreadError(Exception):
    pass


def read_worked(script: Script) -> Worked | None:
    """The calculations of an answer; None unless all its arithmetic is read.

    None, too, where it calculates nothing.
    """
    worked = Worked()
    try:
        for number, line in enumerate(script.lines):
            _read_line(script, line, number, worked)
    except (_UnreadError, InexactError):
        return None
    return worked if worked.calculations else None


def _read_line(
    script: Script, line: Sequence[Token], number: int, worked: Worked
) -> None:
    line = _without_label(line)
    for clause in clauses(line):
        _note_numbers(clause, worked)
        sides = list(sides_of(clause))
        if len(sides) == 1:
            _mention(sides[0], number, worked)
        else:
            _Chain(script, number, worked).read(sides)
    if _is_final(line):
        worked.finals.update(p for p, at in worked.mentions.items() if at == number)


def _without_label(line: Sequence[Token]) -> Sequence[Token]:
    """The line without the mark of a list or the number of a step."""
    if line and line[0].text in {"-", "*"}:
        line = line[1:]
    if len(line) > 1 and line[0].lower == "step":
        line = line[1:]
    if len(line) < 3 or line[0].kind is not Kind.NUMBER or line[0].is_said:
        return line
    is_marked = line[1].text in {".", ")", ":"} and line[1].start == line[0].end
    return line[2:] if is_marked and line[2].start > line[1].end else line


def _is_final(line: Sequence[Token]) -> bool:
    """Whether the line only says what the answer is."""
    if sum(token.kind is Kind.NUMBER for token in line) != 1:
        return False
    texts = [token.lower for token in line[:6]]
    return texts[:4] == ["#"] * 4 or "answer" in texts or texts[:2] == ["a", ":"]


def _note_numbers(clause: Sequence[Token], worked: Worked) -> None:
    for at, token in enumerate(clause):
        if token.kind is not Kind.NUMBER:
            continue
        worked.numbers[token.start] = token
        after = clause[at + 1] if at + 1 < len(clause) else None
        if after is not None and after.kind is Kind.WORD:
            worked.nouns[token.start] = after.lower
        before = [other.text for other in clause[max(0, at - 2) : at]]
        if before[-1:] == ["$"] or before == ["$", NOTED]:
            worked.money.add(token.start)


def _mention(side: Sequence[Token], line: int, worked: Worked) -> None:
    """Numbers in prose. Raises _UnreadError if a sign of arithmetic is among them."""
    for at, token in enumerate(side):
        if token.kind is Kind.NUMBER:
            worked.mentions[token.start] = line
        elif token.text == NOTED or is_arithmetic(side, at):
            raise _UnreadError


@dataclass(slots=True)
class _Chain:
    """One chain of equals signs, read into one calculation."""

    script: Script
    line: int
    worked: Worked
    trees: list[Node] = field(default_factory=list[Node])
    results: list[int] = field(default_factory=list[int])

    def read(self, sides: Sequence[Sequence[Token]]) -> None:
        """Read all of it. Raises _UnreadError."""
        first, rest = sides[0], sides[1:]
        tree, start = last_expression(first)
        if tree is not None:
            self.trees.append(tree)
            _mention(first[:start], self.line, self.worked)
        for at, side in enumerate(rest):
            self._read_side(self._after_note(side), is_last=at == len(rest) - 1)
        if tree is None:
            self._tie_or_mention(first)
        if self.trees:
            self._finish()
        else:
            self.worked.mentions.update(dict.fromkeys(self.results, self.line))

    def _after_note(self, side: Sequence[Token]) -> Sequence[Token]:
        """The side without a note that it begins with, which is read."""
        at = next((i for i, t in enumerate(side[:2]) if t.text == NOTED), None)
        if at is None:
            return side
        self._read_note(self.script.notes[side[at].start])
        return side[at + 1 :]

    def _read_note(self, note: Sequence[Token]) -> None:
        """The calculation of a note: expressions, and a number at the end."""
        sides = list(sides_of(note))
        for token in note:
            if token.kind is Kind.NUMBER:
                self.worked.numbers[token.start] = token
        last = sides[-1]
        if len(sides) < 2 or len(last) != 1 or last[0].kind is not Kind.NUMBER:
            raise _UnreadError
        for side in sides[:-1]:
            tree = parse(side)
            if not isinstance(tree, Binary):
                raise _UnreadError
            if self.trees:
                self._tie(operands(tree), operands(self.trees[0]))
            self.trees.append(tree)
        self.results.append(last[0].start)

    def _read_side(self, side: Sequence[Token], *, is_last: bool) -> None:
        """A side that is an expression, or starts with the number it comes to."""
        shown = without_units(side)
        tree = parse(shown)
        if isinstance(tree, Binary):
            self.trees.append(tree)
            return
        at = next((i for i, t in enumerate(side) if t.text != "$"), len(side))
        if at == len(side) or side[at].kind is not Kind.NUMBER or side[at].is_said:
            raise _UnreadError
        if not is_last and len(shown) != 1:
            raise _UnreadError
        self.results.append(side[at].start)
        _mention(side[at + 1 :], self.line, self.worked)

    def _tie(self, places: Sequence[int], others: Sequence[int]) -> bool:
        """Tie number by number if both say the same numbers in the same order."""
        numbers = self.worked.numbers
        given = [numbers[place].value for place in places]
        if given != [numbers[place].value for place in others]:
            return False
        self.worked.ties.update(zip(places, others, strict=True))
        return True

    def _tie_or_mention(self, first: Sequence[Token]) -> None:
        """Numbers before a note that are no expression: the same ones, or prose."""
        is_prose = not any(is_arithmetic(first, at) for at in range(len(first)))
        if is_prose or not self.trees:
            _mention(first, self.line, self.worked)
            return
        inner = operands(self.trees[0])
        numbers = [t for t in first if t.kind is Kind.NUMBER]
        outer = [t.start for t in numbers if not t.is_said][-len(inner) :]
        if len(outer) != len(inner) or not self._tie(outer, inner):
            raise _UnreadError
        for token in numbers:
            if token.start not in outer:
                self.worked.mentions[token.start] = self.line

    def _finish(self) -> None:
        """Keep the calculation if everything in it is exactly equal."""
        values = {p: token.value for p, token in self.worked.numbers.items()}
        stated = {values[place] for place in self.results}
        stated |= {value(tree, values) for tree in self.trees}
        if len(stated) != 1:
            raise _UnreadError
        calculation = Calculation(tuple(self.trees), tuple(self.results), self.line)
        self.worked.calculations.append(calculation)
