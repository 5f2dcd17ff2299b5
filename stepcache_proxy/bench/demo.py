"""A real model, the store and the proxy on one machine, and what the proxy does."""

import argparse
import json
import re
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import httpx

from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.client import Reply, send
from stepcache_proxy.bench.llama_server import MODEL_NAME, llama_server
from stepcache_proxy.bench.proxy_server import proxy_server
from stepcache_proxy.bench.table import duration, table
from stepcache_proxy.bench.workload import Ask, demo_workload
from stepcache_proxy.wire.jsonvalue import Json, JsonObject

_ANSWER_SECONDS = 120
_SERVABLE_SECONDS = 0.15  # the proxy makes an answer servable within 0.1 s
_PREDICTED = re.compile(r"^llamacpp:tokens_predicted_total (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Arm:
    """The replies of one way to the model; ``tokens`` is the model server's count."""

    replies: tuple[Reply, ...]
    tokens: int


def main(args: argparse.Namespace) -> int:
    """Run the demo; 1 if an answer that came through the proxy was wrong.

    Everything that was started is stopped again, also on Ctrl-C and on SIGTERM.
    """
    signal.signal(signal.SIGTERM, _stop)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="stepcache-demo-")))
        model = _start(stack, llama_server(folder / "model.log"), MODEL_NAME)
        proxy = _start(
            stack,
            proxy_server(
                model.url, data_dir=folder / "store", log=folder / "proxy.log"
            ),
            "store, embedder and proxy",
        )
        asks = demo_workload()
        direct = _ask_all(asks, "straight to the model", model.url, model)
        proxied = _ask_all(asks, "through the proxy", proxy.url, model)
        _say("\n" + _report(asks, direct, proxied))
        if args.json is not None:
            args.json.write_text(json.dumps(as_json(asks, direct, proxied), indent=2))
        _say(_how_to_try(proxy, is_kept=args.keep))
        if args.keep:
            _wait(model, proxy)
    return 1 if _wrong(asks, proxied.replies) else 0


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _start(stack: ExitStack, child: Child, what: str) -> Child:
    _say(f"starting {what} ...")
    started = time.monotonic()
    stack.enter_context(child)
    _say(f"  ready at {child.url} after {duration(time.monotonic() - started)}")
    return child


def _ask_all(asks: Sequence[Ask], how: str, url: str, model: Child) -> Arm:
    _say(f"{len(asks)} requests {how}:")
    before = _predicted_tokens(model)
    replies: list[Reply] = []
    with httpx.Client(base_url=url, timeout=_ANSWER_SECONDS, trust_env=False) as client:
        for ask in asks:
            reply = send(client, ask)
            replies.append(reply)
            took = duration(reply.latency_s)
            _say(f"  {took:>8}  {reply.outcome:<6} {ask.name}".rstrip())
            time.sleep(_SERVABLE_SECONDS)
    return Arm(tuple(replies), _predicted_tokens(model) - before)


def _predicted_tokens(model: Child) -> int:
    text = httpx.get(f"{model.url}/metrics", trust_env=False).text
    found = _PREDICTED.search(text)
    return int(found[1]) if found else 0


def _is_right(ask: Ask, reply: Reply) -> bool | None:
    return None if ask.check is None else ask.check(reply.text)


def _wrong(asks: Sequence[Ask], replies: Sequence[Reply]) -> bool:
    return any(_is_right(*pair) is False for pair in zip(asks, replies, strict=True))


def _report(asks: Sequence[Ask], direct: Arm, proxied: Arm) -> str:
    head = ("request", "outcome", "reason", "latency", "generated", "reused", "correct")
    rows = [
        (
            ask.name,
            reply.outcome,
            reply.reason,
            duration(reply.latency_s),
            str(reply.tokens_generated),
            str(reply.tokens_reused),
            {True: "yes", False: "NO", None: "-"}[_is_right(ask, reply)],
        )
        for ask, reply in zip(asks, proxied.replies, strict=True)
    ]
    arms = {"straight to the model": direct, "through the proxy": proxied}
    return (
        table(head, rows, texts=3)
        + "\n"
        + table(
            ("total", "latency", "tokens generated", "right answers"),
            [(name, *_total_cells(asks, arm)) for name, arm in arms.items()],
            texts=1,
        )
        + "\nTokens are the model server's own count in the totals; 'correct' is"
        " checked here, without\nthe proxy: '-' is a question without one right"
        " answer.\n"
    )


def _total_cells(asks: Sequence[Ask], arm: Arm) -> tuple[str, str, str]:
    totals = _totals(asks, arm)
    right = f"{totals['correct']} of {totals['checked']}"
    seconds = sum(reply.latency_s for reply in arm.replies)
    return duration(seconds), str(arm.tokens), right


def _totals(asks: Sequence[Ask], arm: Arm) -> JsonObject:
    judged = [_is_right(*pair) for pair in zip(asks, arm.replies, strict=True)]
    return {
        "latency_s": round(sum(reply.latency_s for reply in arm.replies), 4),
        "tokens_generated": arm.tokens,
        "correct": judged.count(True),
        "checked": len(judged) - judged.count(None),
    }


def as_json(asks: Sequence[Ask], direct: Arm, proxied: Arm) -> JsonObject:
    """The same result for programs: ``requests`` through the proxy, and totals."""
    requests: list[Json] = [
        {
            "name": ask.name,
            "outcome": reply.outcome,
            "reason": reply.reason,
            "latency_s": round(reply.latency_s, 4),
            "tokens_generated": reply.tokens_generated,
            "tokens_reused": reply.tokens_reused,
            "correct": _is_right(ask, reply),
        }
        for ask, reply in zip(asks, proxied.replies, strict=True)
    ]
    totals = {"direct": _totals(asks, direct), "proxy": _totals(asks, proxied)}
    return {"requests": requests, "totals": totals}


def _how_to_try(proxy: Child, *, is_kept: bool) -> str:
    body = {
        "messages": [{"role": "user", "content": "Solve 4x + 1 = 21 for x."}],
        "temperature": 0,
    }
    first = "" if is_kept else "To try it yourself, run ./scripts/demo --keep, then:\n"
    return (
        f"{first}  curl -i {proxy.url}/v1/chat/completions"
        f" -H 'content-type: application/json' \\\n    -d '{json.dumps(body)}'"
    )


def _wait(model: Child, proxy: Child) -> None:
    _say(
        f"\nmodel  {model.url}/v1\nproxy  {proxy.url}/v1"
        f"\npage   {proxy.url}/stepcache/\nCtrl-C stops everything."
    )
    try:
        signal.pause()
    except KeyboardInterrupt:
        _say("stopping")
