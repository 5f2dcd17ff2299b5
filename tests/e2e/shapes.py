"""Request shapes that clients send to llama.cpp."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle

import orjson

from stepcache_proxy.wire.jsonvalue import JsonObject

CHAT = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
# The smallest answer that the model can give: one word and it is done.
_WORD = 'root ::= "yes" | "no"'
_QUESTION = "Is the harbour deep?"
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


@dataclass(frozen=True, slots=True)
class Kept:
    """A request whose answer is kept; sent streamed and not."""

    name: str
    path: str
    fields: Mapping[str, object]

    def body(self, *, is_stream: bool) -> bytes:
        """The request in one of its two forms."""
        return orjson.dumps({**self.fields, "stream": is_stream})


@dataclass(frozen=True, slots=True)
class Passed:
    """A request that reaches the model server every time, with this outcome."""

    name: str
    path: str
    body: bytes | None
    outcome: str = "bypass"
    method: str = "POST"


def kept_shapes() -> list[Kept]:
    """Shapes that are answered from the cache when they are asked again."""
    return [Kept(*row) for row in (*_kept_chats(), *_kept_completions())]


def passed_shapes() -> list[Passed]:
    """Everything else."""
    missed = [
        Passed(name, path, orjson.dumps(body), "miss")
        for name, path, body in (*_streams(), *_never_kept(), *_faulty())
    ]
    bypassed = [
        Passed(name, path, orjson.dumps(body))
        for name, path, body in (*_bypassed(), *_native())
    ]
    return [*missed, *bypassed, *_refused(), *_other_methods()]


def _asked(*contents: object) -> list[dict[str, object]]:
    """Turns with a short system message: the template's own is many times longer."""
    turns = zip(cycle(("user", "assistant")), contents, strict=False)
    said = [{"role": role, "content": content} for role, content in turns]
    return [{"role": "system", "content": "Hi"}, *said]


def _chat(**fields: object) -> dict[str, object]:
    return {
        "model": "SmolLM2-135M-Instruct",
        "messages": _asked(_QUESTION),
        "temperature": 0,
        "max_tokens": 12,
        "cache_prompt": False,
        **fields,
    }


def _word(**fields: object) -> dict[str, object]:
    return _chat(grammar=_WORD, **fields)


def _prompt(**fields: object) -> dict[str, object]:
    return {
        "model": "SmolLM2-135M-Instruct",
        "prompt": _QUESTION,
        "temperature": 0,
        "max_tokens": 12,
        "cache_prompt": False,
        **fields,
    }


def _short_prompt(**fields: object) -> dict[str, object]:
    return _prompt(grammar=_WORD, **fields)


_Row = tuple[str, str, dict[str, object]]


def _streams() -> Iterator[_Row]:
    """What can be said of the usage chunk, and of streaming itself."""
    options: tuple[tuple[str, object], ...] = (
        ("usage asked", {"include_usage": True}),
        ("usage declined", {"include_usage": False}),
        ("no option", {}),
        ("options null", None),
    )
    called = _chat(tools=[_TOOL], tool_choice="required", max_tokens=64)
    for name, value in options:
        fields = {"stream": True, "stream_options": value}
        yield f"stream: {name}", CHAT, _word(**fields)
        yield f"completion stream: {name}", COMPLETIONS, _short_prompt(**fields)
        yield f"stream of a tool call: {name}", CHAT, {**called, **fields}
    yield "stream null", CHAT, _word(stream=None)


def _kept_chats() -> Iterator[_Row]:
    for name, fields in (*_kept_plain(), *_kept_formats()):
        yield name, CHAT, fields


