"""One line per request and per change of state, which nothing in it can break up."""

import json
import logging
import logging.config
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.adapters.logs import (
    HumanFormatter,
    JsonFormatter,
    LogRecorder,
    configure_logging,
    log_config,
)
from stepcache_proxy.reuse.events import RequestStarted, Skipped
from stepcache_proxy.reuse.model import Outcome
from tests.adapters.recorded import answered, degraded


@pytest.fixture
def lines() -> Iterator[list[logging.LogRecord]]:
    seen: list[logging.LogRecord] = []

    class Listing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record)

    handler = Listing()
    logger = logging.getLogger("stepcache")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield seen
    logger.removeHandler(handler)
    logger.setLevel(before)


def test_a_request_is_one_line(lines: list[logging.LogRecord]) -> None:
    LogRecorder().record(RequestStarted())
    LogRecorder().record(Skipped("integrity"))
    LogRecorder().record(answered(Outcome.REUSE))
    (line,) = lines
    text = HumanFormatter().format(line)
    assert text.endswith(
        "INFO answered outcome=reuse reason=verified status=200 endpoint=chat "
        "stream=False ms=4.0 overhead_ms=2.0 generated=11 reused=13 record=9f3a"
    )


def test_a_json_line_has_the_same_facts(lines: list[logging.LogRecord]) -> None:
    LogRecorder().record(answered(Outcome.MISS, reason="no-candidate"))
    line = json.loads(JsonFormatter().format(lines[0]))
    assert line["level"] == "info"
    assert line["logger"] == "stepcache"
    assert (line["outcome"], line["reason"]) == ("miss", "no-candidate")
    assert (line["status"], line["ms"], line["reused"]) == (200, 4.0, 13)


def test_a_change_of_state_is_one_line_and_no_change_is_none(
    lines: list[logging.LogRecord],
) -> None:
    recorder = LogRecorder()
    recorder.record(degraded(is_degraded=False))
    recorder.record(degraded(detail="too slow"))
    recorder.record(degraded(detail="too slow"))
    recorder.record(degraded(is_degraded=False))
    said = [HumanFormatter().format(line).split(" ", 1)[1] for line in lines]
    assert said == [
        "WARNING degraded seam=embedder detail=too slow",
        "INFO recovered seam=embedder",
    ]


@given(st.text())
def test_a_reason_cannot_forge_a_line(reason: str) -> None:
    line = logging.makeLogRecord({"msg": "answered", "facts": {"reason": reason}})
    for formatter in (HumanFormatter(), JsonFormatter()):
        assert len(formatter.format(line).splitlines()) == 1


def test_a_traceback_is_kept() -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError:
        fault = sys.exc_info()
    line = logging.makeLogRecord({"msg": "failed", "exc_info": fault})
    assert "ZeroDivisionError" in HumanFormatter().format(line)
    assert "ZeroDivisionError" in json.loads(JsonFormatter().format(line))["traceback"]


@pytest.mark.parametrize("form", ["human", "json"])
def test_lines_go_to_stderr_alone(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    loggers = [logging.getLogger(), logging.getLogger("stepcache")]
    before = [(logger.level, list(logger.handlers)) for logger in loggers]
    try:
        configure_logging("json" if form == "json" else "human", "info")
        LogRecorder().record(answered())
        logging.getLogger("uvicorn.access").info("GET /?q=zanzibar")
    finally:
        for logger, (level, handlers) in zip(loggers, before, strict=True):
            logger.setLevel(level)
            logger.handlers[:] = handlers
        loggers[1].propagate = True
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "verified" in err


def test_the_level_is_the_one_that_was_asked_for() -> None:
    loggers = log_config("json", "debug")["loggers"]
    assert isinstance(loggers, dict)
    assert loggers["stepcache"]["level"] == "DEBUG"
