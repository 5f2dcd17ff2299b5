"""One worker alone: it is ready once, and lets go when what it depends on has gone."""

import os
import socket

from stepcache_proxy.app.server import ready_line
from stepcache_proxy.app.worker import run_worker
from tests.app.running import settings_of
from tests.servers import ValkeyServer


def test_it_drains_when_its_parent_has_gone(
    valkey: ValkeyServer,
) -> None:
    parent, alive = os.pipe()
    ready: list[bool] = []

    def on_ready() -> None:
        ready.append(True)
        os.close(alive)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        settings = settings_of("http://127.0.0.1:9", valkey.url)
        run_worker(settings, listener, on_ready, parent=parent)
    os.close(parent)
    assert ready == [True]


def test_the_address_of_ipv6_is_in_brackets() -> None:
    settings = settings_of("http://127.0.0.1:9", "embedded", server__host="::1")
    assert ready_line(settings).split()[-1] == "http://[::1]:8080"
