r"""The final answer of a worked solution, whatever it is marked with.

The last mark wins: ``#### x``, ``\boxed{x}``, ``Answer: x`` and its kin; without any
mark it is the last number of the last line that has one. Only for measuring: nothing
is served because of what is read here.
"""

import re
from fractions import Fraction

_MOST_CHARS = 20_000
_MOST_DIGITS = 60

_MARKED = re.compile(
    r"(?:####\s{0,4}|(?<![\w])(?:final\s)?answers?(?:\s(?:is|was))?\s{0,2}[:=]\s{0,4}"
    r"|(?<![\w])answer\sis\s|^A:\s{0,4})(?P<said>[^\n]{1,200})",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,2}\{")
_NUMBER = re.compile(
    r"[-−]?\$?\s?(?:\d{1,3}(?:(?:,|\{,\}|\\,|\\!,)\d{3})+(?!\d)|\d+)?(?:\.\d+)?"
    r"(?:\s?/\s?\d+(?![\d.]))?"
)
_FRACTION = re.compile(
    r"(-?)\s?\\[dt]?frac\s?\{\s?(-?\d{1,30})\s?\}\s?\{\s?(-?\d{1,30})\s?\}"
)
_MIXED = re.compile(r"(-?\d{1,30})\s(\d{1,30})\s?/\s?(\d{1,30})")
_TEXT = re.compile(r"\\(?:text|mathrm|mbox|textbf|mathbf)\s?\{([^{}]{0,80})\}")
_DRESS = re.compile(r"[\s$*_`]|\\[,;:! ()\[\]]|\\left|\\right|\\%|%|°|\^\{?\\circ\}?")


def final_answer(text: str) -> str | None:
    """What ``text`` concludes, as written; None if it names neither mark nor number."""
    text = text[-_MOST_CHARS:]
    boxed = _last_boxed(text)
    marked = _last_marked(text)
    if boxed and (not marked or boxed[0] >= marked[0] or "boxed" in marked[1]):
        return boxed[1]
    if marked:
        return marked[1]
    return _last_number(text)


def is_same_answer(a: str | None, b: str | None) -> bool:
    """Whether both say the same: as exact numbers, else as words without dress."""
    if a is None or b is None:
        return False
    x, y = number_in(a), number_in(b)
    if x is not None and y is not None:
        return x == y
    return _plain(a) == _plain(b)


def number_in(text: str) -> Fraction | None:
    """The one number that an answer states, exactly; None if there is none.

    ``x = 5`` states 5, ``$1,200 dollars`` 1200, a fraction or a mixed number its
    value. Of several numbers the last counts.
    """
    shown = text.rpartition("=")[2] if "=" in text else text
    shown = _FRACTION.sub(r" \1\2/\3 ", shown).replace("−", "-")
    mixed = _MIXED.search(shown)
    if mixed:
        whole, over, under = (_integer(mixed[i]) for i in (1, 2, 3))
        return _mixed(whole, over, under)
    found = [m[0] for m in _NUMBER.finditer(shown) if any(c.isdigit() for c in m[0])]
    return _exact(found[-1]) if found else None


def _last_boxed(text: str) -> tuple[int, str] | None:
    found = list(_BOXED.finditer(text))
    if not found:
        return None
    start = found[-1].end()
    depth = 1
    for at in range(start, min(len(text), start + 400)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return start, text[start:at].strip()
    return None


def _last_marked(text: str) -> tuple[int, str] | None:
    found = [m for m in _MARKED.finditer(text) if m["said"].strip(" .*")]
    if not found:
        return None
    return found[-1].start(), found[-1]["said"].strip().rstrip(".")


def _last_number(text: str) -> str | None:
    for line in reversed(text.splitlines()):
        shown = _FRACTION.sub(r" \1\2/\3 ", line)
        found = [m[0] for m in _NUMBER.finditer(shown) if any(map(str.isdigit, m[0]))]
        if found:
            return found[-1].strip()
    return None


def _exact(written: str) -> Fraction | None:
    plain = re.sub(r"[\s$,{}\\!]", "", written).replace("−", "-")
    if len(plain) > _MOST_DIGITS:
        return None
    over, _, under = plain.partition("/")
    try:
        value = Fraction(over)
        return value / Fraction(under) if under else value
    except (ValueError, ZeroDivisionError):
        return None


def _integer(written: str) -> int:
    return int(written)


def _mixed(whole: int, over: int, under: int) -> Fraction | None:
    if not under:
        return None
    part = Fraction(over, under)
    return whole - part if whole < 0 else whole + part


def _plain(text: str) -> str:
    return _DRESS.sub("", _TEXT.sub(r"\1", text)).rstrip(".").casefold()
