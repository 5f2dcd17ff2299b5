"""Requests that were read lately: the same donors are asked about again and again."""

from dataclasses import replace
from functools import lru_cache

from stepcache_proxy.reuse.model import Accept
from stepcache_proxy.tasks.linear_equation.asking import (
    MAX_CHARACTERS,
    Asked,
    form_in_words,
    read_request,
)
from stepcache_proxy.tasks.linear_equation.checking import check_answer
from stepcache_proxy.tasks.linear_equation.deriving import Work, read_work
from stepcache_proxy.tasks.linear_equation.sentences import Sentence, read_sentences

_MOST_REQUESTS, _MOST_TEXTS = 256, 1_024
_MOST_WORKS = 128  # of half a megabyte at the very most
_LONGEST = 2_000  # a longer answer is read anew rather than kept


class Readings:
    """What texts ask, and whether answers are right for them; a few hundred of each.

    An equation that is found here again brings along what was worked out for it, a
    sentence is read once for all equations in the same unknown, and so are the words
    around an equation.
    """

    def __init__(self) -> None:
        self._asked = lru_cache(_MOST_REQUESTS)(self._read_request)
        self._judged = lru_cache(_MOST_REQUESTS)(self._is_right)
        self._work = lru_cache(_MOST_WORKS)(self._read_work)
        self._forms = lru_cache(_MOST_REQUESTS)(form_in_words)
        self._sentences = lru_cache(_MOST_TEXTS)(read_sentences)

    def asked(self, text: str) -> Asked | None:
        """The same as ``read_request``."""
        return self._asked(text) if len(text) <= MAX_CHARACTERS else None

    def is_right(self, text: str, answer: str) -> bool:
        """Whether ``answer`` is accepted for the request ``text``."""
        if len(answer) > _LONGEST:
            return self._is_right(text, answer)
        return self._judged(text, answer)

    def work(self, text: str, answer: str) -> Work | None:
        """The work in ``answer`` to the request ``text``, if it can be read."""
        if len(answer) > _LONGEST:
            return self._read_work(text, answer)
        return self._work(text, answer)

    def sentences(self, text: str, unknown: str) -> tuple[Sentence, ...] | None:
        """The same as ``read_sentences``."""
        if len(text) > _LONGEST:
            return read_sentences(text, unknown)
        return self._sentences(text, unknown)

    def _read_request(self, text: str) -> Asked | None:
        asked = read_request(text, self._forms)
        if asked is None:
            return None
        return replace(asked, problem=replace(asked.problem, read=self.sentences))

    def _read_work(self, text: str, answer: str) -> Work | None:
        asked = self.asked(text)
        return None if asked is None else read_work(asked.problem, answer)

    def _is_right(self, text: str, answer: str) -> bool:
        asked = self.asked(text)
        return asked is not None and isinstance(check_answer(asked, answer), Accept)
