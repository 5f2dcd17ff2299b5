"""A store URL -> a client with short timeouts whose errors are ours."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict
from urllib.parse import SplitResult, unquote, urlsplit

from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterError,
    RedisClusterException,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.maint_notifications import MaintNotificationsConfig

from stepcache_proxy.errors import (
    ConfigError,
    StoreRefusedError,
    StoreUnavailableError,
)

Client = Redis | RedisCluster

_PLAIN = ("redis", "rediss", "unix")
_MOST_CONNECTIONS = 64


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the store may take, in seconds."""

    connect: float = 0.5
    operation: float = 0.25


class _Tls(TypedDict, total=False):
    ssl: bool
    ssl_ca_certs: str


@contextmanager
def store_errors() -> Generator[None]:
    """Map what the client library and the system raise to StoreUnavailableError.

    What a server that answers does not do is a StoreRefusedError. A cancellation that
    the client library has swallowed is raised again: it writes inside
    ``asyncio.wait_for``, which on Python 3.11 loses one that comes as the write ends
    (python/cpython#86296), and then nothing could stop a loop that only asks.
    """
    before = _cancellations()
    try:
        yield
    except ClusterError as error:  # a slot without a server is no refusal
        raise StoreUnavailableError(_short(error)) from error
    except ResponseError as error:
        raise StoreRefusedError(_short(error)) from error
    except (RedisError, RedisClusterException, OSError) as error:
        raise StoreUnavailableError(_short(error)) from error
    finally:
        if _cancellations() > before:
            raise asyncio.CancelledError


def _cancellations() -> int:
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


def open_client(
    url: str, *, tls_ca_file: str | None = None, timeouts: Timeouts | None = None
) -> Client:
    """A client for ``url``; connects when it is first used.

    Takes ``redis://``, ``rediss://``, ``unix://``, ``redis+sentinel://h:p,h:p/NAME``
    and ``redis+cluster://h:p,h:p``, each with ``user:password@``; ``rediss+…`` is
    the same over TLS. ConfigError without the password for anything else.
    """
    limits = timeouts or Timeouts()
    parts = _split(url)
    scheme, _, kind = parts.scheme.partition("+")
    if scheme not in _PLAIN or kind not in {"", "sentinel", "cluster"}:
        raise ConfigError(_wrong_url())
    tls = _tls(tls_ca_file) if scheme == "rediss" else _Tls()
    if kind == "sentinel":
        return _open_sentinel(parts, tls, limits)
    if kind == "cluster":
        return _open_cluster(parts, tls, limits)
    return _open_single(url, tls_ca_file if scheme == "rediss" else None, limits)


def open_listener(url: str, *, tls_ca_file: str | None = None) -> Redis | None:
    """A client that hears of changes, for a URL that ``open_client`` takes.

    None where several servers would have to be heard.
    """
    if urlsplit(url).scheme not in _PLAIN:
        return None
    ca = tls_ca_file if url.startswith("rediss:") else None
    return _open_single(url, ca, Timeouts(), protocol=3)


async def close_client(client: Client) -> None:
    """Close every connection, those to sentinels too."""
    with store_errors():
        await client.aclose()
        pool = client.connection_pool if isinstance(client, Redis) else None
        if isinstance(pool, SentinelConnectionPool):
            for sentinel in pool.sentinel_manager.sentinels:
                await sentinel.aclose()


def _open_single(
    url: str, tls_ca_file: str | None, limits: Timeouts, *, protocol: int = 2
) -> Redis:
    tls = {} if tls_ca_file is None else {"ssl_ca_certs": tls_ca_file}
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_MOST_CONNECTIONS,
            timeout=limits.operation,
            socket_connect_timeout=limits.connect,
            socket_timeout=limits.operation,
            retry=_retry(),
            protocol=protocol,
            maint_notifications_config=_quiet(),
            **tls,
        )
    except (ValueError, TypeError, RedisError) as error:
        raise ConfigError(_wrong_url()) from error
    return Redis.from_pool(pool)


def _open_sentinel(parts: SplitResult, tls: _Tls, limits: Timeouts) -> Redis:
    name, _, database = parts.path.strip("/").partition("/")
    if not name or not (database or "0").isdecimal():
        raise ConfigError(_wrong_url())
    sentinel = Sentinel(  # type: ignore[no-untyped-call]
        _hosts(parts, 26379),
        sentinel_kwargs={
            "socket_connect_timeout": limits.connect,
            "socket_timeout": limits.operation,
            # Another sentinel is asked instead.
            "retry": Retry(NoBackoff(), 0),
            **tls,
        },
        username=_decoded(parts.username),
        password=_decoded(parts.password),
        db=int(database or "0"),
        socket_connect_timeout=limits.connect,
        socket_timeout=limits.operation,
        retry=_retry(),
        protocol=2,
        maint_notifications_config=_quiet(),
        **tls,
    )
    master: Redis = sentinel.master_for(name)
    return master


def _open_cluster(parts: SplitResult, tls: _Tls, limits: Timeouts) -> RedisCluster:
    nodes = [ClusterNode(host, port) for host, port in _hosts(parts, 6379)]
    return RedisCluster(
        startup_nodes=nodes,
        username=_decoded(parts.username),
        password=_decoded(parts.password),
        socket_connect_timeout=limits.connect,
        socket_timeout=limits.operation,
        max_connections=_MOST_CONNECTIONS,
        retry=Retry(NoBackoff(), 2),  # one more: a slot that has moved is an error too
        protocol=2,
        maint_notifications_config=_quiet(),
        **tls,
    )


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise ConfigError(_wrong_url()) from error


def _hosts(parts: SplitResult, default_port: int) -> list[tuple[str, int]]:
    places = parts.netloc.rpartition("@")[2].split(",")
    return [_host(place, default_port) for place in places]


def _host(place: str, default_port: int) -> tuple[str, int]:
    host, colon, port = place.rpartition(":")
    if not colon or port.endswith("]"):  # no port, or the end of an IPv6 address
        host, port = place, str(default_port)
    if not host or not port.isdecimal():
        raise ConfigError(_wrong_url())
    return host.strip("[]"), int(port)


def _decoded(text: str | None) -> str | None:
    return None if text is None else unquote(text)


def _tls(ca_file: str | None) -> _Tls:
    return _Tls(ssl=True, ssl_ca_certs=ca_file) if ca_file else _Tls(ssl=True)


def _retry() -> Retry:
    # Once, and only for a cut connection: a store that does not answer in time will
    # not answer the second time either, and the client waits for both.
    return Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))


def _quiet() -> MaintNotificationsConfig:
    return MaintNotificationsConfig(enabled=False)


def _wrong_url() -> str:
    return (
        "store.url: use 'embedded', redis://, rediss://, redis+sentinel://h:p/NAME "
        "or redis+cluster://h:p"
    )


def _short(error: Exception) -> str:
    """One line for a log: the kind of the error and its first 120 characters."""
    text = " ".join(str(error).split())[:120]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
