"""What an answer says, sentence by sentence, judged for one equation.

An equation is accepted only if it has the solutions of the problem *and* can be reached
from it by moving whole terms and multiplying: ``4x + 6 = 26`` has the solution of
``4x + 8 = 28``, yet it is another question. A number in prose is accepted only as the
operand of an operation that leads from the equation before it to the one after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.linear_equation.algebra import Balance, Solved
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Chain,
    Negated,
    Node,
    Number,
    linear,
    walk,
)
from stepcache_proxy.tasks.linear_equation.expressions import Unknown as UnknownNode
from stepcache_proxy.tasks.linear_equation.items import Span
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import (
    Claim,
    Operation,
    Sentence,
)
from stepcache_proxy.tasks.linear_equation.wording import (
    ANSWER_WORDS,
    CHECK_WORDS,
    COLLECT_WORDS,
    DECIMAL_WORDS,
    FINAL_WORDS,
    GIVEN_WORDS,
    QUOTIENT_WORDS,
    SCOPE_WORDS,
    SUM_WORDS,
)

_GONE_WORDS = frozenset(("gone", "disappears", "vanishes"))
_SIDE_WORDS = frozenset("left right side sides lhs rhs left-hand right-hand".split())
_PART_WORDS = frozenset("coefficient constant term terms".split())


@dataclass(frozen=True, slots=True)
class State:
    """What has been said so far.

    ``latest`` is the last equation, None where nothing before is known; ``pending``
    are operations whose result is not stated yet; ``seen`` are numbers worked out.
    """

    latest: Balance | None = None
    pending: tuple[Operation, ...] = ()
    seen: frozenset[Fraction] = frozenset()
    final: Solved | None = None
    is_final_reduced: bool = False
    equations: int = 0


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and what is known after it."""

    verdict: Verdict
    state: State


