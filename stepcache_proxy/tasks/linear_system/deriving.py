"""A proved answer to one system -> the answer to another, in the same words, proved.

Event by event: what the donor states is explained by what stood before it
(:mod:`explaining`) and done for the new system, in the donor's notation. A line is kept
only if the checker accepts it after the lines before it; where later lines cannot be
written, earlier ones are tried otherwise. A line whose work is not needed (a
multiplication by 1, an equation that has the form already) is left out and the steps
are numbered anew. The task then has the whole answer accepted like any other.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.items import Span
from stepcache_proxy.tasks.linear_equation.lines import Line, join_lines, split_lines
from stepcache_proxy.tasks.linear_equation.notation import notation_of
from stepcache_proxy.tasks.linear_system.algebra import Equality, Names
from stepcache_proxy.tasks.linear_system.asking import Asked
from stepcache_proxy.tasks.linear_system.explaining import Explainer, operands
from stepcache_proxy.tasks.linear_system.judging import judge
from stepcache_proxy.tasks.linear_system.pairs import Both, Pair
from stepcache_proxy.tasks.linear_system.pairs import stated as stated_by
from stepcache_proxy.tasks.linear_system.problem import Given, System
from stepcache_proxy.tasks.linear_system.rewriting import (
    Edit,
    edited,
    name,
    operated,
    rewritten,
)
from stepcache_proxy.tasks.linear_system.sentences import (
    Action,
    Operation,
    Sentence,
    read_sentences,
)
from stepcache_proxy.tasks.linear_system.state import (
    State,
    after,
    beginning,
    is_result,
    results,
)
from stepcache_proxy.tasks.linear_system.statements import equalities_of

_MOST_ALTERNATIVES = 4
_MOST_READINGS = 16
_NUMBERED = re.compile(r"[ \t#*_>-]{0,8}(?:[Ss]tep )?[0-9]{0,3}[.):*]{0,4} ?")
_SENTENCE = re.compile(r"(?<=[.;] )(?=[A-Z])")
_MOST_TRIES = 24


def derive(asked: Asked, given: Asked, answer: str) -> str | None:
    """``answer``, proved for ``given``, re-worked for ``asked``; None if it cannot be.

    Every line is accepted in its place; the whole is still to be checked.
    """
    old = _in_order(given.system, given.wanted)
    new = _in_order(asked.system, asked.wanted)
    style = notation_of(
        answer, "".join(old.names), has_decimals=asked.system.has_decimal
    )
    both = Both(old, new, style)
    return _Derivation(both, given.wanted, asked.wanted).text(answer)


def _in_order(system: System, wanted: Sequence[str]) -> System:
    """The same system, the unknown that is wanted, if only one is, first."""
    if len(wanted) > 1 or wanted[0] == system.names[0]:
        return system
    names: Names = system.names[1], system.names[0]
    first, second = (
        Given(given.left, given.right, _turned(given.equality))
        for given in system.given
    )
    return System(names, (first, second), (system.point[1], system.point[0]))


def _turned(equality: Equality) -> Equality:
    left, right = (
        replace(side, x=side.y, y=side.x) for side in (equality.left, equality.right)
    )
    return Equality(left, right)


@dataclass(frozen=True, slots=True)
class _Progress:
    """What both answers have said: their states, and what they have in common.

    ``pending`` are the same actions in both.
    """

    given: State
    asked: State
    pairs: tuple[Pair, ...]
    pending: tuple[tuple[Action, Action], ...] = ()


@dataclass(frozen=True, slots=True)
class _Told:
    """A line of the donor, or a part of one, with what was known after it."""

    line: Line
    sentences: tuple[Sentence, ...]
    after: State
    is_part: bool


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to write a part of a line, and what is known after it."""

    progress: _Progress
    edits: tuple[Edit, ...] = ()
    is_idle: bool = False
    is_new: bool = False
    was_new: bool = False
    is_stale: bool = False

    def is_needless(self, *, has_equations: bool) -> bool:
        """Whether a line that led on for the donor says nothing new."""
        if has_equations:
            return self.was_new and not self.is_new
        return self.is_idle


