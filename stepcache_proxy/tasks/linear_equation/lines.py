"""An answer as lines with their step marks, and back, numbered anew."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MARK = re.compile(
    r"[ \t]{0,8}(?:[#*_>-]{1,6}[ \t]{0,4}){0,3}"
    r"(?:[Ss]tep[ \t](?=[0-9])|(?=[0-9]{1,3}[.)][ \t*]))(?P<number>[0-9]{1,3})"
)
_GOES_ON = re.compile(r"[ \t&$*]{0,16}=")


class Line(NamedTuple):
    """``mark`` ends before the number of a step; None where the line has none."""

    mark: str | None
    text: str

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to read."""
        return not self.text.strip()


def split_lines(text: str) -> list[Line]:
    """The lines of ``text`` with their ends; one that begins with = joins the last."""
    whole: list[str] = []
    for line in text.splitlines(keepends=True):
        if whole and _GOES_ON.match(line):
            whole[-1] += line
        else:
            whole.append(line)
    return [_line(line) for line in whole]


def _line(text: str) -> Line:
    found = _MARK.match(text)
    if found is None:
        return Line(None, text)
    return Line(text[: found.start("number")], text)


def join_lines(old: Sequence[Line], new: Sequence[Line | None]) -> str | None:
    """The lines that are left, their steps numbered anew.

    None where a line was left out that is not a step of its own, or where the
    numbers of the old lines do not simply count.
    """
    if None not in new:
        return "".join(line.text for line in new if line is not None)
    numbers = [_number(line) for line in old if line.mark is not None]
    if numbers != list(range(1, len(numbers) + 1)) or not _may_leave_out(old, new):
        return None
    return "".join(_numbered(_kept(old, new)))


def _number(line: Line) -> int:
    digits = re.match(r"[0-9]{1,3}", line.text[len(line.mark or "") :])
    return int(digits.group()) if digits else 0


def _may_leave_out(old: Sequence[Line], new: Sequence[Line | None]) -> bool:
    """A step goes whole: its first line goes, and then the lines after it."""
    has_marks = any(line.mark is not None for line in old)
    is_gone = not has_marks
    for was, now in zip(old, new, strict=True):
        if was.is_blank:
            continue
        if was.mark is not None:
            is_gone = now is None
        elif has_marks and _is_outside(was):
            is_gone = False
            if now is None:
                return False
        elif has_marks and (now is None) != is_gone:
            return False
    return True


def _is_outside(line: Line) -> bool:
    """Whether a line without a mark belongs to no step: the answer, a check."""
    words = re.findall(r"[a-z]+", line.text.lower())
    return bool({"answer", "solution", "check", "therefore", "so"} & set(words[:3]))


def _kept(old: Sequence[Line], new: Sequence[Line | None]) -> Iterator[Line]:
    """The lines that stay; the blank line after one that goes goes with it."""
    is_gone = False
    for was, now in zip(old, new, strict=True):
        if now is None:
            is_gone = True
        elif not (is_gone and was.is_blank):
            is_gone = False
            yield now


def _numbered(lines: Iterator[Line]) -> Iterator[str]:
    number = 0
    for line in lines:
        if line.mark is None:
            yield line.text
            continue
        number += 1
        rest = line.text[len(line.mark) :].lstrip("0123456789")
        yield f"{line.mark}{number}{rest}"
