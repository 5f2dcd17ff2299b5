"""What an answer says, sentence by sentence, judged for one system.

An equation is accepted only if it holds at the solution *and* comes from the system:
in both unknowns it is one of the two equations with terms moved and multiplied, or
what an action that is named before it makes of them. An equation with one unknown, or
none, is a consequence if it holds. Which equation a sentence names, and what it does
with it, must be true of the equation that follows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.linear_equation.expressions import Chain, Node
from stepcache_proxy.tasks.linear_equation.expressions import Unknown as Name
from stepcache_proxy.tasks.linear_equation.items import Span
from stepcache_proxy.tasks.linear_equation.literals import is_grounded, is_reduced
from stepcache_proxy.tasks.linear_system.algebra import Equality
from stepcache_proxy.tasks.linear_system.problem import System, sizes_of
from stepcache_proxy.tasks.linear_system.sentences import (
    Action,
    Operation,
    Sentence,
    Substitution,
)
from stepcache_proxy.tasks.linear_system.state import State, after, is_result
from stepcache_proxy.tasks.linear_system.statements import equalities_of, forms_of
from stepcache_proxy.tasks.linear_system.wording import (
    ANSWER_WORDS,
    CHECK_WORDS,
    ELIMINATE_WORDS,
    FINAL_WORDS,
    GIVEN_WORDS,
    SCOPE_WORDS,
    SOLVE_WORDS,
)

# What a person would write; each is compared with all that was stated before it.
_MOST_EQUATIONS = 100
_MOST_PENDING = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and what is known after it."""

    verdict: Verdict
    state: State


def judge(
    system: System, wanted: tuple[str, ...], sentence: Sentence, state: State
) -> Judged:
    """One sentence, judged after what was said before it."""
    reader = _Reader(system, wanted, sentence, state)
    reader.read()
    return Judged(reader.verdict(), reader.after())


