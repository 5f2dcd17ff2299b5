"""Text -> unit vector with a sentence-transformers model, in one worker thread."""

import asyncio
import logging
import os
import queue
import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from stepcache_proxy.adapters.exported_model import ExportedModel
from stepcache_proxy.adapters.exports import export_of
from stepcache_proxy.adapters.model_files import find_model, fingerprint_of
from stepcache_proxy.errors import EmbedderUnavailableError
from stepcache_proxy.reuse.protocols import Vector

_log = logging.getLogger(__name__)

_BATCH = 8  # texts encoded together; more would keep the first one waiting

Encode = Callable[[Sequence[str]], list[Vector | None]]


@dataclass(frozen=True, slots=True)
class _Job:
    """A text that waits for its vector."""

    text: str
    future: Future[Vector | None]


@dataclass(slots=True)
class SentenceTransformerEmbedder:
    """Embedder over ``model``, a hub name or a local folder.

    ``load`` it once; before, and when that failed, ``embed`` raises
    EmbedderUnavailableError with the reason. Requests that wait are encoded together.
    The model is run as an int8 export kept below ``exports``; with None there, or where
    it cannot be exported, by its own library.
    """

    model: str
    exports: Path | None = None
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
            self._fingerprint = fingerprint_of(self.model)
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
            encode = _load(self.model, self.exports)
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


def _load(model: str, exports: Path | None) -> Encode:
    """The encoding function of a model; may take seconds, the first time many."""
    if find_model(model) is not None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when the library loads
    elif model.startswith((".", "/", "~")):
        msg = "there is no such folder"
        raise EmbedderUnavailableError(msg)
    export = None if exports is None else export_of(model, exports)
    if export is not None:
        try:
            return ExportedModel(export).encode
        except Exception as error:  # noqa: BLE001 -- damaged files: anything
            _log.warning("the export is not used: %s", _first_line(error))
            # The next start makes it anew.
            shutil.rmtree(export, ignore_errors=True)
    # Here, not above: torch takes seconds to import, and only this thread needs it.
    from stepcache_proxy.adapters.sentence_model import SentenceModel  # noqa: PLC0415

    return SentenceModel(model).encode


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    line = lines[0][:120]
    if isinstance(error, EmbedderUnavailableError):  # already says what went wrong
        return line
    return f"{type(error).__name__}: {line}"
