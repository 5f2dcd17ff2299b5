"""Request shapes that clients send to vLLM."""

from collections.abc import Iterator

from stepcache_proxy.wire.jsonvalue import Json, JsonObject
from tests.e2e.shapes import CHAT, COMPLETIONS, Kept

_QUESTION = "What is the capital of France?"
_TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": "tide",
        "description": "The tide at a harbour",
        "parameters": {
            "type": "object",
            "properties": {"high": {"type": "boolean"}},
            "required": ["high"],
        },
    },
}
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"wet": {"type": "boolean"}},
    "required": ["wet"],
    "additionalProperties": False,
}
_WORD: JsonObject = {"structured_outputs": {"choice": ["yes", "no"]}}


def kept_shapes() -> list[Kept]:
    """Shapes that are answered from the cache when they are asked again."""
    chats = [Kept(name, CHAT, _chat(**fields)) for name, fields in _chats()]
    prompts = [Kept(n, COMPLETIONS, _prompt(**fields)) for n, fields in _prompts()]
    return [*chats, *prompts]


def _chat(**fields: Json) -> JsonObject:
    return {
        "model": "SmolLM2-135M-Instruct",
        "messages": [{"role": "user", "content": _QUESTION}],
        "temperature": 0,
        "max_tokens": 24,
        **fields,
    }


def _prompt(**fields: Json) -> JsonObject:
    return {
        "model": "SmolLM2-135M-Instruct",
        "prompt": "The capital of France is",
        "temperature": 0,
        "max_tokens": 24,
        **fields,
    }


_Row = tuple[str, JsonObject]


def _chats() -> Iterator[_Row]:
    yield "plain", {}
    yield "another name of the model", {"model": "smollm2", **_WORD}
    yield "no max_tokens", {"max_tokens": None}
    yield "max_completion_tokens", {"max_tokens": None, "max_completion_tokens": 20}
    yield "stop string", {"stop": "Paris"}
    yield "stop list", {"stop": ["France", "x"]}
    included: JsonObject = {"stop": ["France"], "include_stop_str_in_output": True}
    yield "stop string included", included
    yield "stop token", {"stop_token_ids": [30]}
    yield "choice", _WORD
    yield "regex", {"structured_outputs": {"regex": "[ab]{3}"}}
    yield "structured json", {"structured_outputs": {"json": _SCHEMA}}
    wanted: Json = {"name": "w", "schema": _SCHEMA, "strict": True}
    json_schema: Json = {"type": "json_schema", "json_schema": wanted}
    yield "json_schema", {"response_format": json_schema}
    yield "response_format text", {"response_format": {"type": "text"}, **_WORD}
    yield from _talks()
    yield from _engine()
    yield "tool demanded", _tools("required")
    named: Json = {"type": "function", "function": {"name": "tide"}}
    yield "tool named", _tools(named)
    yield "tool_choice none", {"tools": [_TOOL], "tool_choice": "none"}


def _tools(choice: Json) -> JsonObject:
    return {"tools": [_TOOL], "tool_choice": choice, "max_tokens": 64}


def _talks() -> Iterator[_Row]:
    def said(*contents: Json) -> JsonObject:
        roles = ("system", "user", "assistant", "user")
        turns = zip(roles, contents, strict=False)
        return {"messages": [{"role": r, "content": c} for r, c in turns], **_WORD}

    yield "system message", said("Be brief", "Is tea hot?")
    yield "several turns", said("Be brief", "Is tea hot?", "Yes.", "And milk?")
    parts: Json = [
        {"type": "text", "text": "Is a canal "},
        {"type": "text", "text": "deep?"},
    ]
    yield "content parts", said("Be brief", parts)


def _engine() -> Iterator[_Row]:
    rows: tuple[_Row, ...] = (
        ("seed", {"seed": 7, "temperature": 0.9}),
        ("sampling", {"top_p": 0.9, "top_k": 20, "presence_penalty": 0.5}),
        ("repetition_penalty", {"repetition_penalty": 1.1}),
        ("logit_bias", {"logit_bias": {"15": 1.5}}),
        ("min_tokens", {"min_tokens": 1}),
        ("n=1", {"n": 1}),
        ("special tokens kept", {"skip_special_tokens": False}),
        ("template arguments", {"chat_template_kwargs": {"mood": "calm"}}),
        ("cache_salt", {"cache_salt": "salty"}),
        ("priority", {"priority": 0}),
        ("metadata", {"user": "u1", "metadata": {"a": "b"}, "store": False}),
        ("unknown field", {"harbour_master": "Inga"}),
        ("guided_choice is ignored", {"guided_choice": ["a", "b"]}),
    )
    for name, fields in rows:
        yield name, {**_WORD, **fields}


def _prompts() -> Iterator[_Row]:
    yield "completion stop", {"stop": ["."]}
    yield "completion choice", _WORD
    yield "completion of a list", {"prompt": ["Is ice wet?"], **_WORD}
    yield "completion of tokens", {"prompt": [10, 20, 30], **_WORD}
    yield "completion seed", {"seed": 7, "temperature": 0.9, **_WORD}
    yield "completion json", {"structured_outputs": {"json": _SCHEMA}}
