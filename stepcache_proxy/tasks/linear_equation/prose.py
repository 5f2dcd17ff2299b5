"""The words of a sentence: which are understood, and what they say of the equation."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.algebra import Balance
from stepcache_proxy.tasks.linear_equation.items import Span
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import Sentence
from stepcache_proxy.tasks.linear_equation.wording import (
    ANSWER_WORDS,
    CHECK_WORDS,
    COLLECT_WORDS,
    DECIMAL_WORDS,
    GIVEN_WORDS,
    GONE_WORDS,
    QUOTIENT_WORDS,
    SCOPE_WORDS,
    SUM_WORDS,
)


def is_scoped(sentence: Sentence) -> bool:
    """Whether something is denied, supposed, one of several or asked."""
    return sentence.is_question or not SCOPE_WORDS.isdisjoint(sentence.words)


def doubts_in_words(problem: Problem, sentence: Sentence) -> Iterator[str]:
    """Why the words of a sentence cannot be accepted; nothing if they can."""
    words = set(sentence.words)
    if sentence.has_unread or not words <= ANSWER_WORDS:
        yield "words or signs that are not understood"
    if is_scoped(sentence):
        yield "a condition, a denial or a question"
    if not _is_of_this_form(problem, words):
        yield "words about another form of equation"
    if not _is_as_given(problem, sentence, words):
        yield "not the equation as given"
    if not _is_where_said(sentence, words):
        yield "not the side that is named"


def _is_of_this_form(problem: Problem, words: set[str]) -> bool:
    """Brackets, fractions and decimals are named only where there are some."""
    forms = (
        (SUM_WORDS, problem.has_product_of_sum),
        (QUOTIENT_WORDS, problem.has_quotient),
        (DECIMAL_WORDS, problem.has_decimal),
        (GONE_WORDS, not isinstance(problem.solved, Fraction)),
    )
    return all(is_true or words.isdisjoint(named) for named, is_true in forms)


def _is_as_given(problem: Problem, sentence: Sentence, words: set[str]) -> bool:
    if not words & GIVEN_WORDS or words & CHECK_WORDS or sentence.operations:
        return True
    stated = _with_unknown(sentence.equations)
    return not stated or stated[0] == problem.balance


def _is_where_said(sentence: Sentence, words: set[str]) -> bool:
    """``Collect the terms in x on the left``: that is where they must be."""
    stated = _with_unknown(sentence.equations)
    if not words & COLLECT_WORDS or not stated or sentence.operations:
        return True
    left, right = stated[-1].left, stated[-1].right
    if {"left", "right"} <= words:
        return left.b == right.a == 0 or left.a == right.b == 0
    if not words & {"left", "right"}:
        return True
    return (right if "left" in words else left).a == 0


def _with_unknown(spans: Iterable[Span]) -> list[Balance]:
    return [b for span in spans for b in span.chain.balances if b.has_unknown]
