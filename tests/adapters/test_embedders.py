"""Text becomes a unit vector, or is refused: cut text is never compared."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from stepcache_proxy.adapters import embedders
from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder
from stepcache_proxy.adapters.encoding_queue import Encode
from stepcache_proxy.adapters.exported_model import NETWORK, TOKENIZER
from stepcache_proxy.adapters.exports import export_of
from stepcache_proxy.adapters.model_files import find_model
from stepcache_proxy.adapters.sentence_model import open_network, rows_of
from stepcache_proxy.errors import EmbedderUnavailableError

MODEL = "all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
async def embedder() -> AsyncGenerator[SentenceTransformerEmbedder]:
    embedder = SentenceTransformerEmbedder(MODEL)
    await embedder.load()
    yield embedder
    embedder.close()


async def cosine(embedder: SentenceTransformerEmbedder, a: str, b: str) -> float:
    first, second = await embedder.embed(a), await embedder.embed(b)
    assert first is not None
    assert second is not None
    return float(np.dot(first, second))


async def test_a_vector_has_length_one(embedder: SentenceTransformerEmbedder) -> None:
    vector = await embedder.embed("Solve 2x + 3 = 7.")
    assert vector is not None
    assert len(vector) == 384
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)


async def test_like_is_nearer_than_unlike(
    embedder: SentenceTransformerEmbedder,
) -> None:
    near = await cosine(embedder, "How do I boil an egg?", "How are eggs boiled?")
    far = await cosine(embedder, "How do I boil an egg?", "Who wrote this song?")
    assert near > 0.8 > far


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        pytest.param("", True, id="empty"),
        pytest.param("word " * 254, True, id="as many as fit"),
        pytest.param("word " * 255, False, id="one too many"),
        pytest.param("word " * 100_000, False, id="very long"),
        pytest.param("x" * 5_000, False, id="one long word"),
        pytest.param("x\ud800", False, id="half a character"),
    ],
)
async def test_text_beyond_the_window_has_no_vector(
    embedder: SentenceTransformerEmbedder, text: str, fits: bool
) -> None:
    assert (await embedder.embed(text) is not None) is fits


async def test_texts_that_wait_together_get_their_own_vectors(
    embedder: SentenceTransformerEmbedder,
) -> None:
    texts = [f"The number is {n}. " * (1 + n % 4) for n in range(20)]
    texts += ["word " * 300, texts[0]]
    alone = [await embedder.embed(text) for text in texts]
    together = await asyncio.gather(*(embedder.embed(text) for text in texts))
    assert together[-2] is None
    for one, other in zip(alone, together, strict=True):
        if one is not None and other is not None:
            assert float(np.dot(one, other)) == pytest.approx(1.0, abs=1e-4)


async def test_who_stops_waiting_does_not_disturb_others(
    embedder: SentenceTransformerEmbedder,
) -> None:
    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await embedder.embed("Nobody waits for this.")

    await asyncio.gather(*(give_up() for _ in range(5)))
    assert await embedder.embed("Somebody waits for this.") is not None


async def test_before_loading_it_is_unavailable() -> None:
    fresh = SentenceTransformerEmbedder(MODEL)
    with pytest.raises(EmbedderUnavailableError, match="not loaded"):
        await fresh.embed("text")


@pytest.mark.parametrize("files", [[], ["config.json"]], ids=["empty", "nonsense"])
async def test_a_model_that_cannot_be_loaded_says_why(
    tmp_path: Path, files: list[str]
) -> None:
    for name in files:
        (tmp_path / name).write_text("no JSON")
    broken = SentenceTransformerEmbedder(str(tmp_path))
    with pytest.raises(EmbedderUnavailableError, match="cannot be loaded") as caught:
        await broken.load()
    assert "\n" not in str(caught.value)
    with pytest.raises(EmbedderUnavailableError, match="cannot be loaded"):
        await broken.embed("text")


async def test_a_model_that_hangs_is_given_up_and_used_when_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    come = threading.Event()

    def load(model: str, exports: Path | None) -> Encode:
        assert come.wait(60)
        return lambda texts: [[1.0]] * len(texts)

    monkeypatch.setattr(embedders, "_load", load)
    slow = SentenceTransformerEmbedder(MODEL, load_seconds=0.01)
    with pytest.raises(EmbedderUnavailableError, match=r"not loaded within 0\.01 s"):
        await slow.load()
    with pytest.raises(EmbedderUnavailableError, match="not loaded within"):
        await slow.embed("text")
    come.set()
    async with asyncio.timeout(60):
        while slow.state != "ready":  # noqa: ASYNC110 -- set by a thread
            await asyncio.sleep(0.005)
    assert await slow.embed("text") == [1.0]
    slow.close()


async def test_what_can_wait_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    niceness: dict[str, int] = {}

    def encode(texts: list[str]) -> list[list[float]]:
        own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        niceness[texts[0]] = own
        if "later" in texts:
            assert go_on.wait(60)
        return [[1.0]] * len(texts)

    monkeypatch.setattr(embedders, "_load", lambda _model, _exports: encode)
    embedder = SentenceTransformerEmbedder(MODEL)
    await embedder.load()
    async with asyncio.TaskGroup() as group:
        later = group.create_task(embedder.embed("later", can_wait=True))
        assert await embedder.embed("now") == [1.0]
        assert not later.done()
        go_on.set()
    assert later.result() == [1.0]
    if sys.platform == "linux":
        assert niceness["later"] > niceness["now"]
    embedder.close()


@pytest.mark.skipif(sys.platform != "linux", reason="niceness is the process's")
def test_a_process_of_low_priority_has_a_thread_of_a_lower_one() -> None:
    script = """
