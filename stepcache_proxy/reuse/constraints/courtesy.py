"""Greetings, thanks and small talk around a request."""

from stepcache_proxy.reuse.constraints import phrases
from stepcache_proxy.reuse.constraints.lexer import BOUNDARIES, COMMA
from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.constraints.phrases import match
from stepcache_proxy.reuse.constraints.tables import FUNCTION_WORDS

# Before a small word one of these opens a request even without a comma.
_LOOSE_OPENINGS = words("hi hello hey hiya so um uh er erm yeah ok okay")


def without_thanks(sentences: list[list[str]]) -> list[list[str]]:
    """Without the sentences that are only courtesy, unless nothing else is said."""
    kept = [part for part in sentences if not _is_courtesy(part)]
    return kept or sentences


def _is_courtesy(sentence: list[str]) -> bool:
    words = [mark for mark in sentence if mark not in BOUNDARIES]
    tables = (phrases.OPENINGS, phrases.CLOSINGS)
    return not words or any(match(words, 0, table)[0] == len(words) for table in tables)


def without_courtesy(marks: list[str]) -> list[str]:
    """A sentence without its courteous beginning and end."""
    at = 0
    while at < len(marks) and (length := _opening(marks, at)):
        at += length
    if 0 < at < len(marks) - 1 and marks[at] == "but":  # silly question, but ...
        at += 1
    return _closed(marks[at:])


def _opening(marks: list[str], at: int) -> int:
    """How many of the marks at ``at`` only open the talk; never all that is said."""
    if marks[at] == COMMA:
        return 1
    length, _ = match(marks, at, phrases.OPENINGS)
    if not length or at + length == len(marks):
        return 0
    after = marks[at + length]
    if after == COMMA:
        return length + 1
    is_loose = marks[at] in _LOOSE_OPENINGS and after in FUNCTION_WORDS
    return length if is_loose else 0


def _closed(marks: list[str]) -> list[str]:
    """Without a courtesy after the last comma."""
    end = len(marks) - bool(marks and marks[-1] in BOUNDARIES)
    if COMMA not in marks[1:end]:
        return marks
    comma = end - 1 - marks[:end][::-1].index(COMMA)
    length = match(marks, comma + 1, phrases.CLOSINGS)[0] if comma + 1 < end else 0
    if length and comma + 1 + length == end:
        return marks[:comma] + marks[end:]
    return marks