def verdict_of(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several verdicts, Accept for none."""
    worst: Verdict = Accept()
    for verdict in verdicts:
        if isinstance(verdict, Reject):
            return verdict
        if isinstance(worst, Accept):
            worst = verdict
    return worst


@dataclass(slots=True)
class _Reader:
    """Folds the events of one sentence into a verdict and a state."""

    system: System
    wanted: tuple[str, ...]
    sentence: Sentence
    state: State
    doubts: list[str] = field(default_factory=list[str])
    wrongs: list[str] = field(default_factory=list[str])
    pending: list[Action] = field(default_factory=list[Action])
    values: dict[str, bool] = field(default_factory=dict[str, bool])
    isolated: set[str] = field(default_factory=set[str])

    def read(self) -> None:
        """Take in every event."""
        self.pending = list(self.state.pending)
        if self.sentence.words & CHECK_WORDS:
            self.state = replace(self.state, is_checking=True)
        if self.sentence.words & ELIMINATE_WORDS and (named := _named(self.sentence)):
            self.state = replace(self.state, eliminating=frozenset(named))
        equations = self.sentence.equations
        for event in self.sentence.events:
            match event:
                case Span() if event.is_lone_unknown:
                    pass
                case Span() if event.is_bare:
                    self._bare(event)
                case Span():
                    self._chain(event, is_last=event is equations[-1])
                case _:
                    self._act(event)
        self.doubts += _doubts_in_words(self.system, self.sentence, self.isolated)

    def _act(self, action: Action) -> None:
        self.pending.append(action)
        if len(self.pending) > _MOST_PENDING:
            self.doubts.append("too many actions without results")
            self.pending = self.pending[-_MOST_PENDING:]
        if isinstance(action, Operation):
            if action.is_idle:
                self.doubts.append("an operation that changes nothing")
            self._learn(action.operand.chain.sides)

    def _bare(self, span: Span) -> None:
        """An expression that stands alone in prose."""
        (form,) = forms_of(span.chain, self.system.names)
        words = self.sentence.words
        is_put = any(isinstance(action, Substitution) for action in self.pending)
        known = [s[1] for e in self.state.known if (s := e.solved_for) is not None]
        if is_put and form in known:
            return
        is_final = bool(words & FINAL_WORDS) or not words
        wanted, *others = self.wanted
        if not is_final or span.chain.has_unknown or others:
            self.doubts.append("an expression that is not explained")
        elif form.c == self.system.value(wanted):
            self.values[wanted] = is_reduced(span.chain.sides[0])
        elif {"answer", "solution"} & words:
            self.wrongs.append("wrong solution")
        else:
            self.doubts.append("a number that is not the solution")

    def _chain(self, span: Span, *, is_last: bool) -> None:
        chain = span.chain
        self.state = replace(self.state, equations=self.state.equations + 1)
        equalities = equalities_of(chain, self.system.names)
        if not all(e.holds_at(self.system.point) for e in equalities):
            self.wrongs.append("not true of this system")
            return
        if not self._is_grounded(chain):
            self.doubts.append("a number that does not come from the system")
        if not any(e.has_unknown for e in equalities):
            self._arithmetic(chain, equalities[0], is_last=is_last)
        if self.state.equations > _MOST_EQUATIONS:
            self.doubts.append("too many equations")
            return
        for equality, sides in zip(equalities, pairwise(chain.sides), strict=True):
            if equality.is_identity:
                self._identity(chain, sides)
            else:
                self._follow(equality, is_last=is_last)
        self._learn(chain.sides)
        self._note_values(chain)

    def _is_grounded(self, chain: Chain) -> bool:
        """Whether arithmetic is done with numbers that have been seen.

        What it leads to, at the end of its chain, is new.
        """
        known = set(self.state.sizes)
        for side, form in zip(
            chain.sides, forms_of(chain, self.system.names), strict=True
        ):
            is_written_out = form.is_number and not is_reduced(side)
            if is_written_out and not is_grounded(side, known):
                return False
            known |= sizes_of(side, self.system.names)
        return True

    def _learn(self, sides: Iterable[Node]) -> None:
        sizes = {size for side in sides for size in sizes_of(side, self.system.names)}
        self.state = replace(self.state, sizes=self.state.sizes | sizes)

    def _arithmetic(self, chain: Chain, equality: Equality, *, is_last: bool) -> None:
        """``2 + 3 = 5``: a side of a given equation, with the values put in."""
        is_repeated = self.state.is_checking and chain.sides[0] == chain.sides[1]
        if not is_repeated and self.system.checks.isdisjoint(chain.sides):
            self.doubts.append("arithmetic that belongs to no equation")
        elif is_repeated and not self._is_value_of_a_side(equality):
            self.doubts.append("an equation that says nothing")
        if not self.pending:
            return
        if is_result(self.pending[0], equality, self.state):
            self.pending = self.pending[1:]
        elif is_last:
            self.doubts.append("an action that does not lead to its result")

    def _is_value_of_a_side(self, equality: Equality) -> bool:
        at = self.system.point
        values = {given.left.at(at) for given in self.system.equalities}
        return equality.left.c in values

    def _identity(self, chain: Chain, sides: tuple[Node, Node]) -> None:
        is_repeated = sides[0] == sides[1]
        is_number = not chain.has_unknown
        if is_repeated and not (self.state.is_checking and is_number):
            self.doubts.append("an equation that says nothing")
        elif not is_number and len(chain.sides) < 3:
            self.doubts.append("an equation that says nothing of the system")

    def _follow(self, equality: Equality, *, is_last: bool) -> None:
        if self.pending:
            self._conclude(equality, is_last=is_last)
        elif not self._is_of_the_system(equality):
            self.doubts.append("an equation that does not come from the system")
        solved = equality.solved_for
        if solved is not None and equality not in self.state.known:
            self.isolated.add(self.system.names[solved[0]])
        self.state = self.state.stating(equality)
        self._note_elimination(equality)

    def _note_elimination(self, equality: Equality) -> None:
        gap = equality.difference
        left = [n for n, c in zip(self.system.names, (gap.x, gap.y), strict=True) if c]
        if self.state.eliminating and len(left) == 1:
            if left[0] in self.state.eliminating:
                self.doubts.append("not the unknown that was to be eliminated")
            self.state = replace(self.state, eliminating=frozenset())

    def _conclude(self, equality: Equality, *, is_last: bool) -> None:
        """The equation must be what one of the pending actions leads to."""
        state = self.state
        for count, action in enumerate(self.pending, 1):
            if is_result(action, equality, state):
                self.pending = self.pending[count:]
                return
            state = after(action, state)
        if not self._is_operand(equality, is_last=is_last):
            self.doubts.append("an action that does not lead to its equation")

    def _is_operand(self, equality: Equality, *, is_last: bool) -> bool:
        """``Substitute x = 2 into the first equation``: what is acted on."""
        is_known = equality in self.state.known
        if isinstance(self.pending[0], Substitution) and is_known:
            return True
        return not is_last and (is_known or self._is_of_a_given(equality))

    def _is_of_a_given(self, equality: Equality) -> bool:
        return equality.line in {given.line for given in self.system.equalities}

    def _is_of_the_system(self, equality: Equality) -> bool:
        gap = equality.difference
        if gap.x == 0 or gap.y == 0:
            return True
        lines = {known.line for known in self.state.known}
        return equality.line in lines or self._is_of_a_given(equality)

    def _note_values(self, chain: Chain) -> None:
        for name, value in ((0, -1), (-1, 0)):
            unknown = chain.sides[name]
            form = forms_of(chain, self.system.names)[value]
            if isinstance(unknown, Name) and form.is_number:
                self.values[unknown.name] = is_reduced(chain.sides[value])

    def verdict(self) -> Verdict:
        """Accept only where nothing is in doubt."""
        if self.wrongs and not _is_scoped(self.sentence):
            return Reject(self.wrongs[0])
        doubts = [*self.doubts, *self.wrongs]
        return Unknown(doubts[0]) if doubts else Accept()

    def after(self) -> State:
        """What is known after the sentence; a scoped one states no solution."""
        values = {} if _is_scoped(self.sentence) else self.values
        return replace(
            self.state,
            pending=tuple(self.pending),
            final=tuple((dict(self.state.final) | values).items()),
            ending=frozenset(values) or self.state.ending,
        )


def _is_scoped(sentence: Sentence) -> bool:
    """Whether something is denied, supposed, one of several or asked."""
    return sentence.is_question or not SCOPE_WORDS.isdisjoint(sentence.words)


def _doubts_in_words(
    system: System, sentence: Sentence, isolated: set[str]
) -> Iterator[str]:
    """Why the words of a sentence cannot be accepted; nothing if they can."""
    words = sentence.words
    if sentence.has_unread or not words <= ANSWER_WORDS:
        yield "words or signs that are not understood"
    if _is_scoped(sentence):
        yield "a condition, a denial or a question"
    named = _named(sentence)
    if words & SOLVE_WORDS and len(named) == 1 and isolated and not named & isolated:
        yield "not the unknown that is named"
    if words & GIVEN_WORDS and not words & CHECK_WORDS:
        given = [g.sides for g in system.given]
        stated = [e.chain.sides for e in sentence.equations]
        if not all(sides in given for sides in stated):
            yield "not an equation as given"


def _named(sentence: Sentence) -> set[str]:
    return {
        side.name
        for event in sentence.events
        if isinstance(event, Span) and event.is_lone_unknown
        for side in event.chain.sides
        if isinstance(side, Name)
    }
