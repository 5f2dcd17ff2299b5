"""May this request be cached at all? If not, the reason goes into the header.

The list follows what vLLM and llama.cpp do with each field: an answer with
log-probabilities, several choices or engine internals cannot be given back from
text, and a request that continues its own half-written answer must not be confused
with ours.
"""

from collections.abc import Callable

from stepcache_proxy.wire.chat import is_text_content
from stepcache_proxy.wire.jsonvalue import Json, JsonObject


def _over_one(value: Json) -> bool:
    return not (value == 1 and not isinstance(value, bool))


def _truthy(value: Json) -> bool:
    return bool(value)


def _present(_: Json) -> bool:
    return True


def _number_or_true(value: Json) -> bool:
    return value is not False


NOT_CACHEABLE: dict[str, Callable[[Json], bool]] = {
    "n": _over_one,
    "n_cmpl": _over_one,
    "best_of": _over_one,
    "use_beam_search": _truthy,
    "logprobs": _number_or_true,
    "top_logprobs": _truthy,
    "prompt_logprobs": _number_or_true,
    "n_probs": _truthy,
    "post_sampling_probs": _truthy,
    "logprob_token_ids": _truthy,
    "return_tokens_as_token_ids": _truthy,
    "echo": _truthy,
    "suffix": _truthy,
    "audio": _present,
    "prediction": _present,
    "web_search_options": _present,
    "moderation": _present,
    "prompt_embeds": _present,
    "mm_processor_kwargs": _present,
    "media_io_kwargs": _present,
    "add_generation_prompt": _present,
    "continue_final_message": _truthy,
    "generation_prompt": _present,
    "chat_format": _present,
    "chat_parser": _present,
    "parse_tool_calls": _present,
    "message_delimiters": _present,
    "reasoning_control": _present,
    "kv_transfer_params": _present,
    "ec_transfer_params": _present,
    "t_max_predict_ms": _truthy,
    "return_token_ids": _truthy,
    "return_prompt_text": _truthy,
    "return_weight_versions": _truthy,
    "routed_experts_prompt_start": _present,
    "verbose": _truthy,
    "timings_per_token": _truthy,
    "return_progress": _truthy,
    "return_tokens": _truthy,
    "response_fields": _truthy,
}


def reason_against(endpoint: str, body: JsonObject) -> str | None:
    """Why the request is passed through untouched, as a reason token; None if not."""
    for field, forbids in NOT_CACHEABLE.items():
        value = body.get(field)
        if value is not None and forbids(value):
            return f"param:{field}"
    modalities = body.get("modalities")
    if isinstance(modalities, list) and "audio" in modalities:
        return "param:modalities"
    if not isinstance(body.get("stream"), bool | None):
        return "param:stream"
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("continuous_usage_stats"):
        return "param:stream_options"
    messages = body.get("messages")
    if endpoint == "chat" and isinstance(messages, list):
        return _reason_against_messages(messages)
    return None


def is_sampled(body: JsonObject) -> bool:
    """Whether the answer is a random choice: an absent temperature is not 0."""
    value = body.get("temperature")
    return not (isinstance(value, int | float) and value == 0)


def _reason_against_messages(messages: list[Json]) -> str | None:
    last = messages[-1]
    if isinstance(last, dict) and last.get("role") == "assistant":
        return "param:messages"
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list) and not is_text_content(content):
            foreign = next(filter(None, map(_foreign_part, content)), None)
            if foreign:
                return f"content:{foreign}"
    return None


def _foreign_part(part: Json) -> str | None:
    """The type of a part that can never be replayed, None if it can be (exactly)."""
    if not isinstance(part, dict):
        return "part"
    kind = part.get("type")
    if kind == "text":
        return None
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    # The server fetches a remote picture anew, so an equal address may be another one.
    if kind == "image_url" and isinstance(url, str) and url.startswith("data:"):
        return None
    known = ("image_url", "input_audio", "video_url", "input_video", "file")
    return kind if isinstance(kind, str) and kind in known else "part"
