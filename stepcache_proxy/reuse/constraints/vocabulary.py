"""Words in one form: plurals and synonyms, each where it is safe."""

from stepcache_proxy.reuse.constraints.lexer import COMMA
from stepcache_proxy.reuse.constraints.phrases import HOW
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
    CREATING_VERBS,
    CURRENCIES,
    NOT_PLURALS,
    SMALL_NUMBERS,
    TENS,
)

_BEFORE_VERB = frozenset({HOW, COMMA, "i", "we", "to"})
_BEFORE_TO = frozenset({"want", "like", "allowed", "trying", "have"})


def kept_as_written(marks: list[str], names: frozenset[str]) -> frozenset[str]:
    """The words whose last s may belong to a name: "Adams", "who directed aliens"."""
    if not CREATING_VERBS.isdisjoint(marks):
        return frozenset(marks)
    stems = {name.partition("'")[0] for name in names}
    return frozenset(m for m in marks if m in stems or singular(m) in stems)


def with_synonyms(marks: list[str], kept: frozenset[str]) -> list[str]:
    """The marks with every word in its one form, those in ``kept`` not in singular."""
    out: list[str] = []
    for i, mark in enumerate(marks):
        if mark[0] in '"@#=!%,.?':
            out.append(mark)
        elif not out or (out[-1] in _BEFORE_VERB and _is_verb_place(out)):
            is_how = bool(out) and out[-1] == HOW
            out.append(_verb(mark, marks[i + 1 : i + 5], is_how=is_how))
        else:
            word = mark if mark in ANYWHERE or mark in kept else singular(mark)
            out.append(ANYWHERE.get(word, word))
    return out


def _is_verb_place(before: list[str]) -> bool:
    """Whether a verb of request comes next: after HOW, a comma or "can I"."""
    last = before[-1]
    if last in {HOW, COMMA}:
        return True
    if len(before) < 2:
        return False
    return before[-2] in (_BEFORE_TO if last == "to" else AUXILIARIES)


def _verb(mark: str, after: list[str], *, is_how: bool) -> str:
    word = _infinitive(mark) if is_how else mark
    if word == "move" and after and _is_amount(after[0]):
        return "transfer"
    verb, kind = WITH_OBJECT.get(word, ("", ""))
    if verb and any(singular(mark) in OBJECTS[kind] for mark in after):
        return verb
    word = AS_VERB.get(word, word)
    return ANYWHERE.get(word, word)


def _is_amount(mark: str) -> bool:
    return mark[0] == "#" or mark in CURRENCIES or mark in SMALL_NUMBERS or mark in TENS


def _infinitive(word: str) -> str:
    """Read "applying" -> "apply", for verbs we know."""
    if not word.endswith("ing"):
        return word
    stem = word[:-3]
    for base in (stem, stem + "e", stem[:-1]):
        if base in VERBS:
            return base
    return word


def singular(word: str) -> str:
    """Without the s of a plural or of a third person; other words as they are."""
    if word in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[word]
    if word[-1] != "s" or len(word) < 4:
        return word
    if word in NOT_PLURALS or word[-2] in "sui":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1]
