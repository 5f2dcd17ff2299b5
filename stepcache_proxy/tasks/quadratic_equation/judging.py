"""What an answer says, sentence by sentence, judged for one quadratic equation.

An equation of degree two is accepted only if it has the roots of the problem *and* can
be got from it by moving whole terms, multiplying with a usual factor, factoring or
completing the square. An equation of degree one is a branch: its solution is a root. A
number in prose is accepted only in a role that this problem gives it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from stepcache_proxy.reuse.model import Accept, Reject, Unknown, Verdict
from stepcache_proxy.tasks.quadratic_equation.equations import (
    Equation,
    is_part,
    judge_pair,
)
from stepcache_proxy.tasks.quadratic_equation.expressions import (
    Either,
    Node,
    Symbol,
    has,
    has_either,
    literal,
    number,
    poly,
)
from stepcache_proxy.tasks.quadratic_equation.expressions import Unknown as UnknownNode
from stepcache_proxy.tasks.quadratic_equation.numeric import (
    FORMULA,
    Context,
    is_false,
    role_of_chain,
    symbols,
)
from stepcache_proxy.tasks.quadratic_equation.problem import (
    Problem,
    discriminant,
    splits,
)
from stepcache_proxy.tasks.quadratic_equation.prose import doubts_in_words, is_scoped
from stepcache_proxy.tasks.quadratic_equation.reading import (
    Sentence,
    Span,
    Word,
    read_sentences,
)
from stepcache_proxy.tasks.quadratic_equation.wording import (
    CHECK_WORDS,
    FINAL_WORDS,
    LIST_WORDS,
    NEXT_WORDS,
    PAIR_WORDS,
    THESE_WORDS,
    ZERO_WORDS,
    role_of,
)

_JOINING = frozenset({"or", "and"})


@dataclass(frozen=True, slots=True)
class State:
    """The multiple of the equation that the letters of the formula belong to."""

    scale: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on a sentence and what it says.

    ``roles`` names what its formulas are, in order; ``roots`` are those that it
    states as one states a solution.
    """

    verdict: Verdict
    state: State
    roles: tuple[str, ...]
    roots: frozenset[Fraction]
    is_final: bool
    is_check: bool


def judge(problem: Problem, sentence: Sentence, state: State) -> Judged:
    """One sentence, judged after what was said before it."""
    reader = _Reader(problem, sentence, state.scale)
    reader.read()
    return reader.judged()


def read_through(problem: Problem, text: str) -> list[Judged] | None:
    """Every sentence of a normalised text, judged; None where it is too long."""
    sentences = read_sentences(text, problem.unknown)
    if sentences is None:
        return None
    judged: list[Judged] = []
    state = State()
    for sentence in sentences:
        judged.append(judge(problem, sentence, state))
        state = judged[-1].state
    return judged


