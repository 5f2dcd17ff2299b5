"""Text -> marks: words in lower case, and everything that must match exactly.

A mark is a string whose first character tells its kind: a letter for a word, ``#``
for a number, ``@`` for an identifier, a double quote for quoted text, ``,`` ``.``
``?`` for a boundary, ``!`` for a word whose capitals matter, ``=`` for a
symbol that counts as it stands.
"""

import re
from dataclasses import dataclass

from stepcache_proxy.reuse.constraints.lists import forms
from stepcache_proxy.reuse.constraints.tables import (
    CASED,
    CONTRACTIONS,
    FILLERS,
    FUNCTION_WORDS,
)

COMMA, STOP, ASK = ",", ".", "?"
BOUNDARIES = frozenset({COMMA, STOP, ASK})

_TOKEN = re.compile(
    r"""
      (?P<plain>[a-z]+)(?=\s|[,?]|\Z|\.\s)
    | (?P<quoted>"[^"\n]{1,400}" | “[^”\n]{1,400}” | `[^`\n]{1,400}`
        | (?<!\w)'[^'\n]{1,400}'(?!\w) | (?<!\w)‘[^’\n]{1,400}’(?!\w))
    | (?P<place>\b(?:https?|ftp)://\S{1,400} | [\w.+-]{1,80}@[\w.-]{1,80}
        | (?<!\S)--?[A-Za-z][^\s,;?!]{0,80}
        | (?<![\w.])(?:~|\.{1,2})?(?:/[\w.+-]{1,80})+)
    | (?P<number>(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\.?\d|-[A-Za-z]|_))
        (?P<suffix>[A-Za-zµ]+(?!\w))?
    | (?P<word>\w+(?:(?:[./\\:@#+-]|['’])\w+)*(?:['’](?!\w))?)
    | (?P<stop>(?<![\d)])[.!]{1,8}(?=\s|$)|\.(?=\s|$)|\n)
    | (?P<ask>\?[?!]{0,8}) | (?P<comma>[,;:…]|—)
    | (?P<silent>(?<!\d)["'“”‘’`])
    | (?P<symbol>\S)
    """,
    re.VERBOSE,
)
# In capitals they are names: US, IT, WHO.
_SMALL_WORDS = (FUNCTION_WORDS | FILLERS | CONTRACTIONS.keys()) - {"i"}
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]*)?")
_HYPHENED = re.compile(rf"{_LETTERS.pattern}(?:[-/]{_LETTERS.pattern})*")
_CAMEL = re.compile(r"[a-z]+[A-Z]")
_COUNTED = re.compile(r"(\d{1,9})((?:-[A-Za-z]+){1,4})")
_SAME_SYMBOL = {"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/"}


@dataclass(frozen=True, slots=True)
class Lexed:
    """The marks of a text, and the words it writes like names."""

    marks: list[str]
    names: tuple[str, ...]


class _Lexer:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.marks: list[str] = []
        self.names: list[str] = []
        letters = sum(map(str.isalpha, text))
        self._is_shouted = sum(map(str.isupper, text)) * 2 > letters
        self._is_start = True

    def take(self, found: re.Match[str]) -> None:
        """Append the marks of one token."""
        text = found[0]
        if found.lastgroup == "plain":
            self.marks.append(text)
            self._is_start = False
            return
        match found.lastgroup:
            case "word":
                self._word(text)
            case "number" | "suffix":
                self._number(found["number"], found["suffix"] or "")
            case "quoted":
                self.marks.append('"' + text[1:-1])
            case "place":
                self._place(text)
            case "symbol":
                self.marks.append("=" + _SAME_SYMBOL.get(text, text))
            case _:
                self.marks += _BOUNDARY_OF.get(found.lastgroup or "", [])
        self._is_start = found.lastgroup in {"stop", "ask"}

    def _place(self, text: str) -> None:
        end = text.rstrip(".,;:!?)")
        self.marks.append("@" + end)
        if "?" in text[len(end) :]:
            self.marks.append(ASK)

    def _number(self, digits: str, suffix: str) -> None:
        number = "#" + digits.replace(",", "")
        if suffix.lower() in _ORDINALS:
            self.marks.append(number + "th")
        elif suffix and suffix.lower() not in _ATTACHED:
            self.marks.append("@" + digits + suffix)
        else:
            self.marks.append(number)
            if suffix:
                self.marks.append(_ATTACHED[suffix.lower()])

    def _word(self, text: str) -> None:
        counted = _COUNTED.fullmatch(text)
        if counted:
            self.marks.append("#" + counted[1])
            self._letters(counted[2][1:])
        elif _HYPHENED.fullmatch(text) and not _CAMEL.match(text):
            self._letters(text)
        else:
            self.marks.append("@" + text)

    def _letters(self, text: str) -> None:
        for part in text.replace("/", "-").split("-"):
            self._single(part)
            self._is_start = False

    def _single(self, part: str) -> None:
        lower = part.lower().replace("’", "'")
        if part != lower and not self._is_shouted and not self._is_start:
            if lower not in {"i", "i'm", "i've", "i'd", "i'll"}:
                self.names.append(lower)
            if lower in CASED or (part.isupper() and lower in _SMALL_WORDS):
                lower = "!" + part
        self.marks.append(lower)


_BOUNDARY_OF = {"stop": [STOP], "ask": [ASK], "comma": [COMMA]}

# Units that may follow a number without a space.
_ATTACHED = forms("""
    km = km
    m = metre
    cm = cm
    mm = mm
    ft = foot
    mi = mile
    kg = kg
    g = gram
    mg = mg
    lb | lbs = lb
    oz = ounce
    l = litre
    ml = ml
    cl = cl
    gb = gb
    mb = mb
    kb = kb
    tb = tb
    kw = kw
    kwh = kwh
    w = watt
    v = volt
    hz = hz
    h | hr | hrs = hour
    min | mins = minute
    s | sec | secs = sec
    ms = ms
    am = am
    pm = pm
    mph = mph
    kph = kph
    c = celsius
    f = fahrenheit
""")


def lex(text: str) -> Lexed:
    """The marks of ``text``, in order. Linear in its length."""
    lexer = _Lexer(text)
    for found in _TOKEN.finditer(text):
        lexer.take(found)
    return Lexed(lexer.marks, tuple(lexer.names))
