"""Random expressions with their exact values, as people write them."""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from stepcache_proxy.tasks.arithmetic.printing import show


@dataclass(frozen=True, slots=True)
class Written:
    """An expression of at least one operator; ``is_sum`` needs brackets inside."""

    text: str
    value: Fraction
    is_sum: bool = False

    @property
    def shown(self) -> str:
        """The value as people write it."""
        return show(self.value)


numbers = st.integers(1, 200).map(lambda n: Written(str(n), Fraction(n)))
_SIGNS = {"*": (" * ", "*", " × ", r" \times "), "/": (" / ", "/", " ÷ ")}


@st.composite
def _joined(draw: st.DrawFn, parts: st.SearchStrategy[Written]) -> Written:
    a, b, sign = draw(parts), draw(parts), draw(st.sampled_from("+-*/"))
    if sign in "+-":
        value = a.value + b.value if sign == "+" else a.value - b.value
        right = f"({b.text})" if b.is_sum else b.text
        return Written(f"{a.text} {sign} {right}", value, is_sum=True)
    if sign == "/" and not b.value:
        sign = "*"
    value = a.value * b.value if sign == "*" else a.value / b.value
    left = f"({a.text})" if a.is_sum else a.text
    right = b.text if b.text.isdigit() else f"({b.text})"
    return Written(left + draw(st.sampled_from(_SIGNS[sign])) + right, value)


def written() -> st.SearchStrategy[Written]:
    """Expressions of one to three operators with values of a modest size."""
    one = _joined(numbers)
    return (one | _joined(numbers | one)).filter(
        lambda e: abs(e.value) < 10**9 and e.value.denominator < 10**6
    )
