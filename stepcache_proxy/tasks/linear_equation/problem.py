"""A linear equation as somebody wrote it, with what follows from it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from stepcache_proxy.tasks.linear_equation.algebra import (
    Balance,
    Solved,
    natural_scales,
    reachable,
)
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Node,
    Number,
    linear,
    walk,
)
from stepcache_proxy.tasks.linear_equation.sentences import Sentence, read_sentences

Read = Callable[[str, str], tuple[Sentence, ...] | None]


# Not slotted: what follows from it is worked out once, when first asked for, since
# most requests are only read and compared.
@dataclass(frozen=True)
class Problem:
    """One equation in one unknown; ``left`` and ``right`` are the sides as written.

    ``read`` is ``read_sentences``, or one that remembers what it has read.
    """

    unknown: str
    left: Node
    right: Node
    balance: Balance
    read: Read = field(default=read_sentences, compare=False, repr=False)

    @cached_property
    def solved(self) -> Solved:
        """The value of the unknown, or that there is none, or that all are."""
        return self.balance.solved

    @cached_property
    def reach(self) -> tuple[Balance, ...]:
        """The equations got by moving whole terms."""
        return reachable(self.balance)

    @cached_property
    def _normal_reach(self) -> frozenset[Balance]:
        return frozenset(balance.normal for balance in self.reach)

    @cached_property
    def natural(self) -> frozenset[Balance]:
        """The reachable equations at every scale that a person would use."""
        scales = natural_scales(self.balance)
        return frozenset(b.scaled(scale) for b in self.reach for scale in scales)

    @cached_property
    def quantities(self) -> frozenset[Fraction]:
        """Sizes of the numbers that a worked solution would name."""
        return _quantities(self)

    def reaches(self, balance: Balance) -> bool:
        """Whether whole terms moved and one factor lead from here to ``balance``."""
        return balance.normal in self._normal_reach

    @property
    def has_product_of_sum(self) -> bool:
        """Whether something is to be multiplied out."""
        return any(
            isinstance(node, Binary)
            and node.symbol in {"*", "/"}
            and any(_is_sum(part) for part in (node.left, node.right))
            for node in self.nodes
        )

    @property
    def outer_factors(self) -> frozenset[Fraction]:
        """Sizes of the numbers that stand before a sum in brackets."""
        return frozenset(
            node.left.value
            for node in self.nodes
            if isinstance(node, Binary)
            and isinstance(node.left, Number)
            and _is_sum(node.right)
            and node.symbol == "*"
        )

    @property
    def has_quotient(self) -> bool:
        """Whether something is divided."""
        return any(isinstance(n, Binary) and n.symbol == "/" for n in self.nodes)

    @property
    def has_decimal(self) -> bool:
        """Whether a number is written with a point."""
        return any(isinstance(n, Number) and n.is_decimal for n in self.nodes)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Everything written on both sides."""
        return (*walk(self.left), *walk(self.right))


def _is_sum(node: Node) -> bool:
    return isinstance(node, Binary) and node.symbol in {"+", "-"}


def _quantities(problem: Problem) -> frozenset[Fraction]:
    forms = [form for form in map(linear, problem.nodes) if form is not None]
    found = {number for form in forms for number in (form.a, form.b)}
    moved = {abs(number) for known in problem.reach for number in known.numbers}
    scales = [scale for scale in natural_scales(problem.balance) if scale > 0]
    found |= {number * scale for number in moved for scale in scales}
    balance = problem.balance
    found |= {Fraction(balance.common_denominator), Fraction(balance.common_factor)}
    if isinstance(problem.solved, Fraction):
        root = problem.solved
        found |= {form.at(root) for form in forms}
        found |= {side.at(root) for b in problem.reach for side in (b.left, b.right)}
        found |= {root, Fraction(root.numerator), Fraction(root.denominator)}
    return frozenset(abs(number) for number in found)
