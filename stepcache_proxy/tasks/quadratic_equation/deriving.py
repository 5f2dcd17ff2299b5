"""A proved answer to one equation -> the answer to another, in the same words, proved.

Sentence by sentence: the numbers are explained by the donor's equation
(:mod:`explaining`), and of the proposals the first is kept that the checker accepts in
its place and takes for the same part of a solution. The task then has the whole answer
accepted like any other, else there is none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from stepcache_proxy.reuse.model import Accept, Reject
from stepcache_proxy.tasks.quadratic_equation.explaining import Explainer, explainer
from stepcache_proxy.tasks.quadratic_equation.judging import (
    Judged,
    State,
    judge,
    read_through,
)
from stepcache_proxy.tasks.quadratic_equation.printing import (
    PLAIN,
    notation_of,
    show,
)
from stepcache_proxy.tasks.quadratic_equation.problem import Problem
from stepcache_proxy.tasks.quadratic_equation.reading import (
    Place,
    Sentence,
    Span,
    normalised,
    read_sentences,
)

_MAX_READINGS = 100
_MAX_ANSWER = 4_000
_STATED = frozenset({"solution", "root"})
_SPLIT = frozenset({"pair", "product", "sum"})
_NOT_NAMES = frozenset("aAIbcD")


def derive(asked: Problem, given: Problem, answer: str) -> str | None:
    """``answer``, proved for ``given``, re-worked for ``asked``; None if it cannot be.

    Every sentence is accepted in its place; the whole is still to be checked.
    """
    if len(answer) > _MAX_ANSWER or len(asked.roots) != len(given.roots):
        return None
    is_raised = "²" in answer
    if is_raised and "^2" in answer:
        return None
    if asked.unknown != given.unknown and {asked.unknown, given.unknown} & _NOT_NAMES:
        return None
    text = _Derivation(asked, given, normalised(answer)).text()
    return text.replace("^2", "²") if text is not None and is_raised else text


def _traits(problem: Problem) -> tuple[bool, ...]:
    whole = problem.whole
    return whole.b == 0, whole.c == 0, problem.is_standard


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
        plain = replace(PLAIN, has_decimals=asked.has_decimal)
        self._style = notation_of(answer, plain)
        self._explainer: Explainer = explainer(given, asked, self._style)

    def text(self) -> str | None:
        """The new answer, every sentence of it accepted in its place."""
        if not self._is_alike():
            return None
        progress = _Progress(State(), State())
        pieces: list[tuple[Place, str]] = []
        for sentence in read_sentences(self._answer, self._given.unknown) or ():
            was = judge(self._given, sentence, progress.given)
            found = self._sentence(sentence, was, progress)
            if found is None:
                return None
            new, now = found
            progress = _Progress(was.state, now.state)
            pieces += self._pieces(sentence, new)
        return _edited(self._answer, pieces)

    def _is_alike(self) -> bool:
        """Whether the same work leads to the solutions; for those alone it need not."""
        read = read_through(self._given, self._answer) or []
        roles = {role.split()[0] for one in read for role in one.roles}
        if roles <= _STATED:
            return True
        if _traits(self._given) != _traits(self._asked):
            return False
        is_monic = self._given.whole.a == 1
        return is_monic == (self._asked.whole.a == 1) or not roles & _SPLIT

    def _sentence(
        self, sentence: Sentence, was: Judged, progress: _Progress
    ) -> tuple[Sentence, Judged] | None:
        for proposed in self._proposals(sentence, progress):
            now = judge(self._asked, proposed, progress.asked)
            if not isinstance(now.verdict, Accept) or now.roles != was.roles:
                continue
            if len(now.roots) == len(was.roots) and self._is_same_scale(was, now):
                return proposed, now
        return None

    def _is_same_scale(self, was: Judged, now: Judged) -> bool:
        """Whether nothing was divided out in passing."""
        if was.state.scale is None or now.state.scale is None:
            return was.state == now.state
        at = self._given.scales.index(was.state.scale)
        return self._asked.scales[at] == now.state.scale

    def _proposals(self, sentence: Sentence, progress: _Progress) -> Iterator[Sentence]:
        choices = [
            [new for new in self._rewritten(span) if stands(new)]
            for span in sentence.spans
            for stands in [self._stands_like(sentence, span, progress)]
        ]
        for chosen in islice(product(*choices), _MAX_READINGS):
            spans = iter(chosen)
            yield replace(
                sentence,
                items=tuple(
                    next(spans) if isinstance(i, Span) and not i.is_name else i
                    for i in sentence.items
                ),
            )

    def _stands_like(
        self, sentence: Sentence, span: Span, progress: _Progress
    ) -> Callable[[Span], bool]:
        """Whether a span says alone what the donor's ``span`` says alone."""
        was = judge(self._given, _alone(sentence, span, span), progress.given)

        def stands(new: Span) -> bool:
            alone = _alone(sentence, span, new)
            now = judge(self._asked, alone, progress.asked)
            is_wrong = isinstance(now.verdict, Reject)
            return now.roles == was.roles and not is_wrong

        return stands

    def _rewritten(self, span: Span) -> Iterator[Span]:
        for sides in self._explainer.sides(span.sides):
            yield replace(span, sides=sides)

    def _pieces(self, old: Sentence, new: Sentence) -> Iterator[tuple[Place, str]]:
        for was, now in zip(old.items, new.items, strict=True):
            if isinstance(was, Span) and isinstance(now, Span):
                yield from zip(was.places, self._shown(was, now), strict=True)

    def _shown(self, was: Span, now: Span) -> Iterator[str]:
        for place, before, after in zip(was.places, was.sides, now.sides, strict=True):
            written = self._answer[place.start : place.end]
            if before == after and self._asked.unknown == self._given.unknown:
                yield written
            else:
                style = notation_of(written, self._style)
                yield show(after, self._asked.unknown, style)


def _alone(sentence: Sentence, old: Span, new: Span) -> Sentence:
    """The sentence with ``new`` for ``old`` and without its other formulas."""
    items = (new if item is old else item for item in sentence.items)
    return replace(
        sentence,
        items=tuple(i for i in items if i is new or not isinstance(i, Span)),
    )


def _edited(text: str, pieces: Sequence[tuple[Place, str]]) -> str:
    for place, new in sorted(pieces, key=lambda piece: -piece[0].start):
        text = text[: place.start] + new + text[place.end :]
    return text
