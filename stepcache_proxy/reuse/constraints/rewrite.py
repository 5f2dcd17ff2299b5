"""Marks -> canonical marks: what is said in several ways is said in one.

Every pass keeps whatever it does not know. Nothing that could change the answer is
dropped: articles, courtesy and the words around a request are.
"""

from stepcache_proxy.reuse.constraints import phrases
from stepcache_proxy.reuse.constraints.lexer import ASK, BOUNDARIES, COMMA, STOP
from stepcache_proxy.reuse.constraints.phrases import HOW, Wordings
from stepcache_proxy.reuse.constraints.quantities import read_quantities
from stepcache_proxy.reuse.constraints.sentences import said_plainly
from stepcache_proxy.reuse.constraints.synonyms import (
    ANYWHERE,
    AS_VERB,
    IRREGULAR_PLURALS,
    OBJECTS,
    VERBS,
    WITH_OBJECT,
)
from stepcache_proxy.reuse.constraints.tables import (
    AUXILIARIES,
    CONTRACTED_ENDS,
    CONTRACTIONS,
    CURRENCIES,
    FUNCTION_WORDS,
    IS_CONTRACTED,
    LETTERED,
    NOT_PLURALS,
    OPENERS,
    QUESTION_WORDS,
    SMALL_NUMBERS,
    TENS,
)

_ARTICLES = frozenset({"a", "an", "the"})
_FILLERS = frozenset({"um", "uh", "erm", "hmm", "please", "kindly"})
_BE = frozenset({"is", "are", "was", "were"})
_ONE_NUMBER = {"are": "is", "am": "is", "does": "do", "were": "was"}
# A greeting before one of these opens a request even without a comma.
_LOOSE_OPENINGS = frozenset({"hi", "hello", "hey", "hiya", "so", "um", "uh", "ok", "okay"})
_SUM_WORDS = frozenset("of percent plus minus times divided by squared cubed".split())
_LONGEST = 7


def canonical(marks: list[str]) -> list[str]:
    """The canonical marks of a text, still with its boundaries. Linear time."""
    marks = _without_articles(_expanded(marks))
    sentences = _without_thanks(_split(marks))
    whole = [mark for sentence in sentences for mark in _sentence(sentence)]
    return _computed(read_quantities(whole))


def _expanded(marks: list[str]) -> list[str]:
    """Contractions in full, owners without their 's, verbs in one number."""
    out: list[str] = []
    for mark in marks:
        known = CONTRACTIONS.get(mark)
        if known:
            out += known.split()
        elif mark[0] not in '"@#=!' and ("'" in mark or "’" in mark):
            out += _apart(mark.replace("’", "'"))
        elif mark not in _FILLERS:
            out.append(_ONE_NUMBER.get(mark, mark))
    return out


def _apart(mark: str) -> list[str]:
    known = CONTRACTIONS.get(mark)
    if known:
        return known.split()
    stem, _, end = mark.rpartition("'")
    if end == "t" and stem.endswith("n"):
        return [_ONE_NUMBER.get(stem[:-1], stem[:-1]), "not"]
    if "'" + end in CONTRACTED_ENDS:
        full = CONTRACTED_ENDS["'" + end]
        return [stem, _ONE_NUMBER.get(full, full)]
    if end == "d":
        return [stem, "would"]
    if end == "s":
        return [stem, "is"] if stem in IS_CONTRACTED else [stem]
    return [stem] if not end else [mark]


def _without_articles(marks: list[str]) -> list[str]:
    out: list[str] = []
    for i, mark in enumerate(marks):
        if mark in _ARTICLES:
            after = marks[i + 1] if i + 1 < len(marks) else STOP
            is_name = bool(out) and mark == "a" and out[-1] in LETTERED
            if after[0].isalpha() and not is_name:
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


