"""What has been measured so far, a line each, so that a kill costs one line."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from stepcache_proxy.bench.client import Reply
from stepcache_proxy.bench.counters import Tokens
from stepcache_proxy.errors import ConfigError
from stepcache_proxy.wire.jsonvalue import Json

WARM_UP = "warm-up"


@dataclass(frozen=True, slots=True)
class Row:
    """One request through one arm. Seconds; tokens as the upstream counted them."""

    seed: int
    phase: str
    item: str
    kind: str
    arm: str
    latency_s: float
    ttft_s: float
    prompt_tokens: int
    completion_tokens: int
    reused_tokens: int
    outcome: str
    reason: str
    fallback: str
    is_right: bool
    text: str

    @property
    def is_from_cache(self) -> bool:
        """Whether a cache answered, wholly or in part."""
        return self.outcome in {"exact", "reuse", "patch", "coalesced"}


@dataclass(frozen=True, slots=True)
class RowStart:
    """A request that is about to be measured."""

    seed: int
    phase: str
    item: str
    kind: str
    arm: str

    @property
    def key(self) -> tuple[int, str, str, str]:
        """What makes a measurement one of a kind."""
        return self.seed, self.phase, self.item, self.arm

    def measured(self, reply: Reply, tokens: Tokens, *, is_right: bool) -> Row:
        """The row, complete."""
        return Row(
            **asdict(self),
            latency_s=reply.latency_s,
            ttft_s=reply.ttft_s,
            prompt_tokens=tokens.prompt,
            completion_tokens=tokens.completion,
            reused_tokens=reply.tokens_reused,
            outcome=reply.outcome,
            reason=reply.reason,
            fallback=reply.fallback,
            is_right=is_right,
            text=reply.text,
        )


class Journal:
    """Rows in a file, appended and flushed one by one; None keeps them in memory."""

    def __init__(self, file: Path | None, plan: Json) -> None:
        """Open ``file``; ConfigError if another plan has been measured in it."""
        self._file = file
        self.rows: list[Row] = []
        if file is None:
            return
        lines = file.read_bytes().splitlines() if file.exists() else []
        if not lines:
            file.write_bytes(orjson.dumps(plan) + b"\n")
            return
        if orjson.loads(lines[0]) != plan:
            msg = f"bench: --out: {file} is of a run with other options"
            raise ConfigError(msg)
        whole = [line for line in lines[1:] if _read(line)]
        self.rows = [row for line in whole if (row := _read(line))]
        # What comes next must not be glued to a line that a kill has cut.
        file.write_bytes(b"".join(line + b"\n" for line in (lines[0], *whole)))

    def has(self, start: RowStart) -> bool:
        """Whether this has been measured before."""
        return start.key in {(r.seed, r.phase, r.item, r.arm) for r in self.rows}

    def add(self, row: Row) -> None:
        """Keep a row."""
        self.rows.append(row)
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(orjson.dumps(asdict(row)) + b"\n")

    def measured(self) -> Sequence[Row]:
        """The rows of the evaluation, without the warm-up."""
        return [row for row in self.rows if row.phase != WARM_UP]


def _read(line: bytes) -> Row | None:
    """A row; None for a line that a kill has cut."""
    try:
        return Row(**orjson.loads(line))
    except (ValueError, TypeError):
        return None
