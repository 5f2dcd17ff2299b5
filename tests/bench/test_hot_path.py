"""The hot-path table is measured with servers and a client that cost little."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from stepcache_proxy.bench import hot_client
from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.hot_asks import EQUATION, SEMANTIC, Asks
from stepcache_proxy.bench.hot_client import (
    Answer,
    at_once,
    one_by_one,
    request,
)
from stepcache_proxy.bench.hot_path import ROWS, main
from stepcache_proxy.bench.hot_rows import Samples, compared, rows_of, shown
from stepcache_proxy.bench.hot_servers import (
    EVENTS,
    PACED_EVENTS,
    PACED_SECONDS,
    PLAIN,
    WORKED,
    Stub,
    server,
)
from stepcache_proxy.bench.hot_streams import many_streams
from stepcache_proxy.bench.hot_words import unlike_questions
from stepcache_proxy.bench.litellm_server import litellm_server

CHAT = "/v1/chat/completions"
FRAME = {"or", "why", "did", "the", "have", "at"}


@pytest.fixture
async def stub() -> AsyncGenerator[int]:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Stub, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


def raw(port: int, ask_body: bytes) -> bytes:
    return request(CHAT, port, ask_body)


async def test_the_stub_answers_an_equation_and_anything_else(stub: int) -> None:
    asks = Asks().warm_up()
    answers = await one_by_one(stub, [raw(stub, ask.body) for ask in asks])
    texts = [_text(answer) for answer in answers]
    assert texts == [PLAIN, PLAIN, WORKED]
    assert all(0 < answer.first_s <= answer.total_s for answer in answers)


def _text(answer: Answer) -> str:
    body = json.loads(answer.raw.partition(b"\r\n\r\n")[2])
    return str(body["choices"][0]["message"]["content"])


async def test_a_stream_is_read_to_its_end(stub: int) -> None:
    (ask,) = Asks().stream(1)
    (answer,) = await one_by_one(stub, [raw(stub, ask.body)])
    assert answer.is_ok
    assert answer.events == EVENTS + 3  # the role, the finish and [DONE]
    assert answer.raw.endswith(b"0\r\n\r\n")


async def test_a_paced_stream_begins_at_once_and_takes_its_time(stub: int) -> None:
    (ask,) = Asks().first_byte(1)
    (answer,) = await one_by_one(stub, [raw(stub, ask.body)], pause_s=0.001)
    assert answer.events == PACED_EVENTS + 3
    assert answer.total_s - answer.first_s > PACED_EVENTS * PACED_SECONDS / 2


class Unwritten(asyncio.Transport):
    """Takes what is written, and does nothing with it."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert data