def _without_thanks(sentences: list[list[str]]) -> list[list[str]]:
    """Without the sentences that are only courtesy, unless nothing else is said."""
    kept = [part for part in sentences if not _is_courtesy(part)]
    return kept or sentences


def _is_courtesy(sentence: list[str]) -> bool:
    words = tuple(mark for mark in sentence if mark not in BOUNDARIES)
    tables = (phrases.OPENINGS, phrases.CLOSINGS)
    return not words or any(words in table.get(words[0], {}) for table in tables)


def _sentence(marks: list[str]) -> list[str]:
    marks = _without_courtesy(marks)
    marks = _framed(_direct(marks))
    marks = _replaced(marks, phrases.PHRASES)
    marks = _with_synonyms(marks)
    return said_plainly(_fronted_last(_without_dummy(marks)))


def _match(marks: list[str], at: int, table: Wordings) -> tuple[int, tuple[str, ...]]:
    """How many marks the longest wording at ``at`` takes, and what it stands for."""
    options = table.get(marks[at])
    if options:
        for length in range(min(_LONGEST, len(marks) - at), 0, -1):
            found = options.get(tuple(marks[at : at + length]))
            if found is not None:
                return length, found
    return 0, ()


def _replaced(marks: list[str], table: Wordings) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(marks):
        length, found = _match(marks, at, table)
        out += found if length else marks[at : at + 1]
        at += length or 1
    return out


def _without_courtesy(marks: list[str]) -> list[str]:
    marks = _replaced(marks, phrases.FORMAT_PHRASES)
    while marks:
        length = _opening(marks)
        if not length:
            break
        marks = marks[length:]
    return _closed(marks)


def _opening(marks: list[str]) -> int:
    """How many of the first marks only open the talk; never all that is said."""
    if marks[0] == COMMA:
        return 1
    length, _ = _match(marks, 0, phrases.OPENINGS)
    if not length or length == len(marks):
        return 0
    after = marks[length]
    if after == COMMA:
        return length + 1
    is_loose = marks[0] in _LOOSE_OPENINGS and after in FUNCTION_WORDS
    return length if is_loose else 0


def _closed(marks: list[str]) -> list[str]:
    """Without a courtesy after the last comma."""
    if COMMA not in marks[1:]:
        return marks
    end = len(marks) - 1 if marks[-1] in BOUNDARIES else len(marks)
    comma = end - 1 - marks[:end][::-1].index(COMMA) if COMMA in marks[:end] else 0
    length = _match(marks, comma + 1, phrases.CLOSINGS)[0] if comma + 1 < end else 0
    if length and comma + 1 + length == end:
        return marks[:comma] + marks[end:]
    return marks


def _direct(marks: list[str]) -> list[str]:
    """A question asked directly: "tell me where it is" -> "where is it"."""
    if not marks:
        return marks
    length, _ = _match(marks, 0, phrases.ASKINGS)
    if length and length < len(marks) and marks[length] in QUESTION_WORDS:
        return _inverted(marks[length:])
    length, _ = _match(marks, 0, phrases.POLITE_REQUEST)
    if length and length < len(marks) and marks[length] in phrases.REQUESTS:
        return marks[length:]
    return marks


def _inverted(marks: list[str]) -> list[str]:
    """ "what the fee is" -> "what is the fee"."""
    end = len(marks) - (marks[-1] in BOUNDARIES)
    if end > 2 and marks[end - 1] in _BE and not _BE.intersection(marks[: end - 1]):
        return [marks[0], marks[end - 1], *marks[1 : end - 1], *marks[end:]]
    return marks


def _framed(marks: list[str]) -> list[str]:
    """The frames at the start and after each comma, in one wording."""
    out: list[str] = []
    at = 0
    while at < len(marks):
        is_start = not out or out[-1] == COMMA
        length, found = _match(marks, at, phrases.FRAMES) if is_start else (0, ())
        out += found if length else marks[at : at + 1]
        at += length or 1
    return out


