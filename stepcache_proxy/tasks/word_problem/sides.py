"""Lines of an answer -> clauses, the sides of their equals signs, expressions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stepcache_proxy.tasks.word_problem.expressions import Binary, Node, parse
from stepcache_proxy.tasks.word_problem.script import NOTED
from stepcache_proxy.tasks.word_problem.tokens import Kind, Token

MAX_EXPRESSION = 80
"""Tokens that an expression may have, its units among them."""

_DRESS = frozenset("$'’")
_ARITHMETIC = frozenset("+*/^<>=-")


def clauses(line: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The parts of a line between marks of punctuation."""
    start = 0
    for at, token in enumerate(line):
        if token.kind is Kind.BREAK:
            yield line[start:at]
            start = at + 1
    yield line[start:]


def sides_of(clause: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """What stands between the equals signs; a note begins a side of its own."""
    start = 0
    for at, token in enumerate(clause):
        if token.text == "=":
            yield clause[start:at]
            start = at + 1
        elif token.text == NOTED and any(t.text != "$" for t in clause[start:at]):
            yield clause[start:at]
            start = at
    yield clause[start:]


def is_arithmetic(side: Sequence[Token], at: int) -> bool:
    """Whether the sign at a place calculates: no hyphen, no dash, no ``$5/day``."""
    if side[at].text not in _ARITHMETIC:
        return False
    before = side[at - 1] if at else None
    after = side[at + 1] if at + 1 < len(side) else None
    if side[at].text == "/":
        return after is None or after.kind is not Kind.WORD
    if side[at].text != "-":
        return True
    is_after_number = before is not None and before.kind is Kind.NUMBER
    is_before_number = after is not None and (
        after.kind is Kind.NUMBER or after.text in {"$", "("}
    )
    return is_before_number or (is_after_number and after is None)


def last_expression(side: Sequence[Token]) -> tuple[Node | None, int]:
    """The longest expression that a side ends with, and where it starts."""
    for start in range(max(0, len(side) - MAX_EXPRESSION), len(side)):
        token = side[start]
        if token.kind is not Kind.NUMBER and token.text != "(":
            continue
        if start and is_arithmetic(side, start - 1):
            continue
        tree = parse(without_units(side[start:]))
        if isinstance(tree, Binary):
            return tree, start
    return None, len(side)


def without_units(side: Sequence[Token]) -> list[Token]:
    """The side without currency, words, and ``/day`` behind a number."""
    shown: list[Token] = []
    for at, token in enumerate(side):
        after = side[at + 1] if at + 1 < len(side) else None
        if token.lower == "of" and _is_product(shown, after):
            shown.append(replace(token, kind=Kind.SIGN, text="*", lower="*"))
        elif not _is_unit(side, at):
            shown.append(token)
    return shown


def _is_unit(side: Sequence[Token], at: int) -> bool:
    token = side[at]
    if token.kind is Kind.WORD or token.text in _DRESS:
        return True
    if token.text == "/" and at + 1 < len(side):
        return side[at + 1].kind is Kind.WORD
    return token.text == "-" and _is_hyphen(side, at)


def _is_product(shown: Sequence[Token], after: Token | None) -> bool:
    """Whether ``of`` multiplies: ``20% of 50``, ``3/5 of $80``."""
    if not shown or after is None:
        return False
    is_share = shown[-1].text == "%" or "/" in shown[-1].text
    return is_share and (after.kind is Kind.NUMBER or after.text == "$")


def _is_hyphen(side: Sequence[Token], at: int) -> bool:
    if not 0 < at < len(side) - 1:
        return False
    before, after = side[at - 1], side[at + 1]
    is_glued = before.end == side[at].start and side[at].end == after.start
    return is_glued and Kind.WORD in (before.kind, after.kind)
