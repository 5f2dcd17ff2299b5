"""Keys named in the words of a prompt: "Return only JSON with keys name, age".

A list is taken only if it is clean to its end; one that could go on ("age and home
town") or nests another is not understood, and the request is then not of this task.
"""

import re
from dataclasses import dataclass

# The word before the list, with what may stand between.
_TRIGGER = re.compile(
    r"\b(?P<lead>(?:with|having|containing|contains|has|using|use|includes?|including"
    r"|following|these|whose|exactly|of)\s+"
    r"(?:(?:the|exactly|only|these|following|required|top-level|two|three|four|five"
    r"|six|\d{1,2})\s+){0,4})?"
    r"(?P<word>keys?|fields?|properties|attributes|members)\b"
    r"(?:\s+(?:named|called|are))?(?P<mark>\s*[:=(\[{])?",
    re.IGNORECASE,
)
# "Exactly one of these keys" names those that may be there, not those that are.
_CHOICE = re.compile(
    r"\b(?:one|two|three|any|some|either|none|neither|most|few|more|subset|\d{1,2})"
    r" (?:or both )?of [^:=(\[{]{1,60}[:=(\[{]?$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[`\"'“‘]([^`\"'“”‘’\n]{1,64})[`\"'”’]")
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}(?:-[A-Za-z0-9_]{1,32})?(?![\w-])")
_NOTE = re.compile(
    r"[ \t]*\(([^()\n]{0,160})\)"
    r"|[ \t]*:[ \t]*(string|str|text|int|integer|number|float|bool|boolean|null"
    r"|object|array|list)\b(?![ \t]*[:\w])",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"[ \t]*[,;][ \t]*(?:(?:and|or|&)[ \t]+)?|[ \t]+(?:and|&)[ \t]+"
)
_BULLET = re.compile(r"[ \t]*\n[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+")
_END = re.compile(
    r"\s*(?:$|[.!?)\]}:\n—–\"]|,?\s(?:for|of|describing|about|from|in|on|based|where"
    r"|that|which|with|as|to|given|please|using)\b)",
    re.IGNORECASE,
)
# "name: the full name, age: ..." is a list that is not read here.
_DESCRIBED = re.compile(r"[ \t]*:[^\n]{0,400}\w:")
_HARD_END = re.compile(r"[ \t]*(?:$|[.!?)\]}\n]|,|[ \t](?:and|&)[ \t])")
# Words that begin the next demand rather than name a key.
_NEXT = re.compile(
    r"nothing|no|not|do|don|never|return|respond|reply|output|use|make|ensure|include"
    r"|write|give|then|only|just|keep|answer|explain|provide|add|put|set|without|each"
    r"|wrap|format|please|say|tell|avoid",
    re.IGNORECASE,
)
_NEVER = re.compile(r"nothing|no|not|the|and|or|etc|please", re.IGNORECASE)

