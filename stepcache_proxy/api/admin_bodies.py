"""Bodies of the admin endpoints: what comes in is checked by hand, with one error."""

from collections.abc import Mapping, Sequence
from typing import NoReturn, assert_never

from stepcache_proxy.api.admin_seams import Purge
from stepcache_proxy.errors import InvalidRequestError
from stepcache_proxy.reuse.model import (
    Accept,
    Record,
    RecordId,
    Reject,
    Unknown,
    Verdict,
)
from stepcache_proxy.wire.jsonvalue import Json, JsonObject, read_object

_PURGE_FIELDS = frozenset({"record", "model", "namespace", "all", "dry_run"})


def read_body(content: bytes) -> JsonObject:
    """The JSON object in ``content``; raises InvalidRequestError for anything else."""
    body = read_object(content)
    if body is None:
        _refuse("body", "The body is not a JSON object.")
    return body


def read_purge(body: JsonObject) -> Purge:
    """What to remove; raises InvalidRequestError where that is not plain."""
    unknown = sorted(set(body) - _PURGE_FIELDS)
    if unknown:
        _refuse(unknown[0][:64], "A purge takes record, model, namespace or all.")
    is_everything = _flag(body, "all")
    record, model, namespace = (
        _text(body, name) for name in ("record", "model", "namespace")
    )
    is_narrow = any(text is not None for text in (record, model, namespace))
    if is_everything == is_narrow:
        message = "Say what to purge: record, model or namespace, or else all: true."
        _refuse("all", message)
    return Purge(record, model, namespace, is_everything, _flag(body, "dry_run"))


def read_feedback(body: JsonObject) -> RecordId:
    """The record that was bad; raises InvalidRequestError for any other verdict."""
    record = _text(body, "record")
    if record is None:
        _refuse("record", "Feedback names the record: its id is in the headers.")
    if body.get("verdict") != "bad":
        _refuse("verdict", "The only verdict is bad.")
    return RecordId(record)


def check_chat(body: JsonObject) -> None:
    """Raises InvalidRequestError unless ``body`` has the shape of a chat request."""
    messages = body.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        _refuse("messages", "messages must be a list of at least one message.")
    for message in messages:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            _refuse("messages", "Every message must be an object with a role.")


def record_body(record: Record, verdicts: Sequence[Verdict], now: float) -> JsonObject:
    """One record for people; ``ttl`` is what is left of it, in seconds."""
    left = record.created + record.ttl_seconds - now
    return {
        "id": record.id,
        "task": record.task,
        "provenance": record.provenance.value,
        "is_proved": record.is_proved,
        "is_exact_only": record.is_exact_only,
        "created": record.created,
        "ttl": max(int(left), 0),
        "generation": record.generation,
        "endpoint": record.endpoint,
        "model": record.model,
        "namespace": record.namespace,
        "partition": record.partition,
        "text": record.text,
        "format": record.format,
        "finish_reason": record.answer.finish_reason,
        "usage": record.answer.usage,
        "steps": [_step(i, text, verdicts) for i, text in enumerate(record.steps)],
    }


def _step(index: int, text: str, verdicts: Sequence[Verdict]) -> Json:
    verdict = verdicts[index] if index < len(verdicts) else Unknown()
    name, reason = _named(verdict)
    return {"index": index, "text": text, "verdict": name, "reason": reason}


def _named(verdict: Verdict) -> tuple[str, str]:
    match verdict:
        case Accept():
            return "accept", ""
        case Reject(reason):
            return "reject", reason
        case Unknown(reason):
            return "unknown", reason
        case _:
            assert_never(verdict)


def _text(body: JsonObject, name: str) -> str | None:
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        _refuse(name, f"{name} must be a text that is not empty.")
    return value


def _flag(body: JsonObject, name: str) -> bool:
    value = body.get(name, False)
    if not isinstance(value, bool):
        _refuse(name, f"{name} must be true or false.")
    return value


def _refuse(param: str, message: str) -> NoReturn:
    raise InvalidRequestError(message, param=param)
