"""Text -> tokens of mathematics and prose, bounded, each with its place in the text."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

MAX_DIGITS = 30


class Kind(Enum):
    """What a token is to a reader of equations."""

    NUMBER = auto()
    LETTER = auto()
    WORD = auto()
    OPERATOR = auto()
    FRACTION = auto()
    RELATION = auto()
    ARROW = auto()
    STOP = auto()
    PAUSE = auto()
    LINE = auto()
    DELIMITER = auto()
    MARK = auto()
    ODD = auto()

    # Members are unique: that of Enum, of the name, is written in Python and slow.
    __hash__ = object.__hash__


class Token(NamedTuple):
    """One token; ``text`` is normalised, ``start`` and ``end`` are its place."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def is_operand_end(self) -> bool:
        """Whether a product or a power could follow."""
        return self.kind in _OPERANDS or self.text in {")", "}"}

    @property
    def is_operand_start(self) -> bool:
        """Whether an operand begins here."""
        return self.kind in _OPERANDS or self.text in {"(", "{", "-"}


# Members by names of their own: to find one in its class takes longer than to use it.
_NUMBER, _LETTER, _WORD, _ODD = Kind.NUMBER, Kind.LETTER, Kind.WORD, Kind.ODD
_OPERANDS = {_NUMBER, _LETTER, Kind.FRACTION}

_SPACE = " \t\r\f\v\u00a0\u2009\u202f"

# Every alternative is a fixed string, a character class or one repeated class, and the
# text does not end in white space, so the time is linear in the text.
_PATTERN = re.compile(
    rf"[{_SPACE}]*+"
    r"(?:(?P<number>[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?"
    r"|[0-9]+(?:\.[0-9]+)?|(?<![0-9A-Za-z.])\.[0-9]+)"
    r"|(?P<environment>\\(?:begin|end)\{[a-z]{1,12}\*?\})"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<latex>\\[^A-Za-z])"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)"
    r"|(?P<line>\n)"
    r"|(?P<stars>\*\*+|__+|`+|\#+|~~+|\$\$?)"
    r"|(?P<symbol>.))",
    re.DOTALL,
)

# Tokens of letters end where letters end.
_LONE_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")

_SYMBOLS = {
    **dict.fromkeys("+-*/=(){}", Kind.OPERATOR),
    **dict.fromkeys("<>≤≥≠≈^", Kind.RELATION),
    **dict.fromkeys(".;!?", Kind.STOP),
    **dict.fromkeys(",:", Kind.PAUSE),
    **dict.fromkeys("→⇒⟹∴⟶", Kind.ARROW),
    **dict.fromkeys("\"'“”‘’_&~✓✔✅•", Kind.MARK),
}
_QUOTES = frozenset("\"'“”‘’")
_PRIMES = re.compile("[\"'“”‘’_]")
_UNSETTLED = {"*", "**", "-", "."}
_SAME = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∙": "*",
    "÷": "/",
    "⁄": "/",
    "∕": "/",
    "[": "(",
    "]": ")",
}
_READ_SYMBOLS = {symbol: (kind, symbol) for symbol, kind in _SYMBOLS.items()} | {
    symbol: (_SYMBOLS[same], same) for symbol, same in _SAME.items()
}
_COMMANDS = {
    **dict.fromkeys(("frac", "dfrac", "tfrac"), (Kind.FRACTION, "frac")),
    **dict.fromkeys(("cdot", "times", "ast"), (Kind.OPERATOR, "*")),
    "div": (Kind.OPERATOR, "/"),
    **dict.fromkeys(
        ("left", "right", "boxed", "displaystyle", "checkmark", "text", "textbf"),
        (Kind.MARK, ""),
    ),
    **dict.fromkeys(("mathbf", "mathrm", "mathit"), (Kind.MARK, "")),
    **dict.fromkeys(("quad", "qquad"), (Kind.PAUSE, ",")),
    **dict.fromkeys(
        ("Rightarrow", "implies", "Longrightarrow", "rightarrow", "to", "therefore"),
        (Kind.ARROW, "→"),
    ),
}
_LATEX = {
    **dict.fromkeys("()[]", (Kind.DELIMITER, "$")),
    "\\": (Kind.LINE, "\n"),
    **dict.fromkeys(",;:! ", (Kind.MARK, "")),
}


def tokenize(text: str, *, limit: int) -> tuple[Token, ...] | None:
    """The tokens of ``text`` less white space; None where there are over ``limit``."""
    found: list[Token] = []
    for match in _PATTERN.finditer(text.rstrip(_SPACE)):
        if len(found) == limit:
            return None
        group = match.lastgroup or ""
        start, end = match.span(group)
        kind, plain = _CLASSES[group](text[start:end])
        found.append(Token(kind, plain, start, end))
    if _PRIMES.search(text):
        found = list(_with_primes(found))
    return _settle(text, found)


