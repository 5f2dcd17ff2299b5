"""A real model, the store and the proxy on one machine, and what the proxy does."""

import argparse
import json
import re
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import httpx

from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.client import ChatClient, Reply, send
from stepcache_proxy.bench.demo_report import Arm, any_wrong, as_json, report
from stepcache_proxy.bench.llama_server import MODEL_NAME, llama_server
from stepcache_proxy.bench.proxy_server import proxy_server
from stepcache_proxy.bench.table import duration
from stepcache_proxy.bench.workload import Ask, demo_workload

_ANSWER_SECONDS = 120
_SERVABLE_SECONDS = 0.15  # the proxy makes an answer servable within 0.1 s
# The model, the embedder and this program share the machine's cores.
_SETTINGS = {"reuse.budget_ms": "500"}
_PREDICTED = re.compile(r"^llamacpp:tokens_predicted_total (\d+)", re.MULTILINE)


def main(args: argparse.Namespace) -> int:
    """Run the demo; 1 if an answer that came through the proxy was wrong.

    Everything that was started is stopped again, also on Ctrl-C, on
    SIGTERM and when the terminal goes away.
    """
    with ExitStack() as stack:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_IGN:
                continue  # nohup: the terminal may go, the demo stays
            stack.callback(signal.signal, number, signal.signal(number, _stop))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="stepcache-demo-")))
        model = _start(stack, llama_server(folder / "model.log"), MODEL_NAME)
        proxy = _start(stack, _proxy(model, folder), "store, embedder and proxy")
        asks = demo_workload()
        direct = _ask_all(asks, "straight to the model", model.url, model)
        proxied = _ask_all(asks, "through the proxy", proxy.url, model)
        _say("\n" + report(asks, direct, proxied))
        if args.json is not None:
            args.json.write_text(json.dumps(as_json(asks, direct, proxied), indent=2))
        _say(_how_to_try(proxy, is_kept=args.keep))
        if args.keep:
            _wait(model, proxy)
    return 1 if any_wrong(asks, proxied) else 0


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _proxy(model: Child, folder: Path) -> Child:
    return proxy_server(
        model.url,
        data_dir=folder / "store",
        log=folder / "proxy.log",
        settings=_SETTINGS,
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _start(stack: ExitStack, child: Child, what: str) -> Child:
    _say(f"starting {what} ...")
    started = time.monotonic()
    stack.callback(child.stop)
    child.start()
    _say(f"  ready at {child.url} after {duration(time.monotonic() - started)}")
    return child


def _ask_all(asks: Sequence[Ask], how: str, url: str, model: Child) -> Arm:
    _say(f"{len(asks)} requests {how}:")
    before = _predicted_tokens(model)
    replies: list[Reply] = []
    with ChatClient(url, timeout=_ANSWER_SECONDS) as client:
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


def _how_to_try(proxy: Child, *, is_kept: bool) -> str:
    body = {
        "messages": [{"role": "user", "content": "Solve 4x + 1 = 21 for x."}],
        "temperature": 0,
    }
    again = "To try it yourself, run ./scripts/demo --keep; it ends with its own:\n"
    first = "" if is_kept else again
    return (
        f"{first}  curl -i {proxy.url}/v1/chat/completions"
        f" -H 'content-type: application/json' \\\n    -d '{json.dumps(body)}'"
    )


def _wait(model: Child, proxy: Child) -> None:
    try:
        _say(
            f"\nmodel  {model.url}/v1\nproxy  {proxy.url}/v1"
            f"\npage   {proxy.url}/stepcache/\nCtrl-C stops everything."
        )
        signal.pause()
    except KeyboardInterrupt:
        _say("stopping")
