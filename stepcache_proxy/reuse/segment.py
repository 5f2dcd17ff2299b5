r"""Answer text -> ordered steps, whole or incrementally.

A step begins at a numbered item, a heading, a list item, a line that states the
final answer, or a paragraph; the line breaks between two steps belong to the first.
Nothing begins inside a code fence, ``$$ .. $$``, ``\[ .. \]`` or
``\begin{..} .. \end{..}``; table rows begin nothing. An answer that looks like one
JSON document is one step.
"""

import re
from dataclasses import dataclass

from stepcache_proxy.reuse.model import Step

# Whether a line begins a step is read from this many of its first characters, so a
# step can be released before the line after it is complete.
_LOOK = 64

_BEGINS = re.compile(
    r"""\s*(?:
      \#{1,6}(?:\s|$)                                      # heading
    | [-*+•–]\s                                            # list item
    | (?:\*\*|__)?\(?\d{1,3}[.)](?:\*\*|__)?(?:\s|$)       # 1.  1)  (1)  **1.**
    | (?:\*\*|__)?step\s{1,4}\d{1,4}\s?(?:[:.)(\-–—*_]|$)  # Step 1:  **Step 1**
    | (?:\*\*|__)?(?:the\s|final\s|my\s){0,2}answer\s?(?:\*\*|__)?\s?(?:[:=]|is\b)
    | (?:\*\*|__)?(?:therefore|thus|hence|so),?\sthe\s(?:final\s)?answer\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKER = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)")
# A doubled backslash is a line break of LaTeX: "\\[2pt]" opens nothing.
_MATH = re.compile(r"\\\\|\$\$|\\\[|\\\]|\\begin\{|\\end\{")

_JSON_ENDS = {"{": "}", "[": "]"}
_JSON_SECOND = {"{": '"}', "[": '{["]-0123456789tfn'}


def segment(text: str) -> tuple[Step, ...]:
    """The steps of ``text``; joined they are ``text``, byte for byte.

    Indices count from 0, no step is empty, ``()`` for the empty text. The same
    steps as a :class:`Segmenter` gives for any cut of the text. Linear time.
    """
    segmenter = Segmenter()
    return (*segmenter.push(text), *segmenter.flush())


class Segmenter:
    """Text in pieces -> steps, each released once the text after it is certain."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._opening = ""
        self._is_open = True
        self._lines = _Lines()
        self._count = 0

    def push(self, delta: str) -> list[Step]:
        """The steps that ``delta`` completes, in order."""
        if not self._is_open:
            return self._number(self._lines.push(delta))
        self._head.append(delta)
        if len(self._opening) < 2:
            self._opening = (self._opening + "".join(delta.split()))[:2]
        if _may_be_json(self._opening):
            return []
        return self._number(self._release_head())

    def flush(self) -> list[Step]:
        """The steps still held; call it once, after the last piece."""
        texts: list[str] = []
        if self._is_open:
            whole = "".join(self._head)
            if _looks_like_json(whole.strip()):
                self._head.clear()
                texts.append(whole)
            else:
                texts += self._release_head()
        return self._number(texts + self._lines.flush())

    def _release_head(self) -> list[str]:
        self._is_open = False
        whole = "".join(self._head)
        self._head.clear()
        return self._lines.push(whole)

    def _number(self, texts: list[str]) -> list[Step]:
        first = self._count
        self._count += len(texts)
        return [Step(first + i, text) for i, text in enumerate(texts)]


class _Lines:
    """Pieces of text -> texts of steps, deciding line by line."""

    def __init__(self) -> None:
        self._step: list[str] = []
        self._line: list[str] = []
        self._size = 0
        self._is_read = False
        self._has_text = False
        self._is_after_blank = False
        self._scope = _Scope()

    def push(self, delta: str) -> list[str]:
        """The texts of the steps that ``delta`` completes."""
        texts: list[str] = []
        *lines, rest = delta.split("\n")
        for line in lines:
            texts += self._take(line + "\n")
            self._end_line()
        if rest:
            texts += self._take(rest)
        return texts

    def flush(self) -> list[str]:
        """The texts of the steps still held."""
        texts = self._read_line()
        last = "".join(self._step + self._line)
        self._step, self._line = [], []
        return [*texts, last] if last else texts

    def _take(self, piece: str) -> list[str]:
        self._line.append(piece)
        self._size += len(piece)
        if self._size < _LOOK and not piece.endswith("\n"):
            return []
        return self._read_line()

    def _read_line(self) -> list[str]:
        """Decide, once per line, whether it begins a step."""
        if self._is_read or not self._line:
            return []
        self._is_read = True
        if not self._has_text or not self._begins("".join(self._line)[:_LOOK]):
            return []
        finished = "".join(self._step)
        self._step = []
        self._has_text = False
        return [finished]

    def _begins(self, start: str) -> bool:
        if self._scope.is_inside:
            return False
        if self._is_after_blank and start.strip():
            return True
        return _BEGINS.match(start) is not None

    def _end_line(self) -> None:
        line = "".join(self._line)
        self._scope = self._scope.after(line)
        self._is_after_blank = not line.strip()
        self._has_text = self._has_text or not self._is_after_blank
        self._step.append(line)
        self._line = []
        self._size = 0
        self._is_read = False


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is open at the start of a line: a fence, a formula, environments."""

    fence: str = ""
    formula: str = ""
    depth: int = 0

    @property
    def is_inside(self) -> bool:
        return bool(self.fence or self.formula or self.depth)

    def after(self, line: str) -> "_Scope":
        """The scope at the end of ``line``."""
        if self.fence:
            return _Scope() if _closes(self.fence, line) else self
        if not self.is_inside and (fence := _opened_fence(line)):
            return _Scope(fence=fence)
        return _after_formulas(self, line)


def _opened_fence(line: str) -> str:
    marker = _MARKER.match(line)
    found = _FENCE.match(line, marker.end() if marker else 0)
    # An info string of a backtick fence holds no backtick (CommonMark 4.5).
    if found is None or (found["mark"][0] == "`" and "`" in found["rest"]):
        return ""
    return found["mark"]


def _closes(fence: str, line: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def _after_formulas(scope: _Scope, line: str) -> _Scope:
    formula, depth = scope.formula, scope.depth
    for found in _MATH.finditer(line):
        mark = found[0]
        if mark == r"\begin{":
            depth += 1
        elif mark == r"\end{":
            depth = max(0, depth - 1)
        elif formula:
            formula = "" if mark == formula else formula
        elif mark in {"$$", r"\["}:
            formula = "$$" if mark == "$$" else r"\]"
    return _Scope(formula=formula, depth=depth)


def _may_be_json(opening: str) -> bool:
    """Whether a text whose first non-space characters are ``opening`` may be JSON."""
    if len(opening) < 2:
        return not opening or opening in _JSON_ENDS
    return opening[1] in _JSON_SECOND.get(opening[0], "")


def _looks_like_json(stripped: str) -> bool:
    opening = "".join(stripped[:64].split())[:2]
    return bool(
        len(opening) == 2
        and _may_be_json(opening)
        and stripped[-1] == _JSON_ENDS[opening[0]]
    )
