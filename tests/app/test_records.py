"""Records leave and enter a store without a server, and serve as before."""

from pathlib import Path

import pytest

from stepcache_proxy.app import export_records, import_records, purge_records
from stepcache_proxy.errors import StartError
from tests.api.proxy import Model, says, text_of
from tests.app.running import OUTCOME, running, settings_of
from tests.servers import ValkeyServer, free_port

URL = "http://127.0.0.1:9"


async def purged(store: str, **wanted: object) -> dict[str, int]:
    nothing: dict[str, object] = {"namespace": None, "model": None, "record": None}
    choice = {**nothing, "all_records": False, "dry_run": False, **wanted}
    return await purge_records(settings_of(URL, store), **choice)  # type: ignore[arg-type]


async def test_an_export_serves_elsewhere(
    own_valkey: ValkeyServer, tmp_path: Path
) -> None:
    file = str(tmp_path / "records.jsonl")
    async with running(Model([says("a"), says("b")]), own_valkey.url) as app:
        await app.ask("one")
        await app.ask("two")
        upstream = app.parts.settings.upstream.root
    settings = settings_of(upstream, own_valkey.url)
    assert await export_records(settings, file) == 2
    assert await purged(own_valkey.url, all_records=True) == {
        "matched": 2,
        "removed": 2,
    }
    assert await export_records(settings, str(tmp_path / "none")) == 0
    assert await import_records(settings, file) == 2
    again = tmp_path / "again.jsonl"
    assert await export_records(settings, str(again)) == 2
    assert len(again.read_bytes().splitlines()) == 2


async def test_only_what_was_selected_is_purged(own_valkey: ValkeyServer) -> None:
    async with running(Model([says("a"), says("b")]), own_valkey.url) as app:
        first = await app.ask("one")
        other = await app.ask("two")
        id_ = first.headers["x-stepcache-record"]
        store = own_valkey.url
        nothing = {"matched": 0, "removed": 0}
        assert await purged(store) == nothing
        assert await purged(store, model="other") == nothing
        dry = await purged(store, record=id_, dry_run=True)
        assert dry == {"matched": 1, "removed": 0}
        assert await purged(store, record=id_) == {"matched": 1, "removed": 1}
        again = await app.ask("two")
    assert text_of(other) == text_of(again)
    assert again.headers[OUTCOME] == "exact"


async def test_a_store_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    gone = settings_of(URL, f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(StartError, match=r"store\.url"):
        await export_records(gone, str(tmp_path / "none"))
