"""Locust: steady mixed traffic; the shares of what is asked are options.

``locust --headless -f loadtest/mixed.py [--repeats 4] [--rewordings 2]
[--constants 3] [--new 1] [--streamed 0.5]``
"""

import random
from argparse import ArgumentParser

import questions
from asking import Account, ask
from locust import HttpUser, between, events, task
from locust.env import Environment

account = Account()


@events.init_command_line_parser.add_listener
def add_options(parser: ArgumentParser) -> None:
    """The mix, and bounds that hold unless others are given."""
    parser.add_argument("--repeats", type=float, default=4, help="weight")
    parser.add_argument("--rewordings", type=float, default=2, help="weight")
    parser.add_argument("--constants", type=float, default=3, help="weight")
    parser.add_argument("--new", type=float, default=1, help="weight")
    parser.add_argument("--streamed", type=float, default=0.5, help="share")
    parser.set_defaults(
        host="http://127.0.0.1:8080", users=8, spawn_rate=8, run_time="1m"
    )


class Client(HttpUser):
    """One client that asks by the mix."""

    wait_time = between(0.05, 0.3)

    @task
    def one(self) -> None:
        """One question."""
        options = self.environment.parsed_options
        weights = (options.repeats, options.rewordings, options.constants, options.new)
        kinds = (
            questions.repeat,
            questions.reworded,
            questions.new_constants,
            questions.new,
        )
        (make,) = random.choices(kinds, weights)
        question = make(random.Random())
        ask(self.client, question, account, share_streamed=options.streamed)


@events.quitting.add_listener
def tell(environment: Environment) -> None:
    """Print what was seen; a failure makes the exit code 1."""
    print(account.summary())
    if account.failures:
        environment.process_exit_code = 1
