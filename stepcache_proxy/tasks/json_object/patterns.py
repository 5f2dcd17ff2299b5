"""ECMA-262 regular expressions of schemas, matched in time linear in the text.

A pattern is translated for RE2, which cannot backtrack. What RE2 has not (look
around, huge counts) runs in Python's ``re`` on short texts, and only where no
quantifier is nested in another. Everything else cannot be judged.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import re2

MAX_PATTERN = 2000
MAX_TEXT = 256
MAX_STEPS = 1_000_000
MAX_KEPT = 128
MAX_AUTOMATON_BYTES = 1 << 20

# ECMA-262 WhiteSpace and LineTerminator, wider than RE2's \s.
_SPACES = "\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_ESCAPES = {"s": f"[{_SPACES}]", "S": f"[^{_SPACES}]", "b": r"\b", "B": r"\B"}
_CLASS_ESCAPES = {"s": _SPACES, "b": r"\x08"}
_DOT = "[^\n\r\u2028\u2029]"
# RE2 reads a dollar as the end of the text, Python also as the end of its last line.
_END = "(?:$)"
_SIGN = re.compile(
    r"\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}"
    r"|\\[pP]\{[A-Za-z_]{1,32}\}|\\."
    r"|\(\?:|\(\?<?[=!]|\(\?<[A-Za-z]\w*>|\(\?"
    r"|\[\^?|\{\d+(?:,\d*)?\}\??|[*+?]\??|.",
    re.DOTALL,
)

Search = Callable[[str], bool]


@dataclass(slots=True)
class _Translation:
    """What is known of a pattern while it is read sign by sign."""

    out: list[str] = field(default_factory=list[str])
    is_in_class: bool = False
    is_plain: bool = True  # RE2 has everything that was seen
    repeats: int = 0
    branches: int = 0
    is_nested: bool = False


class Patterns:
    """Compiled patterns, each at its first use; forgotten when there are too many."""

    __slots__ = ("_searches",)

    def __init__(self) -> None:
        self._searches: dict[str, Search | None] = {}

    def search(self, pattern: str, text: str) -> bool | None:
        """Whether ``pattern`` occurs in ``text``; None if it cannot be told safely."""
        searches = self._searches
        if pattern not in searches:
            if len(searches) >= MAX_KEPT:
                # A new one: another thread may be reading from the old.
                searches = self._searches = {}
            searches[pattern] = compiled(pattern)
        search = searches[pattern]
        try:
            return None if search is None else search(text)
        except (UnicodeEncodeError, _TooLongError):
            return None


class _TooLongError(ValueError):
    """The text is too long for a pattern that may backtrack."""


def compiled(pattern: str) -> Search | None:
    """A search for ``pattern`` that cannot hang, None where there is none."""
    translation = _translate(pattern) if len(pattern) <= MAX_PATTERN else None
    if translation is None:
        return None
    source = "".join(translation.out)
    linear = _linear(source) if translation.is_plain else None
    return linear or _short(source, translation)


def _linear(source: str) -> Search | None:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_AUTOMATON_BYTES
    try:
        automaton = re2.compile(source, options)
    except (re2.error, UnicodeEncodeError):
        return None
    return lambda text: automaton.search(text) is not None


def _short(source: str, translation: _Translation) -> Search | None:
    if translation.is_nested or any(mark in source for mark in (r"\p", r"\P", "--")):
        return None
    try:
        automaton = re.compile(source.replace(_END, r"\Z"), re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return None
    is_anchored = source.startswith("^") and "|" not in source
    exponent = translation.repeats + (0 if is_anchored else 1)

    def search(text: str) -> bool:
        # Without nesting, a repeat can stop at each place and a branch go two ways.
        steps = (len(text) + 1) ** exponent << translation.branches
        if len(text) > MAX_TEXT or steps > MAX_STEPS:
            raise _TooLongError
        return automaton.search(text) is not None

    return search


def _translate(pattern: str) -> _Translation | None:
    """``pattern`` in the syntax RE2 and ``re`` share; None if it is not understood."""
    state = _Translation()
    for match in _SIGN.finditer(pattern):
        translated = _translated(match[0], state)
        if translated is None:
            return None
        state.out.append(translated)
    return None if state.is_in_class else state


def _translated(sign: str, state: _Translation) -> str | None:
    if sign[0] == "\\":
        return _escape(sign, is_in_class=state.is_in_class)
    if state.is_in_class:
        return _in_class(sign, state)
    if sign[0] == "[":
        state.is_in_class = True
        return sign
    if sign[0] == "(":
        return _group(sign, state)
    if sign[0] in "*+?{":
        return _repeat(sign, state)
    state.branches += sign == "|"
    return {".": _DOT, "$": _END}.get(sign, sign)


def _in_class(sign: str, state: _Translation) -> str | None:
    if len(sign) > 1 and sign[0] == "[":
        return r"\[^"
    if sign == "[":
        return r"\["
    if sign == "]":
        # ECMA reads [] as nothing and [^] as anything, the others do not.
        state.is_in_class = False
        return None if state.out[-1] in {"[", "[^"} else sign
    # ECMA knows no set operations and no nested quantifier inside a class.
    return "".join("\\" + c if c in "&~|$" else c for c in sign)


def _group(sign: str, state: _Translation) -> str | None:
    if sign == "(?":
        return None
    if sign in {"(?=", "(?!", "(?<=", "(?<!"}:
        state.is_plain = False
        return sign
    return sign if sign == "(?:" else "("


def _repeat(sign: str, state: _Translation) -> str:
    if sign[0] == "{" and not sign[1:2].isdigit():
        return r"\{"
    if state.out and state.out[-1] == ")" and sign != "?":
        state.is_nested = True
    state.repeats += 1
    return sign


def _escape(sign: str, *, is_in_class: bool) -> str | None:
    letter = sign[1:2]
    if len(sign) > 2:
        is_code = letter in "ux"
        return _code_point(int(sign.strip("\\ux{}"), 16)) if is_code else sign
    if letter in {"s", "S", "b", "B"}:
        return _CLASS_ESCAPES.get(letter) if is_in_class else _ESCAPES[letter]
    return sign if letter and letter in "dDwWtnrfv" else _literal(letter)


def _literal(letter: str) -> str | None:
    """An escaped character that stands for itself; letters and digits do not."""
    if letter == "_" or not letter.isascii():
        return letter
    return None if letter.isalnum() or not letter else "\\" + letter


def _code_point(code: int) -> str | None:
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return None
    if code < 0x80 and not chr(code).isalnum():
        return f"\\x{code:02x}"
    return chr(code)