def judge(problem: Problem, sentence: Sentence, state: State) -> Judged:
    """One sentence, judged after what was said before it."""
    reader = _Reader(problem, sentence, state)
    for event in sentence.events:
        match event:
            case Operation():
                reader.operate(event)
            case Claim(solved):
                reader.claim(solved)
            case Span():
                reader.state_span(event)
    reader.close()
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

    problem: Problem
    sentence: Sentence
    before: State
    doubts: list[str] = field(default_factory=list[str])
    wrongs: list[str] = field(default_factory=list[str])
    latest: Balance | None = field(init=False)
    pending: list[Operation] = field(init=False)
    seen: set[Fraction] = field(init=False)
    final: Solved | None = None
    is_final_reduced: bool = False
    equations: int = 0
    earlier: Balance | None = field(init=False)

    def __post_init__(self) -> None:
        self.latest = self.earlier = self.before.latest
        self.pending = list(self.before.pending)
        self.seen = set(self.before.seen)

    def operate(self, operation: Operation) -> None:
        self.pending.append(operation)
        if operation.is_idle:
            self.doubts.append("an operation that changes nothing")
        self.seen |= set(_values(operation.operand.chain.sides[0]))

    def claim(self, solved: Solved) -> None:
        if solved == self.problem.solved:
            self.final, self.is_final_reduced = solved, True
        else:
            self.wrongs.append("wrong number of solutions")

    def state_span(self, span: Span) -> None:
        if span.is_lone_unknown:
            return
        if span.is_bare:
            self._bare(span)
        else:
            self._equation(span.chain)

    def _bare(self, span: Span) -> None:
        """A number that stands alone in prose."""
        words = set(self.sentence.words)
        form = span.chain.forms[0]
        if span.chain.has_unknown:
            self.doubts.append("an expression that is not explained")
        elif words & _SIDE_WORDS:
            self._side_value(form.b)
        elif "coefficient" in words and self._is_coefficient(form.b):
            self.seen.add(form.b)
        elif words & FINAL_WORDS and not words & _PART_WORDS or not words:
            self._final_number(span, form.b)
        else:
            self.doubts.append("a number that is not explained")

    def _side_value(self, value: Fraction) -> None:
        root = self.problem.solved
        if not isinstance(root, Fraction) or self.problem.balance.left.at(root) != value:
            self.doubts.append("a number that is not the value of a side")

    def _is_coefficient(self, value: Fraction) -> bool:
        balance = self.latest or self.problem.balance
        return value in {balance.left.a, balance.right.a}

    def _final_number(self, span: Span, value: Fraction) -> None:
        if value == self.problem.solved:
            self.final = value
            self.is_final_reduced = _is_reduced(span.chain.sides[0])
        elif {"answer", "solution"} & set(self.sentence.words):
            self.wrongs.append("wrong solution")
        else:
            self.doubts.append("a number that is not the solution")

    def _equation(self, chain: Chain) -> None:
        self.equations += 1
        if not self._is_grounded(chain):
            self.doubts.append("a number that does not come from the equation")
        for number, balance in enumerate(chain.balances):
            is_repeated = chain.sides[number] == chain.sides[number + 1]
            self._balance(balance, is_repeated=is_repeated)
        self._note_final(chain)

    def _is_grounded(self, chain: Chain) -> bool:
        known = self.problem.quantities | self.seen | {Fraction(0), Fraction(1)}
        is_grounded = True
        for side in chain.sides:
            is_grounded = is_grounded and _leaves(side) <= known
            known = known | set(_values(side))
        self.seen |= set(known - self.problem.quantities)
        return is_grounded

    def _balance(self, balance: Balance, *, is_repeated: bool) -> None:
        gap = balance.difference
        is_identity = gap.a == 0 and gap.b == 0
        if is_identity and self.problem.solved != "all":
            if is_repeated and not self._is_side(balance):
                self.doubts.append("an equation that says nothing")
            return
        if is_identity and not self.problem.reaches(balance):
            return
        if balance.solved != self.problem.solved:
            self.wrongs.append("not an equation of this problem")
        elif not balance.has_unknown and not is_identity and not self._is_absurd(balance):
            self.wrongs.append("wrong arithmetic")
        else:
            self._follow(balance)

    def _is_side(self, balance: Balance) -> bool:
        """``26 = 26``, the end of a check."""
        root = self.problem.solved
        if not isinstance(root, Fraction) or balance.has_unknown:
            return False
        return self.problem.balance.left.at(root) == balance.left.b

    def _is_absurd(self, balance: Balance) -> bool:
        """``0 = 5``, what remains of an equation without a solution."""
        return balance in self.problem.reach or self._fits_pending(balance)

    def _fits_pending(self, balance: Balance) -> bool:
        return bool(self.pending) and _leads(
            self.pending, self.latest, balance, self.problem
        )

    def _follow(self, balance: Balance) -> None:
        if self.pending:
            if not self._fits_pending(balance):
                self.doubts.append("an operation that does not lead to its equation")
            self.pending.clear()
        elif not self.problem.reaches(balance):
            self.doubts.append("an equation that does not come from this problem")
        self.earlier, self.latest = self.latest, balance

    def _note_final(self, chain: Chain) -> None:
        for name, value in ((0, -1), (-1, 0)):
            if isinstance(chain.sides[name], UnknownNode):
                form = chain.forms[value]
                if form.a == 0:
                    self.final = form.b
                    self.is_final_reduced = _is_reduced(chain.sides[value])

    def close(self) -> None:
        """An operation named after its result: ``4x = 20, after subtracting 6``."""
        fresh = self.pending[len(self.before.pending) :]
        if not fresh or self.latest is None or self.latest == self.before.latest:
            return
        if _leads(self.pending, self.earlier, self.latest, self.problem):
            self.pending.clear()

    def verdict(self) -> Verdict:
        """Accept only where nothing is in doubt."""
        words = set(self.sentence.words)
        is_scoped = bool(words & SCOPE_WORDS) or self.sentence.is_question
        doubts = [*self.doubts, *self._doubts_in_words(words)]
        if is_scoped:
            doubts.append("a condition, a denial or a question")
        if self.wrongs and not is_scoped:
            return Reject(self.wrongs[0])
        return Unknown((doubts or self.wrongs)[0]) if doubts or self.wrongs else Accept()

    def _doubts_in_words(self, words: set[str]) -> Iterator[str]:
        problem = self.problem
        if self.sentence.has_unread or not words <= ANSWER_WORDS:
            yield "words or signs that are not understood"
        if words & SUM_WORDS and not problem.has_product_of_sum:
            yield "nothing to multiply out"
        if words & QUOTIENT_WORDS and not problem.has_quotient:
            yield "no fraction in the equation"
        if words & DECIMAL_WORDS and not problem.has_decimal:
            yield "no decimal in the equation"
        if words & _GONE_WORDS and isinstance(problem.solved, Fraction):
            yield "the unknown has not gone"
        if not self._is_as_given(words):
            yield "not the equation as given"
        if not self._is_where_said(words):
            yield "not the side that is named"

    def _is_as_given(self, words: set[str]) -> bool:
        if not words & GIVEN_WORDS or words & CHECK_WORDS or self.sentence.operations:
            return True
        stated = _with_unknown(self.sentence.equations)
        return not stated or stated[0] == self.problem.balance

    def _is_where_said(self, words: set[str]) -> bool:
        """``Collect the terms in x on the left``: that is where they must be."""
        if not words & COLLECT_WORDS or not words & _SIDE_WORDS:
            return True
        stated = _with_unknown(self.sentence.equations)
        if not stated or self.sentence.operations:
            return True
        left, right = stated[-1].left, stated[-1].right
        if {"left", "right"} <= words:
            return (left.b, right.a) == (0, 0) or (left.a, right.b) == (0, 0)
        empty = right if "left" in words else left
        return empty.a == 0 or "right" not in words and "left" not in words

    def after(self) -> State:
        """What is known after the sentence; a scoped one states no solution."""
        words = set(self.sentence.words)
        is_scoped = bool(words & SCOPE_WORDS) or self.sentence.is_question
        is_final = self.final is not None and not is_scoped
        return State(
            latest=self.latest,
            pending=tuple(self.pending),
            seen=frozenset(self.seen),
            final=self.final if is_final else self.before.final,
            is_final_reduced=(
                self.is_final_reduced if is_final else self.before.is_final_reduced
            ),
            equations=self.before.equations + self.equations,
        )


