"""Most frames of a stream differ in a piece of text alone: those need no parsing."""

import re
from dataclasses import dataclass

import orjson

from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_CHAT = frozenset({"index", "delta"})
_COMPLETIONS = frozenset({"index", "text"})
# The quotes of a name inside of a text would be escaped.
_TEXT = re.compile(rb'"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.)*+)"')


@dataclass(frozen=True, slots=True)
class Usual:
    """The bytes before and behind the text of a frame."""

    before: bytes
    behind: bytes

    def text_in(self, raw: bytes) -> str | None:
        """The text of a frame that is the same but for its text; else None."""
        before, behind = self.before, self.behind
        end = len(raw) - len(behind)
        # They might share a quote, where a frame is cut.
        is_same = raw.startswith(before) and raw.endswith(behind)
        if not is_same or end < len(before):
            return None
        literal = raw[len(before) : end]
        if b'"' not in literal and b"\\" not in literal:
            try:
                text = literal.decode()
            except UnicodeDecodeError:
                return None
            return text if text.isprintable() else _read(literal)
        return _read(literal)


def usual(raw: bytes, choice: JsonObject, *, is_chat: bool) -> Usual | None:
    """What a frame with this choice is but for its text; None if it says more.

    A frame that is the same but for its text then adds that text and nothing else to
    what the frame before it said.
    """
    text = _text_alone(choice.get("delta")) if is_chat else choice.get("text")
    expected = _CHAT if is_chat else _COMPLETIONS
    if any(v is not None for name, v in choice.items() if name not in expected):
        return None
    found = list(_TEXT.finditer(raw))
    if not isinstance(text, str) or len(found) != 1 or _read(found[0][1]) != text:
        return None
    return Usual(raw[: found[0].start(1)], raw[found[0].end(1) :])


def _text_alone(delta: Json) -> Json:
    """The content of a delta that has nothing else."""
    is_alone = isinstance(delta, dict) and len(delta) == 1
    return delta.get("content") if isinstance(delta, dict) and is_alone else None


def _read(literal: bytes) -> str | None:
    try:
        text: object = orjson.loads(b'"%s"' % literal)
    except orjson.JSONDecodeError:
        return None
    return text if isinstance(text, str) else None