def _kept_plain() -> Iterator[tuple[str, dict[str, object]]]:
    said = _asked("Say only the word: lighthouse")[1:]
    yield "plain", _chat(messages=said, max_tokens=48)
    yield "stop string", _chat(stop=" ")
    yield "stop list", _chat(stop=["e", "\n"])
    yield "grammar", _word()
    yield "several turns", _word(messages=_asked("Is tea hot?", "Yes.", "And milk?"))
    parts = [{"type": "text", "text": "Is a canal "}, {"type": "text", "text": "deep?"}]
    yield "content parts", _word(messages=_asked(parts))
    yield "seed", _word(seed=7, temperature=0.9)
    yield "max_completion_tokens", _word(max_tokens=None, max_completion_tokens=9)
    yield "n=1", _word(n=1)
    yield "sampling", _word(top_p=0.9, top_k=20, presence_penalty=0.5)
    yield "logit_bias", _word(logit_bias=[[15, 1.5]])
    yield "unknown field", _word(harbour_master="Inga", user="u1", metadata={"a": "b"})
    yield "unknown model", _word(model="no-such-model")


def _kept_formats() -> Iterator[tuple[str, dict[str, object]]]:
    any_object = {"type": "json_object", "schema": _SCHEMA}
    yield "json_object", _chat(response_format=any_object, max_tokens=32)
    demanded = {"name": "w", "schema": _SCHEMA, "strict": True}
    json_schema = {"type": "json_schema", "json_schema": demanded}
    yield "json_schema", _chat(response_format=json_schema, max_tokens=32)
    yield "response_format text", _word(response_format={"type": "text"})
    yield "tool call", _chat(tools=[_TOOL], tool_choice="required", max_tokens=64)
    yield "tool_choice none", _chat(tools=[_TOOL], tool_choice="none", stop=" ")


def _kept_completions() -> Iterator[_Row]:
    for name, fields in (
        ("completion", _short_prompt()),
        ("completion stop", _prompt(prompt="The tide is", stop=["e"])),
        ("completion of a list", _short_prompt(prompt=["Is ice wet?"])),
        ("completion of tokens", _short_prompt(prompt=[10, 20, 30])),
    ):
        yield name, COMPLETIONS, fields


def _never_kept() -> Iterator[_Row]:
    yield "cut", CHAT, _chat(max_tokens=5)
    yield "cut streamed", CHAT, _chat(max_tokens=5, stream=True)
    yield "cut json", CHAT, _chat(max_tokens=3, response_format={"type": "json_object"})
    yield "completion cut", COMPLETIONS, _prompt(max_tokens=5)
    yield "completion cut streamed", COMPLETIONS, _prompt(max_tokens=5, stream=True)
    yield "empty prompt", COMPLETIONS, _prompt(prompt="", max_tokens=4)
    yield "two prompts", COMPLETIONS, _prompt(prompt=["Ice", "Fire"], max_tokens=4)


def _faulty() -> Iterator[_Row]:
    """Well-formed requests that the model server refuses (or puts up with)."""
    long = _asked("a b " * 5000)
    for name, fields in (
        ("max_tokens as text", {"max_tokens": "many"}),
        ("temperature as text", {"temperature": "warm"}),
        ("stop as a number", {"stop": 3}),
        ("bad grammar", {"grammar": "root ::= ("}),
        ("bad schema", {"json_schema": {"type": "no-such-type"}}),
        ("bad response_format", {"response_format": {"type": "poem"}}),
        ("bad tools", {"tools": "hammer"}),
        ("bad tool_choice", {"tools": [_TOOL], "tool_choice": "sometimes"}),
        ("over the context", {"messages": long}),
    ):
        yield name, CHAT, _chat(**fields)
        yield name + " streamed", CHAT, _chat(**fields, stream=True)
    yield "empty list prompt", COMPLETIONS, _prompt(prompt=[])


