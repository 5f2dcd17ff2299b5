"""One chat request of a Locust client, checked and put on the account."""

import json
import os
import random
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from locust.clients import HttpSession
from questions import Question

CHAT = "/v1/chat/completions"
_COUNT = re.compile(r"(generated|reused)=(\d+)")
_TIMEOUT_SECONDS = 120


@dataclass
class Account:
    """What the clients have seen: seconds and tokens by outcome, and failures."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    tokens: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    def summary(self) -> str:
        """p50, p95 and p99 of each outcome, shares, tokens, failures."""
        total = sum(map(len, self.seconds.values())) or 1
        lines = [
            f"{'outcome':<10} {'share':>7} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9}"
        ]
        for outcome, values in sorted(self.seconds.items()):
            ordered = sorted(values)
            marks = (ordered[int(q * (len(ordered) - 1))] for q in (0.5, 0.95, 0.99))
            shown = " ".join(f"{value * 1000:>9.1f}" for value in marks)
            lines.append(f"{outcome:<10} {len(values) / total:>7.1%} {shown}")
        spent, saved = self.tokens["generated"], self.tokens["reused"]
        lines.append(f"tokens generated {spent}, reused {saved}")
        lines.append(f"failures {dict(self.failures) or 'none'}")
        return "\n".join(lines)


def ask(
    session: HttpSession, question: Question, account: Account, *, share_streamed: float
) -> None:
    """Ask and check; a wrong answer is a failure like a status that is not 200."""
    is_stream = random.random() < share_streamed
    body = {
        "model": os.environ.get("MODEL", "m"),
        "temperature": 0,
        "max_tokens": 200,
        "stream": is_stream,
        "messages": [{"role": "user", "content": question.text}],
        **question.fields,
    }
    headers = {"authorization": f"Bearer {os.environ.get('API_KEY', 'none')}"}
    started = time.perf_counter()
    with session.post(
        CHAT, json=body, headers=headers, catch_response=True, timeout=_TIMEOUT_SECONDS
    ) as response:
        took = time.perf_counter() - started
        outcome = response.headers.get("x-stepcache-outcome", "none")
        response.request_meta["name"] = outcome
        account.seconds[outcome].append(took)
        counts = _COUNT.findall(response.headers.get("x-stepcache-tokens", ""))
        account.tokens.update({name: int(count) for name, count in counts})
        fault = _fault(
            response.status_code, response.text, question, is_stream=is_stream
        )
        if fault:
            account.failures[fault] += 1
            response.failure(fault)


def _fault(status: int, body: str, question: Question, *, is_stream: bool) -> str:
    """What is wrong with a response in a few words; empty if nothing."""
    if status != 200:
        return f"status {status}"
    try:
        text = _streamed(body) if is_stream else _whole(json.loads(body), "message")
    except (ValueError, KeyError, IndexError, TypeError):
        return "unreadable"
    return "" if question.is_right(text) else f"wrong answer ({question.kind})"


def _streamed(body: str) -> str:
    lines = [line[6:] for line in body.splitlines() if line.startswith("data: ")]
    if not lines or lines[-1] != "[DONE]":
        raise ValueError("the stream has no end")  # noqa: EM101
    events = [json.loads(line) for line in lines[:-1]]
    return "".join(_whole(event, "delta") for event in events if event["choices"])


def _whole(event: dict[str, list[dict[str, dict[str, str]]]], part: str) -> str:
    return event["choices"][0][part].get("content") or ""