def _with_synonyms(marks: list[str]) -> list[str]:
    out: list[str] = []
    for i, mark in enumerate(marks):
        if mark[0] in '"@#=!%,.?':
            out.append(mark)
        elif _is_verb_place(out):
            out.append(_verb(mark, marks[i + 1 : i + 5], is_how=bool(out) and out[-1] == HOW))
        else:
            word = ANYWHERE.get(mark) or _singular(mark)
            out.append(ANYWHERE.get(word, word))
    return out


def _is_verb_place(before: list[str]) -> bool:
    """Whether a verb of request comes next: at the start, after HOW or "can I"."""
    if not before or before[-1] in {HOW, COMMA}:
        return True
    if before[-1] == "to":
        return len(before) > 1 and before[-2] in {"want", "like", "allowed", "trying"}
    return len(before) > 1 and before[-1] in {"i", "we"} and before[-2] in AUXILIARIES


def _verb(mark: str, after: list[str], *, is_how: bool) -> str:
    word = _infinitive(mark) if is_how else mark
    if word == "move" and after and _is_amount(after[0]):
        return "transfer"
    verb, kind = WITH_OBJECT.get(word, ("", ""))
    if verb and any(_singular(mark) in OBJECTS[kind] for mark in after):
        return verb
    word = AS_VERB.get(word, word)
    return ANYWHERE.get(word, word)


def _is_amount(mark: str) -> bool:
    return mark[0] == "#" or mark in CURRENCIES or mark in SMALL_NUMBERS or mark in TENS


def _infinitive(word: str) -> str:
    """ "applying" -> "apply", for verbs we know."""
    if not word.endswith("ing"):
        return word
    stem = word[:-3]
    for base in (stem, stem + "e", stem[:-1]):
        if base in VERBS:
            return base
    return word


def _singular(word: str) -> str:
    """Without the s of a plural or of a third person; other words as they are."""
    if len(word) < 4 or word[-1] != "s":
        return IRREGULAR_PLURALS.get(word, word)
    if word in NOT_PLURALS or word.endswith(("ss", "us", "is")):
        return word
    known = IRREGULAR_PLURALS.get(word)
    if known:
        return known
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1]


def _without_dummy(marks: list[str]) -> list[str]:
    """Without the "do" behind a question word: it only makes the question."""
    if not marks or marks[0] not in QUESTION_WORDS:
        return marks
    for i, mark in enumerate(marks[:6]):
        if mark == "do" and i:
            marks = marks[:i] + marks[i + 1 :]
            break
    if marks[0] == "which" and len(marks) > 1 and _may_be_noun(marks[1]):
        return ["what", *marks[1:]]
    return marks


def _may_be_noun(mark: str) -> bool:
    return mark[0].isalpha() and mark not in FUNCTION_WORDS


def _fronted_last(marks: list[str]) -> list[str]:
    """ "on Sundays, when ..." -> "when ... on Sundays"."""
    if not marks or marks[0] not in OPENERS or COMMA not in marks:
        return marks
    comma = marks.index(COMMA)
    end = len(marks) - (marks[-1] in BOUNDARIES)
    if comma + 1 >= end or COMMA in marks[comma + 1 : end]:
        return marks
    return [*marks[comma + 1 : end], *marks[:comma], *marks[end:]]


def _computed(marks: list[str]) -> list[str]:
    """ "what is 15% of 200" -> "calculate 15% of 200"."""
    start = 2 if marks[:2] == ["what", "is"] else 1 if marks[:1] == ["calculate"] else 0
    if marks[:3] == ["how", "much", "is"]:
        start = 3
    rest = [mark for mark in marks[start:] if mark not in BOUNDARIES]
    is_sum = any(mark[0] == "#" for mark in rest) and all(
        mark[0] in "#=" or mark in _SUM_WORDS for mark in rest
    )
    return ["calculate", *rest] if start and is_sum else marks