def _bypassed() -> Iterator[_Row]:
    image = {"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/a.png"}}
    for name, fields in (
        ("n=2", {"n": 2}),
        ("logprobs", {"logprobs": True, "top_logprobs": 2}),
        ("timings_per_token", {"timings_per_token": True}),
        ("return_progress", {"return_progress": True}),
        ("verbose", {"verbose": True}),
    ):
        yield name, CHAT, _chat(**fields, max_tokens=4)
        yield name + " streamed", CHAT, _chat(**fields, max_tokens=4, stream=True)
    yield "stream as a number", CHAT, _word(stream=1)
    yield "begun answer", CHAT, _chat(messages=_asked("New?", "The"), max_tokens=4)
    yield "image", CHAT, _chat(messages=_asked([image]))
    yield "echo", COMPLETIONS, _prompt(echo=True, max_tokens=4)
    yield "completion logprobs", COMPLETIONS, _prompt(logprobs=2, max_tokens=4)
    yield "completion n=2", COMPLETIONS, _prompt(n=2, max_tokens=4)
    yield "suffix", COMPLETIONS, _prompt(suffix="!", max_tokens=4)


def _native() -> Iterator[_Row]:
    short = {"n_predict": 4, "temperature": 0, "cache_prompt": False}
    messages = _asked("Hi")
    yield "native completion", "/completion", {"prompt": "Sea", **short}
    streamed = {"prompt": "Sea", "stream": True, **short}
    yield "native completion streamed", "/completion", streamed
    yield "chat without v1", "/chat/completions", _chat(max_tokens=4)
    yield "tokenize", "/tokenize", {"content": "The sea", "with_pieces": True}
    yield "detokenize", "/detokenize", {"tokens": [10, 20]}
    yield "apply-template", "/apply-template", {"messages": messages}
    yield "embeddings", "/v1/embeddings", {"input": "The sea", "model": "m"}
    yield "rerank", "/v1/rerank", {"query": "sea", "documents": ["a"]}
    yield "infill", "/infill", {"input_prefix": "a", "input_suffix": "b", **short}
    responses = {"input": "Hi", "max_output_tokens": 4, **short}
    yield "responses", "/v1/responses", responses
    yield "responses streamed", "/v1/responses", {**responses, "stream": True}
    anthropic = {"messages": messages, "max_tokens": 4, **short}
    yield "messages", "/v1/messages", anthropic
    yield "messages streamed", "/v1/messages", {**anthropic, "stream": True}
    yield "count_tokens", "/v1/messages/count_tokens", anthropic
    yield "lora", "/lora-adapters", {}


def _refused() -> Iterator[Passed]:
    """Bodies that are no request."""
    for path, field in ((CHAT, "messages"), (COMPLETIONS, "prompt")):
        for name, body in (
            ("no body", None),
            ("no json", b"{nonsense"),
            ("an array", b"[1,2]"),
            (f"no {field}", b"{}"),
            (f"null {field}", b'{"%s":null}' % field.encode()),
            (f"wrong {field}", b'{"%s":7}' % field.encode()),
            ("wrong model", b'{"model":7,"%s":7}' % field.encode()),
        ):
            yield Passed(f"{path}: {name}", path, body)
    for name, messages in (
        ("empty messages", []),
        ("text messages", ["hello"]),
        ("no role", [{"content": "hello"}]),
        ("wrong role", [{"role": 1, "content": "hello"}]),
    ):
        body = orjson.dumps({**_chat(max_tokens=4), "messages": messages})
        yield Passed(name, CHAT, body)


def _other_methods() -> Iterator[Passed]:
    for method, path in (
        ("GET", "/v1/models"),
        ("GET", "/models"),
        ("GET", "/props"),
        ("GET", "/slots"),
        ("GET", "/health"),
        ("GET", "/v1/health"),
        ("GET", "/lora-adapters"),
        ("GET", "/no/such/path?x=1"),
        ("POST", "/v1/no-such-path"),
        ("GET", CHAT),
        ("PUT", CHAT),
        ("DELETE", "/v1/models"),
        ("HEAD", "/v1/models"),
        ("HEAD", "/health"),
        ("OPTIONS", CHAT),
        ("OPTIONS", "/v1/models"),
        ("PATCH", "/props"),
    ):
        yield Passed(f"{method} {path}", path, None, method=method)
