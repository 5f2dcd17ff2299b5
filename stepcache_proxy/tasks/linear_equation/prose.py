"""The words of a sentence: which are understood, and what they say of the equation."""

from collections.abc import Iterable, Iterator

from stepcache_proxy.tasks.linear_equation.algebra import Balance
from stepcache_proxy.tasks.linear_equation.items import Span
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import Sentence
from stepcache_proxy.tasks.linear_equation.wording import (
    DECIMAL_WORDS,
    GONE_WORDS,
    QUOTIENT_WORDS,
    SUM_WORDS,
)
from stepcache_proxy.tasks.linear_equation.words import Prose


def doubts_in_words(problem: Problem, sentence: Sentence) -> Iterator[str]:
    """Why the words of a sentence cannot be accepted; nothing if they can."""
    prose = sentence.prose
    if not prose.is_understood:
        yield "words or signs that are not understood"
    if prose.is_scoped:
        yield "a condition, a denial or a question"
    if prose.names_form and not _is_of_this_form(problem, prose):
        yield "words about another form of equation"
    if prose.is_given and not _is_as_given(problem, sentence):
        yield "not the equation as given"
    if prose.is_collecting and not _is_where_said(sentence):
        yield "not the side that is named"


def _is_of_this_form(problem: Problem, prose: Prose) -> bool:
    """Brackets, fractions and decimals are named only where there are some."""
    forms = (
        (SUM_WORDS, problem.has_product_of_sum),
        (QUOTIENT_WORDS, problem.has_quotient),
        (DECIMAL_WORDS, problem.has_decimal),
        (GONE_WORDS, isinstance(problem.solved, str)),
    )
    return all(is_true or prose.all.isdisjoint(named) for named, is_true in forms)


def _is_as_given(problem: Problem, sentence: Sentence) -> bool:
    stated = _with_unknown(sentence.equations)
    return bool(sentence.operations) or not stated or stated[0] == problem.balance


def _is_where_said(sentence: Sentence) -> bool:
    """``Collect the terms in x on the left``: that is where they must be."""
    words, stated = sentence.prose.all, _with_unknown(sentence.equations)
    if not stated or sentence.operations:
        return True
    left, right = stated[-1]
    if {"left", "right"} <= words:
        return left.rest == right.slope == 0 or left.slope == right.rest == 0
    if not words & {"left", "right"}:
        return True
    return (right if "left" in words else left).slope == 0


def _with_unknown(spans: Iterable[Span]) -> list[Balance]:
    return [b for span in spans for b in span.chain.balances if b.has_unknown]
