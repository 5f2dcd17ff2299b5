"""Locust: the arrival times of a recorded trace, replayed with questions of ours.

``locust --headless -f loadtest/burst.py --trace FILE.csv [--speed 10] [--most 1000]``

The first column of the file is a time stamp (``2023-11-16 18:15:46.6805900``); a head
line is skipped. Bursts stay bursts: requests do not wait for one another, at most
``--at-once`` are open.
"""

import csv
import random
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

import gevent
import questions
from asking import Account, ask
from gevent.pool import Pool
from locust import HttpUser, events, task
from locust.env import Environment

account = Account()
_KINDS = (questions.repeat, questions.reworded, questions.new_constants, questions.new)


@events.init_command_line_parser.add_listener
def add_options(parser: ArgumentParser) -> None:
    """The trace, and bounds that hold unless others are given."""
    parser.add_argument("--trace", required=True, help="CSV, time stamps first")
    parser.add_argument("--speed", type=float, default=10, help="times as fast")
    parser.add_argument("--most", type=int, default=1_000, help="requests in all")
    parser.add_argument("--at-once", type=int, default=64, help="open requests")
    parser.set_defaults(
        host="http://127.0.0.1:8080", users=1, spawn_rate=1, run_time="5m"
    )


def arrivals(file: Path, most: int) -> Iterator[float]:
    """Seconds after the first arrival, in the order of the file."""
    first: datetime | None = None
    with file.open(newline="", encoding="utf-8") as lines:
        for row in islice(csv.reader(lines), most + 1):
            try:
                # Seven digits of a second are one more than Python reads.
                at = datetime.fromisoformat(row[0][:26])
            except (ValueError, IndexError):
                continue
            first = first or at
            yield (at - first).total_seconds()


class Replay(HttpUser):
    """The one user: it asks for all who asked in the trace."""

    @task
    def replay(self) -> None:
        """Ask at every arrival, then stop the run."""
        options = self.environment.parsed_options
        pool = Pool(options.at_once)
        started = time.monotonic()
        for at in arrivals(Path(options.trace), options.most):
            gevent.sleep(max(0.0, started + at / options.speed - time.monotonic()))
            question = random.choice(_KINDS)(random.Random())
            pool.spawn(ask, self.client, question, account, share_streamed=0.5)
        pool.join()
        if self.environment.runner is not None:
            self.environment.runner.quit()


@events.quitting.add_listener
def tell(environment: Environment) -> None:
    """Print what was seen; a failure makes the exit code 1."""
    print(account.summary())
    if account.failures:
        environment.process_exit_code = 1
