"""A proved answer to one equation -> the answer to another, in the same words, proved.

Line by line: the numbers are explained by the donor's equation (:mod:`explaining`),
written for the new one in the donor's notation, and the line is kept only if the
checker accepts it after the lines before it. A line whose work is not needed (nothing
to subtract, a division by 1) is left out and the steps are numbered anew. The task
then has the whole answer accepted like any other, else there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.algebra import UNKNOWN, Balance
from stepcache_proxy.tasks.linear_equation.explaining import Explainer, explainer
from stepcache_proxy.tasks.linear_equation.expressions import Node
from stepcache_proxy.tasks.linear_equation.judging import State, judge
from stepcache_proxy.tasks.linear_equation.lines import Line, join_lines, split_lines
from stepcache_proxy.tasks.linear_equation.notation import notation_of
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.rewriting import edited, edits_of
from stepcache_proxy.tasks.linear_equation.sentences import Sentence

_MAX_READINGS = 60

_Sides = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class DonorLine:
    """A line of a proved answer, read, with what is known after it."""

    line: Line
    sentences: tuple[Sentence, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Work:
    """A proved answer, read line by line; the same for whatever it is re-worked for."""

    problem: Problem
    answer: str
    lines: tuple[DonorLine, ...]


def read_work(problem: Problem, answer: str) -> Work | None:
    """The work in ``answer``; None unless each line of it is accepted in its place."""
    state = State(latest=problem.balance)
    read: list[DonorLine] = []
    for line in split_lines(answer):
        judged = _judged(problem, line.text, state)
        if judged is None:
            return None
        sentences, state = judged
        read.append(DonorLine(line, sentences, state))
    return Work(problem, answer, tuple(read))


def derive(asked: Problem, work: Work) -> str | None:
    """The work, re-worked for ``asked``; None if it cannot be.

    Every line is accepted in its place; the whole is still to be checked.
    """
    if _kind(asked) != _kind(work.problem):
        return None
    return _Derivation(asked, work).text()


def _kind(problem: Problem) -> str:
    return problem.solved if isinstance(problem.solved, str) else "one"


@dataclass(frozen=True, slots=True)
class _Progress:
    """What the donor's and the new answer have said so far."""

    given: State
    asked: State
    given_sides: _Sides
    asked_sides: _Sides


class _Derivation:
    def __init__(self, asked: Problem, work: Work) -> None:
        self._asked = asked
        self._work = work
        given = work.problem
        style = notation_of(work.answer, given.unknown, has_decimals=asked.has_decimal)
        self._explainer: Explainer = explainer(given, asked, style)

    def text(self) -> str | None:
        """The new answer, every line of it accepted in its place."""
        given = State(latest=self._work.problem.balance)
        progress = _Progress(given, State(latest=self._asked.balance), (), ())
        lines = [each.line for each in self._work.lines]
        written: list[Line | None] = []
        for each in self._work.lines:
            found = self._line(each, progress)
            if found is None:
                return None
            new, progress = found
            written.append(new)
        return join_lines(lines, written)

    def _line(
        self, donor: DonorLine, progress: _Progress
    ) -> tuple[Line | None, _Progress] | None:
        """The new line (None: left out) and what is known after it; else None."""
        line, sentences, given = donor.line, donor.sentences, donor.state
        choices = edits_of(line.text, sentences, self._explainer)
        if choices is None:
            return None
        is_needless = False
        for chosen in islice(product(*choices), _MAX_READINGS):
            if any(edit.is_idle for edit in chosen):
                is_needless = True
                continue
            text = edited(line.text, chosen)
            now = _judged(self._asked, text, progress.asked)
            if now is None:
                continue
            moved = _Progress(
                given,
                now[1],
                _last_sides(sentences, progress.given_sides),
                _last_sides(now[0], progress.asked_sides),
            )
            if _skips_work(progress, moved):
                continue
            if self._is_needless(progress, moved, sentences):
                is_needless = True
                continue
            return Line(line.mark, text), moved
        left_out = replace(
            progress,
            given=given,
            given_sides=_last_sides(sentences, progress.given_sides),
        )
        return (None, left_out) if is_needless else None

    @staticmethod
    def _is_needless(
        before: _Progress, after: _Progress, sentences: Sequence[Sentence]
    ) -> bool:
        """Whether a line that led on for the donor repeats the equation before it."""
        if not any(sentence.equations for sentence in sentences):
            return False
        led_on = before.given_sides != after.given_sides
        return led_on and before.asked_sides == after.asked_sides


def _skips_work(before: _Progress, after: _Progress) -> bool:
    """Whether the solution is stated sooner than the donor stated it."""
    if after.asked.final is None or before.asked.final is not None:
        return False
    was_led_to = _is_isolated(before.given.latest)
    return was_led_to and not _is_isolated(before.asked.latest)


def _is_isolated(balance: Balance | None) -> bool:
    """Whether the unknown stands alone on one side."""
    if balance is None:
        return False
    return any(
        left == UNKNOWN and right.a == 0
        for left, right in (
            (balance.left, balance.right),
            (balance.right, balance.left),
        )
    )


def _last_sides(sentences: Sequence[Sentence], before: _Sides) -> _Sides:
    """The last equation in the unknown, side by side as written."""
    for sentence in sentences:
        for span in sentence.equations:
            if span.chain.has_unknown:
                before = span.chain.sides
    return before


def _judged(
    problem: Problem, text: str, state: State
) -> tuple[tuple[Sentence, ...], State] | None:
    """The sentences and the state after them, if every one is accepted."""
    sentences = problem.read(text, problem.unknown)
    for sentence in sentences or ():
        judged = judge(problem, sentence, state)
        if not isinstance(judged.verdict, Accept):
            return None
        state = judged.state
    return (sentences or ()), state