def _leads(
    operations: Sequence[Operation],
    start: Balance | None,
    end: Balance,
    problem: Problem,
) -> bool:
    """Whether the operations, in order, lead from ``start`` to ``end``.

    With no start known they must come from an equation a person would have.
    """
    if start is not None:
        reached: Balance | None = start
        for operation in operations:
            reached = reached and operation.applied(reached)
        return reached == end
    origin: Balance | None = end
    for operation in reversed(operations):
        origin = origin and operation.undone(origin)
    return origin is not None and origin in problem.natural


def is_natural(problem: Problem, operations: Sequence[Operation]) -> bool:
    """Whether a person would do this next, the result being left unsaid."""
    return all(_is_natural(problem, operation) for operation in operations)


def _is_natural(problem: Problem, operation: Operation) -> bool:
    form = operation.form
    for balance in problem.natural:
        for side in (balance.left, balance.right):
            if operation.verb in {"multiply", "divide"}:
                is_match = form.a == 0 and form.b != 0 and side.a == form.b
            else:
                sign = -1 if operation.verb == "add" else 1
                is_match = (form.a * sign, form.b * sign) in {(side.a, 0), (0, side.b)}
            if is_match:
                return True
    return False


def _with_unknown(spans: Iterable[Span]) -> list[Balance]:
    return [b for span in spans for b in span.chain.balances if b.has_unknown]


def _values(node: Node) -> Iterator[Fraction]:
    """Sizes of all parts of an expression that are plain numbers."""
    for part in walk(node):
        form = linear(part)
        if form is not None and form.a == 0:
            yield abs(form.b)


def _leaves(node: Node) -> set[Fraction]:
    return {part.value for part in walk(node) if isinstance(part, Number)}


def _is_reduced(node: Node) -> bool:
    """Whether it is a number as one would state it: 5, -5, 1/3, 0.25."""
    match node:
        case Negated(inner):
            return not isinstance(inner, Negated) and _is_reduced(inner)
        case Number():
            return True
        case Binary("/", above, Number(below)):
            above = above.inner if isinstance(above, Negated) else above
            if not isinstance(above, Number) or below == 1:
                return False
            return Fraction(above.value, below).denominator == below
        case _:
            return False
