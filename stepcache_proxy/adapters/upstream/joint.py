"""Pieces of a continuation -> new text that fits behind the prefix."""

# A repeated "```" or "1." is no new beginning, a repeated sentence is.
_TELLING_CHARACTERS = 8


class Joint:
    """Makes prefix + text a proper text: separators once, nothing repeated.

    The server was given ``stem``, the prefix without its trailing white space, since
    a model continues badly after a separator it did not write; so the separator comes
    again at the start of the new text. A server or model that begins anew repeats the
    stem or its first or last lines; what repeats exactly is cut.
    """

    def __init__(self, prefix: str) -> None:
        self.stem = prefix.rstrip()
        self._tail = prefix[len(self.stem) :]
        self._held = ""
        self._is_open = not prefix

    def push(self, text: str) -> str:
        """The text that is now certain to be new."""
        if self._is_open or not text:
            return text
        self._held += text
        return self._release(is_end=False)

    def flush(self) -> str:
        """What was still held when the continuation ended."""
        return "" if self._is_open else self._release(is_end=True)

    def _release(self, *, is_end: bool) -> str:
        begun = self._held.lstrip()
        if not begun and not is_end:
            return ""
        repeated = _repeated(begun, self.stem, is_end=is_end)
        if repeated is None:
            return ""
        text = begun[repeated:] if repeated else self._held
        if not text.strip():
            self._held = text
            return ""
        self._is_open = True
        return _behind(self._tail, text)


def _behind(tail: str, text: str) -> str:
    """``text`` without the separator that the prefix already ends with."""
    if not tail:
        return text
    if text.startswith(tail):
        return text[len(tail) :]
    begun = text.lstrip()
    space = text[: len(text) - len(begun)]
    # What follows the last line feed is indentation and belongs to the new line.
    return space[space.rfind("\n") + 1 :] + begun if "\n" in space else begun


def _repeated(text: str, stem: str, *, is_end: bool) -> int | None:
    """How much of the start of ``text`` repeats ``stem``; None while it may yet."""
    last = stem[stem.rfind("\n") + 1 :].lstrip()
    if text.startswith(stem):
        again = len(stem)
    elif not is_end and (stem.startswith(text) or last.startswith(text)):
        return None
    else:
        whole_lines = text.rfind("\n", 0, _shared(text, stem)) + 1
        again = whole_lines or (len(last) if _is_line(last, text) else 0)
    return again if _is_telling(text[:again]) else 0


def _is_line(last: str, text: str) -> bool:
    """Whether ``text`` begins with ``last`` and ends or breaks the line after it."""
    return text.startswith(last) and text[len(last) : len(last) + 1] in "\r\n"


def _is_telling(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _TELLING_CHARACTERS


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
