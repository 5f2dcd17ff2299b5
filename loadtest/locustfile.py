"""Locust: a few clients that ask the same, the same with other numbers, and new things.

``locust --locustfile loadtest/locustfile.py --host http://127.0.0.1:8080``. Needs
nothing but Locust, so that its image can run it. MODEL and API_KEY come from the
environment. Each outcome of the proxy is a row of the table.
"""

import os
import random

from locust import HttpUser, between, task

CHAT = "/v1/chat/completions"
_KNOWN = 40  # questions that come again and again


class Client(HttpUser):
    """One client of the proxy."""

    wait_time = between(0.1, 1.0)

    @task(4)
    def known(self) -> None:
        """A question that was asked before, soon."""
        self.ask(f"Tell me about lighthouse {random.randrange(_KNOWN)}.")

    @task(3)
    def equation(self) -> None:
        """An equation, with other numbers each time."""
        factor, constant = random.randrange(2, 10), random.randrange(1, 30)
        shown = f"{factor}x + {constant} = {random.randrange(-30, 90)}"
        self.ask(f"Solve {shown} for x. Show your steps.")

    @task(1)
    def new(self) -> None:
        """A question that nobody asked yet."""
        self.ask(f"Tell me about the wreck of number {random.getrandbits(64)}.")

    def ask(self, question: str) -> None:
        """One chat request, counted under the outcome that the proxy reports."""
        body = {
            "model": os.environ.get("MODEL", "m"),
            "temperature": 0,
            "max_tokens": 200,
            "stream": random.random() < 0.5,
            "messages": [{"role": "user", "content": question}],
        }
        headers = {"authorization": f"Bearer {os.environ.get('API_KEY', 'none')}"}
        with self.client.post(
            CHAT, json=body, headers=headers, catch_response=True
        ) as response:
            response.request_meta["name"] = response.headers.get(
                "x-stepcache-outcome", "none"
            )
            if not response.ok:
                response.failure(f"status {response.status_code}")
