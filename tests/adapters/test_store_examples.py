"""Every example of a store in docs/scaling.md works as it is written there."""

import asyncio
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis

from stepcache_proxy.app.indexes import open_index
from stepcache_proxy.app.storage import Storage, open_storage
from stepcache_proxy.config import Settings, load
from stepcache_proxy.errors import StoreUnavailableError
from stepcache_proxy.reuse.model import RecordId
from tests.adapters.samples import record
from tests.adapters.store_places import ACL_RULES, VECTOR_RULES, cluster_of_three
from tests.servers import ValkeyServer, free_port, redis_8_binary

GUIDE = Path(__file__).parents[2] / "docs" / "scaling.md"
EAST = [1.0, 0.0, 0.0]


def block(heading: str, kind: str) -> str:
    """The block of code under a heading whose first line names ``kind``."""
    text = GUIDE.read_text(encoding="utf-8")
    section = text.split(f"### {heading}\n", 1)[1].split("\n##", 1)[0]
    blocks = re.findall(r"^```\w*\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    [found] = [one for one in blocks if one.startswith(f"# {kind}\n")]
    return str(found)


def written(folder: Path, name: str, text: str, swaps: Mapping[str, str]) -> Path:
    """A file with ``text``, other places put for those of the guide."""
    for old, new in swaps.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def settings_of(folder: Path, heading: str, swaps: Mapping[str, str]) -> Settings:
    path = written(folder, "stepcache.yaml", block(heading, "stepcache.yaml"), swaps)
    return load({}, path, needs_upstream=False)


def make_certificate(folder: Path, command: str) -> None:
    words = shlex.split(command.replace("\\\n", " "))
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


async def use(settings: Settings) -> None:
    """Write, search, read and remove as the proxy does."""
    one = record(created=time.time())
    async with (
        open_storage(settings, fingerprint=lambda: "model-a") as storage,
        open_index(settings, storage.store) as opened,
    ):
        await storage.store.put(one, EAST)
        await opened.index.add(one.partition, one.id, EAST)
        hits = await opened.index.nearest(one.partition, EAST, 4)
        assert [id for id, _ in hits] == [one.id]
        [found] = await storage.store.get([one.id])
        assert found is not None
        await storage.upkeep.janitor()
        assert await storage.upkeep.count() == 1
        assert await storage.store.delete([one.id]) == 1


async def test_tls_and_a_user_of_its_own(
    redis_server: ValkeyServer, tmp_path: Path
) -> None:
    heading, port = "TLS and a user of its own", str(free_port())
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate: apt-get install openssl")
    make_certificate(tmp_path, block(heading, "certificate").partition("\n")[2])
    swaps = {"6379": port, "redis.crt": str(tmp_path / "redis.crt")}
    more = {**swaps, "redis.key": str(tmp_path / "redis.key")}
    config = written(tmp_path, "redis.conf", block(heading, "redis.conf"), more)
    with ValkeyServer(tmp_path, config=config, binary=redis_server.binary):
        await use(settings_of(tmp_path, heading, swaps))


def test_the_rules_of_the_guide_are_those_that_are_tested() -> None:
    heading = "TLS and a user of its own"
    [line] = re.findall(
        r"^user cache on >PASSWORD (.*)$", block(heading, "redis.conf"), re.MULTILINE
    )
    assert tuple(line.split()) == ACL_RULES
    rules = block(heading, "for an index in the store").splitlines()[1]
    assert tuple(rules.split()) == VECTOR_RULES


async def test_sentinel_leads_to_the_new_master(tmp_path: Path) -> None:
    with ExitStack() as stack:
        master = stack.enter_context(_server(tmp_path, "master"))
        place = ("--replicaof", "127.0.0.1", str(master.port))
        replica = stack.enter_context(_server(tmp_path, "replica", *place))
        port = str(free_port())
        swaps = {"26379": port, " 6379": f" {master.port}"}
        text = block("Sentinel", "sentinel.conf")
        config = written(tmp_path, "sentinel.conf", text, swaps)
        sentinel = ValkeyServer(tmp_path, "--sentinel", config=config)
        sentinel.port = int(port)
        stack.enter_context(sentinel)
        settings = settings_of(tmp_path, "Sentinel", {"26379": port})
        one = record(created=time.time())
        async with open_storage(settings, fingerprint=lambda: "a") as storage:
            await storage.store.put(one, EAST)
            async with asyncio.timeout(60):
                await _until_replicated(replica, sentinel)
                master.kill()
                while not await _has(storage, one.id):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
                await storage.store.put(one, EAST)


def _server(folder: Path, name: str, *options: str) -> ValkeyServer:
    home = folder / name
    home.mkdir()
    return ValkeyServer(home, *options)


async def _until_replicated(replica: ValkeyServer, sentinel: ValkeyServer) -> None:
    """Return when the replica has the data and the sentinel knows the replica."""
    async with Redis.from_url(replica.url) as client:
        while await client.dbsize() < 4:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    async with Redis.from_url(sentinel.url, protocol=2) as client:
        asking = ("SENTINEL", "REPLICAS", "cache")
        while not await client.execute_command(*asking):  # type: ignore[no-untyped-call]  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _has(storage: Storage, id: RecordId) -> bool:
    """Whether the record is there; False while there is no master."""
    try:
        return await storage.store.get([id]) != [None]
    except StoreUnavailableError:
        return False


async def test_a_cluster_holds_records_and_their_vectors(tmp_path: Path) -> None:
    text = block("Cluster", "node.conf")
    assert "cluster-enabled yes" in text
    config = written(tmp_path, "node.conf", text, {})
    with cluster_of_three(tmp_path, redis_8_binary(), config) as place:
        ports = re.findall(r"127\.0\.0\.1:(\d+)", place.url)
        swaps = dict(zip(("7001", "7002", "7003"), ports, strict=True))
        await use(settings_of(tmp_path, "Cluster", swaps))
