"""Text -> the tokens of arithmetic; what is no arithmetic is a word or opaque.

Numbers are bounded when they are read; nothing is ever evaluated as code. Plain text,
Unicode signs and the usual LaTeX spellings are one language here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

MAX_CHARS = 20_000
MAX_DIGITS = 40


class Mark(StrEnum):
    """What a token is."""

    NUMBER = "number"
    OPERATOR = "operator"
    OPEN = "open"
    CLOSE = "close"
    PERCENT = "percent"
    FACTORIAL = "factorial"
    FRACTION = "fraction"
    ROOT = "root"
    EQUAL = "equal"
    ABOUT = "about"
    RELATION = "relation"
    WORD = "word"
    BREAK = "break"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Token:
    """One token. ``is_glued``: nothing stands between it and the token before.

    ``value`` and ``places`` (printed decimals) are of numbers only.
    """

    mark: Mark
    text: str
    is_glued: bool = False
    value: Fraction = Fraction(0)
    places: int = 0


_SPACE = re.compile(r"(?:[ \t\r\u00a0\u202f&]|\\[,;:! ]|\\left\b|\\right\b)+")
_NUMBER = re.compile(
    r"(?:\d{1,3}(?:(?:,|\{,\}|\\,|\\!,)\d{3})+(?![\d])|\d+)(?:\.\d+)?|\.\d+",
    re.ASCII,
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[A-Za-z]{1,20}\*?\}")
_TEXT_COMMAND = re.compile(r"\\(?:text|mathrm|textbf|mathbf|mbox)\s?\{([^{}]{0,60})\}")
_DEGREE = re.compile(r"\^\s?\{?\\circ\}?|°")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_CURRENCY = re.compile(r"(?:\\\$|[$€£])(?=\s?-?[\d.])")
_BOLD = re.compile(r"\*{2,3}")

_COMMANDS = {
    r"\times": (Mark.OPERATOR, "*"),
    r"\cdot": (Mark.OPERATOR, "*"),
    r"\ast": (Mark.OPERATOR, "*"),
    r"\div": (Mark.OPERATOR, "/"),
    r"\frac": (Mark.FRACTION, ""),
    r"\dfrac": (Mark.FRACTION, ""),
    r"\tfrac": (Mark.FRACTION, ""),
    r"\sqrt": (Mark.ROOT, ""),
    r"\approx": (Mark.ABOUT, ""),
    r"\le": (Mark.RELATION, ""),
    r"\leq": (Mark.RELATION, ""),
    r"\ge": (Mark.RELATION, ""),
    r"\geq": (Mark.RELATION, ""),
    r"\lt": (Mark.RELATION, ""),
    r"\gt": (Mark.RELATION, ""),
    r"\neq": (Mark.RELATION, ""),
    r"\ne": (Mark.RELATION, ""),
    r"\equiv": (Mark.RELATION, ""),
    r"\implies": (Mark.BREAK, ""),
    r"\Rightarrow": (Mark.BREAK, ""),
    r"\rightarrow": (Mark.BREAK, ""),
    r"\to": (Mark.BREAK, ""),
    r"\quad": (Mark.BREAK, ""),
    r"\qquad": (Mark.BREAK, ""),
}
_SIGNS = {
    "+": (Mark.OPERATOR, "+"),
    "-": (Mark.OPERATOR, "-"),
    "−": (Mark.OPERATOR, "-"),
    "–": (Mark.OPERATOR, "-"),
    "*": (Mark.OPERATOR, "*"),
    "×": (Mark.OPERATOR, "*"),
    "·": (Mark.OPERATOR, "*"),
    "⋅": (Mark.OPERATOR, "*"),
    "/": (Mark.OPERATOR, "/"),
    "÷": (Mark.OPERATOR, "/"),
    "^": (Mark.OPERATOR, "^"),
    "(": (Mark.OPEN, "("),
    "{": (Mark.OPEN, "{"),
    "[": (Mark.OPEN, "["),
    ")": (Mark.CLOSE, ")"),
    "}": (Mark.CLOSE, "}"),
    "]": (Mark.CLOSE, "]"),
    "%": (Mark.PERCENT, "%"),
    "!": (Mark.FACTORIAL, "!"),
    "√": (Mark.ROOT, ""),
    "=": (Mark.EQUAL, "="),
    "≈": (Mark.ABOUT, ""),
    "<": (Mark.RELATION, ""),
    ">": (Mark.RELATION, ""),
    "≤": (Mark.RELATION, ""),
    "≥": (Mark.RELATION, ""),
    "≠": (Mark.RELATION, ""),
    "²": (Mark.OPERATOR, "²"),
    "³": (Mark.OPERATOR, "³"),
}
_LONG_SIGNS = {
    r"\[": Mark.BREAK,
    r"\]": Mark.BREAK,
    r"\(": Mark.BREAK,
    r"\)": Mark.BREAK,
    "\\\\": Mark.BREAK,
    "...": Mark.OPAQUE,
    "<=": Mark.RELATION,
    ">=": Mark.RELATION,
    "!=": Mark.RELATION,
    "=>": Mark.BREAK,
    "->": Mark.BREAK,
    "==": Mark.OPAQUE,
}
_BREAKS = frozenset('\n.,;:?$"“”`#')


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``, cut at ``MAX_CHARS``. Never raises; linear time."""
    return list(_tokens(text[:MAX_CHARS]))


