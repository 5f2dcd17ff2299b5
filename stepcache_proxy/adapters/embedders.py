"""Text -> unit vector with a sentence-transformers model, in worker threads."""

import asyncio
import logging
import os
import shutil
import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from stepcache_proxy.adapters.encoding_queue import Encode, EncodingQueue, first_line
from stepcache_proxy.adapters.exported_model import ExportedModel
from stepcache_proxy.adapters.exports import export_of
from stepcache_proxy.adapters.model_files import find_model, fingerprint_of
from stepcache_proxy.errors import EmbedderUnavailableError
from stepcache_proxy.reuse.protocols import Vector

_log = logging.getLogger(__name__)

_LATER_NICENESS = 10
_LATER_GATHER_SECONDS = 0.02


@dataclass(slots=True)
class SentenceTransformerEmbedder:
    """Embedder over ``model``, a hub name or a local folder.

    ``load`` it once; before, and when that failed, ``embed`` raises
    EmbedderUnavailableError with the reason. Requests that wait are encoded together.
    What can wait has a thread of its own, behind everything else the machine has to do.
    The model is run as an int8 export kept below ``exports``; with None there, or where
    it cannot be exported, by its own library.
    """

    model: str
    exports: Path | None = None
    load_seconds: float = 120.0
    _urgent: EncodingQueue = field(default_factory=EncodingQueue)
    _later: EncodingQueue = field(
        default_factory=lambda: EncodingQueue(_LATER_GATHER_SECONDS)
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
        """Load the model in a worker thread.

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

    async def embed(self, text: str, *, can_wait: bool = False) -> Vector | None:
        """A unit vector; None if the text overflows the model's window."""
        if self._state != "ready":
            raise EmbedderUnavailableError(self._state)
        jobs = self._later if can_wait else self._urgent
        return await asyncio.wrap_future(jobs.ask(text))

    def close(self) -> None:
        """End the threads after the work they have."""
        self._state = "closed"
        self._urgent.close()
        self._later.close()

    def _work(self, loaded: Future[None]) -> None:
        try:
            encode = _load(self.model, self.exports)
        except Exception as error:  # noqa: BLE001 -- a foreign model may raise anything
            self._state = f"{self.model} cannot be loaded: {first_line(error)}"
            loaded.set_exception(EmbedderUnavailableError(self._state))
            return
        if self._state != "closed":
            self._state = "ready"
        loaded.set_result(None)
        threading.Thread(
            target=_serve_later, args=(self._later, encode), name="later", daemon=True
        ).start()
        self._urgent.serve(encode)


def _serve_later(jobs: EncodingQueue, encode: Encode) -> None:
    # On Linux a thread has a niceness of its own; elsewhere it is the process's.
    if sys.platform == "linux":
        thread = threading.get_native_id()
        own = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, own + _LATER_NICENESS)
    jobs.serve(encode)


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
            _log.warning("the export is not used: %s", first_line(error))
            # The next start makes it anew.
            shutil.rmtree(export, ignore_errors=True)
    # Here, not above: torch takes seconds to import, and only this thread needs it.
    from stepcache_proxy.adapters.sentence_model import SentenceModel  # noqa: PLC0415

    return SentenceModel(model).encode
