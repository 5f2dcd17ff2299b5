"""A proved answer to one equation -> the answer to another, in the same words, proved.

Line by line: the numbers are explained by the donor's equation (:mod:`explaining`),
written for the new one in the donor's notation, and the line is kept only if the
checker accepts it after the lines before it. A line whose work is not needed (nothing
to subtract, a division by 1) is left out and the steps are numbered anew.

A line that was just written need not be read to be judged: it says what was to be
written. That is an assumption, so it only ever accepts a line; what it would refuse is
read from its text, and the task reads the whole text in the end and has it say the
very same (:func:`checking.check_derived`), else everything is read from its text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import NamedTuple

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.algebra import UNKNOWN, Balance
from stepcache_proxy.tasks.linear_equation.explaining import Pupil, Teacher
from stepcache_proxy.tasks.linear_equation.expressions import Node
from stepcache_proxy.tasks.linear_equation.judging import State, judge
from stepcache_proxy.tasks.linear_equation.lines import Line, join_lines, split_lines
from stepcache_proxy.tasks.linear_equation.notation import notation_of
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.rewriting import (
    Edit,
    Part,
    edited,
    parts_of,
)
from stepcache_proxy.tasks.linear_equation.sentences import (
    Claim,
    Event,
    Sentence,
)

_MAX_READINGS = 60

_Sides = tuple[Node, ...]
_Sentences = tuple[Sentence, ...]
_Accepted = tuple[_Sentences, State]


@dataclass(frozen=True, slots=True)
class DonorLine:
    """A line of a proved answer, read, with what it was to the donor's work.

    ``leads_on``: its last equation is another than the one before it. ``is_led_to``:
    when it begins, the unknown stands alone.
    """

    line: Line
    sentences: _Sentences
    has_equation: bool
    leads_on: bool
    is_led_to: bool


@dataclass(frozen=True, slots=True)
class Lesson:
    """Work that is explained for equations of one kind."""

    teacher: Teacher
    parts: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """A proved answer, read line by line; the same for whatever it is re-worked for."""

    problem: Problem
    answer: str
    lines: tuple[DonorLine, ...]
    # At most four: what a lesson depends on are two truths.
    _lessons: dict[tuple[bool, bool], Lesson] = field(
        default_factory=dict, compare=False, repr=False
    )

    def lesson(self, asked: Problem) -> Lesson:
        """The work, explained for equations like this one."""
        is_alike, has_decimals = asked.layout == self.problem.layout, asked.has_decimal
        known = self._lessons.get((is_alike, has_decimals))
        if known is None:
            known = self._explained(is_alike=is_alike, has_decimals=has_decimals)
            self._lessons[is_alike, has_decimals] = known
        return known

    def _explained(self, *, is_alike: bool, has_decimals: bool) -> Lesson:
        given = self.problem
        style = notation_of(self.answer, given.unknown, has_decimals=has_decimals)
        teacher = Teacher(given, style, is_alike=is_alike)
        parts = [parts_of(d.line.text, d.sentences, teacher) for d in self.lines]
        return Lesson(teacher, tuple(map(tuple, parts)))


class Derived(NamedTuple):
    """An answer that was written, what its lines should say, and what is known then."""

    text: str
    sentences: _Sentences
    state: State


def read_work(problem: Problem, answer: str) -> Work | None:
    """The work in ``answer``; None unless each line of it is accepted in its place."""
    state = State(latest=problem.balance)
    sides: _Sides = ()
    read: list[DonorLine] = []
    for line in split_lines(answer):
        judged = _read_and_judged(problem, line.text, state)
        if judged is None:
            return None
        sentences, after = judged
        stated = _last_sides(sentences, sides)
        has_equation = any(sentence.equations for sentence in sentences)
        is_led_to = _is_isolated(state.latest)
        leads_on = stated != sides
        read.append(DonorLine(line, sentences, has_equation, leads_on, is_led_to))
        state, sides = after, stated
    return Work(problem, answer, tuple(read))


def derive(asked: Problem, work: Work, *, is_read: bool) -> Derived | None:
    """The work, re-worked for ``asked``; None if it cannot be.

    Every line is accepted in its place; the whole is still to be checked. ``is_read``:
    every line is read from its text to be judged.
    """
    if _kind(asked) != _kind(work.problem):
        return None
    return _Derivation(asked, work, is_read=is_read).derived()


def _kind(problem: Problem) -> str:
    return problem.solved if isinstance(problem.solved, str) else "one"


class _Progress(NamedTuple):
    """What the new answer has said so far."""

    state: State
    sides: _Sides


class _Written(NamedTuple):
    """A new line and what is known after it."""

    line: Line
    sentences: _Sentences
    progress: _Progress


class _Derivation:
    def __init__(self, asked: Problem, work: Work, *, is_read: bool) -> None:
        self._asked = asked
        self._work = work
        self._is_read = is_read
        self._lesson = work.lesson(asked)
        self._pupil = Pupil(self._lesson.teacher, asked)

    def derived(self) -> Derived | None:
        """The new answer, every line of it accepted in its place."""
        progress = _Progress(State(latest=self._asked.balance), ())
        lines: list[Line | None] = []
        sentences: list[Sentence] = []
        for donor, parts in zip(self._work.lines, self._lesson.parts, strict=True):
            is_found, written = self._line(donor, parts, progress)
            if not is_found:
                return None
            lines.append(written.line if written else None)
            if written:
                sentences += written.sentences
                progress = written.progress
        text = join_lines([donor.line for donor in self._work.lines], lines)
        if text is None:
            return None
        return Derived(text, tuple(sentences), progress.state)

    def _line(
        self, donor: DonorLine, parts: Sequence[Part], before: _Progress
    ) -> tuple[bool, _Written | None]:
        """Whether there is an answer to the line, and the new line unless left out."""
        choices = [part.edits(self._pupil) for part in parts]
        if not all(choices):
            return False, None
        is_needless = False
        for chosen in islice(product(*choices), _MAX_READINGS):
            if any(edit.is_idle for edit in chosen):
                is_needless = True
                continue
            written = self._written(donor, chosen, before)
            if written is None or _skips_work(donor, before, written.progress):
                continue
            if _is_needless(donor, before, written.progress):
                is_needless = True
                continue
            return True, written
        return is_needless, None

    def _written(
        self, donor: DonorLine, chosen: Sequence[Edit], before: _Progress
    ) -> _Written | None:
        """The line with these edits, if it is accepted in its place."""
        text = edited(donor.line.text, chosen)
        said = None if self._is_read else _said(donor.sentences, chosen)
        accepted = None if said is None else _judged(self._asked, said, before.state)
        if accepted is None:
            accepted = _read_and_judged(self._asked, text, before.state)
        if accepted is None:
            return None
        sentences, state = accepted
        progress = _Progress(state, _last_sides(sentences, before.sides))
        return _Written(Line(donor.line.mark, text), sentences, progress)


def _is_needless(donor: DonorLine, before: _Progress, after: _Progress) -> bool:
    """Whether a line that led on for the donor repeats the equation before it."""
    return donor.has_equation and donor.leads_on and before.sides == after.sides


def _skips_work(donor: DonorLine, before: _Progress, after: _Progress) -> bool:
    """Whether the solution is stated sooner than the donor stated it."""
    if after.state.final is None or before.state.final is not None:
        return False
    return donor.is_led_to and not _is_isolated(before.state.latest)


def _is_isolated(balance: Balance | None) -> bool:
    """Whether the unknown stands alone on one side."""
    if balance is None:
        return False
    return any(
        left == UNKNOWN and right.slope == 0
        for left, right in (balance, balance.swapped)
    )


def _last_sides(sentences: Sequence[Sentence], before: _Sides) -> _Sides:
    """The last equation in the unknown, side by side as written."""
    for sentence in sentences:
        for span in sentence.equations:
            if span.chain.has_unknown:
                before = span.chain.sides
    return before


def _said(sentences: _Sentences, edits: Sequence[Edit]) -> _Sentences | None:
    """What the sentences say with these edits; None where only reading can tell."""
    if any(edit.event is None for edit in edits):
        return None
    events = (edit.event for edit in edits if edit.event is not None)
    return tuple(
        Sentence(tuple(_events(sentence, events)), sentence.prose)
        for sentence in sentences
    )


def _events(sentence: Sentence, edited: Iterator[Event]) -> Iterator[Event]:
    for event in sentence.events:
        yield event if isinstance(event, Claim) else next(edited)


def _read_and_judged(problem: Problem, text: str, state: State) -> _Accepted | None:
    return _judged(problem, problem.read(text, problem.unknown) or (), state)


def _judged(problem: Problem, sentences: _Sentences, state: State) -> _Accepted | None:
    """The sentences and the state after them, if every one is accepted."""
    for sentence in sentences:
        judged = judge(problem, sentence, state)
        if not isinstance(judged.verdict, Accept):
            return None
        state = judged.state
    return sentences, state
