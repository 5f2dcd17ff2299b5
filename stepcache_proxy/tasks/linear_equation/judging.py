"""What an answer says, sentence by sentence, judged for one equation.

An equation is accepted only if it has the solutions of the problem *and* can be reached
from it by moving whole terms and multiplying: ``4x + 6 = 26`` has the solution of
``4x + 8 = 28``, yet it is another question. A number in prose is accepted only as the
operand of an operation that leads from the equation before it to the one after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.linear_equation.algebra import Balance, Exact, Solved, size
from stepcache_proxy.tasks.linear_equation.expressions import Chain, Node
from stepcache_proxy.tasks.linear_equation.expressions import Unknown as UnknownNode
from stepcache_proxy.tasks.linear_equation.items import Span
from stepcache_proxy.tasks.linear_equation.literals import (
    is_grounded,
    is_reduced,
)
from stepcache_proxy.tasks.linear_equation.operating import leads
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.prose import doubts_in_words
from stepcache_proxy.tasks.linear_equation.sentences import (
    Operation,
    Sentence,
)
from stepcache_proxy.tasks.linear_equation.wording import (
    FINAL_WORDS,
    PART_WORDS,
    SIDE_WORDS,
    SUM_WORDS,
)


class State(NamedTuple):
    """What has been said so far.

    ``latest`` is the last equation, None where nothing before is known; ``pending``
    are operations whose result is not stated yet; ``seen`` are numbers worked out.
    ``is_checking``: the solution is being put in, so that ``26 = 26`` says something.
    """

    latest: Balance | None = None
    pending: tuple[Operation, ...] = ()
    seen: frozenset[Exact] = frozenset()
    final: Solved | None = None
    is_final_reduced: bool = False
    equations: int = 0
    is_checking: bool = False


class Judged(NamedTuple):
    """A verdict and what is known after it."""

    verdict: Verdict
    state: State


def judge(problem: Problem, sentence: Sentence, state: State) -> Judged:
    """One sentence, judged after what was said before it.

    The state after a sentence that is refused is the one before it.
    """
    reader = _Reader(problem, sentence, state)
    for event in sentence.events:
        if isinstance(event, Span):
            reader.state_span(event)
        elif isinstance(event, Operation):
            reader.operate(event)
        else:
            reader.claim(event.solved)
        if reader.is_refused:
            return Judged(Reject(reader.wrongs[0]), state)
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


@dataclass(frozen=True, slots=True)
class _Known:
    """The sizes that may be written: two sets that are not worth joining each time."""

    quantities: frozenset[Exact]
    seen: set[Exact]

    def __contains__(self, size: object) -> bool:
        return size in self.quantities or size in self.seen or size in (0, 1)


class _Reader:
    """Folds the events of one sentence into a verdict and a state."""

    def __init__(self, problem: Problem, sentence: Sentence, before: State) -> None:
        self.problem = problem
        self.sentence = sentence
        self.before = before
        self.doubts: list[str] = []
        self.wrongs: list[str] = []
        self.latest = self.earlier = before.latest
        self.pending = list(before.pending)
        self.seen = set(before.seen)
        self.final: Solved | None = None
        self.is_final_reduced = False
        self.equations = 0
        self.is_checking = before.is_checking or sentence.prose.is_checking

    def operate(self, operation: Operation) -> None:
        self.pending.append(operation)
        if operation.is_idle:
            self.doubts.append("an operation that changes nothing")
        self.seen.update(operation.operand.chain.sizes[0])

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
        words = self.sentence.prose.all
        form = span.chain.forms[0]
        if span.chain.has_unknown or self.sentence.prose.has_unread:
            self.doubts.append("an expression that is not explained")
        elif words & SIDE_WORDS:
            self._side_value(form.rest)
        elif words & SUM_WORDS and size(form.rest) in self.problem.outer_factors:
            self.seen.add(size(form.rest))
        elif "coefficient" in words and self._is_coefficient(form.rest):
            self.seen.add(form.rest)
        elif (words & FINAL_WORDS and not words & PART_WORDS) or not words:
            self._final_number(span, form.rest)
        else:
            self.doubts.append("a number that is not explained")

    def _side_value(self, value: Exact) -> None:
        root = self.problem.solved
        if isinstance(root, str) or self.problem.balance.left.at(root) != value:
            self.doubts.append("a number that is not the value of a side")

    def _is_coefficient(self, value: Exact) -> bool:
        balance = self.latest or self.problem.balance
        return value in (balance.left.slope, balance.right.slope)

    def _final_number(self, span: Span, value: Exact) -> None:
        if value == self.problem.solved:
            self.final = value
            self.is_final_reduced = is_reduced(span.chain.sides[0])
        elif {"answer", "solution"} & self.sentence.prose.all:
            self.wrongs.append("wrong solution")
        else:
            self.doubts.append("a number that is not the solution")

    def _equation(self, chain: Chain) -> None:
        self.equations += 1
        doubts_before = len(self.doubts)
        for number in range(len(chain.balances)):
            self._balance(chain, number)
        # Of a sentence that is refused, nothing else is asked.
        if self.is_refused:
            return
        if not self._is_grounded(chain):
            doubt = "a number that does not come from the equation"
            self.doubts.insert(doubts_before, doubt)
        self._note_final(chain)

    @property
    def is_refused(self) -> bool:
        """Whether something is wrong that is neither denied nor supposed."""
        return bool(self.wrongs) and not self.sentence.prose.is_scoped

    def _is_grounded(self, chain: Chain) -> bool:
        is_all = True
        for side, sizes in zip(chain.sides, chain.sizes, strict=True):
            is_all = is_all and self._is_known(side, sizes)
            self.seen.update(sizes)
        return is_all

    def _is_known(self, side: Node, sizes: tuple[Exact, ...]) -> bool:
        """Whether every number comes from the equation, or from what was said."""
        if self.problem.plain_quantities.issuperset(sizes):
            return True
        return is_grounded(side, _Known(self.problem.quantities, self.seen))

    def _balance(self, chain: Chain, number: int) -> None:
        balance, solved = chain.balances[number], chain.solved[number]
        if balance.has_unknown and solved == self.problem.solved != "all":
            self._follow(balance)
            return
        is_repeated = chain.sides[number] == chain.sides[number + 1]
        if not balance.has_unknown and not is_repeated:
            self.is_checking = True
        is_identity = solved == "all"
        if is_identity and self.problem.solved != "all":
            if is_repeated and not (self.is_checking and self._is_side(balance)):
                self.doubts.append("an equation that says nothing")
            return
        if is_identity and not self.problem.reaches(balance):
            return
        if solved != self.problem.solved:
            self.wrongs.append("not an equation of this problem")
        elif (
            not balance.has_unknown and not is_identity and not self._is_absurd(balance)
        ):
            self.wrongs.append("wrong arithmetic")
        else:
            self._follow(balance)

    def _is_side(self, balance: Balance) -> bool:
        """``26 = 26``, the end of a check."""
        root = self.problem.solved
        if isinstance(root, str) or balance.has_unknown:
            return False
        return self.problem.balance.left.at(root) == balance.left.rest

    def _is_absurd(self, balance: Balance) -> bool:
        """``0 = 5``, what remains of an equation without a solution."""
        return balance in self.problem.reach or self._fits_pending(balance)

    def _fits_pending(self, balance: Balance) -> bool:
        return bool(self.pending) and leads(
            self.pending, self.latest, balance, self.problem
        )

    def _follow(self, balance: Balance) -> None:
        if self.pending:
            is_fit = self._fits_pending(balance)
            if not is_fit and balance == (self.latest or self.problem.balance):
                return  # Subtract 6 from both sides of 4x + 6 = 26: ...
            if not is_fit:
                self.doubts.append("an operation that does not lead to its equation")
            self.pending.clear()
        elif not self.problem.reaches(balance):
            self.doubts.append("an equation that does not come from this problem")
        elif not self._is_still_the_same(balance):
            self.doubts.append("a simplification that moves terms")
        self.earlier, self.latest = self.latest, balance

    def _is_still_the_same(self, balance: Balance) -> bool:
        """``Simplify both sides`` moves nothing."""
        if self.latest is None or not self.sentence.prose.is_simplifying:
            return True
        return self.latest == balance or bool(self.sentence.operations)

    def _note_final(self, chain: Chain) -> None:
        for name, value in ((0, -1), (-1, 0)):
            if isinstance(chain.sides[name], UnknownNode):
                form = chain.forms[value]
                if form.slope == 0:
                    self.final = form.rest
                    self.is_final_reduced = is_reduced(chain.sides[value])

    def close(self) -> None:
        """An operation named after its result: ``4x = 20, after subtracting 6``."""
        fresh = self.pending[len(self.before.pending) :]
        if not fresh or self.latest is None or self.latest == self.before.latest:
            return
        if leads(self.pending, self.earlier, self.latest, self.problem):
            self.pending.clear()

    def verdict(self) -> Verdict:
        """Accept only where nothing is in doubt; nothing is refused."""
        doubts = doubts_in_words(self.problem, self.sentence)
        doubt = next(chain(self.doubts, doubts, self.wrongs), None)
        return Accept() if doubt is None else Unknown(doubt)

    def after(self) -> State:
        """What is known after the sentence; a scoped one states no solution."""
        is_final = self.final is not None and not self.sentence.prose.is_scoped
        return State(
            latest=self.latest,
            pending=tuple(self.pending),
            seen=frozenset(self.seen),
            final=self.final if is_final else self.before.final,
            is_final_reduced=(
                self.is_final_reduced if is_final else self.before.is_final_reduced
            ),
            equations=self.before.equations + self.equations,
            is_checking=self.is_checking,
        )