@dataclass(slots=True)
class _Derivation:
    both: Both
    old_wanted: tuple[str, ...]
    wanted: tuple[str, ...]
    tries: int = _MOST_TRIES

    def text(self, answer: str) -> str | None:
        """The new answer, every line of it accepted in its place."""
        lines = split_lines(answer)
        parts = [_parts(line) for line in lines]
        told = self._told(parts)
        if told is None:
            return None
        self.tries += 2 * len(told)
        start = _Progress(
            beginning(self.both.given),
            beginning(self.both.asked),
            self.both.beginning(),
        )
        written = next(self._written(told, start), None)
        return None if written is None else join_lines(lines, _joined(parts, written))

    def _told(self, lines: Sequence[Sequence[Line]]) -> list[_Told] | None:
        """The donor's answer part by part, each accepted in its place."""
        state, found = beginning(self.both.given), list[_Told]()
        for parts in lines:
            for part in parts:
                sentences = read_sentences(part.text, self.both.given.names)
                if sentences is None:
                    return None
                reached = _judged(self.both.given, self.old_wanted, sentences, state)
                if reached is None:
                    return None
                state = reached
                found.append(_Told(part, sentences, state, is_part=len(parts) > 1))
        return found

    def _written(
        self, told: Sequence[_Told], progress: _Progress
    ) -> Iterator[list[Line | None]]:
        """Ways to write all lines, the most telling first."""
        paths = [iter([(progress, list[Line | None]())])]
        while paths:
            step = next(paths[-1], None)
            if step is None or self.tries < 0:
                paths.pop()
                continue
            reached, written = step
            if len(written) == len(told):
                yield written
                continue
            paths.append(self._continued(told[len(written)], reached, written))

    def _continued(
        self, told: _Told, progress: _Progress, written: list[Line | None]
    ) -> Iterator[tuple[_Progress, list[Line | None]]]:
        for new, reached in islice(self._line(told, progress), _MOST_ALTERNATIVES):
            yield reached, [*written, new]

    def _line(
        self, told: _Told, progress: _Progress
    ) -> Iterator[tuple[Line | None, _Progress]]:
        """New lines (None: left out), each with what is known after it."""
        line, seen = told.line, set[str]()
        readings = self._readings(line.text, told.sentences, _Reading(progress))
        has_equations = any(sentence.equations for sentence in told.sentences)
        for reading in islice(readings, _MOST_READINGS):
            if reading.is_needless(has_equations=has_equations):
                if told.is_part:
                    continue
                left_out = replace(
                    reading.progress, given=told.after, asked=progress.asked
                )
                yield None, left_out
                continue
            text = edited(line.text, reading.edits)
            if reading.is_idle or reading.is_stale or text in seen:
                continue
            seen.add(text)
            asked = self._accepted(text, progress.asked)
            if asked is not None:
                moved = replace(reading.progress, given=told.after, asked=asked)
                yield Line(line.mark, text), moved

    def _accepted(self, text: str, state: State) -> State | None:
        self.tries -= 1
        sentences = read_sentences(text, self.both.asked.names)
        if sentences is None:
            return None
        return _judged(self.both.asked, self.wanted, sentences, state)

    def _readings(
        self, text: str, sentences: Sequence[Sentence], start: _Reading
    ) -> Iterator[_Reading]:
        """Ways to write all events of a line, each following the one before."""
        events = [event for sentence in sentences for event in sentence.events]
        paths = [iter([start])]
        while paths:
            reading = next(paths[-1], None)
            if reading is None:
                paths.pop()
            elif len(paths) > len(events):
                yield reading
            else:
                event = events[len(paths) - 1]
                paths.append(self._event(text, event, reading))

    def _event(
        self, text: str, event: Action | Span, reading: _Reading
    ) -> Iterator[_Reading]:
        match event:
            case Span() if event.is_lone_unknown:
                for edit in name(text, event, self.both):
                    yield replace(reading, edits=(*reading.edits, edit))
            case Span() if event.is_bare:
                yield from self._expression(text, event, reading)
            case Span():
                yield from self._chain(text, event, reading)
            case Operation():
                yield from self._operation(text, event, reading)
            case _:
                yield _pending(reading, event, event)

    def _tells(self, stated: Sequence[Equality], state: State) -> bool:
        """Whether it is the value of an unknown that was not told yet."""
        solved = [found for e in stated if (found := e.solved_for) is not None]
        told = dict(state.final)
        return any(
            form.is_number and self.both.asked.names[index] not in told
            for index, form in solved
        )

    def _operation(
        self, text: str, operation: Operation, reading: _Reading
    ) -> Iterator[_Reading]:
        given, asked = _simulated(reading.progress)
        for form in operands(operation, given, asked):
            edit, new = operated(text, operation, form, self.both)
            moved = _pending(reading, operation, new)
            yield replace(
                moved,
                edits=(*moved.edits, edit),
                is_idle=moved.is_idle or new.is_idle,
            )

    def _expression(
        self, text: str, span: Span, reading: _Reading
    ) -> Iterator[_Reading]:
        explainer = Explainer(self.both, reading.progress.pairs, ())
        for node in explainer.expression(span.chain.sides[0]):
            edit = rewritten(text, span, (node,), self.both)
            yield replace(reading, edits=(*reading.edits, edit))

    def _chain(self, text: str, span: Span, reading: _Reading) -> Iterator[_Reading]:
        progress, old = reading.progress, span.chain.sides
        stated = equalities_of(span.chain, self.both.given.names)
        consumed = _consumed(progress, stated[0])
        sources = consumed[0] if consumed is not None else ()
        explainer = Explainer(self.both, progress.pairs, sources)
        for sides in explainer.chain(old):
            edit = rewritten(text, span, sides, self.both)
            new = stated_by(sides, self.both.asked)
            reached = replace(
                progress,
                given=_stating(progress.given, stated),
                asked=_stating(progress.asked, new),
                pairs=(*progress.pairs, self.both.pair(old, sides)),
                pending=consumed[1] if consumed is not None else progress.pending,
            )
            was_new = _is_news(stated, progress.given)
            is_new = _is_news(new, progress.asked) or self._tells(new, progress.asked)
            yield replace(
                reading,
                progress=reached,
                edits=(*reading.edits, edit),
                was_new=reading.was_new or was_new,
                is_new=reading.is_new or is_new,
                is_stale=reading.is_stale or (was_new and not is_new),
            )


