"""Locust: very many streams at once, each read to its end.

``locust --headless -f loadtest/streams.py [--users 200] [--run-time 1m]``
"""

import random
from argparse import ArgumentParser

import questions
from asking import Account, ask
from locust import HttpUser, constant, events, task
from locust.env import Environment

account = Account()


@events.init_command_line_parser.add_listener
def add_options(parser: ArgumentParser) -> None:
    """Bounds that hold unless others are given."""
    parser.set_defaults(
        host="http://127.0.0.1:8080", users=200, spawn_rate=50, run_time="1m"
    )


class Reader(HttpUser):
    """One client that always has a stream open."""

    wait_time = constant(0)

    @task
    def one(self) -> None:
        """One streamed question, new or known."""
        make = random.choice((questions.new, questions.repeat, questions.new_constants))
        ask(self.client, make(random.Random()), account, share_streamed=1)


@events.quitting.add_listener
def tell(environment: Environment) -> None:
    """Print what was seen; a failure makes the exit code 1."""
    print(account.summary())
    if account.failures:
        environment.process_exit_code = 1
