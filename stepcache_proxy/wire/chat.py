"""Chat and completion requests as they come: what is well-formed, what they hold."""

from stepcache_proxy.wire.jsonvalue import Json, JsonObject


def is_well_formed(endpoint: str, body: JsonObject) -> bool:
    """Whether we understand the shape; if not, the upstream is to judge it."""
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        return False
    if endpoint == "completions":
        return isinstance(body.get("prompt"), str | list)
    messages = body.get("messages")
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(
            isinstance(message, dict) and isinstance(message.get("role"), str)
            for message in messages
        )
    )


def is_text_content(content: Json) -> bool:
    """Whether a message content is text alone: a string, or parts of type text."""
    if content is None or isinstance(content, str):
        return True
    return isinstance(content, list) and all(
        isinstance(part, dict)
        and part.get("type") == "text"
        and isinstance(part.get("text"), str)
        for part in content
    )


def text_of(content: Json) -> str:
    """The text of a message content; the parts of a list joined by a blank line."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n\n".join(part for part in parts if isinstance(part, str))


def wants_stream(body: JsonObject) -> bool:
    """Whether the client asked for server-sent events."""
    return body.get("stream") is True


def wants_usage(body: JsonObject) -> bool:
    """Whether the client asked for the usage chunk of a stream."""
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True