@dataclass(slots=True)
class _Reader:
    """Folds the items of one sentence into a verdict."""

    problem: Problem
    sentence: Sentence
    scale: Fraction | None
    doubts: list[str] = field(default_factory=list[str])
    wrongs: list[str] = field(default_factory=list[str])
    roles: list[str] = field(default_factory=list[str])
    stated: list[Fraction] = field(default_factory=list[Fraction])
    pair: list[Fraction] = field(default_factory=list[Fraction])
    said: list[str] = field(default_factory=list[str])

    @property
    def words(self) -> set[str]:
        return set(self.sentence.words)

    def read(self) -> None:
        items = self.sentence.items
        for at, item in enumerate(items):
            match item:
                case Word(text):
                    self.said.append(text)
                case Span() if not item.is_name:
                    following = items[at + 1] if at + 1 < len(items) else None
                    after = following.text if isinstance(following, Word) else ""
                    self._span(item, after)
                    self.said.clear()
                case _:
                    pass
        self._close()

    def _span(self, span: Span, after: str) -> None:
        if not span.is_bare and span.has_unknown:
            self._equation(span)
        elif not span.is_bare:
            self._chain(span.sides)
        elif number(span.sides[0]) is None:
            self._expression(span.sides[0])
        elif number(span.sides[0]) == 0 and self._is_factor_zero():
            self.roles.append("zero")
        elif after and after not in NEXT_WORDS:
            self.doubts.append("a number that counts something")
        else:
            self._number(span.sides[0])

    def _equation(self, span: Span) -> None:
        sides = span.sides
        whole = self.problem.whole.scaled(self.scale or Fraction(1))
        for left, right in pairwise(sides):
            self._note(judge_pair(self.problem, left, right, symbols(whole)))
        if isinstance(sides[0], UnknownNode):
            self._state(sides[-1], whole_chain=sides)

    def _note(self, equation: Equation) -> None:
        self.roles.append(equation.role)
        if equation.wrong:
            self.wrongs.append(equation.wrong)
        if equation.doubt:
            self.doubts.append(equation.doubt)
        if equation.scale is not None:
            self.scale = equation.scale

    def _state(self, side: Node, whole_chain: Sequence[Node]) -> None:
        """``x = 3`` states a root, ``x = ±3`` both; ``x = 6/2`` is on the way."""
        if has_either(side):
            values = [self._signed(side, 1), self._signed(side, -1)]
            if None not in values and len(whole_chain) == 2 and _is_simple(side):
                self.stated += [value for value in values if value is not None]
            return
        value = literal(side)
        if value is not None:
            self.stated.append(value)

    @staticmethod
    def _signed(side: Node, sign: int) -> Fraction | None:
        found = poly(side, 1 if sign > 0 else -1)
        return None if found is None or found.degree else found.c

    def _scales(self) -> Iterator[Fraction]:
        if self.scale is not None:
            yield self.scale
        elif self.problem.is_standard:
            yield Fraction(1)
        else:
            yield from dict.fromkeys(self.problem.scales)

    def _chain(self, sides: Sequence[Node]) -> None:
        """Numbers and letters of the formula only."""
        context = Context("discriminant" in self.words, bool(self.words & CHECK_WORDS))
        for scale in self._scales():
            role = role_of_chain(self.problem, scale, sides, context)
            if role:
                self.roles.append(role)
                if not role.startswith("check"):
                    self.scale = scale
                return
        self.roles.append("numbers")
        if is_false(sides):
            self.wrongs.append("wrong arithmetic")
        self.doubts.append("numbers that do not come from the equation")

    def _expression(self, node: Node) -> None:
        """Something that stands alone and is no number."""
        self.roles.append("expression")
        if has(node, Symbol):
            if node != FORMULA or "discriminant" not in self.words:
                self.doubts.append("a formula that is not explained")
            return
        found = poly(node)
        if found is None or has_either(node) or not is_part(self.problem, found):
            self.doubts.append("an expression that is not explained")

    def _number(self, node: Node) -> None:
        value = literal(node)
        role = role_of(self.said)
        if value is None:
            self._odd("a number that is not worked out")
        elif role:
            self._in_role(role, value)
        elif self._is_of_pair():
            self.roles.append("pair")
            self.pair.append(value)
        elif "discriminant" in self.words:
            self._discriminant(value)
        elif self._is_listed():
            self.roles.append("root")
            self._listed(value)
        else:
            self._odd("a number that is not explained")

    def _is_factor_zero(self) -> bool:
        """``Set each factor equal to 0``."""
        return bool(self.words & ZERO_WORDS) and "factor" in self.words

    def _is_of_pair(self) -> bool:
        """``The numbers are -2 and -3``, not "the solutions are"."""
        if self.words <= THESE_WORDS and "these" in self.words:
            return True
        return bool(self.words & PAIR_WORDS) and not self.words & FINAL_WORDS

    def _odd(self, doubt: str) -> None:
        self.roles.append("number")
        self.doubts.append(doubt)

    def _in_role(self, role: str, value: Fraction) -> None:
        self.roles.append(f"{role} named")
        for scale in self._scales():
            a, b, c = self.problem.whole.scaled(scale).parts
            if value == (a * c if role == "product" else b):
                self.scale = scale
                return
        self.doubts.append("a product or a sum of something else")

    def _discriminant(self, value: Fraction) -> None:
        self.roles.append("discriminant")
        for scale in self._scales():
            if discriminant(self.problem.whole.scaled(scale)) == value:
                self.scale = scale
                return
        self.wrongs.append("wrong discriminant")

    def _is_listed(self) -> bool:
        """Whether the sentence lists solutions: in words, or after ``x = 2 or``."""
        if self.stated and set(self.said) <= _JOINING:
            return True
        is_list = self.words <= LIST_WORDS
        return is_list and bool(self.words & FINAL_WORDS or self.words <= _JOINING)

    def _listed(self, value: Fraction) -> None:
        if value in self.problem.roots:
            self.stated.append(value)
        else:
            self.wrongs.append("wrong solution")

    def _close(self) -> None:
        if len(self.stated) != len(set(self.stated)):
            self.doubts.append("the same solution twice")
        if "or" in self.words and not self._are_all():
            self.doubts.append("an alternative without every solution")
        if self.pair and not self._is_pair():
            self.doubts.append("numbers that do not split the equation")

    def _are_all(self) -> bool:
        """Whether "or" stands between branches or solutions for all roots, or none."""
        roots = self.problem.roots
        kinds = [role.partition(" ") for role in self.roles]
        branches = [roots[int(at)] for kind, _, at in kinds if at and kind == "branch"]
        named = {*branches, *self.stated}
        is_once = len(branches) == len(set(branches))
        return not named or (is_once and named == set(roots))

    def _is_pair(self) -> bool:
        for scale in self._scales():
            whole = self.problem.whole.scaled(scale)
            wanted = sorted(splits(whole, self.problem.roots))
            if sorted(self.pair) == wanted:
                self.scale = scale
                return True
        return False

    def judged(self) -> Judged:
        """Accept only where nothing is in doubt."""
        return Judged(
            self._verdict(),
            State(self.scale),
            tuple(self.roles),
            frozenset(self.stated),
            is_final=bool(self.words & FINAL_WORDS),
            is_check=self._is_check(),
        )

    def _is_check(self) -> bool:
        """Whether roots are put in here, rather than given as the answer."""
        if "answer" in self.words:
            return False
        if any(role.startswith("check") for role in self.roles):
            return True
        return bool(self.words & CHECK_WORDS) and not self.words & FINAL_WORDS

    def _verdict(self) -> Verdict:
        words = doubts_in_words(self.problem, self.sentence)
        doubts = [*self.doubts, *words]
        if self.wrongs and not is_scoped(self.sentence):
            return Reject(self.wrongs[0])
        if doubts or self.wrongs:
            return Unknown((doubts or self.wrongs)[0])
        return Accept()


def _is_simple(side: Node) -> bool:
    """``±3``, not something to be worked out yet."""
    return isinstance(side, Either) and literal(side.inner) is not None
