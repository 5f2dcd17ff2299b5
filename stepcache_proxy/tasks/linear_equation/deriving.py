"""A proved answer to one equation -> the answer to another, in the same words, proved.

Line by line: the numbers are explained by the donor's equation (:mod:`explaining`),
written for the new one in the donor's notation, and the line is kept only if the
checker accepts it after the lines before it. A line whose work is not needed (nothing
to subtract, a division by 1) is left out and the steps are numbered anew. At the end the
whole answer must be accepted like any other, else there is none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.asking import Asked
from stepcache_proxy.tasks.linear_equation.checking import check_answer
from stepcache_proxy.tasks.linear_equation.explaining import Explainer, explainer
from stepcache_proxy.tasks.linear_equation.judging import State, judge
from stepcache_proxy.tasks.linear_equation.lines import Line, join_lines, split_lines
from stepcache_proxy.tasks.linear_equation.notation import notation_of
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.rewriting import Edit, edits_of, edited
from stepcache_proxy.tasks.linear_equation.sentences import Sentence, read_sentences

_MAX_READINGS = 400


def derive(asked: Asked, given: Asked, answer: str) -> str | None:
    """``answer``, proved for ``given``, re-worked for ``asked`` and proved; else None."""
    if not isinstance(check_answer(given, answer), Accept):
        return None
    if isinstance(check_answer(asked, answer), Accept):
        return answer
    if _kind(asked.problem) != _kind(given.problem):
        return None
    derived = _Derivation(asked.problem, given.problem, answer).text()
    if derived is None or not isinstance(check_answer(asked, derived), Accept):
        return None
    return derived


def _kind(problem: Problem) -> str:
    return problem.solved if isinstance(problem.solved, str) else "one"


@dataclass(frozen=True, slots=True)
class _Progress:
    """What the donor's and the new answer have said so far."""

    given: State
    asked: State


class _Derivation:
    def __init__(self, asked: Problem, given: Problem, answer: str) -> None:
        self._asked = asked
        self._given = given
        self._answer = answer
        style = notation_of(answer, given.unknown, has_decimals=asked.has_decimal)
        self._explainer: Explainer = explainer(given, asked, style)

    def text(self) -> str | None:
        """The new answer, every line of it accepted in its place."""
        progress = _Progress(
            State(latest=self._given.balance), State(latest=self._asked.balance)
        )
        lines = split_lines(self._answer)
        written: list[Line | None] = []
        for line in lines:
            found = self._line(line, progress)
            if found is None:
                return None
            new, progress = found
            written.append(new)
        return join_lines(lines, written)

    def _line(
        self, line: Line, progress: _Progress
    ) -> tuple[Line | None, _Progress] | None:
        """The new line (None: left out) and what is known after it; else None."""
        was = _judged(self._given, line.text, progress.given)
        if was is None:
            return None
        sentences, given = was
        choices = edits_of(line.text, sentences, self._explainer)
        if choices is None:
            return None
        is_needless = False
        for chosen in islice(product(*choices), _MAX_READINGS):
            text = edited(line.text, chosen)
            if any(edit.is_idle for edit in chosen):
                is_needless = True
                continue
            now = _judged(self._asked, text, progress.asked)
            if now is None:
                continue
            if _stands_still(now[0], progress.asked) and not _stands_still(
                sentences, progress.given
            ):
                is_needless = True
                continue
            return Line(line.mark, text), _Progress(given, now[1])
        return (None, _Progress(given, progress.asked)) if is_needless else None


def _judged(
    problem: Problem, text: str, state: State
) -> tuple[tuple[Sentence, ...], State] | None:
    """The sentences and the state after them, if every one is accepted."""
    sentences = read_sentences(text, problem.unknown)
    for sentence in sentences or ():
        judged = judge(problem, sentence, state)
        if not isinstance(judged.verdict, Accept):
            return None
        state = judged.state
    return (sentences or ()), state


def _stands_still(sentences: Sequence[Sentence], before: State) -> bool:
    """Whether equations are stated and all are the one that was known."""
    stated = [
        balance
        for sentence in sentences
        for span in sentence.equations
        for balance in span.chain.balances
        if balance.has_unknown
    ]
    return bool(stated) and all(balance == before.latest for balance in stated)
