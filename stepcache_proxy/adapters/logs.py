"""One log line per request and per change of a part's state; no prompts, no keys."""

import json
import logging
import logging.config
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from stepcache_proxy.reuse.events import Answered, Event, SeamState

LOGGER = "stepcache"
LONGEST_TEXT = 120  # characters of a reason or of a seam's detail

LogForm = Literal["human", "json"]


class LogRecorder:
    """Writes Answered and SeamState to the logger ``stepcache``; skips other events.

    A request is INFO, a part that stops is WARNING, one that comes back is INFO. The
    same state told twice in a row is one line.
    """

    def __init__(self) -> None:
        self._logger = logging.getLogger(LOGGER)
        self._degraded: dict[str, bool] = {}

    def record(self, event: Event) -> None:
        """Log ``event`` if there is a line for it."""
        if isinstance(event, Answered):
            if self._logger.isEnabledFor(logging.INFO):
                self._logger.info("answered", extra={"facts": _answered(event)})
        elif isinstance(event, SeamState):
            self._seam(event)

    def _seam(self, event: SeamState) -> None:
        if self._degraded.get(event.seam, False) == event.is_degraded:
            return
        self._degraded[event.seam] = event.is_degraded
        facts: dict[str, object] = {"seam": event.seam}
        if event.detail:
            facts["detail"] = event.detail[:LONGEST_TEXT]
        level = logging.WARNING if event.is_degraded else logging.INFO
        message = "degraded" if event.is_degraded else "recovered"
        self._logger.log(level, message, extra={"facts": facts})


class HumanFormatter(logging.Formatter):
    """``12:30:01 INFO answered outcome=exact reason=verified …`` on one line.

    Only the traceback of an exception adds lines.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line; control characters are escaped, so nothing can forge a line."""
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        words = [time, record.levelname, record.getMessage()]
        words += [f"{name}={value}" for name, value in _facts(record).items()]
        return " ".join(_one_line(word) for word in words) + _trace(self, record)


class JsonFormatter(logging.Formatter):
    """One JSON object per line: time, level, logger, message and the facts."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, in ASCII: nothing in it can be taken for a line break."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_facts(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_config(form: LogForm = "human", level: str = "INFO") -> dict[str, object]:
    """For ``logging.config.dictConfig`` and for uvicorn's ``log_config``.

    Everything goes to stderr: stdout carries the ready line alone. Access lines of
    uvicorn are off, ours tell more and hold no query strings.
    """
    formatter = f"{__name__}.{'JsonFormatter' if form == 'json' else 'HumanFormatter'}"
    ours = {"level": level.upper(), "handlers": ["stderr"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stderr",
                "formatter": "line",
            }
        },
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            LOGGER: ours,
            "stepcache_proxy": ours,
            "uvicorn": {**ours, "level": "WARNING"},
            "uvicorn.error": {"level": "WARNING"},
            "uvicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
        },
    }


def configure_logging(form: LogForm = "human", level: str = "INFO") -> None:
    """Send our lines and the server's to stderr in ``form``."""
    logging.config.dictConfig(log_config(form, level))


def _answered(event: Answered) -> dict[str, object]:
    facts: dict[str, object] = {
        "outcome": event.outcome.value,
        "reason": event.reason[:LONGEST_TEXT],
        "status": event.status,
        "endpoint": event.endpoint,
        "stream": event.is_stream,
        "ms": round(event.total_seconds * 1000, 2),
        "overhead_ms": round(event.overhead_seconds * 1000, 2),
        "generated": event.generated_tokens,
        "reused": event.reused_tokens,
    }
    if event.record is not None:
        facts["record"] = event.record
    return facts


def _facts(record: logging.LogRecord) -> Mapping[str, object]:
    facts: object = getattr(record, "facts", None)
    return facts if isinstance(facts, dict) else {}


def _one_line(text: str) -> str:
    if text.isprintable():
        return text
    return text.encode("unicode_escape").decode()


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    if not record.exc_info:
        return ""
    return "\n" + formatter.formatException(record.exc_info)