def _parts(line: Line) -> list[Line]:
    """A line by its sentences: what cannot be written is found out early."""
    numbered = _NUMBERED.match(line.text)
    start = numbered.end() if numbered else 0
    first, *rest = _SENTENCE.split(line.text[start:])
    head = Line(line.mark, line.text[:start] + first)
    return [head, *(Line(None, text) for text in rest)]


def _joined(
    lines: Sequence[Sequence[Line]], written: Sequence[Line | None]
) -> list[Line | None]:
    """The parts put together to lines again; a line that is left out has one."""
    found: list[Line | None] = []
    at = 0
    for parts in lines:
        new = [line for line in written[at : at + len(parts)] if line is not None]
        text = "".join(line.text for line in new)
        found.append(Line(parts[0].mark, text) if new else None)
        at += len(parts)
    return found


def _judged(
    system: System,
    wanted: tuple[str, ...],
    sentences: Sequence[Sentence],
    state: State,
) -> State | None:
    """The state after the sentences, if every one is accepted."""
    for sentence in sentences:
        judged = judge(system, wanted, sentence, state)
        if not isinstance(judged.verdict, Accept):
            return None
        state = judged.state
    return state


def _is_news(stated: Sequence[Equality], state: State) -> bool:
    return any(e.has_unknown and e not in state.known for e in stated)


def _stating(state: State, stated: Sequence[Equality]) -> State:
    for equality in stated:
        if not equality.is_identity:
            state = state.stating(equality)
    return state


def _pending(reading: _Reading, old: Action, new: Action) -> _Reading:
    progress = reading.progress
    pending = (*progress.pending, (old, new))
    return replace(reading, progress=replace(progress, pending=pending))


def _simulated(progress: _Progress) -> tuple[State, State]:
    """Both states with the results of what is pending in their places."""
    given, asked = progress.given, progress.asked
    for old, new in progress.pending:
        given, asked = after(old, given), after(new, asked)
    return given, asked


def _consumed(
    progress: _Progress, stated: Equality
) -> (
    tuple[tuple[tuple[Equality, Equality], ...], tuple[tuple[Action, Action], ...]]
    | None
):
    """What the pending actions lead to in both, and those that are left after it."""
    given, asked = progress.given, progress.asked
    for count, (old, new) in enumerate(progress.pending, 1):
        if is_result(old, stated, given):
            was, now = results(old, given), results(new, asked)
            if len(was) == len(now):
                sources = tuple(zip(was, now, strict=True))
            else:
                sources = tuple((a, b) for a in was for b in now)
            return sources[:_MOST_READINGS], progress.pending[count:]
        given, asked = after(old, given), after(new, asked)
    return None
