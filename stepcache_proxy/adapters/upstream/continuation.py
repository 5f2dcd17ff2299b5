"""A prompt with a verified prefix -> the request body that gets it continued."""

from enum import StrEnum

from stepcache_proxy.adapters.upstream.kinds import Kind
from stepcache_proxy.reuse.protocols import Prompt
from stepcache_proxy.wire.assemble import CHAT
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

PATHS = {"chat": b"/v1/chat/completions", "completions": b"/v1/completions"}

# Only the server can count tokens: English prose has about four characters to one.
_CHARACTERS_PER_TOKEN = 4
_LIMITS = ("max_completion_tokens", "max_tokens", "n_predict")
_ALL_FORMATS = frozenset(
    {
        "response_format",
        "structured_outputs",
        "guided_json",
        "guided_regex",
        "guided_choice",
        "guided_grammar",
        "json_schema",
        "grammar",
    }
)
# llama.cpp advances the grammar of a schema through the prefix, but not a GBNF of the
# user's; vLLM starts every grammar at the first generated token.
_FORMATS_LOST: dict[Kind, frozenset[str]] = {
    "llamacpp": frozenset({"grammar"}),
    "vllm": _ALL_FORMATS,
    "openai": _ALL_FORMATS,
}
_INSTRUCTION = """\
Here is the beginning of your answer. It has been checked and is right:
<answer_so_far>
{stem}
</answer_so_far>
Go on exactly where it stops. Write only what comes next, and repeat nothing."""


class Manner(StrEnum):
    """How an answer is asked for."""

    FULL = "full"
    CONTINUE = "continue"
    INSTRUCT = "instruct"


def body_for(prompt: Prompt, manner: Manner, kind: Kind, stem: str) -> JsonObject:
    """The streamed request; ``stem`` is the prefix as the server is to see it."""
    body: dict[str, Json] = {**prompt.body, "stream": True}
    options = body.get("stream_options")
    given = options if isinstance(options, dict) else {}
    body["stream_options"] = {**given, "include_usage": True}
    if manner is Manner.FULL or not stem:
        return body
    lost = _ALL_FORMATS if manner is Manner.INSTRUCT else _FORMATS_LOST[kind]
    for name in lost:
        body.pop(name, None)
    _lower_limits(body, stem)
    if prompt.endpoint != CHAT:
        return body | {"prompt": _text(body.get("prompt")) + stem}
    if manner is Manner.INSTRUCT:
        return body | {"messages": _instructed(_messages(body), stem)}
    return body | continuing(_messages(body), stem)


def continuing(messages: list[Json], stem: str) -> dict[str, Json]:
    """The fields that make vLLM and llama.cpp go on writing a message.

    Both flags are needed: either server refuses the first without the second.
    """
    begun: Json = {"role": "assistant", "content": stem}
    return {
        "messages": [*messages, begun],
        "continue_final_message": True,
        "add_generation_prompt": False,
    }


def messages_of(prompt: Prompt) -> list[Json]:
    """The messages of a chat prompt."""
    return _messages(prompt.body)


def _messages(body: JsonObject) -> list[Json]:
    messages = body.get("messages")
    return list(messages) if isinstance(messages, list) else []


def _instructed(messages: list[Json], stem: str) -> list[Json]:
    """The instruction, inside the last user message: some templates refuse two."""
    said = _INSTRUCTION.format(stem=stem)
    last = messages[-1] if messages else None
    if isinstance(last, dict) and last.get("role") == "user":
        content = last.get("content")
        if isinstance(content, str):
            return [*messages[:-1], {**last, "content": f"{content}\n\n{said}"}]
    return [*messages, {"role": "user", "content": said}]


def _lower_limits(body: dict[str, Json], stem: str) -> None:
    spent = len(stem) // _CHARACTERS_PER_TOKEN
    for name in _LIMITS:
        limit = body.get(name)
        if isinstance(limit, int) and limit > 0:
            body[name] = max(1, limit - spent)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
