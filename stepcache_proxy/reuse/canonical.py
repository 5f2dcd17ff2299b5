"""Request -> canonical request: partition, identity, template and constraints.

Three disjoint lists name every request field we know. Whatever is on none of them
goes into the partition, so a parameter invented tomorrow separates answers instead
of mixing them. ``null`` means absent on vLLM and llama.cpp alike. Key order, white
space of the JSON and 1 against 1.0 do not count; every character of the text does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import isfinite

import orjson

from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    PartitionKey,
    QuestionKey,
    RecordId,
    TemplateKey,
)
from stepcache_proxy.wire.chat import is_text_content, text_of
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

IN_CONSTRAINTS = frozenset(
    {
        "messages",
        "prompt",
        "response_format",
        "structured_outputs",
        "guided_json",
        "guided_regex",
        "guided_choice",
        "guided_grammar",
        "grammar",
        "json_schema",
    }
)

IGNORED = frozenset(
    {
        "stream",
        "stream_options",
        "stream_interval",
        "sse_ping_interval",
        "user",
        "metadata",
        "store",
        "safety_identifier",
        "service_tier",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "priority",
        "request_id",
        "session_id",
        "cache_prompt",
        "id_slot",
        "n_cache_reuse",
    }
)

LIMITS = frozenset({"max_tokens", "max_completion_tokens", "n_predict"})
"""In the partition by presence alone: a complete answer also serves another limit
that it fits in (``fits``), which needs both requests to state one."""

IN_PARTITION = (
    frozenset(
        {
            "model",
            "temperature",
            "top_p",
            "top_k",
            "min_p",
            "typical_p",
            "top_n_sigma",
            "frequency_penalty",
            "presence_penalty",
            "repetition_penalty",
            "repeat_penalty",
            "repeat_last_n",
            "length_penalty",
            "seed",
            "min_tokens",
            "stop",
            "stop_token_ids",
            "include_stop_str_in_output",
            "ignore_eos",
            "skip_special_tokens",
            "spaces_between_special_tokens",
            "logit_bias",
            "allowed_token_ids",
            "bad_words",
            "vllm_xargs",
            "samplers",
            "mirostat",
            "mirostat_tau",
            "mirostat_eta",
            "dynatemp_range",
            "dynatemp_exponent",
            "xtc_probability",
            "xtc_threshold",
            "dry_multiplier",
            "dry_base",
            "dry_allowed_length",
            "dry_penalty_last_n",
            "dry_sequence_breakers",
            "min_keep",
            "n",
            "n_cmpl",
            "best_of",
            "use_beam_search",
            "logprobs",
            "top_logprobs",
            "prompt_logprobs",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "functions",
            "function_call",
            "reasoning_effort",
            "thinking_token_budget",
            "reasoning_budget_tokens",
            "thinking_budget_tokens",
            "chat_template_kwargs",
            "include_reasoning",
            "reasoning_format",
            "chat_template",
            "documents",
            "add_special_tokens",
            "truncate_prompt_tokens",
            "lora",
            "n_keep",
            "n_discard",
            "cache_salt",
            "verbosity",
            "modalities",
            "echo",
            "suffix",
            "audio",
            "grammar_lazy",
            "grammar_triggers",
            "preserved_tokens",
        }
    )
    | LIMITS
)

_FORMATS = IN_CONSTRAINTS - {"messages", "prompt"}

_SHAPING = (
    "tools",
    "functions",
    "bad_words",
    "allowed_token_ids",
    "logit_bias",
    "stop_token_ids",
    "min_tokens",
    "ignore_eos",
)
"""Fields under which a text that the upstream did not write may not stand."""

_COURTESIES = frozenset(
    {"", "you are a helpful assistant", "you are a helpful ai assistant"}
)

_MAX_DEPTH = 64
_TEMPLATE_CHARS = 8_000


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, and whom: what no client can choose for another.

    ``tenant`` is a hash of the credential, ``upstream`` the root address, ``epoch``
    changes when the weights behind a model name do, ``query`` is what stands behind the
    path: an upstream may read anything there.
    """

    tenant: str
    upstream: str
    namespace: str
    epoch: str = ""
    query: str = ""


def canonicalise(
    endpoint: str, body: JsonObject, scope: Scope
) -> CanonicalRequest | None:
    """The canonical form of a request; None if it cannot be told from another.

    It is nested too deeply, or holds numbers that are not read exactly.

    Two requests have the same ``id`` if and only if they differ at most in IGNORED
    fields, in how their JSON is written, and in the value of a stated token limit.
    """
    try:
        fields = {
            name: _plain(value, 0) for name, value in body.items() if value is not None
        }
    except _UnreadableError:
        return None
    model = body.get("model")
    name = model if isinstance(model, str) else ""
    last, earlier = _conversation(endpoint, fields)
    asked_in = "messages" if endpoint == "chat" else "prompt"
    digests = {
        field: "set" if field in LIMITS else _digest(value)
        for field, value in fields.items()
        if field != asked_in and field not in _FORMATS and field not in IGNORED
    }
    format_fields = {field: fields[field] for field in sorted(_FORMATS & fields.keys())}
    text = text_of(last.get("content")) if last else ""
    who: list[Json] = [scope.tenant, scope.upstream, scope.namespace, scope.epoch]
    who += [endpoint, name, scope.query]
    frame = {key: value for key, value in last.items() if key != "content"}
    is_plain = isinstance(last.get("content"), str)
    partition = PartitionKey(_digest([who, digests, earlier, frame, is_plain]))
    asked = last.get("content")
    return CanonicalRequest(
        endpoint=endpoint,
        body=body,
        model=name,
        tenant=scope.tenant,
        namespace=scope.namespace,
        partition=partition,
        id=RecordId(f"{partition}.{_digest([asked, format_fields])}"),
        template=TemplateKey(_digest(mask(text))),
        question=QuestionKey(_digest([who, earlier, asked])),
        parameters={field: said[:8] for field, said in digests.items()},
        text=text,
        format=format_fields,
        is_exact_only=_is_exact_only(fields, last),
        is_alone=_is_alone(earlier),
    )