async def test_the_first_byte_is_the_first_one_of_the_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = count()
    clock = SimpleNamespace(perf_counter=lambda: float(next(ticks)))
    monkeypatch.setattr(hot_client, "time", clock)
    line = hot_client.Connection()
    line.connection_made(Unwritten())
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(line.ask(b"GET"))
        await asyncio.sleep(0)
        line.data_received(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n")
        line.data_received(b"o")
        line.data_received(b"k")
    answer = asking.result()
    assert (line.arrivals, answer.first_s, answer.total_s) == ([1, 2, 3], 2, 4)


async def test_all_requests_are_answered_over_few_connections(stub: int) -> None:
    asks = Asks().exact(50)
    took, answers = await at_once(stub, [raw(stub, ask.body) for ask in asks], 8)
    assert took > 0
    assert len(answers) == 50
    assert all(answer.is_ok for answer in answers)


async def test_many_streams_end_well_without_a_proxy(stub: int) -> None:
    result = await many_streams({"direct": stub, "proxy": stub}, Asks(), 3)
    assert {name: row["failures"] for name, row in result.items()} == {  # type: ignore[index,call-overload]
        "direct": 0,
        "proxy": 0,
    }


async def test_the_bare_relay_says_what_the_stub_says(
    stub: int, tmp_path: Path
) -> None:
    child = server("bare", tmp_path / "log", upstream=f"http://127.0.0.1:{stub}")
    await asyncio.to_thread(child.start)
    async with httpx.AsyncClient(base_url=child.url, trust_env=False) as client:
        ask, stream = Asks().exact(1)[0], Asks().stream(1)[0]
        direct = await one_by_one(stub, [raw(stub, stream.body)])
        assert _text_of(await client.post(CHAT, content=ask.body)) == PLAIN
        assert _text_of(await client.post("/bare", content=ask.body)) == PLAIN
        relayed = await client.post(CHAT, content=stream.body)
        assert relayed.text.count("data: ") == direct[0].events
    await asyncio.to_thread(child.stop)


def _text_of(response: httpx.Response) -> str:
    return str(response.json()["choices"][0]["message"]["content"])


def test_new_requests_are_never_the_same_twice() -> None:
    asks = Asks()
    for kind in ("miss", "skip", "template", "stream", "first_byte"):
        made = [a.body for _ in range(3) for a in getattr(asks, kind)(40)]
        assert len(set(made)) == len(made)


def test_two_questions_of_a_miss_share_one_word_at_most() -> None:
    asked = [
        set(re.findall(r"[a-z]+", question.lower())) - FRAME
        for question in islice(unlike_questions(), 1500)
    ]
    assert {len(words) for words in asked} == {5}
    by_word: dict[str, list[set[str]]] = {}
    for words in asked:
        for word in words:
            assert all(len(words & other) == 1 for other in by_word.get(word, []))
        for word in words:
            by_word.setdefault(word, []).append(words)


def test_a_rewording_is_neither_the_question_itself_nor_stored() -> None:
    for ask in Asks().semantic(200):
        assert (
            SEMANTIC.encode() not in ask.body
            or b"Thank" in ask.body
            or (b"Cheers" in ask.body)
        )
        assert ask.header == "cache-control: no-store"


def test_an_answer_tells_the_outcome_of_the_proxy() -> None:
    head = b"HTTP/1.1 200 OK\r\nX-Stepcache-Outcome: reuse\r\n\r\n"
    assert Answer(0.1, 0.1, head).outcome == "reuse"
    assert Answer(0.1, 0.1, b"HTTP/1.1 502 Bad\r\n\r\n").outcome == ""
    assert not Answer(0.1, 0.1, b"HTTP/1.1 502 Bad\r\n\r\n").is_ok


def samples() -> Samples:
    found = Samples()
    for target, seconds, rate in (
        ("direct", 0.001, 5000.0),
        ("bare", 0.002, 2000.0),
        ("proxy", 0.003, 1500.0),
        ("litellm", 0.02, 100.0),
    ):
        answers = [Answer(seconds, seconds, b"HTTP/1.1 200 OK\r\n\r\n")] * 10
        found.add("exact", target, answers)
        found.add_rate("exact", target, rate, answers)
    return found


def test_ratios_are_of_medians_and_of_rates() -> None:
    rows = rows_of(samples())
    row = rows["exact"]
    assert isinstance(row, dict)
    assert row["ratio_to_direct"] == 3.0
    assert row["ratio_to_bare"] == 0.75
    assert row["ratio_to_litellm"] == 15.0
    assert (row["median_ms"], row["added_ms"]) == (3.0, 2.0)


def test_a_row_without_a_rate_has_times_alone(tmp_path: Path) -> None:
    found = Samples()
    for target, seconds in (("direct", 0.001), ("bare", 0.002), ("proxy", 0.003)):
        answer = Answer(seconds, 1.0, b"HTTP/1.1 200 OK\r\n\r\n")
        found.add("first_byte", target, [answer] * 10)
    row = rows_of(found)["first_byte"]
    assert isinstance(row, dict)
    assert (row["median_ms"], row["added_ms"]) == (3.0, 2.0)
    assert row["requests_per_s"] is row["ratio_to_bare"] is None
    assert "first_byte: a stream at a model's pace" in shown(
        {"rows": {"first_byte": row}}, tmp_path / "b"
    )


def test_a_ratio_well_below_the_baseline_is_told(tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    rows = {"exact": {"ratio_to_bare": 0.5}}
    assert "No baseline" in compared(rows, baseline)
    baseline.write_text(json.dumps({"rows": {"exact": {"ratio_to_bare": 0.6}}}))
    assert compared(rows, baseline) == "No ratio is well below the baseline's.\n"
    baseline.write_text(json.dumps({"rows": {"exact": {"ratio_to_bare": 0.9}}}))
    assert compared(rows, baseline).startswith("exact: ratio to bare 0.5 is below")


def test_the_table_shows_a_dash_for_what_was_not_compared(tmp_path: Path) -> None:
    rows = rows_of(samples())
    row = rows["exact"]
    assert isinstance(row, dict)
    text = shown({"rows": {"exact": {**row, "ratio_to_litellm": None}}}, tmp_path / "b")
    assert "exact" in text
    assert "–" in text


def test_litellm_is_started_with_its_exact_cache(tmp_path: Path) -> None:
    child = litellm_server("litellm", "http://127.0.0.1:1", tmp_path)
    assert isinstance(child, Child)
    assert "cache: true" in (tmp_path / "litellm.yaml").read_text()


def test_the_whole_table_of_a_short_run(tmp_path: Path) -> None:
    file = tmp_path / "perf.json"
    options = (
        "--rounds",
        "1",
        "--streams",
        "5",
        "--rows",
        "passthrough,miss,skip,exact,template,first_byte",
    )
    assert main(["--json", str(file), "--no-litellm", *options]) == 0
    rows = json.loads(file.read_text())["rows"]
    assert set(rows) <= set(ROWS)
    assert set(rows["exact"]["outcomes"]) == {"exact"}
    assert set(rows["passthrough"]["outcomes"]) == {"bypass"}
    assert set(rows["miss"]["outcomes"]) == {"miss"}
    assert set(rows["skip"]["outcomes"]) == {"miss", "skip"}  # the first has no other
    assert set(rows["first_byte"]["outcomes"]) == {"miss"}
    assert rows["template"]["outcomes"].get("reuse", 0) > 0
    assert EQUATION