# The answer is to be JSON: an order, or "only JSON". JSON that is there already ("the
# JSON", "parse JSON") is another matter.
_DEMAND = re.compile(
    r"\b(?:return|reply|respond|answer|output|produce|give|generate|write|provide|create"
    r"|format|emit|print|send|make|build|extract|describe|summari[sz]e|list|represent"
    r"|express|invent|only|must be|should be)\b[^.?!\n:;\"“]{0,120}?"
    r"(?<!\bthe )(?<!\bthis )(?<!\bthat )(?<!\bfrom )(?<!\bparse )(?<!\binput )"
    r"(?<!\bgiven )\bJSON\b"
    r"|\bJSON only\b",
    re.IGNORECASE,
)
_SET_OFF = re.compile(r"[:\"“]")
_SENTENCE = re.compile(r"[.!?][\"”)]?\s|\n")
# A sentence that does nothing but introduce the list.
_INTRODUCTION = re.compile(
    r"(?:\W*\b(?:please|use|using|include|return|give|provide|with|having|has|have"
    r"|contains?|containing|the|these|only|exactly|following|required|top-level|it|its"
    r"|must|should|object|json|an?|is|are|of|two|three|four|five|six|\d{1,2})\b)*\W*",
    re.IGNORECASE,
)
# A sentence that demands JSON with these keys and says nothing else. "Only the keys"
# is not among these words: it may forbid others or not. Possessive: hostile text is
# read once.
_DEMAND_ALONE = re.compile(
    r"(?:[\s,…]*\b(?:please|(?:return|respond|reply|answer|output|produce|give|generate)"
    r"(?: (?:only|with|just|nothing but|with nothing but|with only))*"
    r"|only return|(?:the|your) answer|as|in|an?|(?:one|single) (?=json)"
    r"|json(?: object)?(?: only)?|that|with|which|has|having|containing|contains"
    r"|the|these|following|required|exactly"
    r"|and (?:no|without any) (?:other|extra) text|and nothing else)\b)*+[\s,…:.!]*",
    re.IGNORECASE,
)
# Another kind of work, or an answer of which one object is but a part; no alternative
# of the second kind holds a word of the first.
_MORE = re.compile(
    r"\b(?:(?P<work>functions?|parser|parse|script|program|code|class|method|API"
    r"|endpoint|schema|files?|columns?|tables?|database|SQL|Python|JavaScript|Java"
    r"|bug|debug|convert|translate|validate)"
    r"|arrays?|lists? of|jsonl|objects|each|explain|explanations?|step.by.step"
    r"|followed by|show your|markdown|fenced?|code.?block|not (?:use )?JSON"
    r"|(?:no|avoid|without) JSON|YAML|XML|CSV)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|without|never|don'?t|skip|omit|avoid|nor|or)\b[^.\n]{0,40}$",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\bexactly\b", re.IGNORECASE)
_NULL = re.compile(r"\b(?:null|none)\b", re.IGNORECASE)
_NEAR = 200
MAX_TEXT = 50_000


@dataclass(frozen=True, slots=True)
class KeyList:
    """The keys a prompt names, what it notes on each, and where the list stands.

    ``is_closed``: "exactly these keys", so that no other may be there.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...]
    start: int
    stop: int
    may_be_null: bool
    is_closed: bool = False

    def cut(self, text: str) -> str:
        """``text`` without the list."""
        return f"{text[: self.start].rstrip()} … {text[self.stop :].lstrip()}"

    def subject(self, text: str) -> str:
        """``text`` without the list, and without a sentence that only demands it.

        "Return only a JSON object with the keys …" says how the answer is written,
        which validation proves; any other word in the sentence keeps it.
        """
        before, after = text[: self.start], text[self.stop :]
        ends = list(_SENTENCE.finditer(before))
        head = ends[-1].end() if ends else 0
        end = _SENTENCE.search(after)
        tail = end.start() + 1 if end else len(after)
        own = f"{before[head:]}…{after[:tail]}"
        if "json" not in own.lower() or not _DEMAND_ALONE.fullmatch(own):
            return self.cut(text)
        rest = f"{before[:head].rstrip()} {after[tail:].lstrip()}".strip()
        return rest or self.cut(text)

    def note(self, name: str) -> str:
        """What the prompt says of a key, empty if nothing."""
        return dict(zip(self.names, self.notes, strict=True)).get(name, "")


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    note: str
    stop: int
    is_bare: bool


def find_keys(text: str) -> KeyList | None:
    """The one list of keys in ``text``; None if there is none, or more, or unclear."""
    found: list[KeyList] = []
    if len(text) > MAX_TEXT:
        return None
    for trigger in _TRIGGER.finditer(text):
        if _CHOICE.search(text[max(0, trigger.start() - 20) : trigger.end()]):
            return None
        items = _items(text, trigger)
        if items is None:
            return None
        if items and found:
            return None
        if items:
            found.append(_key_list(text, trigger, items))
    if len(found) != 1 or len(set(found[0].names)) != len(found[0].names):
        return None
    return found[0]


def demands_json(text: str, keys: KeyList) -> bool:
    """Whether the words around the list ask for one JSON object and nothing else."""
    words = keys.cut(text)
    return all(
        more["work"] is None
        and _DENIED.search(words[max(0, more.start() - 60) : more.start()])
        for more in _MORE.finditer(words)
    ) and _stands_with_demand(text, keys)


def _stands_with_demand(text: str, keys: KeyList) -> bool:
    """Whether JSON is demanded in the list's own sentence, or right beside it."""
    before = text[max(0, keys.start - _NEAR) : keys.start]
    after = text[keys.stop : keys.stop + _NEAR]
    *others, lead = _SENTENCE.split(before)
    own, *following = _SENTENCE.split(after)
    demand = _DEMAND.search(lead)
    if demand is not None:
        return not _SET_OFF.search(lead[demand.end() :])
    if _DEMAND.search(f"{lead} … {own}") and not _SET_OFF.search(own):
        return True
    if not _INTRODUCTION.fullmatch(lead):
        return False
    beside = [*[each for each in others if each.strip()][-1:], *following[:1]]
    return any(_DEMAND.search(each) for each in beside)


def _key_list(text: str, trigger: re.Match[str], items: list[_Item]) -> KeyList:
    stop = items[-1].stop
    closing = {"(": ")", "[": "]", "{": "}"}.get((trigger["mark"] or "").strip(), "")
    if closing and text[stop : stop + 1] == closing:
        stop += 1
    start = trigger.start("word")
    return KeyList(
        names=tuple(item.name for item in items),
        notes=tuple(item.note for item in items),
        start=start,
        stop=stop,
        may_be_null=_NULL.search(text) is not None,
        is_closed=_CLOSED.search(trigger["lead"] or "") is not None,
    )


def _items(text: str, trigger: re.Match[str]) -> list[_Item] | None:
    """The items after ``trigger``: [] if it begins no list, None if it is unclear."""
    at = trigger.end()
    if trigger["mark"] and (bullet := _BULLET.match(text, at)):
        return _bullets(text, bullet)
    while text[at : at + 1] in {" ", "\t"}:
        at += 1
    first = _item(text, at)
    if first is None or not _begins_list(trigger, first):
        return None if trigger["lead"] or trigger["mark"] else []
    items = _inline(text, first)
    # "with keys lowercase": one bare word after a plural is rather not a key.
    is_lone = items is not None and len(items) == 1 and first.is_bare
    return None if is_lone and not trigger["mark"] else items


def _begins_list(trigger: re.Match[str], first: _Item) -> bool:
    """Bare words need more: "key points" and "keys of" name nothing."""
    if not first.is_bare:
        return True
    word = trigger["word"].lower()
    if _NEVER.fullmatch(first.name) or _END.fullmatch(f" {first.name}"):
        return False
    if trigger["mark"]:
        return True
    return word not in {"key", "field"} and trigger["lead"] is not None


def _inline(text: str, item: _Item) -> list[_Item] | None:
    items = [item]
    while separator := _SEPARATOR.match(text, items[-1].stop):
        following = _item(text, separator.end())
        if following is None or _is_next_demand(text, following):
            break
        items.append(following)
    return None if _is_open(text, items[-1]) else items


def _is_open(text: str, last: _Item) -> bool:
    """Whether the list could go on, or its last word could be more than a key."""
    if _NEVER.fullmatch(last.name):
        return True
    if separator := _SEPARATOR.match(text, last.stop):
        following = _item(text, separator.end())
        return following is None or not _is_next_demand(text, following)
    if not last.is_bare:
        return False
    if _DESCRIBED.match(text, last.stop):
        return True
    if _NEXT.fullmatch(last.name):
        return not _HARD_END.match(text, last.stop)
    return not _END.match(text, last.stop)


def _is_next_demand(text: str, item: _Item) -> bool:
    """Whether the word after a comma begins another demand ("and nothing else")."""
    if not item.is_bare or not _NEXT.fullmatch(item.name):
        return False
    # "answer in one sentence" may be a key or a demand: it stays in the list, open.
    return bool(_NEVER.fullmatch(item.name)) or not _END.match(text, item.stop)


def _bullets(text: str, bullet: re.Match[str]) -> list[_Item] | None:
    items: list[_Item] = []
    found: re.Match[str] | None = bullet
    while found:
        item = _item(text, found.end())
        if item is None:
            return None
        line_end = text.find("\n", item.stop)
        line_end = len(text) if line_end < 0 else line_end
        note = text[item.stop : line_end].strip()
        if note and note[0] not in ":-–—(":
            return None
        items.append(_Item(item.name, item.note + note, line_end, is_bare=False))
        found = _BULLET.match(text, line_end)
    return items


def _item(text: str, at: int) -> _Item | None:
    quoted = _QUOTED.match(text, at)
    found = quoted or _BARE.match(text, at)
    if found is None:
        return None
    name = quoted[1] if quoted else found[0]
    note = _NOTE.match(text, found.end())
    said = (note[1] or note[2] or "").strip() if note else ""
    return _Item(name, said, (note or found).end(), is_bare=quoted is None)
