"""An answer to a conversion -> segments of tokens, one claim each at most."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.unit_conversion.figures import NUMBER
from stepcache_proxy.tasks.unit_conversion.units import unit_of

MAX_CHARACTERS = 2_000


class Mark(StrEnum):
    """What a token is."""

    NUMBER = "number"
    UNIT = "unit"
    WORD = "word"
    SIGN = "sign"
    RELATION = "relation"
    BREAK = "break"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Token:
    """One token as written, with its place in the text."""

    mark: Mark
    text: str
    start: int

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)


# Every alternative is one character class or a bounded phrase: linear in the text.
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})"
    r"|(?P<degrees>(?i:degrees? (?:celsius|fahrenheit)\b|degrees? [cf]\b)|° ?[CF]\b)"
    r"|(?P<word>[A-Za-z]+(?:['’][a-z]+)?)"
    r"|(?P<space>[ \t\r\u00a0\u202f]+|\*\*)"
    r"|(?P<symbol>.)",
    re.DOTALL,
)
_SIGNS = {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-"}
_BREAKS = frozenset(".,:;!\n→⇒✓✅•")
_CONNECTING = words("so therefore thus hence since because and then where as")


def tokens(text: str) -> Iterator[Token]:
    """The tokens of ``text``, white space and bold marks left out."""
    for found in _TOKEN.finditer(text):
        if found.lastgroup != "space":
            yield _token(found.lastgroup or "", found[0], found.start())


def _token(group: str, text: str, start: int) -> Token:
    if group == "number":
        return Token(Mark.NUMBER, text, start)
    if group in {"degrees", "word"}:
        if text.lower() in _CONNECTING:
            return Token(Mark.BREAK, text, start)
        is_unit = unit_of(text.replace("  ", " ")) is not None
        return Token(Mark.UNIT if is_unit else Mark.WORD, text, start)
    return Token(_mark_of(text), text, start)


def _mark_of(symbol: str) -> Mark:
    if symbol in "=≈":
        return Mark.RELATION
    if _SIGNS.get(symbol, symbol) in "+-*/()":
        return Mark.SIGN
    return Mark.BREAK if symbol in _BREAKS else Mark.OPAQUE


def sign_of(token: Token) -> str:
    """The plain form of a sign."""
    return _SIGNS.get(token.text, token.text)


def segments(text: str) -> Iterator[list[Token]]:
    """The tokens between two breaks; brackets of the prose are breaks, too."""
    segment: list[Token] = []
    for token in _without_prose_brackets(list(tokens(text))):
        if token.mark is Mark.BREAK:
            yield segment
            segment = []
        else:
            segment.append(token)
    yield segment


def _without_prose_brackets(found: Sequence[Token]) -> Iterator[Token]:
    """A bracket around more than a calculation is a break; so is a bullet."""
    opened: list[int] = []
    breaks: set[int] = set()
    for at, token in enumerate(found):
        if token.text == "(":
            opened.append(at)
        elif token.text == ")" and opened:
            start = opened.pop()
            inside = found[start + 1 : at]
            if any(t.mark not in {Mark.NUMBER, Mark.SIGN} for t in inside):
                breaks |= {start, at}
        elif token.text in {"-", "*"} and _is_bullet(found, at):
            breaks.add(at)
    for at, token in enumerate(found):
        yield Token(Mark.BREAK, token.text, token.start) if at in breaks else token


def _is_bullet(found: Sequence[Token], at: int) -> bool:
    is_first = at == 0 or found[at - 1].text == "\n"
    return is_first and at + 1 < len(found) and found[at + 1].start > found[at].end