def lone_letters(text: str) -> frozenset[str]:
    """At least the letters of ``text`` that are tokens of their own."""
    return frozenset(_LONE_LETTER.findall(text))


def _with_primes(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, odd what makes another thing of the operand that it touches.

    ``y'`` is a derivative, ``5'`` so many feet, ``x_2`` another unknown than ``x``; a
    quote that closes is none of them.
    """
    is_open = False
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        is_behind = (
            before is not None and before.is_operand_end and before.end == token.start
        )
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        is_glued = after is not None and after.start == token.end
        if token.text in _QUOTES:
            is_prime = is_behind and not is_open
            is_open = not (is_open or is_prime)
        else:
            is_prime = token.text == "_" and is_behind and is_glued
        yield _as(token, Kind.ODD, token.text) if is_prime else token


def _number(text: str) -> tuple[Kind, str]:
    if len(text) <= MAX_DIGITS and "," not in text:
        return _NUMBER, text
    plain = text.replace(",", "")
    is_short = sum(c.isdigit() for c in plain) <= MAX_DIGITS
    return (Kind.NUMBER if is_short else Kind.ODD), plain


def _word(text: str) -> tuple[Kind, str]:
    if not text.isascii():
        plain = text.replace("’", "'")
        if not plain.isascii():
            return _ODD, text
        text = plain
    return (_LETTER if len(text) == 1 else _WORD), text


def _symbol(text: str) -> tuple[Kind, str]:
    return _READ_SYMBOLS.get(text) or (_ODD, text)


def _command(text: str) -> tuple[Kind, str]:
    return _COMMANDS.get(text[1:], (Kind.ODD, text))


def _latex(text: str) -> tuple[Kind, str]:
    return _LATEX.get(text[1:], (Kind.ODD, text))


def _stars(text: str) -> tuple[Kind, str]:
    return (Kind.DELIMITER, "$") if text[0] == "$" else (Kind.MARK, text)


def _line(_text: str) -> tuple[Kind, str]:
    return Kind.LINE, "\n"


_CLASSES = {
    "number": _number,
    "environment": _line,
    "command": _command,
    "latex": _latex,
    "word": _word,
    "line": _line,
    "stars": _stars,
    "symbol": _symbol,
}


def _settle(text: str, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Tell stars that multiply from stars that emphasise, and minus from dash."""
    settled = list(tokens)
    for place, token in enumerate(tokens):
        if token.text in _UNSETTLED:
            before = settled[place - 1] if place else None
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            settled[place] = _settled(text, token, before, after)
    return tuple(settled)


def _settled(
    text: str, token: Token, before: Token | None, after: Token | None
) -> Token:
    if token.text == "**" and _is_between_operands(token, before, after):
        return _as(token, Kind.RELATION, "^")
    if token.text == "*" and not _joins(before, after):
        return _as(token, Kind.MARK, "")
    if token.text == "-" and _is_dash(text, token, before, after):
        return _as(token, Kind.MARK, "-")
    if token.text == "." and _is_odd_point(token, before, after):
        return _as(token, Kind.ODD, ".")
    return token


def _as(token: Token, kind: Kind, text: str) -> Token:
    return Token(kind, text, token.start, token.end)


def _joins(before: Token | None, after: Token | None) -> bool:
    if before is None or after is None:
        return False
    return before.is_operand_end and after.is_operand_start


def _is_between_operands(
    token: Token, before: Token | None, after: Token | None
) -> bool:
    """``2**3`` and ``2 ** 3`` are powers; ``is **5** and`` is emphasis."""
    if before is None or after is None or not _joins(before, after):
        return False
    return (before.end == token.start) == (token.end == after.start)


def _is_dash(
    text: str, token: Token, before: Token | None, after: Token | None
) -> bool:
    """A hyphen in a word, a dash before a word, or the mark of a list."""
    if after is None or after.kind in {Kind.WORD, Kind.LINE}:
        return True
    if before is not None and before.kind is Kind.WORD and before.end == token.start:
        return True
    is_first = before is None or before.kind is Kind.LINE
    return is_first and text[token.end : token.end + 1] in {" ", "\t"}


def _is_odd_point(token: Token, before: Token | None, after: Token | None) -> bool:
    """A point that touches digits on its right is no full stop (``1.2.3``)."""
    if after is None or after.kind is not Kind.NUMBER:
        return False
    return token.end == after.start and before is not None
