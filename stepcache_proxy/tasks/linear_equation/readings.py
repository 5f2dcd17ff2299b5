"""Requests that were read lately: the same donors are asked about again and again."""

from collections.abc import Sequence
from functools import lru_cache

from stepcache_proxy.reuse.model import Accept, Verdict
from stepcache_proxy.tasks.linear_equation.algebra import Balance
from stepcache_proxy.tasks.linear_equation.asking import (
    MAX_CHARACTERS,
    Asked,
    form_in_words,
    read_request,
    reads_two_ways,
)
from stepcache_proxy.tasks.linear_equation.checking import check_answer, check_step
from stepcache_proxy.tasks.linear_equation.deriving import Work, read_work
from stepcache_proxy.tasks.linear_equation.expressions import Node, linear
from stepcache_proxy.tasks.linear_equation.patterns import (
    LETTER,
    Pattern,
    pattern_of,
    text_of,
)
from stepcache_proxy.tasks.linear_equation.problem import Problem
from stepcache_proxy.tasks.linear_equation.sentences import (
    Sentence,
    read_sentences,
    say_the_same,
)
from stepcache_proxy.tasks.linear_equation.tokens import lone_letters

_MOST_REQUESTS, _MOST_TEXTS = 256, 1_024
_MOST_WORKS = 128  # of half a megabyte at the very most
_LONGEST = 2_000  # a longer answer is read anew rather than kept


class Readings:
    """What texts ask, and whether answers are right for them; a few hundred of each.

    An equation that is found here again, in whatever words, brings along what was
    worked out for it, and in another letter most of it. A sentence is read once for all
    equations in the same unknown, and once for all unknowns that are not in it; the
    words around an equation are read once, too. All of it depends on nothing else.
    """

    def __init__(self) -> None:
        self._asked = lru_cache(_MOST_REQUESTS)(self._read_request)
        self._equations = lru_cache(_MOST_REQUESTS)(_in_letters)
        self._steps = lru_cache(_MOST_TEXTS)(check_step)
        self._answers = lru_cache(_MOST_REQUESTS)(check_answer)
        self._work = lru_cache(_MOST_WORKS)(self._read_work)
        self._forms = lru_cache(_MOST_REQUESTS)(form_in_words)
        self._sentences = lru_cache(_MOST_TEXTS)(read_sentences)
        self._patterns = lru_cache(_MOST_REQUESTS)(_read_pattern)
        self._requests = lru_cache(_MOST_REQUESTS)(self._read_request_pattern)
        self._letters = lru_cache(_MOST_TEXTS)(lone_letters)

    def asked(self, text: str) -> Asked | None:
        """The same as ``read_request``."""
        return self._asked(text) if len(text) <= MAX_CHARACTERS else None

    def is_right(self, text: str, answer: str) -> bool:
        """Whether ``answer`` is accepted for the request ``text``."""
        asked = self.asked(text)
        return asked is not None and isinstance(
            self.check_answer(asked, answer), Accept
        )

    def check_answer(self, asked: Asked, answer: str) -> Verdict:
        """The same as ``checking.check_answer``."""
        if len(answer) > _LONGEST:
            return check_answer(asked, answer)
        return self._answers(asked, answer)

    def check_step(self, problem: Problem, text: str) -> Verdict:
        """The same as ``checking.check_step``."""
        if len(text) > _LONGEST:
            return check_step(problem, text)
        return self._steps(problem, text)

    def work(self, text: str, answer: str) -> Work | None:
        """The work in ``answer`` to the request ``text``, if it can be read."""
        if len(answer) > _LONGEST:
            return self._read_work(text, answer)
        return self._work(text, answer)

    def sentences(self, text: str, unknown: str) -> tuple[Sentence, ...] | None:
        """The same as ``read_sentences``."""
        if len(text) > _LONGEST:
            return read_sentences(text, unknown)
        # A letter that is not there is as good as any other, or none.
        return self._sentences(text, unknown if unknown in self._letters(text) else "")

    def says(self, text: str, unknown: str, sentences: Sequence[Sentence]) -> bool:
        """Whether ``text`` is read as these sentences, but for places."""
        pattern = pattern_of(text, unknown) if len(text) <= _LONGEST else None
        common = None if pattern is None else self._patterns(pattern.key)
        if (
            pattern is not None
            and common is not None
            and say_the_same(common, sentences, pattern.fill_all)
        ):
            return True
        read = self.sentences(text, unknown)
        return read is not None and say_the_same(read, sentences)

    def _read_request(self, text: str) -> Asked | None:
        letters = lone_letters(text)
        unknown = next(iter(letters)) if len(letters) == 1 else ""
        pattern = pattern_of(text, unknown)
        common = None if pattern is None else self._requests(pattern.key)
        asked: Asked | None = None
        if pattern is not None and common is not None and not reads_two_ways(text):
            asked = self._filled(unknown, common, pattern)
        return asked or read_request(text, self._forms, self._problem)

    def _read_request_pattern(self, key: str) -> Asked | None:
        return read_request(text_of(key), self._forms)

    def _filled(self, unknown: str, common: Asked, pattern: Pattern) -> Asked | None:
        """What a text of the pattern asks; None where its numbers have no form."""
        left, right = map(pattern.fill, (common.problem.left, common.problem.right))
        forms = linear(left), linear(right)
        if forms[0] is None or forms[1] is None:
            return None
        problem = self._problem(unknown, left, right, Balance(forms[0], forms[1]))
        return Asked(problem, common.form)

    def _problem(
        self, unknown: str, left: Node, right: Node, balance: Balance
    ) -> Problem:
        """The problem as it is known, or as it is known in another letter."""
        known = self._equations(left, right, balance)
        if unknown not in known:
            other = next(iter(known.values()), None)
            known[unknown] = (
                other.named(unknown)
                if other is not None
                else Problem(unknown, left, right, balance, self.sentences)
            )
        return known[unknown]

    def _read_work(self, text: str, answer: str) -> Work | None:
        asked = self.asked(text)
        return None if asked is None else read_work(asked.problem, answer)


def _read_pattern(key: str) -> tuple[Sentence, ...] | None:
    """The sentences of a pattern; None unless all of it is read."""
    sentences = read_sentences(text_of(key), LETTER)
    if sentences is None or any(sentence.prose.has_unread for sentence in sentences):
        return None
    return sentences


def _in_letters(_left: Node, _right: Node, _balance: Balance) -> dict[str, Problem]:
    """Room for an equation in every letter that it is asked in."""
    return {}
