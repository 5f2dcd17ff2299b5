"""On a real model the cache serves what is right, and saves what it says it saves."""

import json
from fractions import Fraction

import httpx
import pytest

from stepcache_proxy.bench.workload import fits, solves
from tests.e2e.asking import CHAT, chat, outcome, post, text_of, until_found
from tests.e2e.conftest import Proxied


@pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "streamed"])
def test_a_wrong_answer_of_the_model_is_corrected(
    is_stream: bool, proxied: Proxied
) -> None:
    is_right = solves("x", Fraction(7))
    body = chat("Solve 7x - 13 = 36 for x.", stream=is_stream)
    assert not is_right(text_of(post(proxied.model.client, body)))
    answer = post(proxied.client, body, f"stream{is_stream}")
    assert is_right(text_of(answer))
    assert outcome(answer) == "patch"
    reason = answer.headers["x-stepcache-reason"]
    assert reason == "integrity" or reason.startswith("step:")


def test_a_rewording_is_served_without_the_model(proxied: Proxied) -> None:
    reworded = chat("Please solve for x, showing your steps: 3x + 8 = 29.")
    post(proxied.client, chat("Solve 3x + 8 = 29 for x. Show your steps."))
    until_found(proxied.client, reworded)
    with proxied.model.spent() as spent:
        answer = post(proxied.client, reworded)
    assert outcome(answer) == "reuse"
    assert solves("x", Fraction(7))(text_of(answer))
    assert (spent.prompt, spent.predicted) == (0, 0)
    assert answer.headers["x-stepcache-tokens"].startswith("generated=0, reused=")


def test_other_constants_are_derived_without_the_model(proxied: Proxied) -> None:
    other = chat("Solve 4z - 3 = 29 for z. Show your steps.")
    post(proxied.client, chat("Solve 6z - 5 = 25 for z. Show your steps."))
    until_found(proxied.client, other)
    with proxied.model.spent() as spent:
        answer = post(proxied.client, other)
    assert outcome(answer) == "reuse"
    assert solves("z", Fraction(8))(text_of(answer))
    assert (spent.prompt, spent.predicted) == (0, 0)


def demanding(*names: str) -> dict[str, object]:
    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "maxLength": 24} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "boat", "schema": schema}}


def test_a_new_required_key_costs_only_that_key(proxied: Proxied) -> None:
    question = "Describe a small ferry as a JSON object."
    few, more = (
        demanding("name", "harbour", "colour"),
        demanding("name", "harbour", "colour", "captain"),
    )
    first = post(proxied.client, chat(question, response_format=few))
    assert outcome(first) == "miss"
    asked = chat(question, response_format=more)
    until_found(proxied.client, asked)
    with proxied.model.spent() as in_full:
        post(proxied.model.client, asked)
    with proxied.model.spent() as for_the_region:
        patched = post(proxied.client, asked)
    assert outcome(patched) == "patch"
    schema = more["json_schema"]["schema"]  # type: ignore[index]
    assert fits(schema)(text_of(patched))
    kept = json.loads(text_of(first))
    assert kept.items() <= json.loads(text_of(patched)).items()
    assert 0 < for_the_region.predicted < in_full.predicted
    generated = f"generated={for_the_region.predicted}, reused="
    assert patched.headers["x-stepcache-tokens"].startswith(generated)


def test_an_opposite_question_is_never_served_the_same_answer(
    proxied: Proxied,
) -> None:
    opposite = chat("How do I switch off the pump?", stop=["."])
    post(proxied.client, chat("How do I switch on the pump?", stop=["."]))
    until_found(proxied.client, opposite)
    with proxied.model.spent() as spent:
        answer = post(proxied.client, opposite)
    assert outcome(answer) == "skip"
    assert answer.headers["x-stepcache-reason"].startswith("constraint:")
    assert spent.predicted > 0


def test_every_outcome_occurs(proxied: Proxied) -> None:
    def seen(body: dict[str, object]) -> str:
        return outcome(post(proxied.client, body, "outcomes"))

    equation = chat("Solve 5x + 9 = 44 for x. Show your steps.")
    reworded = chat("Show your steps: solve for x, 5x + 9 = 44.")
    plain = chat("Name one sea bird.", stop=["."])
    outcomes = [
        seen(plain),
        seen(plain),
        seen({**plain, "top_k": 5}),
        seen({**plain, "n": 2}),
        seen(equation),
    ]
    until_found(proxied.client, reworded, "outcomes")
    outcomes += [seen(reworded), _joined(proxied.client)]
    assert outcomes == [
        "miss",
        "exact",
        "skip",
        "bypass",
        "patch",
        "reuse",
        "coalesced",
    ]


def _joined(client: httpx.Client) -> str:
    """The outcome of a request whose twin is still being answered."""
    body = chat("Tell me about tides.", max_tokens=200, stream=True)
    apart = {"x-stepcache-namespace": "joined"}
    with client.stream("POST", CHAT, json=body, headers=apart) as first:
        # Kept, since an iterator that is dropped hangs up.
        pieces = first.iter_raw()
        next(pieces)
        return outcome(post(client, body, "joined"))
