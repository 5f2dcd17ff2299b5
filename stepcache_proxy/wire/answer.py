"""One whole assistant answer, whichever form it came in."""

from dataclasses import dataclass, field

from stepcache_proxy.wire.jsonvalue import JsonObject


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer as the upstream gave it, less id and created.

    ``content`` is the text (None for a pure tool call). ``message`` holds every
    other field of the assistant message (role, reasoning, refusal, tool calls,
    nulls), ``choice`` every other field of the choice, ``envelope`` every other
    top-level field. ``is_streamed`` tells which form these three came from.
    """

    content: str | None
    finish_reason: str
    model: str
    usage: JsonObject
    message: JsonObject = field(default_factory=dict)
    choice: JsonObject = field(default_factory=dict)
    envelope: JsonObject = field(default_factory=dict)
    is_streamed: bool = False

    @property
    def text(self) -> str:
        """The content, empty where there is none."""
        return self.content or ""

    @property
    def completion_tokens(self) -> int:
        """Tokens of this answer by the upstream's own count, 0 if untold."""
        return _count(self.usage, "completion_tokens")

    @property
    def most_tokens(self) -> int:
        """An upper bound of its tokens: as counted, else one a byte."""
        return self.completion_tokens or len(self.text.encode("utf-8", "replace"))

    @property
    def prompt_tokens(self) -> int:
        """Tokens of its prompt by the upstream's own count, 0 if untold."""
        return _count(self.usage, "prompt_tokens")


def _count(usage: JsonObject, name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
