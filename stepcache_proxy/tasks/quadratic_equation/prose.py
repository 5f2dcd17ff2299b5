"""The words of a sentence: which are understood, and what they say of the equation."""

from collections.abc import Iterator

from stepcache_proxy.tasks.quadratic_equation.claims import claims_unknown
from stepcache_proxy.tasks.quadratic_equation.expressions import (
    ZERO,
    Symbol,
    has,
    poly,
)
from stepcache_proxy.tasks.quadratic_equation.problem import Problem
from stepcache_proxy.tasks.quadratic_equation.reading import (
    Item,
    Pause,
    Sentence,
    Span,
    Word,
)
from stepcache_proxy.tasks.quadratic_equation.wording import (
    ANSWER_WORDS,
    CHECK_WORDS,
    DISTINCT_WORDS,
    DOUBLE_WORDS,
    GIVEN_WORDS,
    ROOT_WORDS,
    SCOPE_WORDS,
    ZERO_FACTOR_WORDS,
    ZERO_OTHER_WORDS,
)


def is_scoped(sentence: Sentence) -> bool:
    """Whether something is denied, supposed or asked."""
    return sentence.end == "?" or not SCOPE_WORDS.isdisjoint(sentence.words)


def doubts_in_words(problem: Problem, sentence: Sentence) -> Iterator[str]:
    """Why the words of a sentence cannot be accepted; nothing if they can."""
    words = set(sentence.words)
    if sentence.has_unread or not words <= ANSWER_WORDS:
        yield "words or signs that are not understood"
    if is_scoped(sentence):
        yield "a condition, a denial or a question"
    if not _is_counted(problem, words):
        yield "another number of solutions"
    if not _is_zero(problem, words):
        yield "something that is said to be zero"
    if claims_unknown(_spelled(sentence)):
        yield "something that is claimed in words"
    if not _is_as_given(problem, sentence, words):
        yield "not the equation as given"


def _spelled(sentence: Sentence) -> str:
    return " ".join(filter(None, map(_spelling, sentence.items)))


def _spelling(item: Item) -> str:
    match item:
        case Word(text):
            return text
        case Span():
            return "VALUE" if item.is_name else "MATH"
        case Pause(text="$"):
            return ""
        case _:
            return ","


def _is_counted(problem: Problem, words: set[str]) -> bool:
    """Double roots and two of them are named only where there are some."""
    if not problem.is_double:
        return words.isdisjoint(DOUBLE_WORDS)
    has_two = "two" in words and not words.isdisjoint(ROOT_WORDS)
    return not has_two and words.isdisjoint(DISTINCT_WORDS)


def _is_zero(problem: Problem, words: set[str]) -> bool:
    """Zero is what a factor, a product or a side is; the discriminant may be."""
    if "zero" not in words:
        return True
    if "discriminant" in words:
        return problem.is_double
    return not words.isdisjoint(ZERO_FACTOR_WORDS) and words.isdisjoint(
        ZERO_OTHER_WORDS
    )


def _is_as_given(problem: Problem, sentence: Sentence, words: set[str]) -> bool:
    stated = [span for span in sentence.spans if _is_equation(span)]
    if "standard" in words and not problem.is_standard:
        return any(poly(span.sides[-1]) == ZERO for span in stated)
    if words.isdisjoint(GIVEN_WORDS) or not words.isdisjoint(CHECK_WORDS):
        return True
    return not stated or _worth(stated[0]) == problem.sides


def _is_equation(span: Span) -> bool:
    return span.has_unknown and len(span.sides) > 1 and not _has_letters(span)


def _has_letters(span: Span) -> bool:
    return any(has(side, Symbol) for side in span.sides)


def _worth(span: Span) -> tuple[object, ...]:
    return tuple(map(poly, span.sides[:2]))
