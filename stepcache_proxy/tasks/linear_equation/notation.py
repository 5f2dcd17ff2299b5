"""The notation of a text, read from how it writes its numbers and signs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from stepcache_proxy.tasks.linear_equation.printing import PLAIN, Style
from stepcache_proxy.tasks.linear_equation.tokens import Kind, Token, tokenize

_MAX_TOKENS = 3_000
_FRACTIONS = ("\\dfrac", "\\tfrac", "\\frac")


def notation_of(text: str, unknown: str, *, has_decimals: bool) -> Style:
    """How ``text`` writes mathematics; what it does not show is plain.

    ``has_decimals`` tells what to prefer where the text has no fraction of either kind.
    """
    tokens = tokenize(text, limit=_MAX_TOKENS) or ()
    reader = _Notation(text, tokens, unknown)
    return Style(
        minus="−" if "−" in text else "-",
        gap=reader.gap(),
        times=reader.times(),
        by=reader.by(),
        fraction=reader.fraction(),
        has_decimals=reader.has_decimals(default=has_decimals),
    )


def local_notation(text: str, unknown: str, style: Style) -> Style:
    """``style`` with the gaps and products of one equation, where it shows them."""
    reader = _Notation(text, tokenize(text, limit=_MAX_TOKENS) or (), unknown)
    return replace(
        style,
        gap=reader.gap(default=style.gap),
        times=reader.times(default=style.times),
        by=reader.by(default=style.by),
    )


class _Notation:
    def __init__(self, text: str, tokens: Sequence[Token], unknown: str) -> None:
        self._text = text
        self._tokens = tokens
        self._unknown = unknown

    def gap(self, *, default: str = PLAIN.gap) -> str:
        """White space around plus and minus between operands."""
        for before, sign in pairwise(self._tokens):
            if (
                sign.kind is Kind.OPERATOR
                and sign.text in "+-"
                and before.is_operand_end
            ):
                return " " if sign.start > before.end else ""
        return default

    def times(self, *, default: str = PLAIN.times) -> str:
        """What stands between a coefficient and the unknown."""
        for first, second in self._factors():
            if second.kind is Kind.LETTER and second.text in self._unknown:
                return self._text[first.end : second.start]
        return default

    def by(self, *, default: str = PLAIN.by) -> str:
        """What stands between two numbers, empty where brackets do it."""
        for first, second in self._factors():
            if second.text == "(":
                return ""
            if second.kind is Kind.NUMBER:
                return self._text[first.end : second.start]
        return default

    def fraction(self) -> str:
        """A LaTeX command, or a slash."""
        for command in _FRACTIONS:
            if command in self._text:
                return command
        has_slash = any(token.text == "/" for token in self._tokens)
        is_latex = any(token.kind is Kind.DELIMITER for token in self._tokens)
        return "\\frac" if is_latex and not has_slash else PLAIN.fraction

    def has_decimals(self, *, default: bool) -> bool:
        """Whether broken numbers are written with a point."""
        if any(t.kind is Kind.NUMBER and "." in t.text for t in self._tokens):
            return True
        has_fraction = any(t.text in {"/", "frac"} for t in self._tokens)
        return default and not has_fraction

    def _factors(self) -> Iterator[tuple[Token, Token]]:
        """Numbers with what they are multiplied with, the sign left out."""
        for at, token in enumerate(self._tokens):
            if token.kind is not Kind.NUMBER:
                continue
            after = self._tokens[at + 1 : at + 3]
            if len(after) == 2 and after[0].text == "*":
                yield token, after[1]
            elif after and after[0].start == token.end:
                yield token, after[0]