import os, threading
from stepcache_proxy.adapters import embedders

class Jobs:
    def serve(self, encode):
        print(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

os.nice(12)
embedders._serve_later(Jobs(), None)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert int(told.stdout) > 12


async def test_a_failing_model_fails_the_call_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def encode(texts: list[str]) -> list[list[float]]:
        if "bad" in texts:
            message = "out of memory"
            raise RuntimeError(message)
        return [[1.0]] * len(texts)

    monkeypatch.setattr(embedders, "_load", lambda _model, _exports: encode)
    embedder = SentenceTransformerEmbedder(MODEL)
    await embedder.load()
    with pytest.raises(EmbedderUnavailableError, match="RuntimeError: out of memory"):
        await embedder.embed("bad")
    assert await embedder.embed("good") == [1.0]
    embedder.close()
    with pytest.raises(EmbedderUnavailableError, match="closed"):
        await embedder.embed("good")


def test_a_model_in_a_wheel_or_a_folder_is_on_this_machine(tmp_path: Path) -> None:
    shipped = find_model(MODEL)
    assert shipped is not None
    assert (shipped / "config.json").is_file()
    assert find_model(f"sentence-transformers/{MODEL}") == shipped
    assert find_model(str(tmp_path)) == tmp_path
    assert find_model("somebody/some-model") is None


def test_the_fingerprint_is_of_the_model_not_of_its_place(tmp_path: Path) -> None:
    def print_of(model: str | Path) -> str:
        return SentenceTransformerEmbedder(str(model)).fingerprint

    shipped = find_model(MODEL)
    assert shipped is not None
    (tmp_path / "a").symlink_to(shipped)
    assert print_of(tmp_path / "a") == print_of(MODEL) == print_of(MODEL)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "config.json").write_bytes(
        (shipped / "config.json").read_bytes() + b" "
    )
    assert len({print_of(MODEL), print_of(tmp_path / "b"), print_of("x/y")}) == 3


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the model is exported already."""
    folder = tmp_path_factory.mktemp("exports")
    assert export_of(MODEL, folder) is not None
    return folder


async def loaded(exports: Path | None) -> SentenceTransformerEmbedder:
    embedder = SentenceTransformerEmbedder(MODEL, exports)
    await embedder.load()
    return embedder


async def test_an_exported_model_gives_nearly_the_same_vectors(exports: Path) -> None:
    texts = ["hello", "Solve 2x + 3 = 7.", "Is it raining in Lisbon today? " * 20]
    exact = rows_of(open_network(MODEL), texts)
    embedder = await loaded(exports)
    for text, row in zip(texts, exact, strict=True):
        vector = await embedder.embed(text)
        assert vector is not None
        assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)
        assert float(np.dot(vector, row)) > 0.97
    embedder.close()


async def test_both_ways_to_run_a_model_refuse_the_same_texts(exports: Path) -> None:
    ways = [await loaded(None), await loaded(exports)]
    for text in ("", "word " * 254, "word " * 255, "x" * 5_000, "x\ud800", "word"):
        refused = {(await way.embed(text)) is None for way in ways}
        assert len(refused) == 1, text[:20]
    for way in ways:
        way.close()


def test_an_exported_model_runs_without_torch(exports: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from stepcache_proxy.adapters.embedders import SentenceTransformerEmbedder\n"
        f"e = SentenceTransformerEmbedder({MODEL!r}, pathlib.Path({str(exports)!r}))\n"
        "asyncio.run(e.load())\n"
        "sys.exit('torch' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_two_processes_that_export_at_once_leave_one_whole_export(
    tmp_path: Path,
) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: export_of(MODEL, tmp_path), range(2))
    assert first is not None
    assert first == second
    assert [path.name for path in tmp_path.iterdir()] == [first.name]
    assert {path.name for path in first.iterdir()} == {NETWORK, TOKENIZER}


@pytest.mark.parametrize("spoiled", ["no folder", "damaged"])
async def test_where_nothing_can_be_exported_the_library_runs_the_model(
    tmp_path: Path, exports: Path, spoiled: str
) -> None:
    folder = tmp_path / "file"
    if spoiled == "no folder":
        folder.write_text("in the way")
    else:
        shutil.copytree(exports, folder)
        (next(folder.iterdir()) / NETWORK).write_bytes(b"damaged")
    embedder = await loaded(folder)
    vector = await embedder.embed("Solve 2x + 3 = 7.")
    assert vector is not None
    (row,) = rows_of(open_network(MODEL), ["Solve 2x + 3 = 7."])
    assert float(np.dot(vector, row)) > 0.9999
    embedder.close()


async def test_a_model_that_cannot_be_loaded_is_not_exported_either(
    tmp_path: Path,
) -> None:
    broken = SentenceTransformerEmbedder(str(tmp_path), tmp_path / "exports")
    with pytest.raises(EmbedderUnavailableError, match="cannot be loaded") as caught:
        await broken.load()
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "exports").iterdir()) == []
