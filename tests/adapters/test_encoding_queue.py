"""Texts that wait are encoded together, and each gets its own vector or the fault."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future

import pytest

from stepcache_proxy.adapters import encoding_queue
from stepcache_proxy.adapters.encoding_queue import EncodingQueue, first_line
from stepcache_proxy.errors import EmbedderUnavailableError
from stepcache_proxy.reuse.protocols import Vector


def lengths(texts: Sequence[str]) -> list[Vector | None]:
    return [[float(len(text))] if text else None for text in texts]


def test_what_waits_is_encoded_together_up_to_a_bound() -> None:
    seen: list[int] = []

    def encode(texts: Sequence[str]) -> list[Vector | None]:
        seen.append(len(texts))
        return lengths(texts)

    waiting = EncodingQueue()
    futures = [waiting.ask("x" * number) for number in range(11)]
    waiting.close()
    waiting.serve(encode)
    assert seen == [8, 3]
    expected = [None, *([float(number)] for number in range(1, 11))]
    assert [future.result() for future in futures] == expected


def test_a_queue_that_gathers_takes_what_comes_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    waiting = EncodingQueue(gather_seconds=0.5)
    first = waiting.ask("x")
    later: list[Future[Vector | None]] = []

    def come_meanwhile(seconds: float) -> None:
        assert seconds == 0.5
        later.extend(waiting.ask("x" * number) for number in (2, 3))
        waiting.close()

    def encode(texts: Sequence[str]) -> list[Vector | None]:
        seen.append(len(texts))
        return lengths(texts)

    monkeypatch.setattr(encoding_queue, "sleep", come_meanwhile)
    waiting.serve(encode)
    assert seen == [3]
    assert [future.result() for future in (first, *later)] == [[1.0], [2.0], [3.0]]


def test_who_has_left_is_not_encoded_for() -> None:
    waiting = EncodingQueue()
    gone, stays = waiting.ask("gone"), waiting.ask("stays")
    assert gone.cancel()
    waiting.close()
    waiting.serve(lambda texts: lengths([text for text in texts if text != "gone"]))
    assert stays.result() == [5.0]


def test_a_fault_is_told_to_those_it_hit_and_the_next_are_served() -> None:
    def encode(texts: Sequence[str]) -> list[Vector | None]:
        if "bad" in texts:
            raise RuntimeError
        return lengths(texts)

    waiting = EncodingQueue()
    serving = threading.Thread(target=waiting.serve, args=(encode,))
    serving.start()
    with pytest.raises(EmbedderUnavailableError, match="RuntimeError"):
        waiting.ask("bad").result(60)
    assert waiting.ask("good").result(60) == [4.0]
    waiting.close()
    serving.join(60)
    assert not serving.is_alive()


def test_a_fault_is_one_short_line() -> None:
    assert first_line(ValueError("a" * 500 + "\nb")) == "ValueError: " + "a" * 120
    assert first_line(EmbedderUnavailableError("gone")).count("gone") == 1