def fits(completion_tokens: int, body: JsonObject) -> bool:
    """Whether an answer of that many tokens is within the limit the request states.

    Below 0 is no limit (llama.cpp); one that is no number is kept by no answer.
    """
    for field in LIMITS:
        limit = body.get(field)
        if limit is None:
            continue
        if not isinstance(limit, int | float) or 0 <= limit < completion_tokens:
            return False
    return True


def runs_past_stop(text: str, body: JsonObject) -> bool:
    """Whether the upstream would have ended ``text`` at a stop string inside it."""
    stop = body.get("stop")
    stops = stop if isinstance(stop, list) else [stop]
    return any(isinstance(s, str) and s != "" and s in text for s in stops)


_AROUND_EQUALS = " #@+-−–*/·×÷()[]{}.,^$\\"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`|'[^'\n]{1,60}'(?!\w)")
_LETTER = re.compile(r"(?<![^\W\d_])[A-Za-z](?![^\W\d_])")
# Possessive: hostile text is read once.
_IDENTIFIER = re.compile(r"\b[A-Za-z]++[_#][A-Za-z_#]*+")
_KEYS = re.compile(r"\b(keys?|fields?|members?)\b[^.;\n]{0,300}")


def mask(text: str) -> str:
    """The text with its constants masked: the same request with other constants.

    Numbers, one-letter unknowns, quoted strings, identifiers, requested keys; what
    stands around an equals sign becomes one mark, so that the shape of an equation
    does not count. Only retrieval uses it; what it finds is verified.
    """
    shown = _QUOTED.sub('"', text[:_TEMPLATE_CHARS])
    shown = _KEYS.sub(r"\1 &", shown)
    shown = _LETTER.sub("@", _NUMBER.sub("#", shown))
    shown = " ".join(_IDENTIFIER.sub("&", shown).split())
    sides = [side.strip(_AROUND_EQUALS) for side in shown.split("=")]
    return " = ".join(sides) + text[_TEMPLATE_CHARS:]


def regrouped(
    request: CanonicalRequest, group: str, kin: str | None
) -> CanonicalRequest:
    """The request with the template keys of its ``group`` and of its ``kin``."""
    wider = None if kin is None else TemplateKey(_digest(["kin", kin]))
    return replace(request, template=TemplateKey(_digest(["group", group])), kin=wider)


class _UnreadableError(Exception):
    pass


def _plain(value: Json, depth: int) -> Json:
    """The value with whole floats as integers, so that 1.0 is 1."""
    if depth > _MAX_DEPTH:
        raise _UnreadableError
    if isinstance(value, float):
        if not isfinite(value) or abs(value) >= 2**53:
            # Of large numbers different ones are read as the same float.
            raise _UnreadableError
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    return value


def _conversation(
    endpoint: str, fields: JsonObject
) -> tuple[JsonObject, Sequence[Json]]:
    """The last message, and everything said before it."""
    messages = fields.get("messages")
    if endpoint == "chat" and isinstance(messages, list) and messages:
        last: Json = messages[-1]
        return (last if isinstance(last, dict) else {}), messages[:-1]
    return {"role": "prompt", "content": fields.get("prompt")}, []


def _is_alone(earlier: Sequence[Json]) -> bool:
    """Whether nothing that was said before can change what the last message asks."""
    return all(
        isinstance(message, dict)
        and message.get("role") in ("system", "developer")
        and text_of(message.get("content")).strip().rstrip(".!").lower() in _COURTESIES
        for message in earlier
    )


def _is_exact_only(fields: JsonObject, last: JsonObject) -> bool:
    """Whether no other request may ever be answered from this one's steps."""
    if last.get("role") not in ("user", "prompt"):
        return True
    if not is_text_content(last.get("content")):
        return True
    if any(fields.get(name) for name in _SHAPING):
        return True
    messages = fields.get("messages")
    return isinstance(messages, list) and any(
        isinstance(message, dict)
        and (
            message.get("role") in ("tool", "function")
            or bool(message.get("tool_calls"))
            or not is_text_content(message.get("content"))
        )
        for message in messages
    )


def _digest(value: Json) -> str:
    """32 hexadecimal digits of the value's canonical JSON."""
    data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return blake2b(data, digest_size=16).hexdigest()
