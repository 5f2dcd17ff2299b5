"""Through the proxy, llama.cpp answers as it does directly, field by field.

Forwarded answers must be equal in everything but ids and times. Answers from the
cache may be cut into other pieces and have no timings; what they say, and the keys
they say it with, are the same.
"""

import httpx
import pytest

from tests.e2e.comparing import joined, told, without_timings
from tests.e2e.conftest import Proxied
from tests.e2e.shapes import Kept, Passed, kept_shapes, passed_shapes

_JSON = {"content-type": "application/json"}
_FORMS = ("whole", "streamed")
_EXACT = {"whole": "exact", "streamed": "exact"}


def outcome(response: httpx.Response) -> str:
    return str(response.headers["x-stepcache-outcome"])


def apart(name: str) -> dict[str, str]:
    """Headers for a part of the cache that no other test writes to."""
    return {"x-stepcache-namespace": "".join(filter(str.isalnum, name))[:64]}


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


@pytest.mark.parametrize(
    "shape", [pytest.param(shape, id=shape.name) for shape in kept_shapes()]
)
def test_a_hit_looks_like_a_miss(shape: Kept, proxied: Proxied) -> None:
    def post(client: httpx.Client, form: str, where: str) -> httpx.Response:
        body = shape.body(is_stream=form == "streamed")
        headers = {**_JSON, **apart(shape.name + where)}
        return client.post(shape.path, content=body, headers=headers)

    direct = {form: told(post(proxied.model.client, form, "")) for form in _FORMS}
    for first in _FORMS:
        miss = post(proxied.client, first, first)
        assert outcome(miss) == "miss"
        assert told(miss) == direct[first]
        hits = {form: post(proxied.client, form, first) for form in _FORMS}
        assert {form: outcome(hit) for form, hit in hits.items()} == _EXACT
        whole, stream = told(hits["whole"]), told(hits["streamed"])
        assert without_timings(whole.value) == without_timings(direct["whole"].value)
        assert joined(stream) == joined(direct["streamed"])
