"""What was acknowledged survives the end of the proxy, however it comes."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx

from stepcache_proxy.bench.child import Child
from tests.e2e.asking import CHAT, chat, outcome, post, text_of, until_found
from tests.e2e.conftest import patient_proxy
from tests.e2e.counters import Model

_WORD = 'root ::= "yes" | "no"'


def question(number: int) -> dict[str, object]:
    text = f"Is buoy number {number} red?"
    return chat(text, grammar=_WORD, max_tokens=8)


@contextmanager
def running(child: Child) -> Iterator[httpx.Client]:
    with (
        child,
        httpx.Client(base_url=child.url, trust_env=False, timeout=60) as client,
    ):
        yield client


def test_a_restart_keeps_the_records(model: Model, tmp_path: Path) -> None:
    with running(patient_proxy(model.url, tmp_path)) as client:
        first = post(client, question(1))
        assert outcome(first) == "miss"
        equation = post(client, chat("Solve 2x + 6 = 20 for x. Show your steps."))
    other = chat("Solve 3x + 6 = 27 for x. Show your steps.")
    with running(patient_proxy(model.url, tmp_path)) as client, model.spent() as spent:
        again = post(client, question(1))
        until_found(client, other)
        derived = post(client, other)
    assert outcome(equation) in ("miss", "patch")
    assert outcome(again) == "exact"
    assert text_of(again) == text_of(first)
    assert again.headers["x-stepcache-record"] == first.headers["x-stepcache-record"]
    assert outcome(derived) == "reuse"
    assert spent.predicted == 0


def test_a_kill_under_load_loses_nothing_that_was_acknowledged(
    model: Model, tmp_path: Path
) -> None:
    child = patient_proxy(model.url, tmp_path).start()
    kept = _load_until_killed(child)
    assert kept
    with running(patient_proxy(model.url, tmp_path)) as client:
        for number in range(max(kept) + 5):
            again = client.post(
                CHAT, json=question(number), headers={"cache-control": "only-if-cached"}
            )
            if number in kept:
                assert outcome(again) == "exact"
                assert text_of(again) == kept[number]
            elif again.status_code == 200:
                # Stored in the last moment, before it could be acknowledged: whole.
                assert text_of(again) in ("yes", "no")
                assert again.json()["choices"][0]["finish_reason"] == "stop"
            else:
                assert again.status_code == 504


def _load_until_killed(child: Child) -> dict[int, str]:
    """The answers by number that the proxy has said it stored, before SIGKILL."""
    kept: dict[int, str] = {}

    def ask(number: int) -> None:
        try:
            answer = client.post(CHAT, json=question(number))
        except httpx.TransportError:
            return
        if answer.headers["cache-status"].endswith("; stored"):
            kept[number] = text_of(answer)
        if len(kept) == 6:
            assert child._process is not None
            os.kill(child._process.pid, signal.SIGKILL)

    with (
        httpx.Client(base_url=child.url, trust_env=False, timeout=60) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        list(pool.map(ask, range(24)))
    child.stop()
    return kept
