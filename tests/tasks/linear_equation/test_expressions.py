"""The forms of all parts of an expression are those of each part alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_equation.expressions import (
    Binary,
    Negated,
    Node,
    Number,
    Unknown,
    linear,
    linear_parts,
    read_chain,
    walk,
)
from stepcache_proxy.tasks.linear_equation.printing import (
    PLAIN,
    Style,
    as_read,
    show_node,
)
from stepcache_proxy.tasks.linear_equation.tokens import tokenize

leaves = st.one_of(
    st.builds(Number, st.fractions(0, 12, max_denominator=4)), st.just(Unknown())
)
nodes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Negated, inner),
        st.builds(Binary, st.sampled_from("+-*/"), inner, inner),
    ),
    max_leaves=8,
)


@given(nodes)
def test_all_parts_together_have_the_forms_of_each(node: Node) -> None:
    alone = [linear(part) for part in walk(node)]
    assert linear_parts(node) == [form for form in alone if form is not None]


@given(nodes, nodes)
def test_expressions_of_different_kinds_are_never_equal(
    first: Node, second: Node
) -> None:
    if first == second:
        assert [type(n) for n in walk(first)] == [type(n) for n in walk(second)]


def read(text: str) -> Node:
    chain = read_chain(tokenize(text, limit=100) or ())
    assert chain is not None, text
    return chain.sides[0]


def number(value: int) -> Node:
    size = Number(read(str(abs(value))).value)  # type: ignore[union-attr]
    return Negated(size) if value < 0 else size


@pytest.mark.parametrize("style", [PLAIN, Style(fraction="\\frac")])
@pytest.mark.parametrize("above", [4, -4])
@pytest.mark.parametrize("below", [2, -2])
def test_a_quotient_is_read_as_foretold(style: Style, above: int, below: int) -> None:
    term = Binary("/", number(above), number(below))
    for node in (
        term,
        Negated(term),
        Binary("+", number(3), term),
        Binary("-", Unknown(), term),
        Binary("*", term, Unknown()),
        Binary("/", Binary("*", number(3), Unknown()), number(below)),
        Binary("/", Negated(Binary("*", number(3), Unknown())), number(below)),
    ):
        assert read(show_node(node, "x", style)) == as_read(node, style)
