"""Requests that ask for JSON, short to write."""

from collections.abc import Mapping

from stepcache_proxy.reuse.canonical import Scope, canonicalise
from stepcache_proxy.reuse.model import CanonicalRequest, Donor
from stepcache_proxy.tasks.json_object import JsonObjectTask
from stepcache_proxy.tasks.json_object.task import JsonVerifier
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

SCOPE = Scope(tenant="t", upstream="http://127.0.0.1:1", namespace="n")


def closed(**properties: Json) -> JsonObject:
    """An object schema that requires all its members and allows no other."""
    return {
        "type": "object",
        "properties": {
            name: {"type": kind} if isinstance(kind, str) else kind
            for name, kind in properties.items()
        },
        "required": list(properties),
        "additionalProperties": False,
    }


def under(schema: Json, name: str = "answer", **extra: Json) -> JsonObject:
    """The format fields that demand ``schema``."""
    wrapped: dict[str, Json] = {"name": name, "strict": True, "schema": schema, **extra}
    return {"response_format": {"type": "json_schema", "json_schema": wrapped}}


def request(text: str, fields: Mapping[str, Json] | None = None) -> CanonicalRequest:
    """A chat request with one user message and these format fields."""
    body: dict[str, Json] = {
        "model": "m",
        "messages": [{"role": "user", "content": text}],
        **(fields or {}),
    }
    made = canonicalise("chat", body, SCOPE)
    assert made is not None
    return made


def bound(text: str, fields: Mapping[str, Json] | None = None) -> JsonVerifier:
    """The verifier of such a request."""
    verifier = JsonObjectTask().bind(request(text, fields))
    assert verifier is not None
    return verifier


def donor(text: str, fields: Mapping[str, Json] | None, answer: str) -> Donor:
    """What such a request was answered."""
    return Donor(text=text, format=fields or {}, answer=answer)
