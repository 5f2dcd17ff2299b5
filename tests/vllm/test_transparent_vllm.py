"""Through the proxy, vLLM answers as it does directly, field by field.

Forwarded answers must be equal in everything but ids and times. Answers from the
cache may be cut into other pieces; what they say, and the keys they say it with, are
the same, whichever of the two forms they were stored from.
"""

from typing import Any

import httpx
import pytest

from tests.e2e.comparing import Told, joined, told
from tests.e2e.conftest import Proxied
from tests.e2e.shapes import Kept, Passed, passed_shapes
from tests.vllm.shapes import kept_shapes

pytestmark = pytest.mark.vllm

_JSON = {"content-type": "application/json"}
_USAGE = {"stream_options": {"include_usage": True}}
_FORMS: dict[str, dict[str, object]] = {
    "whole": {},
    "streamed": {"stream": True},
    "metered": {"stream": True, **_USAGE},
}


def apart(name: str) -> dict[str, str]:
    return {"x-stepcache-namespace": "".join(filter(str.isalnum, name))[:64]}


def outcome(response: httpx.Response) -> str:
    return str(response.headers["x-stepcache-outcome"])


def send(client: httpx.Client, shape: Passed, extra: dict[str, str]) -> httpx.Response:
    headers = {**extra, **(_JSON if shape.body else {})}
    return client.request(shape.method, shape.path, content=shape.body, headers=headers)


@pytest.mark.parametrize(
    "shape", [pytest.param(shape, id=shape.name) for shape in passed_shapes()]
)
def test_what_is_forwarded_is_unchanged(shape: Passed, proxied: Proxied) -> None:
    direct = send(proxied.model.client, shape, {})
    answer = send(proxied.client, shape, apart(shape.name))
    assert outcome(answer) == shape.outcome
    assert told(answer) == told(direct)


def ask(client: httpx.Client, shape: Kept, form: str, where: str) -> httpx.Response:
    headers = {**_JSON, **apart(shape.name + where)}
    body = {**shape.fields, **_FORMS[form]}
    return client.post(shape.path, json=body, headers=headers)


def seen(answer: Told) -> object:
    """What a client can read of an answer, however its stream is cut."""
    if not answer.frames:
        return {"status": answer.status, "value": unnamed(answer.value)}
    whole: Any = joined(answer)
    # vLLM sends the last piece of text on the finish chunk where a stop string ends it:
    # a matter of how the text is cut.
    ends = [_uncut(end) for end in whole["ends"]]
    finish = [key for key in whole["kinds"]["finish"] if key != "delta.content"]
    return unnamed(
        {**whole, "ends": ends, "kinds": {**whole["kinds"], "finish": finish}}
    )


def _uncut(end: object) -> object:
    if not isinstance(end, dict):
        return end
    return {name: value for name, value in end.items() if name not in ("delta", "text")}


def unnamed(value: object) -> object:
    """Without the ids of tool calls, which are new every time."""
    if isinstance(value, dict):
        return {k: "…" if _is_call_id(k, v) else unnamed(v) for k, v in value.items()}
    return [unnamed(v) for v in value] if isinstance(value, list) else value


def _is_call_id(name: str, value: object) -> bool:
    return name.endswith("tool_calls.id") or (name == "id" and value != "…")


@pytest.mark.parametrize(
    "shape", [pytest.param(shape, id=shape.name) for shape in kept_shapes()]
)
def test_a_hit_looks_like_a_miss(shape: Kept, proxied: Proxied) -> None:
    model = proxied.model.client
    direct = {form: seen(told(ask(model, shape, form, ""))) for form in _FORMS}
    for first in _FORMS:
        miss = ask(proxied.client, shape, first, first)
        assert outcome(miss) == "miss"
        assert seen(told(miss)) == direct[first]
        for form in _FORMS:
            hit = ask(proxied.client, shape, form, first)
            reason = hit.headers["x-stepcache-reason"]
            assert (outcome(hit), reason) == ("exact", "verified")
            assert seen(told(hit)) == direct[form], f"{form} stored from {first}"
