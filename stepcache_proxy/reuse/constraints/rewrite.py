"""Marks -> canonical marks: what is said in several ways is said in one.

Every pass keeps whatever it does not know. Nothing that could change the answer is
dropped: articles, courtesy and the words around a request are.
"""

from stepcache_proxy.reuse.constraints import phrases
from stepcache_proxy.reuse.constraints.courtesy import without_courtesy, without_thanks
from stepcache_proxy.reuse.constraints.lexer import ASK, BOUNDARIES, COMMA, STOP
from stepcache_proxy.reuse.constraints.phrases import match, replaced
from stepcache_proxy.reuse.constraints.quantities import computed, read_quantities
from stepcache_proxy.reuse.constraints.sentences import said_plainly
from stepcache_proxy.reuse.constraints.tables import (
    ARTICLES,
    AUXILIARIES,
    CONTRACTED_ENDS,
    CONTRACTIONS,
    FILLERS,
    FUNCTION_WORDS,
    IS_CONTRACTED,
    LETTERED,
    ONE_NUMBER,
    OPENERS,
    QUESTION_WORDS,
)
from stepcache_proxy.reuse.constraints.vocabulary import (
    kept_as_written,
    with_synonyms,
)

_SHORT = 7
_BE = frozenset({"is", "was"})
# Unlike who, when and which they do not join a clause to the noun before them.
_ASKS = frozenset({"what", "how"})
_SPOKEN_TWICE = FUNCTION_WORDS - {"had", "that", "no", "not"}


def canonical(marks: list[str], names: frozenset[str]) -> list[str]:
    """The canonical marks of a text, still with its boundaries. Linear time.

    A word of ``names`` is never read as the plural or the singular of another.
    """
    marks = _without_articles(_expanded(marks))
    kept = kept_as_written(marks, names)
    sentences = _with_short_how(without_thanks(_split(marks)))
    whole = [mark for sentence in sentences for mark in _sentence(sentence, kept)]
    return computed(read_quantities(whole))


def _sentence(marks: list[str], kept: frozenset[str]) -> list[str]:
    marks = without_courtesy(replaced(marks, phrases.FORMAT_PHRASES))
    marks = _framed(_direct(_fronted_last(marks)))
    marks = with_synonyms(replaced(marks, phrases.PHRASES), kept)
    return said_plainly(_without_dummy(marks))


def _expanded(marks: list[str]) -> list[str]:
    """Contractions in full, owners without their 's, verbs in one number."""
    out: list[str] = []
    for mark in marks:
        if mark in CONTRACTIONS:
            out += [ONE_NUMBER.get(w, w) for w in CONTRACTIONS[mark].split()]
        elif mark[0] not in '"@#=!' and "'" in mark:
            out += [ONE_NUMBER.get(w, w) for w in _apart(mark) if w]
        elif mark not in FILLERS:
            out.append(ONE_NUMBER.get(mark, mark))
    return out


def _apart(mark: str) -> list[str]:
    stem, _, end = mark.rpartition("'")
    if end == "t" and stem.endswith("n"):
        return [stem[:-1], "not"]
    if "'" + end in CONTRACTED_ENDS:
        return [stem, CONTRACTED_ENDS["'" + end]]
    if end == "d":
        return [stem, "would"]
    if end == "s":
        return [stem, "is"] if stem in IS_CONTRACTED else [stem]
    return [stem] if not end else [mark]


def _without_articles(marks: list[str]) -> list[str]:
    """Without articles, and without a small word said twice."""
    out: list[str] = []
    for i, mark in enumerate(marks):
        last = out[-1] if out else STOP
        if mark in ARTICLES:
            after = marks[i + 1] if i + 1 < len(marks) else STOP
            is_name = mark == "a" and last in LETTERED
            if after[0].isalpha() and not is_name:
                continue
        elif mark == last and mark in _SPOKEN_TWICE:
            continue
        out.append(mark)
    return out


def _split(marks: list[str]) -> list[list[str]]:
    """Sentences, each with the boundary that ends it."""
    parts: list[list[str]] = [[]]
    for mark in marks:
        parts[-1].append(mark)
        if mark in {STOP, ASK}:
            parts.append([])
    return [part for part in parts if part]


def _with_short_how(sentences: list[list[str]]) -> list[list[str]]:
    """With "How do I do that?" read as the end of the sentence before it."""
    out: list[list[str]] = []
    for sentence in sentences:
        if out and sentence[0] == "how" and len(sentence) <= _SHORT:
            out[-1] = [*out[-1][:-1], COMMA, *sentence]
        else:
            out.append(sentence)
    return out


def _direct(marks: list[str]) -> list[str]:
    """A question asked directly: "tell me where it is" -> "where is it"."""
    if not marks:
        return marks
    length, _ = match(marks, 0, phrases.ASKINGS)
    length += bool(length) and marks[length : length + 1] == [COMMA]
    if length and length < len(marks) and marks[length] in QUESTION_WORDS:
        return _inverted(marks[length:])
    length, _ = match(marks, 0, phrases.POLITE_REQUEST)
    if length and length < len(marks) and marks[length] in phrases.REQUESTS:
        return [STOP if mark == ASK else mark for mark in marks[length:]]
    return marks


def _inverted(marks: list[str]) -> list[str]:
    """Read "what the fee is" -> "what is the fee"."""
    end = len(marks) - (marks[-1] in BOUNDARIES)
    if end > 2 and marks[end - 1] in _BE and _BE.isdisjoint(marks[: end - 1]):
        return [marks[0], marks[end - 1], *marks[1 : end - 1], *marks[end:]]
    return marks


def _framed(marks: list[str]) -> list[str]:
    """The frames at the start and after each comma, in one wording."""
    starts = [0, *(i + 1 for i, mark in enumerate(marks[:-1]) if mark == COMMA)]
    for at in reversed(starts if marks else []):
        length, found = match(marks, at, phrases.FRAMES)
        if length:
            marks = [*marks[:at], *found, *marks[at + length :]]
    return marks


def _without_dummy(marks: list[str]) -> list[str]:
    """Without the "do" behind a question word: it only makes the question."""
    if not marks or marks[0] not in QUESTION_WORDS:
        return marks
    if "do" in marks[1:6]:
        at = marks.index("do")
        if AUXILIARIES.isdisjoint(marks[:at]):
            marks = marks[:at] + marks[at + 1 :]
    if marks[0] == "which" and len(marks) > 1 and _may_be_noun(marks[1]):
        return ["what", *marks[1:]]
    return marks


def _may_be_noun(mark: str) -> bool:
    return mark[0].isalpha() and mark not in FUNCTION_WORDS


def _fronted_last(marks: list[str]) -> list[str]:
    """Read "on Sundays, when ..." -> "when ... on Sundays"."""
    if not marks or marks[0] not in OPENERS:
        return marks
    end = len(marks) - (marks[-1] in BOUNDARIES)
    if COMMA not in marks[:end]:
        asked = next((i for i in range(2, end - 1) if marks[i] in _ASKS), 0)
        return _swapped(marks, asked, asked, end) if asked else marks
    comma = marks.index(COMMA)
    if comma + 1 >= end or COMMA in marks[comma + 1 : end]:
        return marks
    return _swapped(marks, comma, comma + 1, end)


def _swapped(marks: list[str], stop: int, start: int, end: int) -> list[str]:
    return [*marks[start:end], *marks[:stop], *marks[end:]]
