"""Where stores of every kind listen: one server, one behind TLS, a cluster."""

import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from redis import Redis

from tests.servers import ValkeyServer, free_port

_SLOTS = 16_384
# What a user of the store must be allowed to do, and nothing else.
ACL_RULES = (
    "~stepcache:*",
    "resetchannels",
    *("-@all", "+@read", "+@write", "+@connection", "+@transaction"),
    *("+eval", "+info"),
)
# And these for an index in the store (``index.kind: redis``).
VECTOR_RULES = ("+vadd", "+vsim", "+vrem", "+vcard", "+vismember", "+vrandmember")


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A store as an operator would name it."""

    url: str
    tls_ca_file: str | None = None


@contextmanager
def tls_and_acl(folder: Path, binary: Path) -> Generator[StorePlace]:
    """One server that speaks TLS only, with a user who may only do what we need."""
    certificate, key = self_signed(folder)
    port = free_port()
    rules = " ".join(ACL_RULES)
    config = folder / "redis.conf"
    config.write_text(f"user default off\nuser cache on >p@ss:word {rules}\n")
    options = (
        *("--tls-port", str(port)),
        *("--tls-cert-file", str(certificate), "--tls-key-file", str(key)),
        *("--tls-ca-cert-file", str(certificate), "--tls-auth-clients", "no"),
    )
    with ValkeyServer(folder, *options, config=config, binary=binary):
        url = f"rediss://cache:p%40ss%3Aword@127.0.0.1:{port}/0"
        yield StorePlace(url, str(certificate))


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that is its own authority, and its key."""
    openssl = shutil.which("openssl")
    assert openssl is not None
    certificate, key = folder / "ca.crt", folder / "ca.key"
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec"),
            *("-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"),
            *("-keyout", str(key), "-out", str(certificate), *subject),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


@contextmanager
def cluster_of_three(
    folder: Path, binary: Path | None = None, config: Path | None = None
) -> Generator[StorePlace]:
    """Three masters on the loopback interface that share the slots."""
    with ExitStack() as stack:
        nodes: list[ValkeyServer] = []
        for number in range(3):
            home = folder / str(number)
            home.mkdir()
            options = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
            node = ValkeyServer(home, *options, binary=binary, config=config)
            nodes.append(stack.enter_context(node))
        _join(nodes)
        places = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        yield StorePlace(f"redis+cluster://{places}")


def _join(nodes: list[ValkeyServer]) -> None:
    clients = [Redis.from_url(node.url, decode_responses=True) for node in nodes]
    share = -(-_SLOTS // len(nodes))
    for number, client in enumerate(clients):
        last = min((number + 1) * share, _SLOTS) - 1
        client.cluster("ADDSLOTSRANGE", number * share, last)
    for node in nodes[1:]:
        bus = node.options[node.options.index("--cluster-port") + 1]
        clients[0].cluster("MEET", "127.0.0.1", node.port, bus)
    for client in clients:
        _wait_until_it_serves(client, len(nodes))
        client.close()


def _wait_until_it_serves(client: Redis, size: int) -> None:
    for _ in range(600):
        told = client.cluster("INFO")
        if told["cluster_state"] == "ok" and int(told["cluster_size"]) == size:
            return
        time.sleep(0.05)
    message = "the cluster of the tests did not form"
    raise RuntimeError(message)
