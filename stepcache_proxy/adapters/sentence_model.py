"""A sentence-transformers model as a function from texts to unit vectors.

Importing this module imports torch, which takes seconds: only the embedder's own
thread does.
"""

import copy
import os
import time
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer
from transformers.utils import logging

from stepcache_proxy.adapters.model_files import find_model
from stepcache_proxy.reuse.protocols import Vector

_MOST_CHARACTERS_PER_TOKEN = 16  # above that a text is not even counted
_SAMPLE = "Solve 3x + 7 = 22 for x and show every step of the work in order."


class SentenceModel:
    """A loaded model; used by one thread at a time."""

    def __init__(self, model: str) -> None:
        """Load ``model``. Raises whatever its code raises."""
        folder = find_model(model)
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(1)
        network = _open(model, folder)
        self._window = int(network.max_seq_length or 512)
        self._network = _faster(network)

    def encode(self, texts: Sequence[str]) -> list[Vector | None]:
        """A unit vector for each text; None where a text overflows the window.

        A cut text would be compared without its end.
        """
        kept = [text for text in texts if self._fits(text)]
        if not kept:
            return [None] * len(texts)
        rows = _rows(self._network, kept)
        vectors = {text: _vector(row) for text, row in zip(kept, rows, strict=True)}
        return [vectors.get(text) for text in texts]

    def _fits(self, text: str) -> bool:
        most = self._window * _MOST_CHARACTERS_PER_TOKEN
        if len(text) > most or not _is_encodable(text):
            return False
        tokens = self._network.tokenizer(text, truncation=False, verbose=False)
        return len(tokens["input_ids"]) <= self._window


def _open(model: str, folder: Path | None) -> SentenceTransformer:
    is_local = folder is not None
    name = str(folder or model)
    network = SentenceTransformer(name, device="cpu", local_files_only=is_local)
    network.eval()
    return network


def _faster(network: SentenceTransformer) -> SentenceTransformer:
    """``network`` or its copy in bfloat16, whichever is faster on this machine.

    Half as many bytes to read per weight: nearly twice as fast where the processor
    multiplies bfloat16, slower where it does not. The cosine between the two
    vectors of a text is above 0.9999.
    """
    short = copy.deepcopy(network).to(torch.bfloat16)
    seconds = _best_seconds(lambda: _rows(network, [_SAMPLE]))
    if _best_seconds(lambda: _rows(short, [_SAMPLE])) < 0.9 * seconds:
        return short
    return network


def _rows(network: SentenceTransformer, texts: list[str]) -> npt.NDArray[np.float32]:
    with torch.inference_mode():
        output = network(network.preprocess(texts))["sentence_embedding"].float()
        rows: npt.NDArray[np.float32] = torch.nn.functional.normalize(output).numpy()
        return rows


def _best_seconds(call: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _is_encodable(text: str) -> bool:
    """Whether no half of a surrogate pair is in ``text``; the tokenizer refuses it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _vector(row: npt.NDArray[np.float32]) -> Vector | None:
    if not np.isfinite(row).all():
        return None
    return array("f", row.tobytes())
