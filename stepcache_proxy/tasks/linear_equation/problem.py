"""A linear equation as somebody wrote it, with what follows from it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from stepcache_proxy.tasks.linear_equation.algebra import (
    Balance,
    Exact,
    Linear,
    Solved,
    is_reached,
    moved_sides,
    natural_scales,
    reachable,
    size,
    tidy,
)
from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
    linear_parts,
    shape,
    walk,
)
from stepcache_proxy.tasks.linear_equation.once import once
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

    def __hash__(self) -> int:
        # Equal problems have equal numbers, and those of all nodes take longer.
        return hash((self.unknown, self.balance))

    def named(self, unknown: str) -> "Problem":
        """The same equation in another letter; what follows from it stays."""
        other = Problem(unknown, self.left, self.right, self.balance, self.read)
        # What is worked out knows no letter, and it is in the dictionary with the rest.
        vars(other).update({**vars(self), "unknown": unknown})
        return other

    @once
    def solved(self) -> Solved:
        """The value of the unknown, or that there is none, or that all are."""
        return self.balance.solved

    @once
    def cleared(self) -> int:
        """The smallest number that clears every fraction."""
        return self.balance.common_denominator

    @once
    def parts(self) -> tuple[Linear, ...]:
        """The forms of everything written on both sides, in order."""
        return (*linear_parts(self.left), *linear_parts(self.right))

    @once
    def shape(self) -> str:
        """How both sides are put together, their numbers and the letter left out."""
        return f"{shape(self.left)}={shape(self.right)}"

    @once
    def layout(self) -> tuple[str, str]:
        """The kinds of everything written on each side, in order."""
        return _layout(self.left), _layout(self.right)

    @once
    def reach(self) -> tuple[Balance, ...]:
        """The equations got by moving whole terms."""
        return reachable(self.balance)

    @once
    def _normal_reach(self) -> frozenset[tuple[int, int, int, int]]:
        return frozenset(balance.normal for balance in self.reach)

    @once
    def natural(self) -> frozenset[Balance]:
        """The reachable equations at every scale that a person would use."""
        scales = natural_scales(self.balance)
        return frozenset(b.scaled(scale) for b in self.reach for scale in scales)

    @once
    def plain_quantities(self) -> frozenset[Exact]:
        """Those of ``quantities`` that are named most, nothing scaled for them."""
        return _plain_quantities(self)

    @once
    def quantities(self) -> frozenset[Exact]:
        """Sizes of the numbers that a worked solution would name."""
        return _quantities(self)

    def reaches(self, balance: Balance) -> bool:
        """Whether whole terms moved and one factor lead from here to ``balance``."""
        if self.balance.left.slope != self.balance.right.slope:
            return is_reached(balance, self.balance)
        return balance in self.reach or balance.normal in self._normal_reach

    @once
    def has_product_of_sum(self) -> bool:
        """Whether something is to be multiplied out."""
        return any(
            isinstance(node, Binary)
            and node.symbol in {"*", "/"}
            and any(_is_sum(part) for part in (node.left, node.right))
            for node in self.nodes
        )

    @once
    def outer_factors(self) -> frozenset[Exact]:
        """Sizes of the numbers that stand before a sum in brackets."""
        return frozenset(
            node.left.value
            for node in self.nodes
            if isinstance(node, Binary)
            and isinstance(node.left, Number)
            and _is_sum(node.right)
            and node.symbol == "*"
        )

    @once
    def has_quotient(self) -> bool:
        """Whether something is divided."""
        return any(isinstance(n, Binary) and n.symbol == "/" for n in self.nodes)

    @once
    def has_decimal(self) -> bool:
        """Whether a number is written with a point."""
        return any(isinstance(n, Number) and n.is_decimal for n in self.nodes)

    @once
    def nodes(self) -> tuple[Node, ...]:
        """Everything written on both sides."""
        return (*walk(self.left), *walk(self.right))


def _layout(node: Node) -> str:
    names = {Number: "n", Unknown: "x", Negated: "-"}
    return "".join(
        part.symbol if isinstance(part, Binary) else names[type(part)]
        for part in walk(node)
    )


def _is_sum(node: Node) -> bool:
    return isinstance(node, Binary) and node.symbol in {"+", "-"}


def _plain_quantities(problem: Problem) -> frozenset[Exact]:
    forms = moved_sides(problem.balance).union(problem.parts)
    found = {size(number) for number in _numbers(forms)}
    found |= {problem.cleared, problem.balance.common_factor}
    root = problem.solved
    if not isinstance(root, str):
        found |= {size(slope * root + rest) for slope, rest in forms}
        found |= {size(root), size(root.numerator), root.denominator}
    return frozenset(found)


def _quantities(problem: Problem) -> frozenset[Exact]:
    moved = _numbers(side for known in problem.reach for side in known)
    scales = [scale for scale in natural_scales(problem.balance) if scale > 0]
    scaled = {tidy(size(number) * scale) for number in moved for scale in scales}
    return problem.plain_quantities | scaled


def _numbers(forms: Iterable[Linear]) -> set[Exact]:
    return {number for form in forms for number in form}