def _tokens(text: str) -> Iterator[Token]:
    at, is_glued = 0, False
    while at < len(text):
        space = _SPACE.match(text, at)
        if space is not None:
            at, is_glued = space.end(), False
            continue
        token, length = _next(text, at)
        if token is not None:
            yield Token(token.mark, token.text, is_glued, token.value, token.places)
        is_glued = True
        at += length


def _next(text: str, at: int) -> tuple[Token | None, int]:
    """The token at a place with its length; None for what is only dress."""
    number = _NUMBER.match(text, at)
    if number is not None:
        return _number(number[0]), len(number[0])
    if text[at] == "\\":
        return _command(text, at)
    word = _WORD.match(text, at)
    if word is not None:
        return Token(Mark.WORD, word[0]), len(word[0])
    return _sign(text, at)


def _sign(text: str, at: int) -> tuple[Token | None, int]:
    dress = _DEGREE.match(text, at) or _CURRENCY.match(text, at)
    if dress is not None:
        return None, len(dress[0])
    bold = _BOLD.match(text, at)
    if bold is not None:
        return Token(Mark.BREAK, ""), len(bold[0])
    for length in (3, 2):
        mark = _LONG_SIGNS.get(text[at : at + length])
        if mark is not None:
            return Token(mark, text[at : at + length]), length
    if text[at] in _BREAKS:
        return Token(Mark.BREAK, text[at]), 1
    mark, shown = _SIGNS.get(text[at], (Mark.OPAQUE, text[at]))
    return Token(mark, shown), 1


def _command(text: str, at: int) -> tuple[Token | None, int]:
    words = _TEXT_COMMAND.match(text, at)
    if words is not None:
        said = _WORD.search(words[1])
        plain = said is not None and not any(map(str.isdigit, words[1]))
        mark = Mark.WORD if plain else Mark.OPAQUE
        return Token(mark, said[0] if said else ""), len(words[0])
    environment = _ENVIRONMENT.match(text, at)
    if environment is not None:
        return Token(Mark.BREAK, ""), len(environment[0])
    command = _COMMAND.match(text, at)
    if command is not None:
        mark, shown = _COMMANDS.get(command[0], (Mark.OPAQUE, command[0]))
        return Token(mark, shown), len(command[0])
    if text[at : at + 2] == r"\%":
        return Token(Mark.PERCENT, "%"), 2
    return _sign(text, at)


def _number(written: str) -> Token:
    plain = re.sub(r"[,{}\\!]", "", written)
    if len(plain) > MAX_DIGITS:
        return Token(Mark.OPAQUE, "")
    places = len(plain.partition(".")[2])
    return Token(Mark.NUMBER, plain, value=Fraction(plain), places=places)
